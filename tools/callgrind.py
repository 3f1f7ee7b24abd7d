#!/usr/bin/env python3
"""Counts instructions instead of seconds: callgrind.py SOURCE PROGRAM

A program under tests/callgrind/ is run as `PROGRAM <case>` under valgrind's callgrind, which counts
the instructions inside its function `extern "C" void skiff_measured()` and what that calls. Its
source states what must hold, one comment a line, counted on any machine alike:

    // ratio: wrapped / by_hand <= 1.02        the case `wrapped` costs at most 2 % more
    // budget: prepare_cached <= 2400000       the case costs at most this many instructions
"""
import os
import re
import subprocess
import sys
import tempfile

RATIO = re.compile(r"^// ratio: (\w+) / (\w+) <= ([0-9.]+)", re.MULTILINE)
BUDGET = re.compile(r"^// budget: (\w+) <= ([0-9]+)", re.MULTILINE)


def count_instructions(program, case):
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run(
            ["valgrind", "--tool=callgrind", "--collect-atstart=no",
             "--toggle-collect=skiff_measured", "--callgrind-out-file=counts",
             "--error-exitcode=9", os.path.abspath(program), case],
            cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        match = re.search(r"Collected\s*:\s*([0-9]+)", run.stdout)
        if run.returncode != 0 or not match or int(match.group(1)) == 0:
            sys.exit(f"{run.stdout}\n{program} {case}: ended with {run.returncode}, or nothing was "
                     "counted in skiff_measured")
        return int(match.group(1))


def main(source, program):
    with open(source, encoding="utf-8") as file:
        text = file.read()
    ratios, budgets = RATIO.findall(text), BUDGET.findall(text)
    if not ratios and not budgets:
        sys.exit(f"{source}: states neither `// ratio:` nor `// budget:`\n{__doc__}")
    cases = {case for a, b, _ in ratios for case in (a, b)} | {case for case, _ in budgets}
    counts = {case: count_instructions(program, case) for case in sorted(cases)}
    for case, count in counts.items():
        print(f"{case}: {count} instructions")
    failed = 0
    for above, below, limit in ratios:
        ratio = counts[above] / counts[below]
        failed += ratio > float(limit)
        print(f"{above} / {below} = {ratio:.4f}, at most {limit}")
    for case, limit in budgets:
        failed += counts[case] > int(limit)
        print(f"{case} = {counts[case]}, at most {limit}")
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2]))
