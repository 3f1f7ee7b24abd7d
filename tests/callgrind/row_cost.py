#!/usr/bin/env python3
"""Instructions a row and a point read: row_cost.py PROGRAM, which is callgrind_row_cost.

Every case runs with two numbers of repetitions; the difference leaves out what is done once. Fails
when a ratio is above what row_cost.cpp states; ctest checks the same without the subtraction.
"""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tools"))
import callgrind  # noqa: E402

ROWS = 10_000
# case: (repetitions of the short and the long run, units in one repetition, case to compare with)
CASES = {"c_scan": (2, 12, ROWS, None), "skiff_scan": (2, 12, ROWS, "c_scan"),
         "c_point": (1_000, 11_000, 1, None), "skiff_point": (1_000, 11_000, 1, "c_point"),
         "skiff_held_point": (1_000, 11_000, 1, "c_point")}


def instructions_each(program, case):
    short, long, units, _ = CASES[case]
    counts = [callgrind.count_instructions(program, f"{case}@{count}") for count in (short, long)]
    return (counts[1] - counts[0]) / ((long - short) * units)


def main(program):
    each = {case: instructions_each(program, case) for case in CASES}
    print(f"{'case':18} {'instructions':>12}  unit  against C")
    for case, (_, _, units, other) in CASES.items():
        against = f"{each[case] / each[other]:9.4f}" if other else ""
        print(f"{case:18} {each[case]:12.1f}  {'row' if units > 1 else 'read'}  {against}".rstrip())
    failed = [f"{above} / {below} is above {limit}" for above, below, limit in
              callgrind.RATIO.findall((HERE / "row_cost.cpp").read_text(encoding="utf-8"))
              if each[above] / each[below] > float(limit)]
    return "\n".join(failed) or None


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
