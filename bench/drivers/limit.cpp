// Appending goes over bytes that exist already, since growing would cost more than the data.
#include "drivers/limit.hpp"

#include "drivers/c_api.hpp"

#include <skiff/vfs.hpp>

#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <system_error>
#include <unistd.h>

namespace skiff_bench {

namespace {

constexpr std::size_t file_bytes = std::size_t{16} << 20;
constexpr long long mapped_bytes = 256LL << 20;

/// Many callers, one append and one sync: whoever finds nobody leading leads.
class append_line {
  public:
    append_line(const std::filesystem::path& path, bool syncs) : syncs_(syncs) {
        fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
        if (fd_ < 0) fail();
        const std::vector<char> zeros(file_bytes);
        if (::pwrite(fd_, zeros.data(), zeros.size(), 0) < 0 || ::fsync(fd_) != 0) fail();
    }
    ~append_line() { ::close(fd_); }
    append_line(const append_line&) = delete;
    append_line& operator=(const append_line&) = delete;

    void append(std::string_view value) {
        std::unique_lock lock(guard_);
        gathered_.append(value);
        const auto mine = gathering_;
        while (written_ < mine) {
            if (leading_) {
                changed_.wait(lock);
            } else {
                lead(lock);
            }
        }
    }

  private:
    void lead(std::unique_lock<std::mutex>& lock) {
        leading_ = true;
        std::string batch;
        batch.swap(gathered_);
        const auto number = gathering_++;
        lock.unlock();
        if (at_ + batch.size() > file_bytes) at_ = 0;
        if (::pwrite(fd_, batch.data(), batch.size(), static_cast<off_t>(at_)) < 0) fail();
        at_ += batch.size();
        if (syncs_ && ::fdatasync(fd_) != 0) fail();
        lock.lock();
        written_ = number;
        leading_ = false;
        changed_.notify_all();
    }
    [[noreturn]] static void fail() { throw std::system_error(errno, std::generic_category()); }

    const bool syncs_;
    int fd_ = -1;
    std::size_t at_ = 0;
    std::mutex guard_;
    std::condition_variable changed_;
    std::string gathered_;
    std::uint64_t gathering_ = 1;
    std::uint64_t written_ = 0;
    bool leading_ = false;
};

class limit_session final : public session {
  public:
    limit_session(const profile& how, append_line& line)
        : reads_(how, skiff::vfs_name, mapped_bytes), line_(line) {
        reads_.connection().run("begin");
        static_cast<void>(reads_.connection().one("select count(*) from sqlite_schema"));
    }
    bool read(std::int64_t key) override { return reads_.read(key); }
    void insert(std::string_view value) override { line_.append(value); }

  private:
    c_session reads_;
    append_line& line_;
};

class limit_driver final : public driver {
  public:
    explicit limit_driver(const profile& how)
        : how_(how), line_(how.path.string() + ".limit", how.level == synchronous::full) {
        skiff::register_vfs();
    }
    std::unique_ptr<session> open_session() override {
        return std::make_unique<limit_session>(how_, line_);
    }
    std::map<std::string, std::string> settings() override {
        return c_connection(how_, skiff::vfs_name, mapped_bytes).settings();
    }

  private:
    profile how_;
    append_line line_;
};

}  // namespace

std::unique_ptr<driver> open_limit(const profile& how) {
    return std::make_unique<limit_driver>(how);
}

}  // namespace skiff_bench
