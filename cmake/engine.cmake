# SQLite's object in one of several variants: the engine. What fits is decided here, the profile's
# own checks are in cmake/engine_profile.cmake, processors in cmake/engine_processor.cmake.
#
#   skiff_add_engine(<target> ENGINE plain|pgo|counted [ARCH <processor>] [COMPILER <path>])
#
# makes an object library of sqlite3.c with the definitions that all variants share. `plain` is -O2,
# `pgo` is optimised by the profile, `counted` is what the profile is made with. COMPILER is a C
# compiler beside the project's own, for measuring: it makes plain objects only.
set(SKIFF_ENGINE "auto" CACHE STRING "How SQLite is optimised: auto, plain, or pgo (by a profile)")
set_property(CACHE SKIFF_ENGINE PROPERTY STRINGS auto plain pgo)
set(SKIFF_ENGINE_PROFILE "" CACHE PATH
    "Profile of one's own, made by tools/train/make_profile; empty: the one that comes with Skiff")
include(engine_processor)
include(engine_profile)

# skiff_choose_engine(): SKIFF_ENGINE_VARIANT becomes plain or pgo, and one line says why.
function(skiff_choose_engine)
    if(NOT SKIFF_ENGINE MATCHES "^(auto|plain|pgo)$")
        message(FATAL_ERROR "SKIFF_ENGINE is '${SKIFF_ENGINE}'; it must be auto, plain or pgo")
    endif()
    set(variant plain)
    set(why "as SKIFF_ENGINE says")
    if(NOT SKIFF_ENGINE STREQUAL "plain")
        skiff_find_profile()
        if(NOT misfit)
            set(variant pgo)
            set(why "by ${profile_name}")
        elseif(SKIFF_ENGINE STREQUAL "pgo")
            message(FATAL_ERROR "SKIFF_ENGINE is pgo, but ${misfit}.\n"
                "A profile that fits is made by this line:\n  ${remedy}\n"
                "-DSKIFF_ENGINE=plain builds without one.")
        else()
            set(why "${misfit}")
        endif()
    endif()
    set(processor "")
    if(NOT SKIFF_ENGINE_ARCH STREQUAL "baseline")
        set(processor ", for ${SKIFF_ENGINE_ARCH} processors")
    endif()
    message(STATUS "skiff: engine ${variant} (${why})${processor}")
    set(SKIFF_ENGINE_VARIANT "${variant}" PARENT_SCOPE)
    set(SKIFF_ENGINE_PROFILE_FLAGS "${profile_flags}" PARENT_SCOPE)
endfunction()

# The flags of a variant, in `flags` of the caller.
macro(skiff_engine_flags variant processor)
    if("${variant}" STREQUAL "pgo")
        if(NOT SKIFF_ENGINE_PROFILE_FLAGS)
            message(FATAL_ERROR "no profile fits this build, so it has no pgo engine; "
                "-DSKIFF_ENGINE=pgo says why")
        endif()
        skiff_strict_profile_flags("${processor}")
        set(flags -O3 ${SKIFF_ENGINE_PROFILE_FLAGS} ${strict_flags})
    elseif("${variant}" STREQUAL "counted")
        # The same level as pgo: the control flow that is counted depends on it.
        set(flags -O3 -w ${SKIFF_ENGINE_COUNTING_FLAGS})
    elseif("${variant}" STREQUAL "plain")
        # -O2 also in Debug: tests run on the engine people use, and an -O0 one is five times
        # slower. The source is SQLite's, so its warnings are not ours to mend.
        set(flags -O2 -w)
    else()
        message(FATAL_ERROR "an engine is plain, pgo or counted, not '${variant}'")
    endif()
    skiff_processor_flags("${processor}")
    separate_arguments(further_flags UNIX_COMMAND "${SKIFF_SQLITE_C_FLAGS}")
    # Multiplying and adding in one step, as newer processors can, rounds once instead of twice: the
    # same SQL must not give other numbers on another machine.
    list(APPEND flags -ffp-contract=off ${processor_flags} ${further_flags})
endmacro()

function(skiff_add_engine target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "ENGINE;ARCH;COMPILER" "")
    if(NOT arg_ARCH)
        set(arg_ARCH baseline)
    endif()
    skiff_engine_flags("${arg_ENGINE}" "${arg_ARCH}")
    if(arg_COMPILER)
        skiff_add_engine_of_other_compiler()
        return()
    endif()
    add_library(${target} OBJECT "${SKIFF_SQLITE_DIR}/sqlite3.c")
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON C_EXTENSIONS ON)
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:skiff_sanitizers_sqlite>)
    target_compile_options(${target} PRIVATE ${flags})
    target_compile_definitions(${target} PRIVATE ${SKIFF_SQLITE_DEFINITIONS})
    if(NOT arg_ENGINE STREQUAL "plain" AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
        # gcc keeps counts by the file's path, which ccache shortens; and ccache does not know of
        # counts that are found by -dumpdir.
        set_target_properties(${target} PROPERTIES C_COMPILER_LAUNCHER "")
    endif()
endfunction()

# CMake has one C compiler a project; another one's object is a file that a command makes.
macro(skiff_add_engine_of_other_compiler)
    if(NOT arg_ENGINE STREQUAL "plain")
        message(FATAL_ERROR "${target}: COMPILER goes with ENGINE plain only; a profile belongs to "
            "the project's own compiler")
    endif()
    set(object "${PROJECT_BINARY_DIR}/engine/${target}.o")
    set(definitions ${SKIFF_SQLITE_DEFINITIONS})
    list(TRANSFORM definitions PREPEND "-D")
    add_custom_command(OUTPUT "${object}"
        COMMAND ${CMAKE_C_COMPILER_LAUNCHER} "${arg_COMPILER}" ${flags} -fPIC ${definitions}
            -c "${SKIFF_SQLITE_DIR}/sqlite3.c" -o "${object}"
        DEPENDS "${SKIFF_SQLITE_DIR}/sqlite3.c" "${SKIFF_SQLITE_DIR}/sqlite3.h"
        COMMENT "SQLite for ${target}, by ${arg_COMPILER}" VERBATIM)
    file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/engine")
    add_custom_target(${target}_object DEPENDS "${object}")
    add_library(${target} OBJECT IMPORTED GLOBAL)
    set_target_properties(${target} PROPERTIES IMPORTED_OBJECTS "${object}")
    add_dependencies(${target} ${target}_object)
endmacro()
