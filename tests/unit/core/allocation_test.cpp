// What must not allocate: a point read through a kept statement, and each row of a loop. Counted
// are calls of operator new; what SQLite takes with malloc it would take without Skiff as well.
#include "support/counting_new.hpp"

#include <skiff/connection.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace {

using skiff::connection;
using skiff_test::allocation_count;

constexpr int row_count = 1000;

class Allocations : public testing::Test {
  protected:
    Allocations() {
        db.exec("create table t(id integer primary key, n integer, name text, content blob)");
        std::vector<std::tuple<int, int, std::string, skiff::blob>> rows;
        for (int id = 1; id <= row_count; ++id) {
            rows.emplace_back(id, id * 2, std::string(50, 'n'), skiff::blob(50, std::byte{1}));
        }
        db.insert_many("insert into t values (?, ?, ?, ?)", rows);
    }

    /// Allocations of `work` after it ran once to warm up.
    template <class Work>
    std::uint64_t in_second_run(Work&& work) {
        work();
        const allocation_count counted;
        work();
        return counted.so_far();
    }

    connection db = connection::open(":memory:");
};

TEST(AllocationCounters, every_form_of_new_is_counted) {
    const allocation_count counted;
    struct alignas(64) wide {
        std::byte content[64];
    };

    delete new int(1);
    delete[] new int[3];
    delete new (std::nothrow) int(1);
    delete[] new (std::nothrow) int[3];
    delete new wide;
    delete[] new wide[2];
    delete new (std::nothrow) wide;
    delete[] new (std::nothrow) wide[2];
    const auto shared = std::make_shared<int>(1);

    // A compiler may leave out a pair of new and delete, but not all of them.
    EXPECT_GE(counted.so_far(), 1U);
    EXPECT_LE(counted.so_far(), 9U);
}

TEST_F(Allocations, point_read_of_an_integer_allocates_nothing) {
    const auto used = in_second_run([&] {
        for (std::int64_t id = 1; id <= 100; ++id) {
            const auto n = db.one<std::int64_t>("select n from t where id = ?", id);
            ASSERT_EQ(n, id * 2);
        }
    });

    EXPECT_EQ(used, 0U);
}

TEST_F(Allocations, point_read_of_several_numbers_allocates_nothing) {
    using numbers = std::tuple<std::int64_t, int, std::optional<double>>;
    const auto used = in_second_run([&] {
        static_cast<void>(db.one<numbers>("select id, n, null from t where id = ?", 7));
        static_cast<void>(db.maybe<int>("select n from t where id = ?", -1));
    });

    EXPECT_EQ(used, 0U);
}

TEST_F(Allocations, point_read_by_text_blob_or_name_allocates_nothing) {
    const std::string name(50, 'n');
    const skiff::blob content(50, std::byte{1});
    const auto used = in_second_run([&] {
        static_cast<void>(db.one<int>("select count(*) from t where name = ?", name));
        static_cast<void>(db.one<int>("select count(*) from t where content = ?", content));
        static_cast<void>(db.one<int>("select n from t where id = :id", skiff::named("id", 3)));
    });

    EXPECT_EQ(used, 0U);
}

TEST_F(Allocations, point_read_through_a_held_statement_allocates_nothing) {
    auto select = db.prepare("select n from t where id = ?");
    const auto used = in_second_run([&] { static_cast<void>(select.one<std::int64_t>(5)); });

    EXPECT_EQ(used, 0U);
}

TEST_F(Allocations, write_through_a_kept_statement_allocates_nothing) {
    const std::string name(50, 'x');
    const auto used =
        in_second_run([&] { db.exec("update t set name = ?, n = ? where id = ?", name, 7, 1); });

    EXPECT_EQ(used, 0U);
}

TEST_F(Allocations, typed_row_allocates_nothing) {
    std::int64_t sum = 0;
    const auto used = in_second_run([&] {
        for (const auto [id, n] : db.rows<std::int64_t, std::int64_t>("select id, n from t")) {
            sum += id + n;
        }
    });

    EXPECT_EQ(used, 0U);
    EXPECT_EQ(sum, 2LL * 3 * row_count * (row_count + 1) / 2);
}

TEST_F(Allocations, typed_row_of_views_allocates_nothing) {
    std::size_t bytes = 0;
    const auto used = in_second_run([&] {
        for (const auto [name, content] :
             db.rows<std::string_view, skiff::blob_view>("select name, content from t")) {
            bytes += name.size() + content.size();
        }
    });

    EXPECT_EQ(used, 0U);
    EXPECT_EQ(bytes, std::size_t{2} * row_count * 100);
}

TEST_F(Allocations, untyped_row_allocates_nothing) {
    std::int64_t sum = 0;
    const auto used = in_second_run([&] {
        for (const auto& row : db.query("select id, n, name from t where id > ?", 0)) {
            sum += row.get<std::int64_t>(0) + row.get<std::int64_t>("n");
            sum += static_cast<std::int64_t>(row.get<std::string_view>(2).size());
        }
    });

    EXPECT_EQ(used, 0U);
    EXPECT_GT(sum, 0);
}

TEST_F(Allocations, result_of_many_rows_allocates_for_the_vector_only) {
    std::size_t rows = 0;
    const auto used =
        in_second_run([&] { rows = db.all<std::int64_t>("select id from t").size(); });

    EXPECT_EQ(rows, static_cast<std::size_t>(row_count));
    EXPECT_LE(used, 11U);  // a vector that doubles from 1 to 1024
}

TEST_F(Allocations, batch_allocates_the_same_whatever_its_length) {
    const std::vector<std::pair<int, std::string_view>> few(10, {1, "name"});
    const std::vector<std::pair<int, std::string_view>> many(1000, {1, "name"});
    const auto* sql = "update t set n = ? where name = ? and 0";

    const auto for_few = in_second_run([&] { db.insert_many(sql, few); });
    const auto for_many = in_second_run([&] { db.insert_many(sql, many); });

    EXPECT_EQ(for_few, for_many);
}

}  // namespace
