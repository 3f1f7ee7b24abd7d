# The skiff program, from cli/**/*.cpp. It sees only include/: if it needs something private, the
# public API is missing it. (cli/demo also measures SQLite's own interface, hence its header.)
# It lands in <build directory>/bin/skiff. All of it but main() is the object library
# skiff_cli_parts, so that tests can call what is inside as well as start the program.
file(GLOB_RECURSE cli_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/cli/*.cpp")
if(NOT cli_sources)
    message(STATUS "skiff: no sources in cli/, the program is not built")
    return()
endif()

skiff_find_cli_dependencies()
list(REMOVE_ITEM cli_sources "${PROJECT_SOURCE_DIR}/cli/main.cpp")
add_library(skiff_cli_parts OBJECT ${cli_sources})
skiff_configure_target(skiff_cli_parts)
target_include_directories(skiff_cli_parts PUBLIC "${PROJECT_SOURCE_DIR}/cli")
target_link_libraries(skiff_cli_parts PUBLIC
    skiff::skiff fmt::fmt CLI11::CLI11 nlohmann_json::nlohmann_json PkgConfig::LZ4
    PkgConfig::LIBEDIT skiff_sqlite_headers)

add_executable(skiff_cli "${PROJECT_SOURCE_DIR}/cli/main.cpp")
skiff_configure_target(skiff_cli)
set_target_properties(skiff_cli PROPERTIES OUTPUT_NAME skiff)
target_link_libraries(skiff_cli PRIVATE skiff_cli_parts)
