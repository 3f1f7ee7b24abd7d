# The skiff program, from cli/**/*.cpp. It sees only include/: if it needs something private, the
# public API is missing it. (cli/demo also measures SQLite's own interface, hence its header.)
# It lands in <build directory>/bin/skiff.
file(GLOB_RECURSE cli_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/cli/*.cpp")
if(NOT cli_sources)
    message(STATUS "skiff: no sources in cli/, the program is not built")
    return()
endif()

skiff_find_cli_dependencies()
add_executable(skiff_cli ${cli_sources})
skiff_configure_target(skiff_cli)
set_target_properties(skiff_cli PROPERTIES OUTPUT_NAME skiff)
target_include_directories(skiff_cli PRIVATE "${PROJECT_SOURCE_DIR}/cli")
target_link_libraries(skiff_cli PRIVATE
    skiff::skiff fmt::fmt CLI11::CLI11 nlohmann_json::nlohmann_json PkgConfig::LZ4
    PkgConfig::LIBEDIT skiff_sqlite_headers)

# This test feeds parsers of the program with text that no file would bring in such pieces: it
# includes their sources, since the other tests of cli_tests only start the program.
set_source_files_properties("${PROJECT_SOURCE_DIR}/tests/cli/debian_control_test.cpp" PROPERTIES
    INCLUDE_DIRECTORIES "${PROJECT_SOURCE_DIR}/cli")
