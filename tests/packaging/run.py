#!/usr/bin/env python3
"""Uses Skiff the way other projects do: run.py static|shared|add_subdirectory --build DIR ...

static and shared install Skiff, move the installed tree, check that no path of this machine is in
it, and build and run a consumer against it through find_package and through pkg-config.
add_subdirectory builds and runs a consumer that contains Skiff's source.
"""
import argparse
import os
import pathlib
import shlex
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def run(*command, **environment):
    words = [str(word) for word in command]
    print("+", shlex.join(words), flush=True)
    done = subprocess.run(words, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env={**os.environ, **environment}, check=False)
    if done.returncode != 0:
        sys.exit(f"{done.stdout}\nfailed with {done.returncode}: {shlex.join(words)}")
    return done.stdout


def configure(options, source, build, *settings):
    launcher = []
    if shutil.which("ccache"):
        launcher = [f"-DCMAKE_{language}_COMPILER_LAUNCHER=env;CCACHE_BASEDIR={ROOT};"
                    "CCACHE_NOHASHDIR=1;ccache" for language in ("C", "CXX")]
    run("cmake", "-S", source, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
        f"-DCMAKE_C_COMPILER={options.c_compiler}", f"-DCMAKE_CXX_COMPILER={options.cxx_compiler}",
        f"-DSKIFF_SQLITE_DIR={options.sqlite_dir}", *launcher, *settings)


def install_moved(build, scratch):
    first, moved = scratch / "installed_here", scratch / "then_moved_there"
    run("cmake", "--install", build, "--prefix", first)
    first.rename(moved)
    for path in sorted(moved.rglob("*")):
        if path.is_symlink() or not path.is_file():
            continue
        content = path.read_bytes()
        for place in (ROOT, first):
            if str(place).encode() in content:
                sys.exit(f"{path.relative_to(moved)} contains this machine's path {place}")
        if path.name == "sqlite3.h":
            sys.exit("sqlite3.h is installed; consumers must not need it")
    return moved


def find_package_consumer(options, prefix, scratch):
    build = scratch / "find_package"
    configure(options, HERE / "find_package", build, f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", build)
    run(build / "consumer")


def pkg_config_consumer(options, prefix, scratch):
    found = list(prefix.rglob("skiff.pc"))
    if len(found) != 1:
        sys.exit(f"expected one skiff.pc, found {found}")
    flags = shlex.split(run("pkg-config", "--cflags", "--libs", "skiff",
                            PKG_CONFIG_PATH=str(found[0].parent)))
    program = scratch / "pkg_config_consumer"
    run(options.cxx_compiler, HERE / "main.cpp", *flags, "-o", program)
    run(program, LD_LIBRARY_PATH=str(found[0].parent.parent))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kind", choices=["static", "shared", "add_subdirectory"])
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--sqlite-dir", required=True)
    parser.add_argument("--c-compiler", required=True)
    parser.add_argument("--cxx-compiler", required=True)
    options = parser.parse_args()

    scratch = options.build / "packaging" / options.kind
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    if options.kind == "add_subdirectory":
        build = scratch / "build"
        configure(options, HERE / "add_subdirectory", build, f"-DSKIFF_CHECKOUT={ROOT}")
        run("cmake", "--build", build)
        run(build / "consumer")
        return
    build = options.build
    if options.kind == "shared":
        build = scratch / "build"
        configure(options, ROOT, build, "-DBUILD_SHARED_LIBS=ON", "-DSKIFF_DEVELOPER=OFF",
                  "-DSKIFF_BUILD_CLI=OFF")
        run("cmake", "--build", build)
    prefix = install_moved(build, scratch)
    find_package_consumer(options, prefix, scratch)
    pkg_config_consumer(options, prefix, scratch)


if __name__ == "__main__":
    main()
