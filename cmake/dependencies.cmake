# What Skiff needs from outside. The library: SQLite (cmake/sqlite.cmake) and threads, nothing else.
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

# The program's libraries; only called when it is built.
macro(skiff_find_cli_dependencies)
    find_package(PkgConfig REQUIRED)
    find_package(fmt REQUIRED)
    find_package(CLI11 REQUIRED)
    find_package(nlohmann_json REQUIRED)
    pkg_check_modules(LZ4 REQUIRED IMPORTED_TARGET liblz4)
    pkg_check_modules(LIBEDIT REQUIRED IMPORTED_TARGET libedit)
endmacro()
