# Everything ctest runs. Every kind is globbed, so that a file that exists is a test that runs:
#
#   tests/support/*.cpp          tests_support, linked into every test below
#   tests/unit/<room>/*.cpp      unit_<room>      label unit
#   tests/contract/*.cpp         contract         label contract
#   tests/integration/*.cpp      integration      label integration
#   tests/crash/*.cpp            crash            label crash: processes that get killed
#   tests/cli/*.cpp              cli_tests        label cli: SKIFF_CLI_PATH is the program, whose
#                                                 parts are linked in as well
#   tests/bench/*.cpp            bench_tests      label bench: skiff-bench, answers and refusals
#   tests/extension/             extension_tests  label extension: refusals, and in Python as hosts
#                                                 use it
#   tests/compile_fail/*.cpp     two tests each   label compile_fail
#   include/skiff/**/*.hpp       header_check     label headers
#   examples/*.cpp               example_<name>   label example
#   tests/callgrind/*.cpp        callgrind_<name> label callgrind (tools/callgrind.py)
#   tests/compile_cost/          seconds to compile, labels packaging and compile_cost
#   tests/engine/                the engine's profile and training, label engine
#   tests/packaging/             installed and used by other projects, label packaging
#
# The release preset runs the last three kinds and the refusals of tests/engine, the others are for
# dev (CMakePresets.json).
#
# A test is named <executable>.<suite>.<case>.
find_package(GTest REQUIRED)
find_package(Python3 REQUIRED COMPONENTS Interpreter)
include(GoogleTest)
include(add_skiff_test)

file(GLOB_RECURSE support_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/support/*.cpp")
if(support_sources)
    set(scope PUBLIC)
    add_library(tests_support STATIC ${support_sources})
    skiff_configure_target(tests_support)
else()
    set(scope INTERFACE)
    add_library(tests_support INTERFACE)
endif()
target_include_directories(tests_support ${scope}
    "${PROJECT_SOURCE_DIR}/tests" "${PROJECT_SOURCE_DIR}/src")
target_link_libraries(tests_support ${scope}
    skiff::skiff skiff_sqlite_headers GTest::gtest GTest::gmock)

file(GLOB rooms CONFIGURE_DEPENDS LIST_DIRECTORIES true "${PROJECT_SOURCE_DIR}/tests/unit/*")
foreach(room IN LISTS rooms)
    get_filename_component(name "${room}" NAME)
    skiff_add_test(unit_${name} FOLDER "unit/${name}" LABEL unit)
endforeach()
skiff_add_test(contract FOLDER contract LABEL contract)
skiff_add_test(integration FOLDER integration LABEL integration)
skiff_add_test(crash FOLDER crash LABEL crash)
if(TARGET skiff_cli)
    skiff_add_test(cli_tests FOLDER cli LABEL cli)
    if(TARGET cli_tests)
        target_link_libraries(cli_tests PRIVATE skiff_cli_parts)
        target_compile_definitions(cli_tests PRIVATE SKIFF_CLI_PATH="$<TARGET_FILE:skiff_cli>")
        add_dependencies(cli_tests skiff_cli)
    endif()
endif()

if(TARGET skiff_bench)
    skiff_add_test(bench_tests FOLDER bench LABEL bench)
    target_link_libraries(bench_tests PRIVATE skiff_bench_parts)
    target_compile_definitions(bench_tests PRIVATE
        SKIFF_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
        SKIFF_BENCH_PROGRAM="$<TARGET_FILE:skiff_bench>")
    add_dependencies(bench_tests skiff_bench)
endif()

if(TARGET skiff_vfs_extension)
    skiff_add_test(extension_tests FOLDER extension LABEL extension)
    target_compile_definitions(extension_tests PRIVATE
        SKIFF_EXTENSION_PATH="$<TARGET_FILE:skiff_vfs_extension>")
    target_link_libraries(extension_tests PRIVATE ${CMAKE_DL_LIBS})
    add_dependencies(extension_tests skiff_vfs_extension)
    # Debian's own: others are often built without loading of extensions.
    find_program(SKIFF_HOST_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
    if(SKIFF_HOST_PYTHON)
        add_test(NAME extension.python COMMAND "${SKIFF_HOST_PYTHON}"
            "${PROJECT_SOURCE_DIR}/tests/extension/extension_test.py"
            $<TARGET_FILE:skiff_vfs_extension>)
        set_tests_properties(extension.python PROPERTIES
            LABELS extension TIMEOUT 300 SKIP_RETURN_CODE 77)
    endif()
endif()

# What does not change with a sanitizer is checked without one only.
if(SKIFF_SANITIZE)
    return()
endif()

file(GLOB examples CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/examples/*.cpp")
foreach(example IN LISTS examples)
    skiff_add_example("${example}")
endforeach()

file(GLOB twins CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/compile_fail/*.cpp")
foreach(twin IN LISTS twins)
    skiff_add_compile_fail_test("${twin}")
endforeach()

skiff_add_header_check()
skiff_add_engine_tests()

file(GLOB counted CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/callgrind/*.cpp")
foreach(program IN LISTS counted)
    skiff_add_callgrind_test("${program}")
endforeach()

add_subdirectory("${PROJECT_SOURCE_DIR}/tests/compile_cost" "${PROJECT_BINARY_DIR}/compile_cost")

foreach(kind static shared add_subdirectory)
    skiff_add_packaging_test(${kind})
endforeach()

# What the release preset is built for when tests are what is wanted of it.
add_custom_target(release_checks DEPENDS skiff)
foreach(target IN ITEMS skiff_cli skiff_vfs_extension ${SKIFF_CALLGRIND_PROGRAMS})
    if(TARGET ${target})
        add_dependencies(release_checks ${target})
    endif()
endforeach()
