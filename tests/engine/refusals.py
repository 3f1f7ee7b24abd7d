#!/usr/bin/env python3
"""Which profiles the engine is built with: refusals.py --build DIR --sqlite-dir DIR ...

Configures Skiff with the profile that comes with it and with altered ones. One that was made for
something else must be refused by SKIFF_ENGINE=pgo with the line to type, and passed over by auto
with the reason. Counts that meet other code than they were taken from must fail the compilation,
with the very flags that SQLite is compiled with.
"""
import argparse
import json
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
ALTERED = {
    "compiler": (r"^# compiler: clang \d+$", "# compiler: clang 3"),
    "processor": (r"^# processor: .*$", "# processor: Plan9 vax"),
    "sqlite3.c": (r"^# sqlite3\.c: \w{8}", "# sqlite3.c: 00000000"),
    "definitions": (r"^# definitions: \w{8}", "# definitions: 00000000"),
}
# A function with one branch, and counts that were not taken from it: the hash is none of clang's.
TINY = "int twice(int a) { return a > 3 ? a * 2 : a; }\n"
TINY_COUNTS = ":ir\n%s\n# Func Hash:\n12345\n# Num Counters:\n2\n# Counter Values:\n7\n3\n"


def expect(right, what, output):
    if not right:
        sys.exit(f"{output}\n\nwrong: {what}")
    print(f"ok: {what}", flush=True)


class Build:
    """One build folder, configured again and again; the compiler is looked at once."""

    def __init__(self, options):
        self.folder = options.build / "engine_refusals"
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.first = [f"-DCMAKE_C_COMPILER={options.c_compiler}",
                      f"-DCMAKE_CXX_COMPILER={options.cxx_compiler}",
                      f"-DSKIFF_SQLITE_DIR={options.sqlite_dir}", "-DSKIFF_DEVELOPER=OFF",
                      "-DSKIFF_BUILD_CLI=OFF", "-DSKIFF_BUILD_BENCH=OFF"]

    def configure(self, engine, profile=""):
        done = subprocess.run(
            ["cmake", "-S", ROOT, "-B", self.folder, "-G", "Ninja", *self.first,
             f"-DSKIFF_ENGINE={engine}", f"-DSKIFF_ENGINE_PROFILE={profile}"],
            text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        self.first = []
        # CMake breaks the lines of long messages.
        return done.returncode == 0, re.sub(r"\s+", " ", done.stdout)

    def flags_of_sqlite(self):
        commands = json.loads((self.folder / "compile_commands.json").read_text())
        command = next(entry["command"] for entry in commands
                       if entry["file"].endswith("/sqlite3.c"))
        words = shlex.split(command)
        return [word for word in words[words.index("-O3"):words.index("-o")]]


def check_headers(build, profile):
    good, output = build.configure("pgo", profile)
    expect(good and "engine pgo" in output, "the profile as it is fits", output)
    for subject, (pattern, other) in ALTERED.items():
        text, changed = re.subn(pattern, other, profile.read_text(), count=1, flags=re.MULTILINE)
        altered = build.folder / "altered.proftext"
        altered.write_text(text)
        good, output = build.configure("pgo", altered)
        expect(changed == 1 and not good and f"made for another {subject}" in output,
               f"one for another {subject} is refused", output)
        expect("tools/train/make_profile --compiler" in output, "with the line to type", output)
        good, output = build.configure("auto", altered)
        expect(good and f"engine plain (altered.proftext was made for another {subject})" in output,
               "and auto goes without it, and says so", output)


def compile_tiny(build, compiler, flags, counted_function):
    source, text, counts = (build.folder / f"tiny.{end}" for end in ("c", "proftext", "profdata"))
    source.write_text(TINY)
    text.write_text(TINY_COUNTS % counted_function)
    profdata = subprocess.run([compiler, "-print-prog-name=llvm-profdata"], text=True, check=True,
                              stdout=subprocess.PIPE).stdout.strip()
    subprocess.run([profdata, "merge", text, "-o", counts], check=True)
    flags = [f"-fprofile-use={counts}" if flag.startswith("-fprofile-use=") else flag
             for flag in flags]
    done = subprocess.run([compiler, *flags, "-c", source, "-o", build.folder / "tiny.o"],
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.returncode == 0, done.stdout


def check_stale_counts(build, options, profile):
    build.configure("pgo", profile)
    flags = build.flags_of_sqlite()
    good, output = compile_tiny(build, options.c_compiler, flags, "another")
    expect(good, "code without counts is compiled", output)
    good, output = compile_tiny(build, options.c_compiler, flags, "twice")
    expect(not good and "control flow change detected" in output,
           "counts of other code fail the compilation", output)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("--build", "--sqlite-dir", "--c-compiler", "--cxx-compiler"):
        parser.add_argument(name, required=True, type=pathlib.Path)
    options = parser.parse_args()
    major = subprocess.run([options.c_compiler, "-dumpversion"], text=True, check=True,
                           stdout=subprocess.PIPE).stdout.split(".")[0]
    profile = ROOT / "tools" / "train" / "profile" / f"clang-{major}.proftext"
    build = Build(options)
    if not profile.exists():
        good, output = build.configure("pgo")
        expect(not good and f"no profile for clang {major}" in output,
               "without a profile pgo is refused", output)
        return
    check_headers(build, profile)
    check_stale_counts(build, options, profile)


if __name__ == "__main__":
    main()
