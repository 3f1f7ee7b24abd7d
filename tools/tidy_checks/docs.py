"""Checks on markdown: one heading, links that lead somewhere, snippets that are the real code."""
import posixpath
import re

import snippets
from tidy_checks.registry import check

MARKDOWN = ("*.md",)
_LINK = re.compile(r"(?<!\!)\[[^\]\n]*\]\(([^)\s]+)(?:\s+\"[^\"]*\")?\)|!\[[^\]]*\]\(([^)\s]+)\)")


def prose_lines(project, path):
    """(line, text) outside of fenced blocks, with `code` blanked."""
    fence = None
    for number, line in enumerate(project.lines(path), 1):
        mark = re.match(r"\s*(`{3,}|~{3,})", line)
        if mark and fence is None:
            fence = mark.group(1)
        elif mark and line.strip().startswith(fence):
            fence = None
        elif fence is None:
            yield number, re.sub(r"`[^`]*`", lambda code: " " * len(code.group(0)), line)


def anchors(project, path):
    """The names of a page's headings as links write them."""
    def collect():
        names = set()
        fence = False
        for line in project.lines(path):
            fence ^= line.startswith("```")
            match = None if fence else re.match(r"#+\s+(.*)", line)
            if match:
                plain = re.sub(r"[^\w\- ]", "", match.group(1).strip().lower())
                names.add(plain.replace(" ", "-"))
        return names
    return project.memo(("anchors", path), collect)


@check("one-title", MARKDOWN,
       bad=[{"a.md": "text\n"}, {"a.md": "# A\n\n# B\n"}],
       good=[{"a.md": "# A\n\n## B\n\n```sh\n# a comment\n```\n"}])
def one_title(project, path):
    """a page has one first-level heading"""
    titles = [number for number, line in prose_lines(project, path) if re.match(r"# \S", line)]
    if len(titles) != 1:
        yield (titles[1] if titles else 1), f"{len(titles)} titles (one `# ` heading a page)"


@check("links", MARKDOWN,
       bad=[{"a.md": "[b](b.md)\n"}, {"docs/a.md": "[b](../c/b.md)\n"},
            {"a.md": "[b](#no-such)\n"}, {"a.md": "![b](b.svg)\n"},
            {"a.md": "[b](b.md#no-such)\n", "b.md": "# B\n"}],
       good=[{"a.md": "[b](docs/b.md#one-two)\n", "docs/b.md": "# One two\n[a](../a.md)\n"},
             {"a.md": "[b](https://www.sqlite.org) `[c](d)`\n"}, {"a.md": "# A b\n[c](#a-b)\n"}])
def links(project, path):
    """relative links lead to a file of the project, and their #part to a heading"""
    for number, line in prose_lines(project, path):
        for match in _LINK.finditer(line):
            target = match.group(1) or match.group(2)
            if re.match(r"[a-z]+:", target):
                continue
            file, _, part = target.partition("#")
            place = posixpath.normpath(posixpath.join(posixpath.dirname(path), file)) \
                if file else path
            if not project.has_any(place):
                yield number, f"the link to {target} leads nowhere (correct the path)"
            elif part and project.has(place) and place.endswith(".md") and \
                    part not in anchors(project, place):
                yield number, f"{place} has no heading for #{part} (correct the link)"


@check("line-numbers", MARKDOWN,
       bad=[{"a.md": "see `src/core/row.cpp:120`\n"}, {"a.md": "in row.hpp#L12\n"}],
       good=[{"a.md": "see `src/core/row.cpp`, and localhost:8080\n"}])
def line_numbers(project, path):
    """docs name symbols, never line numbers"""
    for number, line in enumerate(project.lines(path), 1):
        if re.search(r"\.(?:cpp|hpp|py|cmake|c|h)(?::\d+|#L\d+)", line):
            yield number, "a line number, which will be wrong soon (name the function or type)"


_NAMED_PATH = re.compile(
    r"`((?:src|include|cli|cmake|tools|tests|examples|docs)/[\w./-]*\w)`")


@check("named-paths", MARKDOWN,
       bad=[{"a.md": "see `src/core/gone.cpp`\n", "src/core/row.cpp": "\n"}],
       good=[{"a.md": "see `src/core/row.cpp`, `src/<room>/x.cpp`\n", "src/core/row.cpp": "\n"}])
def named_paths(project, path):
    """a path of the project that a page names exists"""
    if path.startswith("docs/decisions/") or path == "CHANGELOG.md":
        return  # these speak of their own time
    for number, line in enumerate(project.lines(path), 1):
        for name in _NAMED_PATH.findall(line):
            if not project.has_any(name):
                yield number, f"`{name}` does not exist (correct the path)"


_SOURCE = "// A.\n// [open]\n    int a;\n// [/open]\n"


@check("snippets", MARKDOWN,
       bad=[{"a.md": "<!-- snippet: e.cpp#open -->\n```cpp\nint b;\n```\n", "e.cpp": _SOURCE},
            {"a.md": "<!-- snippet: e.cpp#shut -->\n```cpp\nint a;\n```\n", "e.cpp": _SOURCE},
            {"a.md": "<!-- snippet: gone.cpp#open -->\n```cpp\nint a;\n```\n"},
            {"a.md": "<!-- snippet: e.cpp#open -->\ntext\n", "e.cpp": _SOURCE}],
       good=[{"a.md": "<!-- snippet: e.cpp#open -->\n```cpp\nint a;\n```\n", "e.cpp": _SOURCE}])
def snippets_fresh(project, path):
    """code that a page includes is what the source has"""
    def read(name):
        return project.text(name) if project.has(name) else None
    _, problems = snippets.refresh(project.text(path), read)
    yield from problems
