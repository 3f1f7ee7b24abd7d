// `skiff shell`: scripts through a pipe, dot commands, the cutting of statements, and a session at
// a terminal.
#include "cli/run_cli.hpp"

#include <skiff/connection.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace skiff_test {
namespace {

using testing::HasSubstr;

class Shell : public cli_test {
  protected:
    Shell() {
        auto db = skiff::connection::open(folder() / "a.db");
        db.exec_script(
            "create table item(id integer primary key, name text);"
            "create table note(text);"
            "create index item_name on item(name);"
            "create view names as select name from item;"
            "insert into item values (1, 'cup'), (2, 'mug')");
    }
    std::string output_for(std::string_view input) { return output_of({"shell", "a.db"}, input); }
};

TEST_F(Shell, pipe_runs_statements_and_prints_csv) {
    EXPECT_EQ(output_for("select id from item;\nselect 'x' as y;\n"), "id\n1\n2\n\ny\nx\n");
}

TEST_F(Shell, last_statement_needs_no_semicolon) {
    EXPECT_EQ(output_for("select 1 as x"), "x\n1\n");
}

// -- Where statements end.

TEST_F(Shell, statements_are_cut_at_semicolons_that_are_code) {
    EXPECT_EQ(output_for("select ';' as \"a;b\", 1 as [c;d], 2 as `e;f`; -- not; here\n"
                         "/* nor; \n here; */ select 'it''s;' as x;;;\n"),
              "a;b,c;d,e;f\n;,1,2\n\nx\nit's;\n");
}

TEST_F(Shell, statement_may_span_lines) {
    EXPECT_EQ(output_for("select\n'one\n\ntwo' as x\n;\n"), "x\n\"one\n\ntwo\"\n");
}

TEST_F(Shell, comments_alone_are_no_statement) {
    EXPECT_EQ(output_for("-- nothing\n/* at\nall */ ;;\n"), "");
}

TEST_F(Shell, comment_that_is_not_closed_is_nothing) {
    EXPECT_EQ(output_for("/* a *"), "");
}

TEST_F(Shell, trigger_ends_after_its_end) {
    output_for(
        "create temp trigger once after insert on note begin select 1; end;\n"
        "CREATE TRIGGER copy AFTER INSERT ON item BEGIN\n"
        "  insert into note values (case when new.id > 1 then 'end;' else 'x' end);\n"
        "  -- end;\n"
        "  update note set text = text || '!';\n"
        "END; insert into item values (3, 'jug');\n");
    EXPECT_EQ(output_for("select * from note;"), "text\nend;!\n");
}

TEST_F(Shell, trigger_words_elsewhere_change_nothing) {
    EXPECT_EQ(output_for("create table \"trigger\"(x); drop table \"trigger\"; select 1 as x;\n"
                         "select case 1 when 1 then 2 end as y;\n"),
              "x\n1\n\ny\n2\n");
}

TEST_F(Shell, windows_line_ends_are_line_ends) {
    EXPECT_EQ(output_for(".mode json\r\nselect 1 as x;\r\n"), "[{\"x\":1}]\n");
}

// -- Errors in scripts.

TEST_F(Shell, first_error_ends_a_script_with_its_line) {
    const auto done = run({"shell", "a.db"}, "select 1 as x;\n\nselect\nnope;\nselect 2 as y;\n");
    EXPECT_EQ(done.exit_code, 1);
    EXPECT_EQ(done.out, "x\n1\n");
    EXPECT_EQ(done.err, "skiff: line 4: no such column: nope\n    nope;\n    ^\n");
}

TEST_F(Shell, continue_runs_the_rest_and_still_fails) {
    const auto done = run({"shell", "a.db", "--continue"}, "nope;\nselect 2 as y;\n.nope\n");
    EXPECT_EQ(done.exit_code, 1);
    EXPECT_EQ(done.out, "y\n2\n");
    EXPECT_THAT(done.err, HasSubstr("line 1: near \"nope\": syntax error"));
    EXPECT_THAT(done.err, HasSubstr("line 3: there is no command .nope"));
}

TEST_F(Shell, unfinished_transaction_is_rolled_back) {
    output_for("begin; delete from item;");
    EXPECT_EQ(output_for("select count(*) as n from item;"), "n\n2\n");
}

TEST_F(Shell, transaction_of_a_script_is_committed) {
    output_for("begin;\ndelete from item where id = 1;\ncommit;\n");
    EXPECT_EQ(output_for("select id from item;"), "id\n2\n");
}

// -- Dot commands.

TEST_F(Shell, tables_lists_tables_and_views) {
    EXPECT_EQ(output_for(".tables\n"), "item\nnames\nnote\n");
    EXPECT_EQ(output_for(".tables n%\n"), "names\nnote\n");
}

TEST_F(Shell, schema_prints_sql_that_makes_it_again) {
    EXPECT_EQ(output_for(".schema\n"),
              "CREATE TABLE item(id integer primary key, name text);\n"
              "CREATE TABLE note(text);\n"
              "CREATE INDEX item_name on item(name);\n"
              "CREATE VIEW names as select name from item;\n");
    EXPECT_EQ(output_for(".schema ITEM\n"),
              "CREATE TABLE item(id integer primary key, name text);\n"
              "CREATE INDEX item_name on item(name);\n");
}

TEST_F(Shell, schema_of_nothing_is_an_error) {
    const auto done = run({"shell", "a.db"}, ".schema nope\n");
    EXPECT_EQ(done.exit_code, 1);
    EXPECT_EQ(done.err, "skiff: line 1: there is no table or index nope\n");
}

TEST_F(Shell, indexes_lists_those_of_a_table) {
    EXPECT_EQ(output_for(".indexes\n"), "item_name\n");
    EXPECT_EQ(output_for(".indexes note\n"), "");
}

TEST_F(Shell, mode_changes_the_format) {
    EXPECT_EQ(output_for(".mode\n.mode line\nselect * from item;\n.mode json\nselect 1 as x;\n"),
              "csv\n  id = 1\nname = cup\n\n  id = 2\nname = mug\n[{\"x\":1}]\n");
}

TEST_F(Shell, mode_option_sets_the_first_format) {
    EXPECT_EQ(output_of({"shell", "a.db", "--mode", "table"}, "select 1 as x;"), "x\n-\n1\n");
}

TEST_F(Shell, output_goes_to_a_file_and_back) {
    EXPECT_EQ(output_for(".output 'my rows.csv'\nselect 1 as x;\n.output\nselect 2 as x;\n"),
              "x\n2\n");
    EXPECT_EQ(content_of("my rows.csv"), "x\n1\n");
}

TEST_F(Shell, read_runs_a_script) {
    put("s.sql", "insert into item values (3, 'jug');\n.mode json\nselect max(id) as m from item");
    EXPECT_EQ(output_for(".read s.sql\nselect 1 as x;\n"), "[{\"m\":3}]\n[{\"x\":1}]\n");
}

TEST_F(Shell, error_in_a_script_that_is_read_names_file_and_line) {
    put("s.sql", "select 1 as x;\nnope;\nselect 2 as x;\n");
    const auto done = run({"shell", "a.db"}, ".read s.sql\nselect 3 as x;\n");
    EXPECT_EQ(done.exit_code, 1);
    EXPECT_EQ(done.out, "x\n1\n");
    EXPECT_THAT(done.err, HasSubstr("skiff: s.sql, line 2: near \"nope\""));
}

TEST_F(Shell, script_that_reads_itself_ends) {
    put("s.sql", ".read s.sql\n");
    const auto done = run({"shell", "a.db"}, ".read s.sql\n");
    EXPECT_EQ(done.exit_code, 1);
    EXPECT_THAT(done.err, HasSubstr("more than 16 deep"));
}

TEST_F(Shell, timer_says_how_long_a_statement_took) {
    const auto done = run({"shell", "a.db"}, ".timer\n.timer on\nselect 1 as x;\n");
    EXPECT_EQ(done.out, "off\nx\n1\n");
    EXPECT_THAT(done.err, testing::StartsWith("time: "));
}

TEST_F(Shell, help_lists_every_command) {
    const auto help = output_for(".help\n");
    for (const char* name : {".tables", ".schema", ".indexes", ".mode", ".timer", ".output",
                             ".read", ".help", ".quit"}) {
        EXPECT_THAT(help, HasSubstr(name));
    }
}

TEST_F(Shell, misspelled_command_gets_a_suggestion) {
    EXPECT_EQ(run({"shell", "a.db"}, ".tabels\n").err,
              "skiff: line 1: there is no command .tabels; did you mean .tables?\n");
}

TEST_F(Shell, command_with_wrong_arguments_says_how_it_goes) {
    EXPECT_EQ(run({"shell", "a.db"}, ".read\n").err, "skiff: line 1: type: .read FILE\n");
}

TEST_F(Shell, quit_ends_a_script) {
    EXPECT_EQ(output_for("select 1 as x;\n.quit\nselect 2 as x;\n"), "x\n1\n");
}

TEST_F(Shell, read_only_refuses_to_write) {
    EXPECT_EQ(run({"shell", "a.db", "--read-only"}, "delete from item;").exit_code, 1);
}

// -- At a terminal.

TEST_F(Shell, terminal_session_prints_tables_and_goes_on_after_errors) {
    cli_terminal terminal(folder(), {"shell", "a.db"});
    terminal.await("skiff> ");
    terminal.type("select name\n");
    terminal.await("...> ");
    terminal.type("from item;\n");
    terminal.await("name\r\n----\r\ncup\r\nmug\r\n");
    terminal.await("skiff> ");
    terminal.type("nope;\n");
    terminal.await("syntax error");
    terminal.await("skiff> ");
    terminal.type("delete from item;\n");
    terminal.await("2 rows changed");
    terminal.await("skiff> ");
    terminal.type("begin;\n");
    terminal.await("skiff*> ");
    terminal.type(".quit\n");
    EXPECT_EQ(terminal.wait(), 0);
    EXPECT_THAT(terminal.screen(), HasSubstr("the open transaction is rolled back"));
}

TEST_F(Shell, ctrl_c_stops_the_statement_and_not_the_session) {
    cli_terminal terminal(folder(), {"shell", "a.db", "--mode", "csv"});
    terminal.await("skiff> ");
    terminal.type(
        "with recursive c(x) as (select 1 union all select x + 1 from c)"
        " select 'be' || 'gun' as y union all select count(*) from c;\n");
    terminal.await("begun");
    terminal.type("\x03");
    terminal.await("interrupted");
    terminal.await("skiff> ");
    terminal.type("select 6 * 7 as x;\n");
    terminal.await("42");
    terminal.await("skiff> ");
    terminal.type("\x04");
    EXPECT_EQ(terminal.wait(), 0);
}

TEST_F(Shell, ctrl_c_drops_the_line_being_typed) {
    cli_terminal terminal(folder(), {"shell", "a.db"});
    terminal.await("skiff> ");
    terminal.type("select\n");
    terminal.await("...> ");
    terminal.type("nonsense");
    terminal.await("nonsense");
    terminal.type("\x03");
    terminal.await("skiff> ");
    terminal.type("select 6 * 7 as x;\n");
    terminal.await("42");
    terminal.await("skiff> ");
    terminal.type("\x04");
    EXPECT_EQ(terminal.wait(), 0);
    EXPECT_EQ(terminal.screen().find("error"), std::string::npos);
}

TEST_F(Shell, history_is_kept_for_the_next_session) {
    {
        cli_terminal first(folder(), {"shell", "a.db"});
        first.await("skiff> ");
        first.type("select 'from ' ||\n'before' as x;\n");
        first.await("from before");
        first.await("skiff> ");
        first.type("\x04");
        EXPECT_EQ(first.wait(), 0);
    }
    cli_terminal second(folder(), {"shell", "a.db"});
    second.await("skiff> ");
    second.type("\x10\n");  // Ctrl-P: the line before
    second.await("from before\r\n");
    second.await("skiff> ");
    second.type("\x04");
    EXPECT_EQ(second.wait(), 0);
}

TEST_F(Shell, tab_completes_a_name) {
    cli_terminal terminal(folder(), {"shell", "a.db"});
    terminal.await("skiff> ");
    terminal.type("select count(*) + 40 as n from ite\t;\n");
    terminal.await("42");
    terminal.await("skiff> ");
    terminal.type("\x04");
    EXPECT_EQ(terminal.wait(), 0);
}

}  // namespace
}  // namespace skiff_test
