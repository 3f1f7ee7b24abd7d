// Waiting with a limit, and a look into the database's private line of callers.
#include "support/latch_gate.hpp"

#include "pool/database_state.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <exception>
#include <memory>
#include <ostream>
#include <utility>

namespace skiff_test {

namespace {

using namespace std::chrono_literals;

/// Far above what a loaded machine with a sanitizer needs.
constexpr auto patience = 60s;

// Private members may be named in an explicit instantiation: the only way to see the line of
// callers without a friend in the library.
template <class Tag, typename Tag::type Member>
struct revealed {
    friend typename Tag::type member_of(Tag) { return Member; }
};

struct state_tag {
    using type = std::unique_ptr<skiff::detail::database_state, skiff::detail::database_deleter>
        skiff::database::*;
    friend type member_of(state_tag);
};
template struct revealed<state_tag, &skiff::database::state_>;

struct queue_tag {
    using type = skiff::detail::write_queue skiff::detail::writer::*;
    friend type member_of(queue_tag);
};
template struct revealed<queue_tag, &skiff::detail::writer::queue_>;

struct waiting_tag {
    using type = std::atomic<std::uint32_t> skiff::detail::reader_set::*;
    friend type member_of(waiting_tag);
};
template struct revealed<waiting_tag, &skiff::detail::reader_set::waiting_>;

skiff::detail::database_state& state_of(skiff::database& db) {
    return *(db.*member_of(state_tag()));
}

}  // namespace

bool wait_until(const std::function<bool()>& reached, const char* what) {
    const auto until = std::chrono::steady_clock::now() + patience;
    while (!reached()) {
        if (std::chrono::steady_clock::now() > until) {
            ADD_FAILURE() << "waited in vain for " << what;
            return false;
        }
        std::this_thread::yield();
    }
    return true;
}

void latch_gate::open() {
    const std::lock_guard lock(guard_);
    open_ = true;
    changed_.notify_all();
}

void latch_gate::pass() {
    std::unique_lock lock(guard_);
    ++visitors_;
    changed_.notify_all();
    if (!changed_.wait_for(lock, patience, [this] { return open_; })) {
        ADD_FAILURE() << "a gate was never opened";
    }
}

void latch_gate::wait_for_visitor() {
    std::unique_lock lock(guard_);
    if (!changed_.wait_for(lock, patience, [this] { return visitors_ > 0; })) {
        ADD_FAILURE() << "nobody came to a gate";
    }
}

bool latch_gate::was_visited() const {
    const std::lock_guard lock(guard_);
    return visitors_ > 0;
}

std::string ending::name() const {
    if (ok) return "ok";
    return foreign ? what : skiff::name_of(code);
}

std::ostream& operator<<(std::ostream& out, const ending& shown) {
    return out << shown.name() << (shown.ok ? "" : ": " + shown.what);
}

ending ending_of(const std::function<void()>& call) {
    ending ended;
    try {
        call();
        ended.ok = true;
    } catch (const skiff::error& thrown) {
        ended.code = thrown.code();
        ended.extended_code = thrown.extended_code();
        ended.what = thrown.what();
    } catch (const std::exception& thrown) {
        ended.foreign = true;
        ended.what = thrown.what();
    } catch (...) {
        ended.foreign = true;
        ended.what = "something else";
    }
    return ended;
}

std::vector<std::string> names_of(const std::vector<ending>& endings) {
    std::vector<std::string> names;
    names.reserve(endings.size());
    for (const auto& each : endings) names.push_back(each.name());
    return names;
}

std::size_t callers_in_line(skiff::database& db) {
    return (state_of(db).write_side.*member_of(queue_tag())).length();
}

std::size_t readers_waited_for(skiff::database& db) {
    return (state_of(db).readers.*member_of(waiting_tag())).load();
}

write_line::write_line(skiff::database& db) : db_(db) {
    holder_ = std::thread([this] {
        const auto held = ending_of([this] {
            db_.write_without_transaction([this](skiff::connection&) { gate_.pass(); });
        });
        EXPECT_TRUE(held.ok) << held;
    });
    gate_.wait_for_visitor();
}

write_line::~write_line() {
    static_cast<void>(finish());
}

void write_line::add(std::function<void()> call) {
    const std::size_t before = callers_in_line(db_);
    const std::size_t mine = threads_.size();
    // A thread writes to its own element only, and these are made before it runs.
    if (endings_.empty()) endings_.resize(1024);
    ASSERT_LT(mine, endings_.size());
    threads_.emplace_back(
        [this, mine, call = std::move(call)] { endings_[mine] = ending_of(call); });
    wait_until([&] { return callers_in_line(db_) > before; }, "a caller to stand in line");
}

std::vector<ending> write_line::finish() {
    gate_.open();
    if (holder_.joinable()) holder_.join();
    for (auto& each : threads_) each.join();
    endings_.resize(threads_.size());
    threads_.clear();
    return std::exchange(endings_, {});
}

}  // namespace skiff_test
