# The library: the rooms' objects and SQLite's object in one file, libskiff.a or libskiff.so, so
# that whoever links skiff::skiff needs nothing else. Inline code in the public headers calls
# SQLite directly (include/skiff/detail/), hence its symbols stay visible.
get_property(rooms GLOBAL PROPERTY SKIFF_ROOMS)
if(NOT rooms)
    message(STATUS "skiff: no sources in src/ yet")
endif()

add_library(skiff)
add_library(skiff::skiff ALIAS skiff)
foreach(room IN LISTS rooms)
    target_sources(skiff PRIVATE $<TARGET_OBJECTS:${room}>)
endforeach()
if(SKIFF_SQLITE STREQUAL "bundled")
    target_sources(skiff PRIVATE $<TARGET_OBJECTS:skiff_sqlite>)
else()
    target_link_libraries(skiff PUBLIC SQLite::SQLite3)
endif()

target_compile_features(skiff PUBLIC cxx_std_20)
target_include_directories(skiff PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:include>)
target_link_libraries(skiff PUBLIC Threads::Threads PRIVATE m ${CMAKE_DL_LIBS})
set_target_properties(skiff PROPERTIES
    LINKER_LANGUAGE CXX
    POSITION_INDEPENDENT_CODE ON
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

# libskiff.so carries its own SQLite: its calls must not end in another libsqlite3 that the program
# happens to load.
if(BUILD_SHARED_LIBS AND SKIFF_SQLITE STREQUAL "bundled")
    target_link_options(skiff PRIVATE -Wl,-Bsymbolic-functions)
endif()
