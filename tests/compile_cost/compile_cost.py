#!/usr/bin/env python3
"""What a file that uses Skiff costs to compile: compile_cost.py FILE COMPILER ARGUMENT...

Compiles FILE twice with each of the settings below and takes the better run's user time, which
other work on the machine disturbs least. Fails above the limits.
"""
import os
import resource
import subprocess
import sys
import tempfile

SECONDS_MAX = {"-O0": 4.5, "-O2": 7.5}
RUNS = 2


def user_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run(command, check=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def main(file, compiler, arguments):
    failed = False
    for optimisation, limit in SECONDS_MAX.items():
        with tempfile.TemporaryDirectory() as folder:
            target = os.path.join(folder, "object.o")
            command = [compiler, *arguments, optimisation, "-c", file, "-o", target]
            seconds = min(user_seconds(command) for _ in range(RUNS))
            kib = os.path.getsize(target) // 1024
        failed |= seconds > limit
        print(f"{optimisation}: {seconds:.2f} s of {limit:.0f} s, object of {kib} KiB")
    peak_mib = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    print(f"at most {peak_mib} MiB of memory")
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
