# Settings for people who build Skiff itself; a project that adds Skiff keeps its own.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug or Release" FORCE)
endif()
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")

# ccache, when it is there: SQLite alone takes more than a minute to compile. Paths below the
# checkout are made relative, so that another clone of Skiff finds the same objects.
find_program(SKIFF_CCACHE ccache)
if(SKIFF_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(launcher env "CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}" CCACHE_NOHASHDIR=1 CCACHE_ABSSTDERR=1
        "${SKIFF_CCACHE}")
    set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
    set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()

# No path of this machine in what we build: neither in debug information nor in __FILE__.
add_compile_options(
    "-ffile-prefix-map=${CMAKE_SOURCE_DIR}=."
    "-ffile-prefix-map=${CMAKE_BINARY_DIR}=./build")
