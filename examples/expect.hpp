// What the examples check themselves with: an example that is not as documented ends with an error.
#pragma once

#include <source_location>
#include <stdexcept>
#include <string>

inline void expect(bool holds, std::source_location place = std::source_location::current()) {
    if (holds) return;
    throw std::logic_error("not as documented: line " + std::to_string(place.line()));
}
