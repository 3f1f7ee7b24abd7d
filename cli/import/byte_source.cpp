// Byte sources over file descriptors, and LZ4 frames on top of them.
#include "import/byte_source.hpp"

#include <lz4frame.h>

#include <cerrno>
#include <fcntl.h>
#include <stdexcept>
#include <string>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

namespace skiff_cli {

namespace {

constexpr std::size_t chunk_bytes = std::size_t{256} * 1024;

[[noreturn]] void throw_system_error(const std::string& what) {
    throw std::system_error(errno, std::generic_category(), what);
}

/// A file descriptor read in chunks.
class plain_source : public byte_source {
  public:
    explicit plain_source(const std::filesystem::path& path)
        : name_(path == "-" ? "standard input" : path.string()), buffer_(chunk_bytes) {
        fd_ = path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
        if (fd_ < 0) throw_system_error(name_);
        struct stat status{};
        if (::fstat(fd_, &status) == 0 && S_ISREG(status.st_mode)) {
            bytes_total_ = static_cast<std::uint64_t>(status.st_size);
        }
    }
    ~plain_source() override {
        // Nothing was written, so there is no error in closing that could matter.
        if (fd_ != STDIN_FILENO) ::close(fd_);
    }
    plain_source(const plain_source&) = delete;
    plain_source& operator=(const plain_source&) = delete;

    std::string_view read() override {
        ssize_t got = 0;
        do {
            got = ::read(fd_, buffer_.data(), buffer_.size());
        } while (got < 0 && errno == EINTR);
        if (got < 0) throw_system_error(name_);
        bytes_read_ += static_cast<std::uint64_t>(got);
        return {buffer_.data(), static_cast<std::size_t>(got)};
    }
    [[nodiscard]] std::uint64_t bytes_read() const override { return bytes_read_; }
    [[nodiscard]] std::uint64_t bytes_total() const override { return bytes_total_; }
    [[nodiscard]] const std::string& name() const { return name_; }

  private:
    std::string name_;
    std::vector<char> buffer_;
    int fd_ = -1;
    std::uint64_t bytes_read_ = 0;
    std::uint64_t bytes_total_ = 0;
};

struct context_deleter {
    void operator()(LZ4F_dctx* context) const { LZ4F_freeDecompressionContext(context); }
};

/// One or more LZ4 frames, one after the other.
class lz4_source : public byte_source {
  public:
    explicit lz4_source(const std::filesystem::path& path) : stored_(path), buffer_(chunk_bytes) {
        LZ4F_dctx* made = nullptr;
        check(LZ4F_createDecompressionContext(&made, LZ4F_VERSION));
        context_.reset(made);
    }

    std::string_view read() override {
        for (;;) {
            if (pending_.empty()) {
                pending_ = stored_.read();
                if (pending_.empty()) return at_end();
            }
            std::size_t made = buffer_.size();
            std::size_t taken = pending_.size();
            const std::size_t wanted = check(LZ4F_decompress(context_.get(), buffer_.data(), &made,
                                                             pending_.data(), &taken, nullptr));
            pending_.remove_prefix(taken);
            inside_frame_ = wanted != 0;
            if (made > 0) return {buffer_.data(), made};
        }
    }
    [[nodiscard]] std::uint64_t bytes_read() const override {
        return stored_.bytes_read() - pending_.size();
    }
    [[nodiscard]] std::uint64_t bytes_total() const override { return stored_.bytes_total(); }

  private:
    /// No input is left. The decoder may still hold output of an unfinished frame: ask once more.
    std::string_view at_end() {
        if (!inside_frame_) return {};
        std::size_t made = buffer_.size();
        std::size_t taken = 0;
        const std::size_t wanted =
            check(LZ4F_decompress(context_.get(), buffer_.data(), &made, "", &taken, nullptr));
        inside_frame_ = wanted != 0;
        if (inside_frame_ && made == 0) {
            throw std::runtime_error(stored_.name() + ": the LZ4 data ends too early");
        }
        return {buffer_.data(), made};
    }
    std::size_t check(std::size_t code) const {
        if (LZ4F_isError(code) != 0) {
            throw std::runtime_error(stored_.name() + ": not valid LZ4 data (" +
                                     LZ4F_getErrorName(code) + ")");
        }
        return code;
    }

    plain_source stored_;
    std::vector<char> buffer_;
    std::unique_ptr<LZ4F_dctx, context_deleter> context_;
    std::string_view pending_;  ///< compressed bytes not yet given to the decoder
    bool inside_frame_ = false;
};

}  // namespace

std::unique_ptr<byte_source> open_source(const std::filesystem::path& path) {
    if (path.extension() == ".lz4") return std::make_unique<lz4_source>(path);
    return std::make_unique<plain_source>(path);
}

}  // namespace skiff_cli
