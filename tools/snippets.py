#!/usr/bin/env python3
"""Puts code from compiled files into the docs: snippets.py [--check]

A page marks where, and the fenced block below the mark is rewritten:

    <!-- snippet: examples/01_open.cpp#open -->
    ```cpp
    ```

The source marks what, with lines that hold nothing else: `// [open]` ... `// [/open]`. Without
`#name` the whole file is taken. With --check nothing is written, and a stale page fails.
"""
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
_MARK = re.compile(r"\s*<!-- snippet: ([^\s#]+)(?:#([\w-]+))? -->\s*$")
_ANY_REGION_LINE = re.compile(r"^\s*(?://|#|--) \[/?[\w-]+\]\s*$")


def region(text, name):
    """The dedented lines between `// [name]` and `// [/name]`, or None without such a pair."""
    lines = text.split("\n")
    if name is not None:
        def edge(mark):
            wanted = re.compile(rf"^\s*(?://|#|--) \[{re.escape(mark)}\]\s*$")
            return [number for number, line in enumerate(lines) if wanted.match(line)]
        first, last = edge(name), edge("/" + name)
        if len(first) != 1 or len(last) != 1 or first[0] > last[0]:
            return None
        lines = lines[first[0] + 1:last[0]]
    kept = [line for line in lines if not _ANY_REGION_LINE.match(line)]
    return textwrap.dedent("\n".join(kept)).strip("\n")


def refresh(page, read):
    """The page with every snippet rewritten, and [(line, what is wrong with the page as it is)].

    `read(path)` gives a source's text, or None.
    """
    lines, written, problems = page.split("\n"), [], []
    at, fenced = 0, False
    while at < len(lines):
        line = lines[at]
        written.append(line)
        at += 1
        fenced ^= line.startswith("```")
        mark = None if fenced else _MARK.match(line)
        if not mark:
            continue
        number, source = at, read(mark.group(1))
        code = None if source is None else region(source, mark.group(2))
        end = next((i for i in range(at + 1, len(lines)) if lines[i].startswith("```")), None)
        if code is None:
            problems.append((number, f"{mark.group(1)} has no region {mark.group(2)} (mark it)"))
        elif at >= len(lines) or not lines[at].startswith("```") or end is None:
            problems.append((number, "no fenced block below the mark (add one)"))
        else:
            if lines[at + 1:end] != code.split("\n"):
                problems.append((number, "the snippet is stale (run tools/snippets.py)"))
            written += [lines[at], code, lines[end]]
            at = end + 1
    return "\n".join(written), problems


def read_from_checkout(name):
    path = ROOT / name
    return path.read_text(encoding="utf-8") if path.is_file() else None


def main(arguments):
    if arguments not in ([], ["--check"]):
        print(__doc__)
        return 2
    bad = 0
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    for page in sorted(pages):
        text = page.read_text(encoding="utf-8")
        fresh, problems = refresh(text, read_from_checkout)
        name = page.relative_to(ROOT)
        if not arguments:
            problems = [problem for problem in problems if "stale" not in problem[1]]
            if fresh != text:
                page.write_text(fresh, encoding="utf-8")
                print(f"{name}: rewritten")
        for line, message in problems:
            bad += 1
            print(f"{name}:{line}: snippets: {message}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
