// Interleavings of threads without sleeping: a point that threads wait at, a line of callers in
// front of a database's writer that forms while the writer is held, and how each caller's call
// ended. A line makes shared transactions of exactly known members:
//
//     write_line line(db);                       // holds the writer
//     line.add([&] { db.exec("insert …"); });    // returns when this caller stands in line
//     line.add([&] { db.exec("insert …"); });
//     auto endings = line.finish();              // lets go: both in one transaction
#pragma once

#include <skiff/database.hpp>
#include <skiff/error.hpp>

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <iosfwd>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace skiff_test {

/// Waits until `reached` holds. False, and a failure of the test, when that takes too long.
bool wait_until(const std::function<bool()>& reached, const char* what = "a condition");

/// A gate that threads wait at until somebody opens it. Thread-safe.
class latch_gate {
  public:
    void open();
    /// Returns when the gate is open. A test that never opens it fails and goes on.
    void pass();
    /// Returns when somebody waits at the gate, or went through.
    void wait_for_visitor();
    [[nodiscard]] bool was_visited() const;

  private:
    mutable std::mutex guard_;
    std::condition_variable changed_;
    bool open_ = false;
    int visitors_ = 0;
};

/// How a call ended. A value, so that no exception crosses threads.
struct ending {
    bool ok = false;
    bool foreign = false;  ///< it threw something else than a skiff::error
    skiff::errc code = skiff::errc::generic;
    int extended_code = 0;
    std::string what;

    /// "ok", the name of the error's code, or what a foreign exception said.
    [[nodiscard]] std::string name() const;
};
std::ostream& operator<<(std::ostream& out, const ending& shown);

/// Runs `call` and says how it ended.
[[nodiscard]] ending ending_of(const std::function<void()>& call);
[[nodiscard]] std::vector<std::string> names_of(const std::vector<ending>& endings);

/// Callers in front of the writer, the one that leads and those it took included.
[[nodiscard]] std::size_t callers_in_line(skiff::database& db);
/// Callers that wait for a reader connection.
[[nodiscard]] std::size_t readers_waited_for(skiff::database& db);

/// Callers that line up one after the other while the writer is held. One thread at a time.
class write_line {
  public:
    explicit write_line(skiff::database& db);
    write_line(const write_line&) = delete;
    write_line& operator=(const write_line&) = delete;
    ~write_line();

    /// Starts a thread that makes `call`, which must write; returns when it stands in line.
    void add(std::function<void()> call);
    /// Lets go of the writer; returns when all calls have, in the order of their arrival.
    std::vector<ending> finish();
    /// Only lets go.
    void release() { gate_.open(); }

  private:
    skiff::database& db_;
    latch_gate gate_;
    std::vector<ending> endings_;
    std::vector<std::thread> threads_;
    std::thread holder_;
};

}  // namespace skiff_test
