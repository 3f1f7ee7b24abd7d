#!/usr/bin/env python3
"""Runs one half of a compile-fail test: compile_fail.py good|bad FILE COMPILER ARGUMENT...

FILE's first line is `// expect: <regular expression>`. The good twin is FILE as it is and must
compile; the bad twin is FILE with SKIFF_MUST_FAIL defined and must not compile, and what the
compiler says must match the expression, so that it fails for the reason the test names.
"""
import re
import subprocess
import sys


def expected_message(path):
    with open(path, encoding="utf-8") as file:
        match = re.match(r"// expect: (.+)$", file.readline().rstrip("\n"))
    return match and match.group(1)


def main(arguments):
    twin, path, compiler = arguments[0], arguments[1], arguments[2:]
    expected = expected_message(path)
    if not expected:
        return f"{path}:1: the first line must be `// expect: <regular expression>`"
    with open(path, encoding="utf-8") as file:
        if "#ifdef SKIFF_MUST_FAIL" not in file.read():
            return f"{path}: has no `#ifdef SKIFF_MUST_FAIL` around the line that must not compile"
    macro = ["-DSKIFF_MUST_FAIL"] if twin == "bad" else []
    run = subprocess.run([*compiler, *macro, path], text=True, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, check=False)
    if twin == "good":
        return run.returncode and f"{run.stdout}\n{path}: the good twin must compile"
    if run.returncode == 0:
        return f"{path}: compiles with SKIFF_MUST_FAIL, and must not"
    if not re.search(expected, run.stdout):
        return f"{run.stdout}\n{path}: fails to compile, but no message matches: {expected}"
    return None


if __name__ == "__main__":
    if len(sys.argv) < 4 or sys.argv[1] not in ("good", "bad"):
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
