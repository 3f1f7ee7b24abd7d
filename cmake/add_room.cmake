# skiff_add_room(<name>): compiles src/<name>/*.cpp into the objects of one room.
#
# A room is a folder of the library with its own duty; which room may include which is checked by
# tools/tidy.py against tools/layers.txt. Adding a file needs no edit here.
function(skiff_add_room name)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${name}/*.cpp")
    if(NOT sources)
        return()
    endif()
    add_library(skiff_${name} OBJECT ${sources})
    skiff_configure_target(skiff_${name})
    target_include_directories(skiff_${name} PRIVATE
        "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src")
    target_link_libraries(skiff_${name} PRIVATE skiff_sqlite_headers Threads::Threads)
    set_target_properties(skiff_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    # With gcc, code for a shared library may else not inline its own functions.
    target_compile_options(skiff_${name} PRIVATE -fno-semantic-interposition)
    set_property(GLOBAL APPEND PROPERTY SKIFF_ROOMS skiff_${name})
endfunction()

# What every target with our code has in common: the language and the strictness.
function(skiff_configure_target target)
    target_compile_features(${target} PRIVATE cxx_std_20)
    set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
    target_link_libraries(${target} PRIVATE
        $<BUILD_INTERFACE:skiff_warnings> $<BUILD_INTERFACE:skiff_sanitizers>)
    if(SKIFF_MUTANTS)
        target_compile_definitions(${target} PRIVATE SKIFF_MUTANTS)  # src/vfs/mutant.hpp
    endif()
endfunction()
