// `skiff exec`: formats, parameters, and how errors are told.
#include "cli/run_cli.hpp"

#include <skiff/connection.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace skiff_test {
namespace {

using testing::HasSubstr;

class Exec : public cli_test {
  protected:
    Exec() {
        auto db = skiff::connection::open(folder() / "a.db");
        db.exec_script(
            "create table item(id integer primary key, name text, price real, data blob);"
            "insert into item values (1, 'cup', 2.5, x'00ff10'), (20, 'läufer', null, null),"
            " (9223372036854775807, '', -9e999, x'')");
    }
    std::string all(const std::string& format) {
        return output_of({"exec", "a.db", "select * from item", format});
    }
};

constexpr const char* endless =
    "with recursive c(x) as (select 1 union all select x + 1 from c) select count(*) from c";

TEST_F(Exec, table_format_aligns_columns) {
    EXPECT_EQ(all("--table"),
              "                 id  name    price  data\n"
              "-------------------  ------  -----  ---------\n"
              "                  1  cup       2.5  x'00ff10'\n"
              "                 20  läufer  NULL   NULL\n"
              "9223372036854775807           -Inf  x''\n");
}

TEST_F(Exec, csv_format_tells_null_from_empty_text) {
    EXPECT_EQ(all("--csv"),
              "id,name,price,data\n"
              "1,cup,2.5,x'00ff10'\n"
              "20,läufer,,\n"
              "9223372036854775807,\"\",-Inf,x''\n");
}

TEST_F(Exec, csv_format_quotes_what_needs_it) {
    EXPECT_EQ(output_of({"exec", "a.db", R"(select 'a,b', 'say "x"', 'two
lines', 'plain' as "p,q")",
                         "--csv"}),
              R"("'a,b'","'say ""x""'","'two
lines'","p,q"
"a,b","say ""x""","two
lines",plain
)");
}

TEST_F(Exec, json_format_keeps_integers_exact_and_blobs_as_base64) {
    EXPECT_EQ(all("--json"),
              R"([{"id":1,"name":"cup","price":2.5,"data":{"$blob":"AP8Q"}},
{"id":20,"name":"läufer","price":null,"data":null},
{"id":9223372036854775807,"name":"","price":-9e999,"data":{"$blob":""}}]
)");
}

TEST_F(Exec, json_format_gives_columns_of_one_name_different_keys) {
    EXPECT_EQ(output_of({"exec", "a.db", "select 1 as x, 2 as x, 3 as x", "--json"}),
              "[{\"x\":1,\"x:2\":2,\"x:3\":3}]\n");
}

TEST_F(Exec, json_format_of_invalid_utf8_has_replacement_characters) {
    EXPECT_EQ(output_of({"exec", "a.db", "select cast(x'41ff' as text) as t", "--json"}),
              "[{\"t\":\"A\xef\xbf\xbd\"}]\n");
}

TEST_F(Exec, no_rows_still_print_the_names) {
    const std::string sql = "select id, name from item where 0";
    EXPECT_EQ(output_of({"exec", "a.db", sql, "--csv"}), "id,name\n");
    EXPECT_EQ(output_of({"exec", "a.db", sql, "--json"}), "[]\n");
    EXPECT_EQ(output_of({"exec", "a.db", sql, "--table"}), "id  name\n--  ----\n");
}

TEST_F(Exec, pipe_without_a_format_gets_csv) {
    EXPECT_EQ(output_of({"exec", "a.db", "select 1 as x"}), "x\n1\n");
}

TEST_F(Exec, table_format_escapes_control_characters) {
    EXPECT_EQ(output_of({"exec", "a.db", "select 'a' || char(27) || char(10) as x", "--table"}),
              "x\n-------\na\\x1b\\n\n");
}

TEST_F(Exec, table_format_measures_wide_characters) {
    EXPECT_EQ(output_of({"exec", "a.db", "select '漢字' as x, 1 as y", "--table"}),
              "x     y\n----  -\n漢字  1\n");
}

TEST_F(Exec, parameters_are_typed_by_their_form) {
    const std::string sql =
        "select typeof(:a) a, typeof(@b) b, typeof($c) c, typeof(:d) d, typeof(:e) e, typeof(?) f";
    EXPECT_EQ(
        output_of({"exec", "a.db", sql, "--param", "a=42", "--param", "@b=NULL", "--param",
                   "c=-1.5e3", "--param", "d:=42", "--param-text", "e=null", "--param", "6=007"}),
        "a,b,c,d,e,f\ninteger,null,real,text,text,text\n");
}

TEST_F(Exec, parameter_value_may_hold_an_equals_sign) {
    EXPECT_EQ(output_of({"exec", "a.db", "select :x x", "--param", "x=a=b"}), "x\na=b\n");
}

TEST_F(Exec, missing_parameter_is_named) {
    const auto done = run({"exec", "a.db", "select :size"});
    EXPECT_EQ(done.exit_code, 1);
    EXPECT_EQ(done.err,
              "skiff: the SQL has a parameter :size without a value\n"
              "    select :size\n"
              "  hint: add --param size=VALUE\n");
}

TEST_F(Exec, unknown_parameter_stops_before_anything_is_done) {
    const auto done = run({"exec", "a.db", "delete from item where id > :id", "--param", "id=0",
                           "--param", "limit=1"});
    EXPECT_EQ(done.exit_code, 1);
    EXPECT_THAT(done.err, HasSubstr("the SQL has no parameter limit"));
    EXPECT_THAT(done.err, HasSubstr("its parameters are :id"));
    EXPECT_EQ(output_of({"exec", "a.db", "select count(*) n from item"}), "n\n3\n");
}

TEST_F(Exec, statements_given_one_by_one_run_in_order) {
    EXPECT_EQ(output_of({"exec", "a.db", "insert into item(id) values (5)",
                         "select count(*) n from item", "select 2 as two"}),
              "n\n4\n\ntwo\n2\n");
}

TEST_F(Exec, second_statement_in_one_argument_is_refused_with_a_hint) {
    const auto done = run({"exec", "a.db", "select 1; drop table item"});
    EXPECT_EQ(done.exit_code, 1);
    EXPECT_THAT(done.err, HasSubstr("hint: add --script"));
    EXPECT_EQ(output_of({"exec", "a.db", "select count(*) n from item"}), "n\n3\n");
}

TEST_F(Exec, script_from_standard_input_runs_every_statement) {
    EXPECT_EQ(output_of({"exec", "a.db", "--script", "--json", "-"},
                        "create table t(x);\ninsert into t values (1), (2);\n"
                        "create trigger g after insert on t begin delete from t; select 1; end;\n"
                        "select * from t; -- the end\n"),
              "[{\"x\":1},\n{\"x\":2}]\n");
}

TEST_F(Exec, script_error_names_the_line_and_keeps_what_was_done) {
    const auto done = run({"exec", "a.db", "--script", "-"},
                          "insert into item(id) values (5);\n\nselect id,\n  nope\nfrom item;\n");
    EXPECT_EQ(done.exit_code, 1);
    EXPECT_EQ(done.err,
              "skiff: line 4: no such column: nope\n"
              "      nope\n"
              "      ^\n");
    EXPECT_EQ(output_of({"exec", "a.db", "select count(*) n from item"}), "n\n4\n");
}

TEST_F(Exec, single_statement_may_come_from_standard_input) {
    EXPECT_EQ(output_of({"exec", "a.db", "-"}, "select name from item where id = 1\n"),
              "name\ncup\n");
}

TEST_F(Exec, syntax_error_has_a_caret_below_the_fault) {
    const auto done = run({"exec", "a.db", "select * frm item"});
    EXPECT_EQ(done.exit_code, 1);
    EXPECT_EQ(done.out, "");
    EXPECT_EQ(done.err,
              "skiff: near \"frm\": syntax error\n"
              "    select * frm item\n"
              "             ^\n");
}

TEST_F(Exec, caret_counts_columns_not_bytes) {
    EXPECT_EQ(run({"exec", "a.db", "select 'äöü€', nope from item"}).err,
              "skiff: no such column: nope\n"
              "    select 'äöü€', nope from item\n"
              "                   ^\n");
    EXPECT_EQ(run({"exec", "a.db", "select '漢字', nope from item"}).err,
              "skiff: no such column: nope\n"
              "    select '漢字', nope from item\n"
              "                   ^\n");
}

TEST_F(Exec, long_sql_is_clipped_around_the_fault) {
    const std::string filler(300, 'a');
    const auto done =
        run({"exec", "a.db", "select '" + filler + "', nope, '" + filler + "' from item"});
    EXPECT_EQ(done.err, "skiff: no such column: nope\n    …" + std::string(34, 'a') + "', nope, '" +
                            std::string(30, 'a') + "…\n" + std::string(42, ' ') + "^\n");
}

TEST_F(Exec, constraint_that_fails_is_a_failure_of_the_work) {
    const auto done = run({"exec", "a.db", "insert into item(id) values (1)"});
    EXPECT_EQ(done.exit_code, 1);
    EXPECT_THAT(done.err, HasSubstr("UNIQUE constraint failed: item.id"));
}

TEST_F(Exec, file_is_made_in_wal_mode) {
    EXPECT_EQ(output_of({"exec", "new.db", "create table t(x)", "pragma journal_mode"}),
              "journal_mode\nwal\n");
}

TEST_F(Exec, file_that_exists_keeps_its_journal_mode) {
    output_of({"exec", "a.db", "pragma journal_mode = delete"});
    EXPECT_EQ(output_of({"exec", "a.db", "pragma journal_mode"}), "journal_mode\ndelete\n");
}

TEST_F(Exec, directory_that_is_missing_is_named) {
    const auto done = run({"exec", "no/such/x.db", "select 1"});
    EXPECT_EQ(done.exit_code, 3);
    EXPECT_EQ(done.err,
              "skiff: no/such/x.db: the directory no/such does not exist\n"
              "  hint: make it first: mkdir -p 'no/such'\n");
}

TEST_F(Exec, directory_in_place_of_a_file_is_refused) {
    const auto done = run({"exec", ".", "select 1"});
    EXPECT_EQ(done.exit_code, 3);
    EXPECT_THAT(done.err, HasSubstr("a directory"));
}

TEST_F(Exec, file_that_is_no_database_exits_with_3) {
    put("note.txt", std::string(5000, 'x'));
    const auto done = run({"exec", "note.txt", "select 1"});
    EXPECT_EQ(done.exit_code, 3);
    EXPECT_THAT(done.err, HasSubstr("note.txt: file is not a database"));
}

TEST_F(Exec, read_only_refuses_to_make_a_file) {
    const auto done = run({"exec", "new.db", "select 1", "--read-only"});
    EXPECT_EQ(done.exit_code, 3);
    EXPECT_EQ(done.err, "skiff: new.db: there is no such file\n");
    EXPECT_FALSE(std::filesystem::exists(folder() / "new.db"));
}

TEST_F(Exec, read_only_refuses_to_write) {
    const auto done = run({"exec", "a.db", "delete from item", "--read-only"});
    EXPECT_EQ(done.exit_code, 1);
    EXPECT_THAT(done.err, HasSubstr("readonly"));
}

TEST_F(Exec, lock_that_is_not_had_exits_with_5) {
    auto db = skiff::connection::open(folder() / "a.db");
    auto holding = db.begin();
    const auto done = run({"exec", "a.db", "delete from item", "--busy-timeout", "10"});
    EXPECT_EQ(done.exit_code, 5);
    EXPECT_THAT(done.err, HasSubstr("locked"));
}

TEST_F(Exec, interrupt_ends_the_statement_with_130) {
    cli_process process(
        folder(), {"exec", "a.db", "--script",
                   "insert into item(id) values (7); select 'begun' as x;" + std::string(endless)});
    process.await_output("begun");
    process.interrupt();
    const auto done = process.wait();
    EXPECT_EQ(done.exit_code, 130);
    EXPECT_EQ(done.err, "skiff: interrupted\n");
    EXPECT_EQ(output_of({"exec", "a.db", "select count(*) n from item where id = 7"}), "n\n1\n");
}

TEST_F(Exec, terminal_gets_a_table_and_a_count_of_changes) {
    cli_terminal terminal(
        folder(), {"exec", "a.db", "delete from item where id < 100", "select id from item"});
    EXPECT_EQ(terminal.wait(), 0);
    EXPECT_EQ(terminal.screen(),
              "2 rows changed\r\n"
              "                 id\r\n-------------------\r\n9223372036854775807\r\n");
}

TEST_F(Exec, output_that_cannot_be_written_is_an_error) {
    cli_process process(folder(), {"exec", "a.db", "select 1"}, "/dev/full");
    const auto done = process.wait();
    EXPECT_EQ(done.exit_code, 1);
    EXPECT_THAT(done.err, HasSubstr("cannot write standard output: No space left"));
}

}  // namespace
}  // namespace skiff_test
