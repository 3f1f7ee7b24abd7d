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
    COMPILE_DEFINITIONS "SKIFF_BENCH_ENGINE=\"plain\"")

add_executable(skiff_bench "${PROJECT_SOURCE_DIR}/bench/main.cpp")
skiff_configure_target(skiff_bench)
set_target_properties(skiff_bench PROPERTIES OUTPUT_NAME skiff-bench)
target_link_libraries(skiff_bench PRIVATE skiff_bench_parts)
