# SKIFF_SQLITE=system: link the installed libsqlite3, whatever its version, and say at configure
# time which version it is and what it lacks. Nothing that works is refused.
find_package(SQLite3 REQUIRED)
target_link_libraries(skiff_sqlite_headers INTERFACE SQLite::SQLite3)

# What a program loses when the library was built without the option.
set(skiff_lost_SETLK_TIMEOUT "a blocked writer polls instead of waiting in the kernel")
set(skiff_lost_FTS5 "no full-text search")
set(skiff_lost_RTREE "no R-tree tables")
set(skiff_lost_GEOPOLY "no geopoly tables")
set(skiff_lost_MATH_FUNCTIONS "no sin(), log(), pow() ... in SQL")
set(skiff_lost_DBSTAT_VTAB "no page statistics per table")
set(skiff_lost_PREUPDATE_HOOK "no pre-update hook")
set(skiff_lost_SESSION "no sessions and changesets")
set(skiff_lost_SNAPSHOT "no named WAL snapshots")
set(skiff_lost_COLUMN_METADATA "errors name a column by its result name only")
set(skiff_lost_CARRAY "no carray()")
set(skiff_lost_PERCENTILE "no median() and percentile()")

set(probe "${PROJECT_BINARY_DIR}/sqlite_probe.c")
file(WRITE "${probe}" [[
#include <sqlite3.h>
#include <stdio.h>
int main(void) {
    sqlite3* db = 0;
    sqlite3_stmt* option = 0;
    if (sqlite3_open(":memory:", &db) != SQLITE_OK) return 1;
    if (sqlite3_prepare_v2(db, "pragma compile_options", -1, &option, 0) != SQLITE_OK) return 1;
    printf("number=%d\n", sqlite3_libversion_number());
    while (sqlite3_step(option) == SQLITE_ROW) printf("%s\n", sqlite3_column_text(option, 0));
    sqlite3_finalize(option);
    sqlite3_close(db);
    return 0;
}
]])
try_run(probe_exit probe_built "${PROJECT_BINARY_DIR}/sqlite_probe" "${probe}"
    LINK_LIBRARIES SQLite::SQLite3
    COMPILE_OUTPUT_VARIABLE probe_errors
    RUN_OUTPUT_VARIABLE probe_output)
if(NOT probe_built OR NOT probe_exit EQUAL 0)
    message(FATAL_ERROR "The installed libsqlite3 cannot be used: a program that opens a database "
        "in memory does not build or run.\n${probe_errors}${probe_output}")
endif()

string(REGEX MATCH "number=([0-9]+)" unused "${probe_output}")
set(SKIFF_SQLITE_VERSION_NUMBER "${CMAKE_MATCH_1}")
math(EXPR major "${SKIFF_SQLITE_VERSION_NUMBER} / 1000000")
math(EXPR minor "${SKIFF_SQLITE_VERSION_NUMBER} / 1000 % 1000")
math(EXPR patch "${SKIFF_SQLITE_VERSION_NUMBER} % 1000")
message(STATUS "skiff: system SQLite ${major}.${minor}.${patch}, ${SQLite3_LIBRARIES}")

if(SKIFF_SQLITE_VERSION_NUMBER GREATER_EQUAL 3007000 AND SKIFF_SQLITE_VERSION_NUMBER LESS 3051003)
    message(STATUS "skiff:   has the WAL-reset bug of 3.7.0 to 3.51.2: a checkpoint that races "
        "with a writer may lose pages")
endif()
if(probe_output MATCHES "THREADSAFE=0")
    message(WARNING "skiff: this SQLite is built for one thread (THREADSAFE=0): use "
        "skiff::connection from a single thread only; skiff::database cannot work")
endif()
foreach(feature IN LISTS SKIFF_SQLITE_FEATURES)
    if(probe_output MATCHES "ENABLE_${feature}(=|\n)")
        target_compile_definitions(skiff_sqlite_headers INTERFACE SQLITE_ENABLE_${feature})
    else()
        message(STATUS "skiff:   without ${feature}: ${skiff_lost_${feature}}")
    endif()
endforeach()
