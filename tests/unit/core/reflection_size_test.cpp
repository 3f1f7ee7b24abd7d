// Plain structs as rows, field by field: from 1 to 32 fields, every kind of field, and back as
// arguments. That 33 fields are refused shows tests/compile_fail/struct_of_33_fields.cpp.
#include <skiff/connection.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace {

using skiff::connection;

struct of_1 {
    int f0;
};
struct of_2 {
    int f0, f1;
};
struct of_3 {
    int f0, f1, f2;
};
struct of_4 {
    int f0, f1, f2, f3;
};
struct of_5 {
    int f0, f1, f2, f3, f4;
};
struct of_6 {
    int f0, f1, f2, f3, f4, f5;
};
struct of_7 {
    int f0, f1, f2, f3, f4, f5, f6;
};
struct of_8 {
    int f0, f1, f2, f3, f4, f5, f6, f7;
};
struct of_9 {
    int f0, f1, f2, f3, f4, f5, f6, f7, f8;
};
struct of_10 {
    int f0, f1, f2, f3, f4, f5, f6, f7, f8, f9;
};
struct of_11 {
    int f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10;
};
struct of_12 {
    int f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11;
};
struct of_13 {
    int f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12;
};
struct of_14 {
    int f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13;
};
struct of_15 {
    int f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14;
};
struct of_16 {
    int f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15;
};
struct of_17 {
    int f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16;
};
struct of_18 {
    int f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17;
};
struct of_19 {
    int f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18;
};
struct of_20 {
    int f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19;
};
struct of_21 {
    int f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
        f20;
};
struct of_22 {
    int f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
        f20, f21;
};
struct of_23 {
    int f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
        f20, f21, f22;
};
struct of_24 {
    int f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
        f20, f21, f22, f23;
};
struct of_25 {
    int f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
        f20, f21, f22, f23, f24;
};
struct of_26 {
    int f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
        f20, f21, f22, f23, f24, f25;
};
struct of_27 {
    int f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
        f20, f21, f22, f23, f24, f25, f26;
};
struct of_28 {
    int f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
        f20, f21, f22, f23, f24, f25, f26, f27;
};
struct of_29 {
    int f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
        f20, f21, f22, f23, f24, f25, f26, f27, f28;
};
struct of_30 {
    int f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
        f20, f21, f22, f23, f24, f25, f26, f27, f28, f29;
};
struct of_31 {
    int f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
        f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30;
};
struct of_32 {
    int f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
        f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30, f31;
};

/// "1, 2, …, count", or as many question marks.
std::string columns(std::size_t count, bool as_parameters) {
    std::string text;
    for (std::size_t i = 1; i <= count; ++i) {
        text += (i > 1 ? ", " : "") + (as_parameters ? "?" : std::to_string(i));
    }
    return text;
}

/// The fields of a struct as numbers, in order.
template <class Struct>
std::vector<int> fields_of(const Struct& object) {
    return std::apply(
        [](const auto&... fields) { return std::vector<int>{fields...}; },
        skiff::detail::with_fields(object, [](auto&... each) { return std::tie(each...); }));
}

template <class Struct>
class StructOfEverySize : public testing::Test {
  protected:
    static constexpr std::size_t size = skiff::detail::field_count<Struct>();
    connection db = connection::open(":memory:");
};

using structs = testing::Types<of_1,
                               of_2,
                               of_3,
                               of_4,
                               of_5,
                               of_6,
                               of_7,
                               of_8,
                               of_9,
                               of_10,
                               of_11,
                               of_12,
                               of_13,
                               of_14,
                               of_15,
                               of_16,
                               of_17,
                               of_18,
                               of_19,
                               of_20,
                               of_21,
                               of_22,
                               of_23,
                               of_24,
                               of_25,
                               of_26,
                               of_27,
                               of_28,
                               of_29,
                               of_30,
                               of_31,
                               of_32>;
TYPED_TEST_SUITE(StructOfEverySize, structs);

TYPED_TEST(StructOfEverySize, has_as_many_fields_as_members) {
    EXPECT_EQ(this->size, sizeof(TypeParam) / sizeof(int));
}

TYPED_TEST(StructOfEverySize, reads_its_fields_in_order) {
    const auto read = this->db.template one<TypeParam>("select " + columns(this->size, false));

    const auto fields = fields_of(read);
    ASSERT_EQ(fields.size(), this->size);
    for (std::size_t i = 0; i < fields.size(); ++i) EXPECT_EQ(fields[i], static_cast<int>(i) + 1);
}

TYPED_TEST(StructOfEverySize, binds_its_fields_in_order) {
    const auto sql = "select " + columns(this->size, false);
    const auto original = this->db.template all<TypeParam>(sql);
    this->db.exec("create table t as " + sql + " where 0");

    this->db.insert_many("insert into t values (" + columns(this->size, true) + ")", original);

    EXPECT_EQ(fields_of(this->db.template one<TypeParam>("select * from t")),
              fields_of(original.front()));
}

TYPED_TEST(StructOfEverySize, comes_out_of_typed_rows) {
    int rows = 0;

    for (const auto each :
         this->db.template rows<TypeParam>("select " + columns(this->size, false))) {
        EXPECT_EQ(fields_of(each).back(), static_cast<int>(this->size));
        ++rows;
    }

    EXPECT_EQ(rows, 1);
}

}  // namespace
