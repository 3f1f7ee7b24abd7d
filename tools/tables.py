#!/usr/bin/env python3
"""Puts measured figures into the docs, so that nobody types a number:

    tables.py run FILE.json      what `skiff demo --json` printed, into the blocks called run
    tables.py row_cost FILE.txt  what tests/callgrind/row_cost.py printed, likewise
    tables.py --check            fails when a block is not what docs/data/ renders to
    tables.py                    renders docs/data/ again

A page marks where with a pair of lines; what is between them is rewritten:

    <!-- table: run -->
    <!-- /table: run -->

The figures are kept in docs/data/, every sample of them, without the paths of the machine.
"""
import json
import math
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = ROOT / "docs" / "data"
NOT_MEASURED = "not measured yet"
_BEGIN = re.compile(r"<!-- table: ([\w-]+) -->\s*$")


def three_digits(number):
    """412,345 as 412,000 and 1.2345 as 1.23: the fourth digit is noise."""
    if number <= 0:
        return "0"
    rounded = float(f"{number:.3g}")
    decimals = max(2 - math.floor(math.log10(rounded)), 0)
    return f"{rounded:,.{decimals}f}"


def _with_range(figures):
    return (f"{three_digits(figures['median'])} "
            f"({three_digits(figures['min'])} to {three_digits(figures['max'])})")


def kept(printed):
    """What the tables are made of, from the demo's output: figures and samples, no paths."""
    imported = printed["import"]
    return {
        **{name: printed[name]
           for name in ("skiff", "sqlite", "machine", "rounds", "writers", "measures")},
        "import": {name: imported[name]
                   for name in ("packages", "dependencies", "threads", "batches", "transactions",
                                "seconds", "indexing_seconds")},
        "database_bytes": printed["database"]["bytes"],
    }


def render_run(text):
    run = json.loads(text)
    units = {row["unit"] for row in run["measures"]}
    one_unit = units.pop() if len(units) == 1 else None
    lines = [f"| {one_unit or ''} | plain C | Skiff | Skiff / plain C |",
             "| --- | ---: | ---: | ---: |"]
    for row in run["measures"]:
        name = row["name"] if one_unit else f"{row['name']}, {row['unit']}"
        lines.append(f"| {name} | {_with_range(row['plain_c'])} | "
                     f"{_with_range(row['skiff'])} | {_with_range(row['ratio'])} |")
    machine = run["machine"]
    cores = f"{machine['cores']} core" + ("" if machine["cores"] == 1 else "s")
    lines += ["", f"Medians of {run['rounds']} rounds in turn, with the smallest and the largest; "
              "the last column is the median of the rounds' own ratios, and above 1 Skiff is the "
              f"faster one. SQLite {run['sqlite']} and Skiff {run['skiff']} on {cores}, "
              f"{machine['file_system']}, where writing and syncing 4 KiB takes "
              f"{three_digits(machine['sync_seconds'] * 1000)} ms."]
    done = run["import"]
    lines += ["", f"Before that it imported {done['packages']:,} packages and "
              f"{done['dependencies']:,} dependencies from {done['threads']} threads in "
              f"{done['seconds']:.1f} s: {done['batches']:,} write closures in "
              f"{done['transactions']:,} transactions, each synced to the disk."]
    if not machine["durable_figures_count"]:
        lines += ["", f"{machine['file_system']} keeps data in another way than a disk does, so "
                  "the rows with “durable” mean little here."]
    return "\n".join(lines)


def render_row_cost(text):
    lines = ["| case | instructions | for one | against C |", "| --- | ---: | --- | ---: |"]
    for line in text.strip().split("\n")[1:]:
        case, count, unit, against = (line.split() + [""])[:4]
        lines.append(f"| {case} | {float(count):,.0f} | {unit} | {against} |")
    return "\n".join(lines)


# block -> (file below docs/data/, what is kept of a new input, how a kept text becomes markdown)
BLOCKS = {
    "run": ("run.json", lambda text: json.dumps(kept(json.loads(text)), indent=1) + "\n",
            render_run),
    "row_cost": ("row_cost.txt", lambda text: text, render_row_cost),
}


def render(block):
    file, _, to_markdown = BLOCKS[block]
    path = DATA / file
    return to_markdown(path.read_text(encoding="utf-8")) if path.is_file() else NOT_MEASURED


def refresh(page):
    """The page with every block rewritten, and [(line, what is wrong with the page as it is)]."""
    lines, written, problems = page.split("\n"), [], []
    at = 0
    while at < len(lines):
        written.append(lines[at])
        mark = _BEGIN.match(lines[at])
        at += 1
        if not mark:
            continue
        block = mark.group(1)
        end = next((number for number in range(at, len(lines))
                    if lines[number].strip() == f"<!-- /table: {block} -->"), None)
        if block not in BLOCKS or end is None:
            problems.append((at, f"the block {block} is unknown or has no end"))
            continue
        fresh = render(block).split("\n")
        if lines[at:end] != fresh:
            problems.append((at, f"the block {block} is stale (run tools/tables.py)"))
        written += fresh
        at = end
    return "\n".join(written), problems


def refresh_pages(check):
    bad = 0
    for path in sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]):
        page = path.read_text(encoding="utf-8")
        fresh, problems = refresh(page)
        if not check:
            problems = [problem for problem in problems if "stale" not in problem[1]]
            if fresh != page:
                path.write_text(fresh, encoding="utf-8")
                print(f"{path.relative_to(ROOT)}: rewritten")
        for line, message in problems:
            bad += 1
            print(f"{path.relative_to(ROOT)}:{line}: tables: {message}")
    return 1 if bad else 0


def main(arguments):
    if arguments in ([], ["--check"]):
        return refresh_pages(check=bool(arguments))
    if len(arguments) != 2 or arguments[0] not in BLOCKS:
        print(__doc__)
        return 2
    file, keep, _ = BLOCKS[arguments[0]]
    text = keep(pathlib.Path(arguments[1]).read_text(encoding="utf-8"))
    DATA.mkdir(parents=True, exist_ok=True)
    (DATA / file).write_text(text, encoding="utf-8")
    return refresh_pages(check=False)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
