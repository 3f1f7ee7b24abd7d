// A folder on the real disk that lives as long as this object, for tests that need files. It is
// made below $TMPDIR if that is set, else below the working directory, which ctest puts in the
// build folder. Set SKIFF_KEEP_TEMP to look at what a test left behind.
#pragma once

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <stdlib.h>
#include <string>
#include <string_view>
#include <system_error>

namespace skiff_test {

class temp_dir {
  public:
    temp_dir() : path_(make(usual_parent())) {}
    /// In memory where the system has a place for it: for tests that need no disk and sync much.
    static temp_dir in_memory() {
        const std::filesystem::path memory = "/dev/shm";
        return temp_dir(std::filesystem::is_directory(memory) ? memory : usual_parent());
    }
    temp_dir(const temp_dir&) = delete;
    temp_dir& operator=(const temp_dir&) = delete;

    ~temp_dir() {
        if (std::getenv("SKIFF_KEEP_TEMP") != nullptr) return;
        std::error_code ignored;  // A leftover folder is no reason for a test to fail.
        std::filesystem::remove_all(path_, ignored);
    }

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

    [[nodiscard]] std::filesystem::path operator/(std::string_view name) const {
        return path_ / name;
    }

  private:
    explicit temp_dir(const std::filesystem::path& parent) : path_(make(parent)) {}
    static std::filesystem::path usual_parent() {
        const char* given = std::getenv("TMPDIR");
        return given != nullptr && *given != '\0' ? std::filesystem::path(given)
                                                  : std::filesystem::current_path();
    }
    static std::filesystem::path make(const std::filesystem::path& parent) {
        std::string name = (parent / "skiff-test-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr)
            throw std::system_error(errno, std::generic_category(), "mkdtemp " + name);
        return name;
    }

    std::filesystem::path path_;
};

}  // namespace skiff_test
