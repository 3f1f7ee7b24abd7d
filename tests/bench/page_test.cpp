// The figures on our pages are those of the committed samples.
#include "report/page.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

namespace skiff_bench {
namespace {

const std::filesystem::path root = SKIFF_SOURCE_DIR;

std::string text_of(const std::filesystem::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

TEST(Page, figures_are_those_of_the_samples) {
    const auto page = text_of(root / "docs/benchmarks.md");

    EXPECT_NE(page.find("<!-- skiff-bench "), std::string::npos);
    EXPECT_EQ(with_tables(page, root / "bench/results"), page) << "type: tools/bench docs";
}

TEST(Page, figure_that_somebody_typed_is_found) {
    auto page = text_of(root / "docs/benchmarks.md");
    const auto at = page.find(" ×", page.find("<!-- skiff-bench "));
    page[at - 1] = page[at - 1] == '9' ? '8' : '9';

    EXPECT_NE(with_tables(page, root / "bench/results"), page);
}

TEST(Page, table_without_an_end_is_refused) {
    EXPECT_THROW(static_cast<void>(with_tables("<!-- skiff-bench a.jsonl -->\n", root)),
                 std::runtime_error);
}

}  // namespace
}  // namespace skiff_bench
