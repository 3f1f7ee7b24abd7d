// The questions the demo asks of the imported packages, each answered by one SQL statement.
#pragma once

#include "signals.hpp"

#include <skiff/database.hpp>
#include <skiff/value.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace skiff_cli {

struct answered_question {
    std::string title;
    std::string sql;
    std::vector<std::string> columns;
    std::vector<std::vector<skiff::value>> rows;
    std::chrono::nanoseconds
        took{};  ///< from the call to the last row, statement preparation included
};

/// Asks all of them. Throws what the database throws.
std::vector<answered_question> ask_questions(skiff::database& db,
                                             const interrupt_scope& interrupts);

}  // namespace skiff_cli
