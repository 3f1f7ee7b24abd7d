// Several reads of one state of the database: a reader connection leased from the pool with a read
// transaction open on it.
#pragma once

#include <skiff/commit_token.hpp>
#include <skiff/deadline.hpp>
#include <skiff/queries.hpp>

#include <stop_token>
#include <string_view>
#include <utility>

namespace skiff {

/// How a read waits and when it is cut.
struct read_options {
    /// Cuts the wait for a reader (`timeout`) and the statement that runs (`interrupted`).
    skiff::deadline deadline = {};
    /// The same, when a stop is requested.
    std::stop_token stop = {};
    /// The read sees this commit; waits for it up to the deadline.
    commit_token at_least = {};
};

namespace detail {

struct database_state;
struct reader;
struct operation;

/// A reader connection on loan. Given back when destroyed.
class reader_lease {
  public:
    explicit reader_lease(database_state& database) : database_(&database), held_(take(database)) {}
    reader_lease(database_state& database, const read_options& options);
    reader_lease(reader_lease&& other) noexcept
        : database_(other.database_),
          held_(std::exchange(other.held_, nullptr)),
          limits_(std::exchange(other.limits_, nullptr)) {}
    reader_lease& operator=(reader_lease&& other) noexcept;
    ~reader_lease() {
        if (held_ != nullptr) give_back();
    }

    [[nodiscard]] bool holds() const noexcept { return held_ != nullptr; }
    [[nodiscard]] connection_state& state() const noexcept;
    [[nodiscard]] skiff::connection& connection() const noexcept;
    [[nodiscard]] database_state& database() const noexcept { return *database_; }

  private:
    static reader* take(database_state& database);
    void give_back() noexcept;

    database_state* database_;
    reader* held_ = nullptr;
    operation* limits_ = nullptr;  ///< the deadline and stop token in force, owned
};

}  // namespace detail

/// Reads of one state. The state is the one of the first read. Move-only. One thread at a time;
/// must not outlive its database.
class snapshot : public queries<snapshot> {
  public:
    snapshot(snapshot&&) noexcept = default;
    snapshot& operator=(snapshot&&) noexcept;
    /// Ends the read transaction and gives the reader back.
    ~snapshot();

  private:
    friend class database;
    friend class queries<snapshot>;
    explicit snapshot(detail::reader_lease lease);
    detail::prepared& start_statement(std::string_view sql);
    void end() noexcept;

    detail::reader_lease lease_;
};

}  // namespace skiff
