# Install rules: headers, the library, and what find_package and pkg-config read. Everything written
# is relative to where it lies, so an installed tree can be moved.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(skiff_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/skiff")

install(TARGETS skiff EXPORT skiffTargets
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
    RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}"
    INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/skiff"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.hpp")
install(EXPORT skiffTargets NAMESPACE skiff:: DESTINATION "${skiff_package_dir}")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
if(TARGET skiff_vfs_extension)
    install(TARGETS skiff_vfs_extension LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
endif()
if(TARGET skiff_cli)
    set_target_properties(skiff_cli PROPERTIES
        INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
    install(TARGETS skiff_cli RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
    # What `skiff demo` reads where there is no package index.
    install(FILES "${PROJECT_SOURCE_DIR}/examples/data/packages-sample.control"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/skiff")
endif()

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/skiffConfig.cmake.in"
    "${PROJECT_BINARY_DIR}/skiffConfig.cmake" INSTALL_DESTINATION "${skiff_package_dir}")
# 0.x releases promise nothing across minor versions.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/skiffConfigVersion.cmake"
    COMPATIBILITY SameMinorVersion)
install(FILES
    "${PROJECT_BINARY_DIR}/skiffConfig.cmake"
    "${PROJECT_BINARY_DIR}/skiffConfigVersion.cmake"
    DESTINATION "${skiff_package_dir}")

# pkg-config: the way from the .pc file up to the prefix, whatever LIBDIR is.
file(RELATIVE_PATH skiff_pc_to_prefix
    "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
string(REGEX REPLACE "/$" "" skiff_pc_to_prefix "${skiff_pc_to_prefix}")
set(skiff_pc_requires "")
if(SKIFF_SQLITE STREQUAL "system")
    set(skiff_pc_requires "sqlite3")
endif()
# A static library cannot name what it needs itself, so plain `pkg-config --libs` must.
set(skiff_pc_libs "-L\${libdir} -lskiff")
if(NOT BUILD_SHARED_LIBS)
    string(APPEND skiff_pc_libs " -pthread -lm")
endif()
configure_file("${PROJECT_SOURCE_DIR}/cmake/skiff.pc.in" "${PROJECT_BINARY_DIR}/skiff.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/skiff.pc"
    DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
