// Arguments are borrowed for one call and never seen again: not by the next run of the statement,
// not by a trace that prints expanded SQL, not after an error. Worth most under AddressSanitizer.
#include "support/failure_of.hpp"

#include <skiff/connection.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

using skiff::connection;
using skiff::errc;
using skiff_test::code_of;
using testing::ElementsAre;
using testing::Not;

/// A text too long for the small-string buffer, in memory that is gone after release().
class short_lived_text {
  public:
    [[nodiscard]] std::string_view view() const { return *held_; }
    void release() { held_.reset(); }

  private:
    std::unique_ptr<std::string> held_ = std::make_unique<std::string>(100, 'v');
};

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// The SQL of every statement that the connection keeps, with its bindings filled in.
std::string expanded_statements(const connection& db) {
    std::string all;
    auto* statement = sqlite3_next_stmt(db.native_handle(), nullptr);
    for (; statement != nullptr; statement = sqlite3_next_stmt(db.native_handle(), statement)) {
        char* expanded = sqlite3_expanded_sql(statement);
        all += std::string(expanded != nullptr ? expanded : "") + "\n";
        sqlite3_free(expanded);
    }
    return all;
}

MATCHER(HoldsNoText, "") {
    return arg.find("vvv") == std::string::npos;
}

TEST(ArgumentLifetimes, kb_v7_fewer_arguments_never_see_the_old_value) {
    auto db = connection::open(":memory:");
    const auto* sql = "select ?, ?";
    short_lived_text text;
    db.exec(sql, text.view(), text.view());
    text.release();

    EXPECT_EQ(code_of([&] { return db.exec(sql, 1); }), errc::arguments);
    EXPECT_EQ(code_of([&] { return db.exec(sql, skiff::named("a", 1), skiff::named("a", 1)); }),
              errc::arguments);
}

TEST(ArgumentLifetimes, kb_v7_kept_statements_hold_nothing_of_the_call) {
    auto db = connection::open(":memory:");
    db.exec("create table t(x)");
    auto held = db.prepare("select length(?)");
    short_lived_text text;
    db.exec("insert into t values (?)", text.view());
    static_cast<void>(db.one<int>("select length(?) + 1", text.view()));
    static_cast<void>(db.one<int>("select length(:x) + 2", skiff::named("x", text.view())));
    static_cast<void>(held.one<int>(std::as_bytes(std::span(text.view()))));
    db.insert_many("insert into t values (?)", std::vector<std::string_view>{text.view()});
    text.release();

    EXPECT_THAT(expanded_statements(db), HoldsNoText());
}

TEST(ArgumentLifetimes, kb_v7_failed_bind_leaves_nothing_bound) {
    auto db = connection::open(":memory:");
    auto held = db.prepare("select ?, ?");
    short_lived_text text;
    EXPECT_THROW(held.exec(text.view(), not_a_number), skiff::conversion);
    EXPECT_THROW(db.exec("select ?, ?, 1", text.view(), not_a_number), skiff::conversion);
    EXPECT_THROW((void)(db.rows<int>("select ?, ?, 2", text.view(), not_a_number)),
                 skiff::conversion);
    text.release();

    EXPECT_THAT(expanded_statements(db), HoldsNoText());
}

TEST(ArgumentLifetimes, kb_v7_failed_step_leaves_nothing_bound) {
    auto db = connection::open(":memory:");
    db.exec("create table t(x unique)");
    short_lived_text text;
    db.exec("insert into t values (?)", text.view());
    EXPECT_THROW(db.exec("insert into t values (?)", text.view()), skiff::constraint);
    EXPECT_THROW(db.insert_many("insert into t values (?)", std::vector{std::string(text.view())}),
                 skiff::constraint);
    text.release();

    EXPECT_THAT(expanded_statements(db), HoldsNoText());
}

TEST(ArgumentLifetimes, kb_v7_throwing_function_leaves_nothing_bound) {
    auto db = connection::open(":memory:");
    db.define_function("fail", [](std::string_view) -> int { throw std::runtime_error("no"); });
    short_lived_text text;
    EXPECT_THROW(db.exec("select fail(?)", text.view()), std::runtime_error);
    text.release();

    EXPECT_THAT(expanded_statements(db), HoldsNoText());
}

/// A trace as programs install it: prints every statement with its values when it ends.
struct expanding_trace {
    explicit expanding_trace(connection& db) {
        sqlite3_trace_v2(
            db.native_handle(), SQLITE_TRACE_STMT | SQLITE_TRACE_PROFILE,
            [](unsigned, void* self, void* statement, void*) {
                char* expanded = sqlite3_expanded_sql(static_cast<sqlite3_stmt*>(statement));
                static_cast<expanding_trace*>(self)->lines.emplace_back(expanded);
                sqlite3_free(expanded);
                return 0;
            },
            this);
    }
    std::vector<std::string> lines;
};

TEST(ArgumentLifetimes, kb_v7_trace_that_expands_sql_reads_only_living_buffers) {
    auto db = connection::open(":memory:");
    db.exec("create table t(x unique)");
    expanding_trace trace(db);
    short_lived_text text;
    db.exec("insert into t values (?)", text.view());
    EXPECT_THROW(db.insert_many("insert into t values (?)",
                                std::vector{std::string("w"), std::string(text.view())}),
                 skiff::constraint);
    static_cast<void>(db.maybe<std::string>("select x from t where x = ? limit 1", text.view()));
    text.release();
    const auto lines_before_close = trace.lines.size();

    db.close();

    EXPECT_GT(lines_before_close, 5U);
    for (std::size_t i = lines_before_close; i < trace.lines.size(); ++i) {
        EXPECT_THAT(trace.lines[i], HoldsNoText());
    }
}

TEST(ArgumentLifetimes, kb_v7_rows_ranges_own_their_arguments) {
    auto db = connection::open(":memory:");
    auto held = db.prepare("select ? || '!'");
    short_lived_text text;
    const std::string expected(text.view());
    auto untyped = db.query("select ?", text.view());
    auto typed = db.rows<std::string>("select ? limit 0", text.view());
    auto of_held = held.rows<std::string>(text.view());
    text.release();

    for (const auto& row : untyped) EXPECT_EQ(row.get<std::string>(0), expected);
    for (const auto& each : of_held) EXPECT_EQ(each, expected + "!");
    typed.close();
}

TEST(ArgumentLifetimes, kb_v7_bytes_and_names_of_a_rows_range_are_owned) {
    auto db = connection::open(":memory:");
    auto bytes = std::make_unique<skiff::blob>(100, std::byte{7});
    auto name = std::make_unique<std::string>("a_name_that_is_too_long_for_the_small_buffer");
    auto sql = std::make_unique<std::string>("select :" + *name);
    auto rows = db.rows<skiff::blob>(*sql, skiff::named(*name, *bytes));
    bytes.reset();
    name.reset();
    sql.reset();

    for (const auto& each : rows) EXPECT_EQ(each, skiff::blob(100, std::byte{7}));
}

TEST(ArgumentLifetimes, kb_v7_names_of_functions_and_collations_are_copied) {
    auto db = connection::open(":memory:");
    auto name = std::make_unique<std::string>("a_name_that_is_too_long_for_the_small_buffer");
    db.define_function(*name, [](int number) { return number; });
    db.define_collation(*name, [](std::string_view a, std::string_view b) { return a <=> b; });
    const std::string copy = *name;
    name.reset();

    const auto failure =
        skiff_test::failure_of([&] { return db.one<int>("select " + copy + "('x')"); });

    EXPECT_EQ(failure.object(), "argument 1 of " + copy + "()");
    EXPECT_TRUE(db.one<bool>("select 'a' < 'b' collate " + copy));
}

TEST(ArgumentLifetimes, kb_v7_name_of_the_file_is_copied) {
    auto options = std::make_unique<skiff::open_options>();
    options->vfs = "unix";
    auto uri = std::make_unique<std::string>("file:lifetimes_of_uris_are_short?mode=memory");
    auto db = connection::open_uri(*uri, *options);
    uri.reset();
    options.reset();

    db.exec("create table t(x)");

    EXPECT_EQ(db.one<int>("select count(*) from t"), 0);
}

TEST(ArgumentLifetimes, results_outlive_their_row) {
    auto db = connection::open(":memory:");
    const std::string expected(100, 'r');

    const auto text = db.one<std::string>("select printf('%.*c', 100, 'r')");
    const auto all = db.all<std::string>("select printf('%.*c', 100, 'r')");
    db.clear_cache();

    EXPECT_EQ(text, expected);
    EXPECT_THAT(all, ElementsAre(expected));
}

}  // namespace
