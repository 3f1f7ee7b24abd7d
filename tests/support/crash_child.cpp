// The clients' mix: mostly entries in shared transactions, and between them closures that throw,
// constraints and deferred foreign keys that fail, callers with limits or alone, checkpoints and
// VACUUM.
#include "support/crash_child.hpp"

#include <skiff/error.hpp>

#include <array>
#include <cerrno>
#include <exception>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace skiff_test {

namespace {

using namespace std::chrono_literals;
using skiff::transaction;
using clock = std::chrono::steady_clock;

/// Thrown by a client that changes its mind.
struct changed_my_mind {};

/// Says why and ends the process; the parent notices that it was not killed.
[[noreturn]] void give_up(const std::string& why) {
    const std::string line = "crash child: " + why + "\n";
    static_cast<void>(!::write(STDERR_FILENO, line.data(), line.size()));
    ::_exit(3);
}

/// One thread's client.
class client {
  public:
    client(skiff::database& db, int fd, std::int32_t number, std::uint64_t seed)
        : db_(db), fd_(fd), number_(number), random_(seed) {}

    [[noreturn]] void run() {
        for (;;) {
            if (random_.once_in(300)) {
                keep_house();
            } else if (random_.once_in(15)) {
                make_noise();
            } else {
                write_entry();
            }
        }
    }

  private:
    void tell(std::int64_t n) const {
        const attempt told{n, number_, entries_};
        // Shorter than PIPE_BUF: whole or not at all, whenever the process is killed.
        if (::write(fd_, &told, sizeof told) != sizeof told) ::_exit(0);
    }

    void write_entry() {
        ++entries_;
        skiff::write_options options;
        if (random_.once_in(8)) options.rerun = skiff::rerun::allowed;
        if (random_.once_in(8)) options.deadline = 1h;
        if (random_.once_in(16)) options.alone = true;
        const int spoil = random_.below(12);
        try {
            tell(db_.write([&](transaction& tx) { return body(tx, spoil); }, options).value);
        } catch (const changed_my_mind&) {
            tell(0);
        } catch (const skiff::constraint&) {
            tell(0);
        } catch (const skiff::busy&) {
            tell(0);
        }
    }

    std::int64_t body(transaction& tx, int spoil) {
        const auto n = prefix_oracle::write_entry(tx, number_, entries_, random_);
        if (spoil == 0) throw changed_my_mind();
        if (spoil == 1) tx.exec("insert into entry values (?, 0, 0, '', 0)", n);
        if (spoil == 2) tx.exec("insert into link values (?)", n + 1'000'000);
        return n;
    }

    void make_noise() {
        try {
            db_.exec("insert or replace into noise values (?, zeroblob(?))", random_.below(50),
                     random_.below(30'000));
        } catch (const skiff::busy&) {
        }
    }

    void keep_house() {
        constexpr std::array what{"pragma wal_checkpoint(truncate)", "pragma wal_checkpoint(full)",
                                  "pragma wal_checkpoint(restart)", "vacuum"};
        try {
            db_.write_without_transaction([&](skiff::connection& writer) {
                writer.exec(what[static_cast<std::size_t>(random_.below(what.size()))]);
            });
        } catch (const skiff::busy&) {
        }
    }

    skiff::database& db_;
    int fd_;
    std::int32_t number_;
    random_numbers random_;
    std::int32_t entries_ = 0;
};

[[noreturn]] void be_the_child(const crash_plan& plan, int fd) {
    try {
        if (plan.before_work) plan.before_work();
        auto db = skiff::database::open(plan.path, {.busy_timeout = 30s});
        std::vector<std::thread> threads;
        for (int i = 0; i < plan.writers; ++i) {
            threads.emplace_back([&db, &plan, fd, i] {
                try {
                    client(db, fd, plan.first_client + i, plan.seed + static_cast<std::uint64_t>(i))
                        .run();
                } catch (const std::exception& thrown) {
                    give_up(thrown.what());
                }
            });
        }
        for (auto& each : threads) each.join();
        ::_exit(0);
    } catch (const std::exception& thrown) {
        give_up(thrown.what());
    }
}

}  // namespace

crash_child::crash_child(const crash_plan& plan) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        throw std::system_error(errno, std::generic_category(), "pipe2");
    }
    pid_ = ::fork();
    if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
    if (pid_ == 0) {
        ::signal(SIGPIPE, SIG_IGN);
        ::close(ends[0]);
        be_the_child(plan, ends[1]);
    }
    ::close(ends[1]);
    fd_ = ends[0];
}

crash_child::crash_child(crash_child&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), fd_(std::exchange(other.fd_, -1)) {}

crash_child& crash_child::operator=(crash_child&& other) noexcept {
    if (this != &other) {
        end();
        pid_ = std::exchange(other.pid_, -1);
        fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
}

crash_child::~crash_child() {
    end();
}

void crash_child::end() noexcept {
    if (pid_ < 0) return;
    ::kill(pid_, SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
    ::close(std::exchange(fd_, -1));
    pid_ = -1;
}

/// Waits for words and hears what there is; false at their end.
bool crash_child::hear_some(int timeout_ms, const listener& hear) {
    struct pollfd ready{fd_, POLLIN, 0};
    if (::poll(&ready, 1, timeout_ms) <= 0) return true;
    std::array<attempt, 256> heard{};
    const auto bytes = ::read(fd_, heard.data(), sizeof heard);
    if (bytes <= 0) return bytes < 0 && errno == EINTR;
    const auto count = static_cast<std::size_t>(bytes) / sizeof(attempt);
    for (std::size_t i = 0; i < count; ++i) hear(heard[i]);
    return true;
}

void crash_child::listen(clock::time_point until, const listener& hear) {
    for (auto now = clock::now(); now < until; now = clock::now()) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - now);
        if (!hear_some(static_cast<int>(left.count()), hear)) return;
    }
}

bool crash_child::listen_for_progress(std::chrono::seconds patience, const listener& hear) {
    bool progress = false;
    const auto until = clock::now() + patience;
    const auto note = [&](const attempt& told) {
        progress = progress || told.n > 0;
        hear(told);
    };
    while (!progress && clock::now() < until) {
        if (!hear_some(10, note)) return false;
    }
    return progress;
}

void crash_child::freeze() const noexcept {
    ::kill(pid_, SIGSTOP);
}

void crash_child::thaw() const noexcept {
    ::kill(pid_, SIGCONT);
}

bool crash_child::kill(const listener& hear) {
    ::kill(pid_, SIGKILL);
    while (hear_some(-1, hear)) {
    }
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    ::close(std::exchange(fd_, -1));
    pid_ = -1;
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

}  // namespace skiff_test
