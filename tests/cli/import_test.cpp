// `skiff import`: formats, types, bad rows, tables that exist, and what Ctrl-C leaves behind.
#include "cli/run_cli.hpp"

#include <skiff/connection.hpp>
#include <skiff/mapping/text.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>

namespace skiff_test {
namespace {

using testing::HasSubstr;

class Import : public cli_test {
  protected:
    /// Imports a source of this content into table t of a.db.
    cli_result import(std::string_view name,
                      std::string_view content,
                      std::vector<std::string> options = {}) {
        put(name, content);
        options.insert(options.begin(), {"import", "a.db", "t", std::string(name)});
        return run(options);
    }
    std::string rows(std::string_view sql = "select * from t") {
        return output_of({"exec", "a.db", std::string(sql), "--json"});
    }
    std::string schema() {
        auto db = skiff::connection::open(folder() / "a.db");
        return db.one<std::string>("select sql from sqlite_schema where name = 't'");
    }
};

// -- CSV.

TEST_F(Import, csv_makes_a_table_and_reports_it) {
    const auto done = import("t.csv", "id,name,score\n1,ann,1.5\n2,bob,2\n");
    EXPECT_EQ(done.exit_code, 0) << done.err;
    EXPECT_THAT(done.out, testing::StartsWith("table t (new):\n"
                                              "  column id INTEGER\n"
                                              "  column name TEXT\n"
                                              "  column score REAL\n"
                                              "2 rows imported in "));
    EXPECT_EQ(rows(),
              "[{\"id\":1,\"name\":\"ann\",\"score\":1.5},\n"
              "{\"id\":2,\"name\":\"bob\",\"score\":2.0}]\n");
}

TEST_F(Import, csv_quotes_hold_delimiters_quotes_and_lines) {
    import("t.csv", "a,b\n\"x,y\",\"say \"\"hi\"\"\"\n\"two\r\nlines\",\"\"\n");
    EXPECT_EQ(rows(),
              "[{\"a\":\"x,y\",\"b\":\"say \\\"hi\\\"\"},\n"
              "{\"a\":\"two\\r\\nlines\",\"b\":\"\"}]\n");
}

TEST_F(Import, csv_of_windows_reads_the_same) {
    import("t.csv",
           "\xef\xbb\xbf"
           "a,b\r\n1,x\r\n2,\r\n");
    EXPECT_EQ(rows(), "[{\"a\":1,\"b\":\"x\"},\n{\"a\":2,\"b\":null}]\n");
}

TEST_F(Import, csv_without_a_last_line_end_keeps_its_last_row) {
    import("t.csv", "a,b\n1,2\n3,");
    EXPECT_EQ(rows(), "[{\"a\":1,\"b\":2},\n{\"a\":3,\"b\":null}]\n");
}

TEST_F(Import, csv_blank_lines_are_skipped) {
    EXPECT_EQ(import("t.csv", "\n\na,b\n\n1,2\n\n").exit_code, 0);
    EXPECT_EQ(rows(), "[{\"a\":1,\"b\":2}]\n");
}

TEST_F(Import, csv_blank_line_is_null_in_a_single_column) {
    import("t.csv", "a\n1\n\n3\n");
    EXPECT_EQ(rows(), "[{\"a\":1},\n{\"a\":null},\n{\"a\":3}]\n");
}

TEST_F(Import, csv_null_text_is_chosen) {
    import("t.csv", "a,b\nNA,x\n1,\n2,\"NA\"\n", {"--null", "NA"});
    EXPECT_EQ(rows(),
              "[{\"a\":null,\"b\":\"x\"},\n{\"a\":1,\"b\":\"\"},\n{\"a\":2,\"b\":\"NA\"}]\n");
}

TEST_F(Import, csv_delimiter_is_chosen) {
    import("t.csv", "a;b\n1;\"x;y\"\n", {"--delimiter", ";"});
    EXPECT_EQ(rows(), "[{\"a\":1,\"b\":\"x;y\"}]\n");
}

TEST_F(Import, tsv_is_delimited_by_tabs) {
    import("t.tsv", "a\tb\n1\tx,y\n");
    EXPECT_EQ(rows(), "[{\"a\":1,\"b\":\"x,y\"}]\n");
}

TEST_F(Import, csv_without_a_header_numbers_the_columns) {
    import("t.csv", "1,x\n2,y\n", {"--no-header"});
    EXPECT_EQ(rows(),
              "[{\"column_1\":1,\"column_2\":\"x\"},\n{\"column_1\":2,\"column_2\":\"y\"}]\n");
}

TEST_F(Import, csv_column_names_are_made_different_and_quoted) {
    import("t.csv", "x,X,,\"a \"\"b\"\"\",select\n1,2,3,4,5\n");
    EXPECT_EQ(schema(),
              "CREATE TABLE \"t\"(\"x\" INTEGER, \"X_2\" INTEGER, \"column_3\" INTEGER, "
              "\"a \"\"b\"\"\" INTEGER, \"select\" INTEGER)");
}

TEST_F(Import, csv_printed_by_exec_comes_back_the_same) {
    output_of({"exec", "a.db", "create table t(a text, b integer, c real)",
               "insert into t values ('x', 1, 0.1), ('', null, 1e300), (null, -5, 2.0),"
               " ('two' || char(10) || 'lines', 9223372036854775807, -0.0)"});
    const auto before = output_of({"exec", "a.db", "select * from t", "--csv"});
    put("copy.csv", before);
    output_of({"import", "a.db", "copy", "copy.csv"});
    EXPECT_EQ(output_of({"exec", "a.db", "select * from copy", "--csv"}), before);
}

// -- Types.

TEST_F(Import, types_are_guessed_so_that_nothing_is_lost) {
    import("t.csv",
           "integers,reals,codes,phones,big,mixed,empty,dates,exponents\n"
           "1,1.5,007,+49 30,9223372036854775807,1,,2024-01-01,1e5\n"
           "-2,3,012,030 12,9223372036854775808,x,,2024-01-02,2\n");
    EXPECT_EQ(schema(),
              "CREATE TABLE \"t\"(\"integers\" INTEGER, \"reals\" REAL, \"codes\" TEXT, "
              "\"phones\" TEXT, \"big\" TEXT, \"mixed\" TEXT, \"empty\" TEXT, \"dates\" TEXT, "
              "\"exponents\" REAL)");
    EXPECT_THAT(rows("select codes, phones, big from t limit 1"),
                HasSubstr(R"({"codes":"007","phones":"+49 30","big":"9223372036854775807"})"));
}

TEST_F(Import, value_that_does_not_fit_the_guess_later_is_a_bad_row) {
    std::string content = "n\n";
    for (int row = 1; row <= 1000; ++row) content += std::to_string(row) + "\n";
    const auto done = import("t.csv", content + "x\n1.5\n007\n1001\n");
    EXPECT_EQ(done.exit_code, 1);
    EXPECT_EQ(done.err,
              "line 1002: 'x' does not fit column n INTEGER\n"
              "line 1003: '1.5' does not fit column n INTEGER\n"
              "line 1004: '007' does not fit column n INTEGER\n");
    EXPECT_EQ(rows("select count(*) c, max(n) m from t"), "[{\"c\":1001,\"m\":1001}]\n");
}

// -- Bad rows.

constexpr std::string_view bad_csv =
    "a,b\n"
    "1,x\n"
    "2\n"
    "3,\"y\"z\n"
    "4,z\"z\n"
    "5,\"multi\nline\"\n"
    "6,\xff\n"
    "7,\"open\n"
    "8,last\n";

TEST_F(Import, bad_rows_are_told_and_the_others_taken) {
    const auto done = import("t.csv", bad_csv);
    EXPECT_EQ(done.exit_code, 1);
    EXPECT_EQ(done.err,
              "line 3: 1 field instead of 2\n"
              "line 4: text after a closing quote\n"
              "line 5: a quote inside an unquoted field\n"
              "line 8: not valid UTF-8\n"
              "line 9: a quote is not closed\n");
    EXPECT_THAT(done.out, HasSubstr("3 rows imported in"));
    EXPECT_THAT(done.out, HasSubstr(", 5 rejected\n"));
    EXPECT_EQ(rows("select a from t"), "[{\"a\":1},\n{\"a\":5},\n{\"a\":8}]\n");
}

TEST_F(Import, rejected_rows_are_kept_as_they_were) {
    import("t.csv", bad_csv, {"--reject", "bad.txt"});
    EXPECT_EQ(content_of("bad.txt"),
              "# line 3: 1 field instead of 2\n2\n"
              "# line 4: text after a closing quote\n3,\"y\"z\n"
              "# line 5: a quote inside an unquoted field\n4,z\"z\n"
              "# line 8: not valid UTF-8\n6,\xff\n"
              "# line 9: a quote is not closed\n7,\"open\n");
}

TEST_F(Import, bad_rows_may_be_allowed) {
    EXPECT_EQ(import("t.csv", bad_csv, {"--allow-bad"}).exit_code, 0);
}

TEST_F(Import, only_the_first_bad_rows_are_shown) {
    std::string content = "a,b\n";
    for (int row = 0; row < 50; ++row) content += "x\n";
    const auto done = import("t.csv", content);
    EXPECT_THAT(done.err, HasSubstr("line 11: "));
    EXPECT_EQ(done.err.find("line 12: "), std::string::npos);
    EXPECT_THAT(done.err, HasSubstr("--reject FILE keeps them"));
    EXPECT_THAT(done.out, HasSubstr(", 50 rejected"));
}

TEST_F(Import, constraint_of_the_table_makes_a_bad_row) {
    output_of({"exec", "a.db", "create table t(id integer primary key, n integer check (n > 0))"});
    const auto done = import("t.csv", "n,id\n1,1\n-1,2\n3,1\n4,4\n");
    EXPECT_EQ(done.exit_code, 1);
    EXPECT_EQ(done.err,
              "line 3: CHECK constraint failed: n > 0\n"
              "line 4: UNIQUE constraint failed: t.id\n");
    EXPECT_EQ(rows(), "[{\"id\":1,\"n\":1},\n{\"id\":4,\"n\":4}]\n");
}

TEST_F(Import, record_that_is_too_long_is_bad_and_the_next_one_is_read) {
    const auto done = import("t.csv", "a,b\n1," + std::string(17 << 20, 'x') + "\n2,y\n");
    EXPECT_EQ(done.exit_code, 1);
    EXPECT_EQ(done.err, "line 2: longer than 16777216 bytes\n");
    EXPECT_EQ(rows(), "[{\"a\":2,\"b\":\"y\"}]\n");
}

// -- JSON lines.

TEST_F(Import, json_lines_take_all_keys_of_the_first_records) {
    const auto done = import("t.jsonl",
                             R"({"a":1,"b":"x"}
{"b":"007","c":[1,{"d":null}]}

{"a":null,"c":{"z":1,"a":2},"e":true}
)");
    EXPECT_EQ(done.exit_code, 0) << done.err;
    EXPECT_EQ(schema(), "CREATE TABLE \"t\"(\"a\" INTEGER, \"b\" TEXT, \"c\" TEXT, \"e\" INTEGER)");
    EXPECT_EQ(rows(), R"([{"a":1,"b":"x","c":null,"e":null},
{"a":null,"b":"007","c":"[1,{\"d\":null}]","e":null},
{"a":null,"b":null,"c":"{\"z\":1,\"a\":2}","e":1}]
)");
}

TEST_F(Import, json_numbers_keep_their_value) {
    import("t.jsonl",
           "{\"i\":9223372036854775807,\"u\":18446744073709551615,\"r\":0.1}\n"
           "{\"i\":-9223372036854775808,\"u\":1,\"r\":1}\n");
    EXPECT_EQ(rows(), R"([{"i":9223372036854775807,"u":"18446744073709551615","r":0.1},
{"i":-9223372036854775808,"u":"1","r":1.0}]
)");
}

TEST_F(Import, bad_json_lines_are_told) {
    const auto done =
        import("t.jsonl", "{\"a\":1}\n{\"a\":\n[1]\n{\"a\":\"\xff\"}\n{\"a\":1e999}\n");
    EXPECT_EQ(done.exit_code, 1);
    EXPECT_THAT(done.err, HasSubstr("line 2: invalid JSON at byte 6\n"));
    EXPECT_THAT(done.err, HasSubstr("line 3: not a JSON object but array\n"));
    EXPECT_THAT(done.err, HasSubstr("line 4: invalid JSON at byte 7\n"));
    EXPECT_THAT(done.err, HasSubstr("line 5: a number is out of range\n"));
    EXPECT_EQ(rows(), "[{\"a\":1}]\n");
}

TEST_F(Import, json_key_that_comes_late_becomes_a_column) {
    std::string content;
    for (int row = 0; row < 1200; ++row) content += "{\"a\":1}\n";
    const auto done =
        import("t.jsonl", content + "{\"a\":2,\"late\":\"x\",\"n\":5}\n{\"n\":\"y\"}\n");
    EXPECT_EQ(done.exit_code, 0) << done.err;
    EXPECT_EQ(rows("select * from t where late is not null or n is not null"),
              "[{\"a\":2,\"late\":\"x\",\"n\":5},\n{\"a\":null,\"late\":null,\"n\":\"y\"}]\n");
}

TEST_F(Import, json_key_that_an_existing_table_lacks_late_is_a_bad_row) {
    output_of({"exec", "a.db", "create table t(a)"});
    std::string content;
    for (int row = 0; row < 1000; ++row) content += "{\"a\":1}\n";
    const auto done = import("t.jsonl", content + "{\"a\":2,\"late\":1}\n{\"a\":3}\n");
    EXPECT_EQ(done.exit_code, 1);
    EXPECT_EQ(done.err, "line 1001: there is no column late\n");
    EXPECT_EQ(rows("select count(*) c, max(a) m from t"), "[{\"c\":1001,\"m\":3}]\n");
}

// -- Debian's packages.

TEST_F(Import, debian_control_makes_a_row_of_each_stanza) {
    const auto done =
        import("Packages",
               "Package: a\nInstalled-Size: 12\nDescription: one\n two\n .\n three\n\n"
               "Package: b\nSection: net\n");
    EXPECT_EQ(done.exit_code, 0) << done.err;
    EXPECT_EQ(
        rows(),
        R"([{"Package":"a","Installed-Size":12,"Description":"one\ntwo\n\nthree","Section":null},
{"Package":"b","Installed-Size":null,"Description":null,"Section":"net"}]
)");
}

// -- Tables that exist, and policies.

TEST_F(Import, columns_of_an_existing_table_are_matched_by_name) {
    output_of(
        {"exec", "a.db", "create table t(id integer primary key, name text, rest default 7)"});
    const auto done = import("t.csv", "NAME,id\n007,1\n");
    EXPECT_EQ(done.exit_code, 0) << done.err;
    EXPECT_THAT(done.out, testing::StartsWith("table t (existing):\n"));
    EXPECT_EQ(rows(), "[{\"id\":1,\"name\":\"007\",\"rest\":7}]\n");
}

TEST_F(Import, column_that_an_existing_table_lacks_is_an_error) {
    output_of({"exec", "a.db", "create table t(id, name)"});
    const auto done = import("t.csv", "id,nmae\n1,x\n");
    EXPECT_EQ(done.exit_code, 1);
    EXPECT_EQ(done.err, "skiff: the table t has no column nmae; it has id, name\n");
}

TEST_F(Import, source_without_a_header_matches_by_position) {
    output_of({"exec", "a.db", "create table t(id, name)"});
    EXPECT_EQ(import("t.csv", "1,x\n", {"--no-header"}).exit_code, 0);
    EXPECT_EQ(rows(), "[{\"id\":\"1\",\"name\":\"x\"}]\n");
    EXPECT_THAT(import("t.csv", "1,x,y\n", {"--no-header"}).err,
                HasSubstr("the source has 3 columns, the table t has 2: id, name"));
}

TEST_F(Import, create_refuses_a_table_that_exists) {
    output_of({"exec", "a.db", "create table t(a)"});
    const auto done = import("t.csv", "a\n1\n", {"--create"});
    EXPECT_EQ(done.exit_code, 1);
    EXPECT_THAT(done.err, HasSubstr("the table t exists already"));
}

TEST_F(Import, append_refuses_a_table_that_is_missing) {
    const auto done = import("t.csv", "a\n1\n", {"--append"});
    EXPECT_EQ(done.exit_code, 1);
    EXPECT_THAT(done.err, HasSubstr("there is no table t"));
}

TEST_F(Import, dry_run_reads_all_and_stores_nothing) {
    const auto done = import("t.csv", "a,b\n1,2\n3\n", {"--dry-run"});
    EXPECT_EQ(done.exit_code, 1);
    EXPECT_THAT(done.out, testing::StartsWith("table t (would be made):\n  column a INTEGER\n"));
    EXPECT_THAT(done.out, HasSubstr("1 row read in"));
    EXPECT_FALSE(std::filesystem::exists(folder() / "a.db"));
}

TEST_F(Import, json_summary_is_for_programs) {
    EXPECT_EQ(import("t.csv", "a,b\n1,x\n3\n", {"--json", "--allow-bad"}).out,
              "{\"table\":\"t\",\"created\":true,\"dry_run\":false,\"rows\":1,\"rejected\":1,"
              "\"skipped_lines\":0,\"columns\":[{\"name\":\"a\",\"type\":\"INTEGER\"},"
              "{\"name\":\"b\",\"type\":\"TEXT\"}]}\n");
}

TEST_F(Import, source_that_is_missing_exits_with_3_and_makes_no_database) {
    const auto done = run({"import", "a.db", "t", "nope.csv"});
    EXPECT_EQ(done.exit_code, 3);
    EXPECT_EQ(done.err, "skiff: nope.csv: No such file or directory\n");
    EXPECT_FALSE(std::filesystem::exists(folder() / "a.db"));
}

TEST_F(Import, name_that_does_not_tell_the_format_is_a_usage_error) {
    const auto done = import("t.dat", "a\n1\n");
    EXPECT_EQ(done.exit_code, 2);
    EXPECT_THAT(done.err, HasSubstr("add --format csv, jsonl or debian-control"));
}

TEST_F(Import, empty_source_is_an_error) {
    EXPECT_EQ(import("t.csv", "").err, "skiff: the source is empty\n");
    EXPECT_EQ(import("t.jsonl", "\n").err, "skiff: the source holds no record\n");
}

// -- Size, pipes and Ctrl-C.

TEST_F(Import, large_source_streams_from_a_pipe) {
    constexpr int rows_sent = 200'000;
    cli_process process(folder(), {"import", "a.db", "t", "-", "--format", "csv"});
    ASSERT_TRUE(process.write("id,name,note\n"));
    std::string block;
    for (int row = 1; row <= rows_sent; ++row) {
        const auto number = std::to_string(row);
        block += number + ",name " + number + ",\"some, text\"\n";
        if (row % 1000 == 0) {
            ASSERT_TRUE(process.write(block));
            block.clear();
        }
    }
    process.close_input();
    const auto done = process.wait();
    EXPECT_EQ(done.exit_code, 0) << done.err;
    EXPECT_THAT(done.out, HasSubstr("200,000 rows imported"));
    EXPECT_EQ(rows("select count(*) c, sum(id) s, count(distinct name) n from t"),
              "[{\"c\":200000,\"s\":20000100000,\"n\":200000}]\n");
}

TEST_F(Import, ctrl_c_keeps_whole_batches_and_says_how_many_rows) {
    cli_process process(folder(),
                        {"import", "a.db", "t", "-", "--format", "csv", "--batch", "100"});
    std::string block = "id\n";
    for (int row = 1; row <= 1050; ++row) block += std::to_string(row) + "\n";
    ASSERT_TRUE(process.write(block + "a,b\n"));
    process.await_error("line 1052: ");  // all rows before it were taken
    process.interrupt();
    while (process.write("5\n5\n5\n5\n")) {
    }
    const auto done = process.wait();

    EXPECT_EQ(done.exit_code, 130);
    auto db = skiff::connection::open(folder() / "a.db");
    const auto stored = db.one<std::int64_t>("select count(*) from t");
    EXPECT_GE(stored, 1000);
    EXPECT_EQ(stored % 100, 0);
    EXPECT_EQ(db.one<std::string>("pragma integrity_check"), "ok");
    std::string number = std::to_string(stored);
    for (int at = static_cast<int>(number.size()) - 3; at > 0; at -= 3) {
        number.insert(static_cast<std::size_t>(at), ",");
    }
    EXPECT_THAT(done.err, HasSubstr("skiff: interrupted: " + number + " rows are in"));
}

TEST_F(Import, ctrl_c_in_the_first_batch_leaves_no_table) {
    cli_process process(folder(), {"import", "a.db", "t", "-", "--format", "csv"});
    std::string block = "id\n";
    for (int row = 1; row <= 1050; ++row) block += std::to_string(row) + "\n";
    ASSERT_TRUE(process.write(block + "a,b\n"));
    process.await_error("line 1052: ");
    process.interrupt();
    while (process.write("5\n5\n5\n5\n")) {
    }
    const auto done = process.wait();
    EXPECT_EQ(done.exit_code, 130);
    auto db = skiff::connection::open(folder() / "a.db");
    const auto stored = db.one<std::int64_t>("select count(*) from sqlite_schema");
    EXPECT_EQ(stored > 0, done.err.find(": 0 rows are in") == std::string::npos);
}

TEST_F(Import, lock_that_is_not_had_exits_with_5_and_stores_nothing) {
    auto db = skiff::connection::open(folder() / "a.db");
    auto holding = db.begin();
    const auto done = import("t.csv", "a\n1\n", {"--busy-timeout", "10"});
    EXPECT_EQ(done.exit_code, 5);
    EXPECT_THAT(done.err, HasSubstr("0 rows are in"));
}

}  // namespace
}  // namespace skiff_test
