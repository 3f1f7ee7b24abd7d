# SQLite, as two targets:
#   skiff_sqlite          the amalgamation's one object (bundled only), alias skiff::sqlite
#   skiff_sqlite_headers  where sqlite3.h is and which optional interfaces it declares; for src/
#                         and tests only, since no public header includes sqlite3.h
#
# SKIFF_SQLITE=bundled compiles the pinned source into Skiff. SKIFF_SQLITE=system links the
# libsqlite3 that is installed and says what it lacks (cmake/sqlite_system.cmake).
# Room code asks `#ifdef SQLITE_ENABLE_<X>` for an optional interface; both ways define it alike.
set(SKIFF_SQLITE "bundled" CACHE STRING "bundled or system")
set_property(CACHE SKIFF_SQLITE PROPERTY STRINGS bundled system)
set(SKIFF_SQLITE_DIR "${PROJECT_SOURCE_DIR}/third_party/sqlite" CACHE PATH
    "Folder that holds sqlite3.c and sqlite3.h")
set(SKIFF_SQLITE_C_FLAGS "" CACHE STRING "Further compiler flags for sqlite3.c alone")

# Optional interfaces Skiff uses where they are compiled in.
set(SKIFF_SQLITE_FEATURES
    SETLK_TIMEOUT      # wait for a WAL lock in the kernel, in order, instead of sleep and retry
    FTS5               # full-text search
    RTREE              # boxes and ranges
    GEOPOLY            # polygons, on top of R-tree
    MATH_FUNCTIONS     # sin, log, pow ... in SQL
    DBSTAT_VTAB        # pages per table, for `skiff check` and statistics
    PREUPDATE_HOOK     # the row before a change, for hooks; sessions need it
    SESSION            # changesets
    SNAPSHOT           # name a WAL snapshot and open another reader on it
    COLUMN_METADATA    # table and column a result column comes from, for error messages
    CARRAY             # an array as a parameter: `where id in carray(?)`
    PERCENTILE)        # median and percentile in SQL

add_library(skiff_sqlite_headers INTERFACE)
set(SKIFF_ENGINE_FEATURES "")  # what the bundled engine needs of a processor

if(SKIFF_SQLITE STREQUAL "system")
    include(sqlite_system)
    return()
elseif(NOT SKIFF_SQLITE STREQUAL "bundled")
    message(FATAL_ERROR "SKIFF_SQLITE is '${SKIFF_SQLITE}'; it must be bundled or system")
endif()

foreach(file sqlite3.c sqlite3.h)
    if(NOT EXISTS "${SKIFF_SQLITE_DIR}/${file}")
        message(FATAL_ERROR
            "Skiff needs SQLite's source: ${SKIFF_SQLITE_DIR}/${file} is missing.\n"
            "Run tools/setup, which fetches it, or pass -DSKIFF_SQLITE_DIR=<folder with sqlite3.c "
            "and sqlite3.h>, or -DSKIFF_SQLITE=system to use the installed libsqlite3.")
    endif()
endforeach()

file(STRINGS "${SKIFF_SQLITE_DIR}/sqlite3.h" line REGEX "^#define SQLITE_VERSION_NUMBER ")
string(REGEX MATCH "[0-9]+" SKIFF_SQLITE_VERSION_NUMBER "${line}")
if(SKIFF_SQLITE_VERSION_NUMBER LESS 3051003)
    message(WARNING "SQLite in ${SKIFF_SQLITE_DIR} is ${SKIFF_SQLITE_VERSION_NUMBER}: releases "
        "before 3.51.3 can lose pages when a checkpoint races with a WAL reset")
endif()

# The definitions are the same for every variant of the engine (cmake/engine.cmake).
set(SKIFF_SQLITE_DEFINITIONS
    # A connection belongs to one thread at a time (our types say so), so SQLite's own mutex
    # around each connection would be taken for nothing; its global state stays protected.
    SQLITE_THREADSAFE=2
    # Memory statistics cost a global mutex on every allocation.
    SQLITE_DEFAULT_MEMSTATUS=0
    # "text" in double quotes is an identifier, never silently a string: typos become errors.
    SQLITE_DQS=0
    # Shared cache is discouraged by SQLite itself, and its checks sit on hot paths.
    SQLITE_OMIT_SHARED_CACHE
    # We call nothing deprecated; a program linked to us should not start.
    SQLITE_OMIT_DEPRECATED
    # Short-lived buffers on the stack instead of malloc.
    SQLITE_USE_ALLOCA
    # LIKE on a BLOB is false, which lets LIKE use an index without a second look.
    SQLITE_LIKE_DOESNT_MATCH_BLOBS
    # 0 switches off the parser's bookkeeping of expression depth; the parser's stack still ends.
    SQLITE_MAX_EXPR_DEPTH=0
    # 1: blocking WAL locks on demand, through SQLITE_FCNTL_LOCK_TIMEOUT or sqlite3_setlk_timeout.
    SQLITE_ENABLE_SETLK_TIMEOUT=1
    # What Linux has and the amalgamation does not assume. fdatasync skips metadata that a
    # database does not need; usleep makes busy waits finer than a second; the _r functions are
    # safe with threads. HAVE_STRERROR_R is left out: glibc's variant has another signature.
    HAVE_FDATASYNC=1
    HAVE_USLEEP=1
    HAVE_LOCALTIME_R=1
    HAVE_GMTIME_R=1)
# SQLITE_ENABLE_UNLOCK_NOTIFY stays off: it only serves shared cache.
foreach(feature IN LISTS SKIFF_SQLITE_FEATURES)
    if(NOT feature STREQUAL "SETLK_TIMEOUT")
        list(APPEND SKIFF_SQLITE_DEFINITIONS SQLITE_ENABLE_${feature})
    endif()
    target_compile_definitions(skiff_sqlite_headers INTERFACE SQLITE_ENABLE_${feature})
endforeach()

include(engine)
skiff_choose_engine()
skiff_add_engine(skiff_sqlite ENGINE ${SKIFF_ENGINE_VARIANT} ARCH ${SKIFF_ENGINE_ARCH})
add_library(skiff::sqlite ALIAS skiff_sqlite)
skiff_processor_features(${SKIFF_ENGINE_ARCH} SKIFF_ENGINE_FEATURES)
target_include_directories(skiff_sqlite_headers SYSTEM INTERFACE "${SKIFF_SQLITE_DIR}")
if(SKIFF_TRAIN)
    include(engine_training)
endif()
