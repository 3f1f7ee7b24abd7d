// The reader connections by themselves: who gets which, who waits and for how long, and that one
// that cannot be opened stops nobody for good.
#include "pool/reader_set.hpp"

#include "support/failure_of.hpp"
#include "support/latch_gate.hpp"

#include <skiff/connection.hpp>
#include <skiff/error.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace skiff_test;
using namespace std::chrono_literals;
using skiff::connection;
using skiff::errc;
using skiff::detail::reader;
using skiff::detail::reader_set;
using skiff::detail::wait_limits;

connection open_memory(const wait_limits& = {}) {
    return connection::open(":memory:");
}

/// Held by somebody else: a thread that holds one itself never waits.
reader& take_on_another_thread(reader_set& readers) {
    reader* taken = nullptr;
    std::thread([&] { taken = &readers.take(); }).join();
    return *taken;
}

TEST(ReaderSet, thread_that_reads_again_gets_the_same_reader) {
    reader_set readers(4, open_memory);

    reader& first = readers.take();
    readers.give_back(first);
    reader& second = readers.take();
    readers.give_back(second);

    EXPECT_EQ(&first, &second);
}

TEST(ReaderSet, second_lease_of_a_thread_gets_another_reader) {
    std::atomic<int> opened{0};
    reader_set readers(4, [&opened](const wait_limits&) {
        ++opened;
        return open_memory();
    });

    reader& first = readers.take();
    reader& second = readers.take();

    EXPECT_NE(&first, &second);
    EXPECT_EQ(opened.load(), 2);
    readers.give_back(first);
    readers.give_back(second);
}

TEST(ReaderSet, free_reader_is_taken_before_another_is_opened) {
    std::atomic<int> opened{0};
    reader_set readers(4, [&opened](const wait_limits&) {
        ++opened;
        return open_memory();
    });
    readers.give_back(readers.take());

    std::thread other([&] { readers.give_back(readers.take()); });
    other.join();

    EXPECT_EQ(opened.load(), 1);
}

TEST(ReaderSet, deadline_while_all_are_leased_is_a_timeout) {
    reader_set readers(1, open_memory);
    reader& held = take_on_another_thread(readers);

    const auto code = code_of([&] { readers.give_back(readers.take({20ms})); });
    readers.give_back(held);

    EXPECT_EQ(code, errc::timeout);
    EXPECT_EQ(readers.waited(), 1U);
    readers.give_back(readers.take());
}

TEST(ReaderSet, stop_while_all_are_leased_is_interrupted) {
    reader_set readers(1, open_memory);
    reader& held = take_on_another_thread(readers);
    std::stop_source source;
    errc code{};
    std::thread waiter([&] {
        code = code_of([&] { readers.give_back(readers.take({{}, source.get_token()})); });
    });
    wait_until([&] { return readers.waited() == 1; }, "a caller to wait");

    source.request_stop();
    waiter.join();
    readers.give_back(held);

    EXPECT_EQ(code, errc::interrupted);
}

TEST(ReaderSet, stop_requested_before_does_not_wait) {
    reader_set readers(1, open_memory);
    reader& held = take_on_another_thread(readers);
    std::stop_source source;
    source.request_stop();

    const auto code = code_of([&] { readers.give_back(readers.take({{}, source.get_token()})); });
    readers.give_back(held);

    EXPECT_EQ(code, errc::interrupted);
}

TEST(ReaderSet, waiting_callers_are_served_in_order_of_arrival) {
    reader_set readers(1, open_memory);
    reader& held = take_on_another_thread(readers);
    std::mutex guard;
    std::vector<int> served;
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
        threads.emplace_back([&, i] {
            reader& mine = readers.take();
            {
                const std::lock_guard lock(guard);
                served.push_back(i);
            }
            readers.give_back(mine);
        });
        const auto expected = static_cast<std::uint64_t>(i) + 1;
        wait_until([&] { return readers.waited() == expected; }, "a caller to wait");
    }

    readers.give_back(held);
    for (auto& each : threads) each.join();

    EXPECT_EQ(served, (std::vector{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(ReaderSet, caller_in_the_middle_that_gives_up_is_passed_over) {
    reader_set readers(1, open_memory);
    reader& held = take_on_another_thread(readers);
    std::atomic<int> served{0};
    const auto take_and_give = [&] {
        readers.give_back(readers.take());
        ++served;
    };
    std::thread first(take_and_give);
    wait_until([&] { return readers.waited() == 1; }, "the first to wait");
    EXPECT_EQ(code_of([&] { readers.give_back(readers.take({1ms})); }), errc::timeout);
    std::thread last(take_and_give);
    wait_until([&] { return readers.waited() == 3; }, "the last to wait");

    readers.give_back(held);
    first.join();
    last.join();

    EXPECT_EQ(served.load(), 2);
}

TEST(ReaderSet, failed_open_is_thrown_and_tried_again_next_time) {
    std::atomic<int> tries{0};
    reader_set readers(1, [&tries](const wait_limits&) -> connection {
        if (++tries == 1) return connection::open("no-such-folder/app.db");
        return open_memory();
    });

    const auto code = code_of([&] { readers.give_back(readers.take()); });
    readers.give_back(readers.take());

    EXPECT_EQ(code, errc::cannot_open);
    EXPECT_EQ(tries.load(), 2);
}

// first caller                 second caller
// opens the only reader …
//                              waits for it
// … which fails: throws
//                              opens it for itself
TEST(ReaderSet, failed_open_does_not_leave_the_next_in_line_waiting) {
    latch_gate opening;
    std::atomic<int> tries{0};
    reader_set readers(1, [&](const wait_limits&) -> connection {
        if (++tries > 1) return open_memory();
        opening.pass();
        return connection::open("no-such-folder/app.db");
    });
    ending first;
    ending second;
    std::thread opens([&] { first = ending_of([&] { readers.give_back(readers.take()); }); });
    opening.wait_for_visitor();
    std::thread waits([&] { second = ending_of([&] { readers.give_back(readers.take({30s})); }); });
    wait_until([&] { return readers.waited() == 1; }, "the second caller to wait");

    opening.open();
    opens.join();
    waits.join();

    EXPECT_EQ(first.name(), "SQLITE_CANTOPEN");
    EXPECT_EQ(second.name(), "ok");
}

TEST(ReaderSet, reader_that_could_not_be_opened_is_not_shown_as_idle) {
    reader_set readers(
        2, [](const wait_limits&) { return connection::open("no-such-folder/app.db"); });
    EXPECT_EQ(code_of([&] { readers.give_back(readers.take()); }), errc::cannot_open);
    int shown = 0;

    readers.for_each_idle([&](reader& each) {
        EXPECT_NE(each.inner, nullptr);
        ++shown;
    });

    EXPECT_EQ(shown, 0);
}

TEST(ReaderSet, close_with_a_leased_reader_is_refused_and_changes_nothing) {
    reader_set readers(2, open_memory);
    reader& held = readers.take();

    const auto code = code_of([&] { readers.close(); });
    readers.give_back(held);

    EXPECT_EQ(code, errc::busy);
    EXPECT_EQ(&readers.take(), &held);
    readers.give_back(held);
    readers.close();
}

TEST(ReaderSet, kb_c8_thread_that_holds_the_only_reader_gets_an_extra_one) {
    reader_set readers(1, open_memory);
    reader& held = readers.take();

    reader& nested = readers.take();
    const int opened = readers.opened();
    readers.give_back(nested);

    EXPECT_NE(&nested, &held);
    EXPECT_EQ(opened, 2);
    EXPECT_EQ(readers.opened(), 1) << "the extra one is closed";
    EXPECT_EQ(readers.waited(), 0U);
    readers.give_back(held);
}

TEST(ReaderSet, kb_c8_leader_of_the_writer_gets_an_extra_one) {
    reader_set readers(1, open_memory);
    reader& held = take_on_another_thread(readers);

    reader& nested = readers.take({}, true);

    EXPECT_NE(&nested, &held);
    readers.give_back(nested);
    readers.give_back(held);
}

TEST(ReaderSet, thread_that_gave_its_reader_back_waits_again) {
    reader_set readers(1, open_memory);
    readers.give_back(readers.take());
    reader& held = take_on_another_thread(readers);

    const auto code = code_of([&] { readers.give_back(readers.take({1ms})); });

    EXPECT_EQ(code, errc::timeout);
    readers.give_back(held);
}

TEST(ReaderSet, reader_handed_over_in_line_counts_as_held) {
    reader_set readers(1, open_memory);
    reader& held = take_on_another_thread(readers);
    int opened = 0;
    std::thread waits([&] {
        reader& mine = readers.take();
        reader& nested = readers.take();
        opened = readers.opened();
        readers.give_back(nested);
        readers.give_back(mine);
    });
    wait_until([&] { return readers.waited() == 1; }, "a caller to wait");

    readers.give_back(held);
    waits.join();

    EXPECT_EQ(opened, 2);
}

TEST(ReaderSet, extra_reader_that_cannot_be_opened_leaves_nothing_behind) {
    std::atomic<int> tries{0};
    reader_set readers(1, [&tries](const wait_limits&) -> connection {
        if (++tries == 1) return open_memory();
        return connection::open("no-such-folder/app.db");
    });
    reader& held = readers.take();

    const auto code = code_of([&] { readers.give_back(readers.take()); });

    EXPECT_EQ(code, errc::cannot_open);
    EXPECT_EQ(readers.opened(), 1);
    readers.give_back(held);
    readers.close();
}

TEST(ReaderSet, close_with_an_extra_reader_leased_is_refused) {
    reader_set readers(1, open_memory);
    reader& held = readers.take();
    reader& extra = readers.take();
    readers.give_back(held);

    EXPECT_EQ(code_of([&] { readers.close(); }), errc::busy);

    readers.give_back(extra);
    readers.close();
}

TEST(ReaderSet, hint_of_one_set_does_not_lead_into_another) {
    reader* of_the_first = nullptr;
    {
        reader_set first(1, open_memory);
        of_the_first = &first.take();
        first.give_back(*of_the_first);
    }
    reader_set second(1, open_memory);

    reader& taken = second.take();

    EXPECT_TRUE(taken.opened->is_open());
    second.give_back(taken);
}

TEST(ReaderSet, one_reader_serves_sixteen_threads_without_starving_any) {
    reader_set readers(1, open_memory);
    constexpr int rounds = 500;
    std::vector<int> served(16, 0);
    std::atomic<int> inside{0};
    std::vector<std::thread> threads;
    for (auto& mine : served) {
        threads.emplace_back([&] {
            for (int i = 0; i < rounds; ++i) {
                reader& taken = readers.take({60s});
                EXPECT_EQ(inside.fetch_add(1), 0);
                ++mine;
                inside.fetch_sub(1);
                readers.give_back(taken);
            }
        });
    }

    for (auto& each : threads) each.join();

    EXPECT_EQ(served, std::vector<int>(16, rounds));
}

// Everybody waits with limits that end at random moments: no reader gets lost on the way.
TEST(ReaderSet, storm_with_limits_loses_no_reader) {
    reader_set readers(2, open_memory);
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t) {
        threads.emplace_back([&, t] {
            for (int i = 0; i < 300; ++i) {
                std::stop_source source;
                if (t % 3 == 1 && i % 3 == 0) source.request_stop();
                skiff::deadline until;
                if (t % 3 == 2) until = std::chrono::microseconds(i % 40);
                try {
                    readers.give_back(readers.take({until, source.get_token()}));
                } catch (const skiff::error&) {
                }
            }
        });
    }
    for (auto& each : threads) each.join();

    reader& first = readers.take({1s});
    reader& second = readers.take({1s});

    EXPECT_NE(&first, &second);
    readers.give_back(first);
    readers.give_back(second);
}

}  // namespace
