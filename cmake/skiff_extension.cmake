# libskiff_vfs.so, the VFS as an extension that other programs' SQLite loads: src/extension with the
# rooms base and vfs, compiled once more against the host's SQLite (src/extension/host.hpp).
file(GLOB_RECURSE extension_sources CONFIGURE_DEPENDS
    "${PROJECT_SOURCE_DIR}/src/base/*.cpp"
    "${PROJECT_SOURCE_DIR}/src/vfs/*.cpp"
    "${PROJECT_SOURCE_DIR}/src/extension/*.cpp")
add_library(skiff_vfs_extension MODULE ${extension_sources})
skiff_configure_target(skiff_vfs_extension)
target_include_directories(skiff_vfs_extension PRIVATE "${PROJECT_SOURCE_DIR}/src")
target_link_libraries(skiff_vfs_extension PRIVATE skiff_sqlite_headers Threads::Threads)
target_compile_definitions(skiff_vfs_extension PRIVATE SKIFF_VERSION="${PROJECT_VERSION}")
target_compile_options(skiff_vfs_extension PRIVATE
    "SHELL:-include \"${PROJECT_SOURCE_DIR}/src/extension/host.hpp\"")
# Whatever the host has, C++ or not: its symbols and ours never meet.
set_target_properties(skiff_vfs_extension PROPERTIES
    OUTPUT_NAME skiff_vfs
    PREFIX lib
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
target_link_options(skiff_vfs_extension PRIVATE
    -static-libstdc++ -static-libgcc -Wl,--no-undefined
    "-Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/skiff_extension.map")
set_target_properties(skiff_vfs_extension PROPERTIES
    LINK_DEPENDS "${PROJECT_SOURCE_DIR}/cmake/skiff_extension.map")
