# Warnings for our own code, as a target that our targets link privately; users never get them.
add_library(skiff_warnings INTERFACE)
target_compile_options(skiff_warnings INTERFACE
    -Wall -Wextra -Wconversion -Wshadow
    $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety>
    $<$<BOOL:${SKIFF_WERROR}>:-Werror>)
