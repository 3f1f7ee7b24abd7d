// Values longer than SQLite takes: refused by their length alone, as a typed error, and the
// connection goes on. The two-gigabyte buffer is a mapping that no memory stands behind.
#include "support/failure_of.hpp"

#include <skiff/connection.hpp>

#include <gtest/gtest.h>

#include <climits>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <system_error>
#include <tuple>
#include <unistd.h>
#include <vector>

namespace {

using skiff::connection;
using skiff::errc;
using skiff_test::code_of;
using skiff_test::failure_of;

constexpr std::size_t beyond_int_bytes = (std::size_t{1} << 31) + 10;

/// `beyond_int_bytes` of readable zeros that end where reading further is a crash.
class sparse_bytes {
  public:
    sparse_bytes() {
        const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
        const std::size_t readable = (beyond_int_bytes + page - 1) / page * page;
        mapped_ = readable + page;
        start_ =
            ::mmap(nullptr, mapped_, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (start_ == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
        auto* guard = static_cast<char*>(start_) + readable;
        if (::mprotect(guard, page, PROT_NONE) != 0) {
            throw std::system_error(errno, std::generic_category(), "mprotect");
        }
        view_ = {guard - beyond_int_bytes, beyond_int_bytes};
    }
    ~sparse_bytes() { ::munmap(start_, mapped_); }
    sparse_bytes(const sparse_bytes&) = delete;
    sparse_bytes& operator=(const sparse_bytes&) = delete;

    [[nodiscard]] std::string_view text() const { return view_; }
    [[nodiscard]] skiff::blob_view bytes() const { return std::as_bytes(std::span(view_)); }

  private:
    void* start_ = nullptr;
    std::size_t mapped_ = 0;
    std::string_view view_;
};

class ValueSizes : public testing::Test {
  protected:
    ValueSizes() { db.exec("create table t(x)"); }

    void expect_usable() {
        db.exec("insert into t values (?)", "short");
        EXPECT_EQ(db.one<std::string>("select x from t"), "short");
    }

    sparse_bytes huge;
    connection db = connection::open(":memory:");
};

TEST_F(ValueSizes, kb_v6_text_beyond_int_max_is_too_big) {
    const auto failure =
        failure_of([&] { return db.exec("insert into t values (?)", huge.text()); });

    EXPECT_EQ(failure.code(), errc::too_big);
    EXPECT_EQ(failure.object(), "parameter 1");
    expect_usable();
}

TEST_F(ValueSizes, kb_v6_blob_beyond_int_max_is_too_big) {
    EXPECT_EQ(code_of([&] { return db.exec("insert into t values (?)", huge.bytes()); }),
              errc::too_big);

    expect_usable();
}

TEST_F(ValueSizes, kb_v6_zero_blob_beyond_int_max_is_too_big) {
    const skiff::zero_blob zeros{beyond_int_bytes};

    EXPECT_EQ(code_of([&] { return db.exec("insert into t values (?)", zeros); }), errc::too_big);
    EXPECT_EQ(code_of([&] { return db.exec("insert into t values (?)", skiff::zero_blob{~0ULL}); }),
              errc::too_big);

    expect_usable();
}

TEST_F(ValueSizes, kb_v6_wrapped_and_named_values_are_too_big_alike) {
    const std::optional<std::string_view> wrapped(huge.text());
    const auto sql = "insert into t values (:x)";

    EXPECT_EQ(code_of([&] { return db.exec(sql, wrapped); }), errc::too_big);
    EXPECT_EQ(code_of([&] { return db.exec(sql, skiff::named("x", huge.bytes())); }),
              errc::too_big);
    EXPECT_EQ(code_of([&] { return db.exec(sql, skiff::raw_text{huge.text()}); }), errc::too_big);

    expect_usable();
}

TEST_F(ValueSizes, kb_v6_value_in_a_batch_leaves_nothing_of_the_batch) {
    const std::vector<std::string_view> values{"first", huge.text()};

    EXPECT_EQ(code_of([&] { return db.insert_many("insert into t values (?)", values); }),
              errc::too_big);

    expect_usable();
}

TEST_F(ValueSizes, kb_v6_rows_range_copies_nothing_before_it_refuses) {
    EXPECT_EQ(code_of([&] { return db.rows<int>("select length(?)", huge.text()); }),
              errc::too_big);

    expect_usable();
}

TEST_F(ValueSizes, kb_v6_function_result_beyond_int_max_fails_the_statement) {
    db.define_function("huge_text", [this] { return huge.text(); });
    db.define_function("huge_blob", [this] { return huge.bytes(); });
    db.define_function("huge_zeros", [] { return skiff::zero_blob{beyond_int_bytes}; });

    EXPECT_EQ(code_of([&] { return db.exec("select huge_text()"); }), errc::too_big);
    EXPECT_EQ(code_of([&] { return db.exec("select huge_blob()"); }), errc::too_big);
    EXPECT_EQ(code_of([&] { return db.exec("select huge_zeros()"); }), errc::too_big);

    expect_usable();
}

TEST_F(ValueSizes, kb_v6_sql_beyond_int_max_is_too_big) {
    EXPECT_EQ(code_of([&] { return db.exec(huge.text()); }), errc::too_big);
    EXPECT_EQ(code_of([&] { return db.prepare(huge.text()); }), errc::too_big);

    expect_usable();
}

TEST_F(ValueSizes, kb_v6_lowered_limit_holds_to_the_byte) {
    db.set_limit(skiff::limit::length, 1000);
    const std::string fits(1000, 'x');
    const std::string too_long(1001, 'x');

    EXPECT_EQ(db.one<int>("select length(?)", fits), 1000);
    EXPECT_EQ(code_of([&] { return db.one<int>("select length(?)", too_long); }), errc::too_big);
    EXPECT_EQ(code_of([&] {
                  return db.one<int>("select length(?)", std::as_bytes(std::span(too_long)));
              }),
              errc::too_big);
    EXPECT_EQ(code_of([&] { return db.one<int>("select length(?)", skiff::zero_blob{1001}); }),
              errc::too_big);

    expect_usable();
}

}  // namespace
