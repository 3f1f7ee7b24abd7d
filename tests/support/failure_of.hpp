// What a call throws, as a value that a test can look at. Anything but a skiff::error passes
// through and fails the test by itself.
#pragma once

#include <skiff/error.hpp>

#include <gtest/gtest.h>

#include <utility>

namespace skiff_test {

/// The skiff::error that `work` throws; a failure of the test when it throws none.
template <class Work>
[[nodiscard]] skiff::error failure_of(Work&& work) {
    try {
        static_cast<void>(std::forward<Work>(work)());
    } catch (const skiff::error& thrown) {
        return thrown;
    }
    ADD_FAILURE() << "an error was expected, none was thrown";
    return skiff::error({.message = "nothing was thrown"});
}

/// The code of the error that `work` throws.
template <class Work>
[[nodiscard]] skiff::errc code_of(Work&& work) {
    return failure_of(std::forward<Work>(work)).code();
}

}  // namespace skiff_test
