# skiff-bench, from bench/**/*.cpp. It sees include/ and, for what it measures against, SQLite's own
# header. All of it but main() is the object library skiff_bench_parts, for tests.
file(GLOB_RECURSE bench_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/bench/*.cpp")
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
execute_process(COMMAND git describe --always --dirty
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT commit)
    set(commit unknown)
endif()

list(REMOVE_ITEM bench_sources "${PROJECT_SOURCE_DIR}/bench/main.cpp")
add_library(skiff_bench_parts OBJECT ${bench_sources})
skiff_configure_target(skiff_bench_parts)
target_include_directories(skiff_bench_parts PUBLIC "${PROJECT_SOURCE_DIR}/bench")
target_link_libraries(skiff_bench_parts PUBLIC
    skiff::skiff fmt::fmt CLI11::CLI11 nlohmann_json::nlohmann_json skiff_sqlite_headers)
set_source_files_properties("${PROJECT_SOURCE_DIR}/bench/harness/environment.cpp" PROPERTIES
    COMPILE_DEFINITIONS "SKIFF_BENCH_COMMIT=\"${commit}\"")

set_source_files_properties("${PROJECT_SOURCE_DIR}/bench/harness/programs.cpp" PROPERTIES
    COMPILE_DEFINITIONS "SKIFF_BENCH_ENGINE=\"${SKIFF_ENGINE_VARIANT}\"")

add_executable(skiff_bench "${PROJECT_SOURCE_DIR}/bench/main.cpp")
skiff_configure_target(skiff_bench)
set_target_properties(skiff_bench PROPERTIES OUTPUT_NAME skiff-bench)
target_link_libraries(skiff_bench PRIVATE skiff_bench_parts)

# The same program with other builds of SQLite, for `tools/bench`: a process has one only. The
# target skiff_bench_engines builds all; nothing else needs them.
function(skiff_add_bench_program name)
    skiff_add_engine(skiff_engine_${name} ${ARGN})
    get_target_property(is_imported skiff_engine_${name} IMPORTED)
    if(NOT is_imported)
        set_target_properties(skiff_engine_${name} PROPERTIES EXCLUDE_FROM_ALL TRUE)
    endif()
    get_property(rooms GLOBAL PROPERTY SKIFF_ROOMS)
    list(TRANSFORM rooms REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE objects)
    add_executable(skiff_bench_${name} EXCLUDE_FROM_ALL
        "${PROJECT_SOURCE_DIR}/bench/main.cpp" ${objects}
        $<TARGET_OBJECTS:skiff_engine_${name}> $<TARGET_OBJECTS:skiff_bench_parts>)
    skiff_configure_target(skiff_bench_${name})
    set_target_properties(skiff_bench_${name} PROPERTIES OUTPUT_NAME skiff-bench-${name})
    target_include_directories(skiff_bench_${name} PRIVATE
        "${PROJECT_SOURCE_DIR}/bench" "${PROJECT_SOURCE_DIR}/include")
    target_link_libraries(skiff_bench_${name} PRIVATE
        fmt::fmt CLI11::CLI11 nlohmann_json::nlohmann_json skiff_sqlite_headers Threads::Threads
        m ${CMAKE_DL_LIBS})
    add_dependencies(skiff_bench_engines skiff_bench_${name})
endfunction()

if(SKIFF_SQLITE STREQUAL "bundled" AND NOT SKIFF_SANITIZE)
    add_custom_target(skiff_bench_engines)
    skiff_add_bench_program(plain ENGINE plain)
    find_program(SKIFF_GCC gcc)
    if(SKIFF_GCC)
        skiff_add_bench_program(gcc ENGINE plain COMPILER "${SKIFF_GCC}")
    endif()
    if(SKIFF_ENGINE_VARIANT STREQUAL "pgo")
        skiff_add_bench_program(v3 ENGINE pgo ARCH x86-64-v3)
        skiff_add_bench_program(native ENGINE pgo ARCH native)
    endif()
endif()
