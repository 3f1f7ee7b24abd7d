# The functions behind cmake/skiff_tests.cmake, one for each kind of test.

# skiff_add_test(<target> FOLDER <below tests/> LABEL <label>): one GoogleTest executable.
function(skiff_add_test target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "FOLDER;LABEL" "")
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/${arg_FOLDER}/*.cpp")
    if(NOT sources)
        return()
    endif()
    add_executable(${target} ${sources})
    skiff_configure_target(${target})
    target_link_libraries(${target} PRIVATE tests_support GTest::gtest_main)
    gtest_discover_tests(${target}
        TEST_PREFIX "${target}."
        DISCOVERY_MODE PRE_TEST
        DISCOVERY_TIMEOUT 60
        PROPERTIES LABELS "${arg_LABEL}" TIMEOUT 120)
endfunction()

# skiff_add_example(<file>): built like a user's program, run in an empty folder, must exit with 0.
function(skiff_add_example file)
    get_filename_component(name "${file}" NAME_WE)
    add_executable(example_${name} "${file}")
    skiff_configure_target(example_${name})
    target_link_libraries(example_${name} PRIVATE skiff::skiff)
    set_target_properties(example_${name} PROPERTIES
        OUTPUT_NAME "${name}"
        RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/examples")
    add_test(NAME example.${name} COMMAND "${CMAKE_COMMAND}"
        "-DPROGRAM=$<TARGET_FILE:example_${name}>"
        "-DFOLDER=${PROJECT_BINARY_DIR}/examples/${name}.scratch"
        -P "${PROJECT_SOURCE_DIR}/cmake/run_in_scratch.cmake")
    set_tests_properties(example.${name} PROPERTIES LABELS example TIMEOUT 120)
endfunction()

# skiff_add_callgrind_test(<file>): its instructions are counted; tools/callgrind.py says how.
function(skiff_add_callgrind_test file)
    get_filename_component(name "${file}" NAME_WE)
    add_executable(callgrind_${name} "${file}")
    skiff_configure_target(callgrind_${name})
    target_link_libraries(callgrind_${name} PRIVATE skiff::skiff skiff_sqlite_headers)
    add_test(NAME callgrind.${name} COMMAND Python3::Interpreter
        "${PROJECT_SOURCE_DIR}/tools/callgrind.py" "${file}" $<TARGET_FILE:callgrind_${name}>)
    set_tests_properties(callgrind.${name} PROPERTIES LABELS callgrind TIMEOUT 300)
    list(APPEND SKIFF_CALLGRIND_PROGRAMS callgrind_${name})
    set(SKIFF_CALLGRIND_PROGRAMS "${SKIFF_CALLGRIND_PROGRAMS}" PARENT_SCOPE)
endfunction()

# skiff_add_compile_fail_test(<file>): the file must compile as it is, and must not compile with
# SKIFF_MUST_FAIL, for the reason that its first line expects.
function(skiff_add_compile_fail_test file)
    get_filename_component(name "${file}" NAME_WE)
    foreach(twin good bad)
        add_test(NAME compile_fail.${name}.${twin} COMMAND Python3::Interpreter
            "${PROJECT_SOURCE_DIR}/tools/compile_fail.py" ${twin} "${file}"
            "${CMAKE_CXX_COMPILER}" -std=c++20 -Wall -Wextra -Werror -fsyntax-only
            "-I${PROJECT_SOURCE_DIR}/include" "-I${PROJECT_SOURCE_DIR}/src" "-I${SKIFF_SQLITE_DIR}")
        set_tests_properties(compile_fail.${name}.${twin} PROPERTIES
            LABELS compile_fail TIMEOUT 120)
    endforeach()
endfunction()

# skiff_add_header_check(): every public header compiles alone and twice, and what its calls throw
# can be caught without another. The files are generated, so that a new header cannot be forgotten.
function(skiff_add_header_check)
    file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/include"
        "${PROJECT_SOURCE_DIR}/include/skiff/*.hpp")
    # These throw no error of Skiff's.
    set(silent commit_token deadline file_status fwd image log_alarm
        open_options value version)
    list(TRANSFORM silent REPLACE "(.+)" "skiff/\\1.hpp")
    foreach(header IN LISTS headers)
        string(MAKE_C_IDENTIFIER "${header}" name)
        set(unit "${PROJECT_BINARY_DIR}/header_check/${name}.cpp")
        set(content "#include <${header}>\n#include <${header}> // twice: must guard itself\n")
        if(header MATCHES "^skiff/[a-z_]+[.]hpp$" AND NOT header IN_LIST silent)
            string(APPEND content "static_assert(sizeof(skiff::error) > 0);\n")
        endif()
        file(CONFIGURE OUTPUT "${unit}" CONTENT "${content}")
        list(APPEND units "${unit}")
    endforeach()
    add_library(header_check OBJECT ${units})
    skiff_configure_target(header_check)
    target_include_directories(header_check PRIVATE "${PROJECT_SOURCE_DIR}/include")
    add_test(NAME headers.compile_alone
        COMMAND "${CMAKE_COMMAND}" --build "${PROJECT_BINARY_DIR}" --target header_check)
    set_tests_properties(headers.compile_alone PROPERTIES LABELS headers TIMEOUT 600 RUN_SERIAL ON)
endfunction()

# skiff_add_packaging_test(static|shared|add_subdirectory): Skiff as another project gets it.
function(skiff_add_packaging_test kind)
    add_test(NAME packaging.${kind} COMMAND Python3::Interpreter
        "${PROJECT_SOURCE_DIR}/tests/packaging/run.py" ${kind}
        --build "${PROJECT_BINARY_DIR}"
        --sqlite-dir "${SKIFF_SQLITE_DIR}"
        --c-compiler "${CMAKE_C_COMPILER}"
        --cxx-compiler "${CMAKE_CXX_COMPILER}")
    set_tests_properties(packaging.${kind} PROPERTIES LABELS packaging TIMEOUT 900)
endfunction()

# skiff_add_engine_tests(): the training and the measuring have no SQL in common; and, where the
# compiler is one that Skiff has a profile for, which profiles the build refuses.
function(skiff_add_engine_tests)
    add_test(NAME engine.training_sql COMMAND Python3::Interpreter
        "${PROJECT_SOURCE_DIR}/tests/engine/training_sql.py")
    set_tests_properties(engine.training_sql PROPERTIES LABELS engine TIMEOUT 120)
    if(CMAKE_C_COMPILER_ID STREQUAL "Clang" AND SKIFF_SQLITE STREQUAL "bundled")
        add_test(NAME engine.refusals COMMAND Python3::Interpreter
            "${PROJECT_SOURCE_DIR}/tests/engine/refusals.py"
            --build "${PROJECT_BINARY_DIR}"
            --sqlite-dir "${SKIFF_SQLITE_DIR}"
            --c-compiler "${CMAKE_C_COMPILER}"
            --cxx-compiler "${CMAKE_CXX_COMPILER}")
        set_tests_properties(engine.refusals PROPERTIES LABELS "packaging;engine" TIMEOUT 300)
    endif()
endfunction()
