"""Checks on any text: shape, size, opening paragraph, names of files."""
import re

from tidy_checks.registry import check

CODE = ("*.cpp", "*.hpp", "*.py", "*.cmake", "*CMakeLists.txt", "run", "test", "tools/setup",
        "tools/format", ".ci/run")
LINES_MAX = 800
LINES_WARN = 500
COLUMNS_MAX = 100


@check("blanks", ("*",),
       bad=[{"a.cpp": "int a;\t\n"}, {"a.md": "text \n"}, {"a.cpp": "int a;"},
            {"a.cpp": "int a;\r\n"}],
       good=[{"a.cpp": "int a;\n"}, {"empty.py": ""}])
def blanks(project, path):
    """no tabs, no blanks at a line's end, one line feed at the file's end"""
    text = project.text(path)
    for number, line in enumerate(text.split("\n"), 1):
        if "\t" in line:
            yield number, "a tab (indent with spaces)"
        if line.endswith("\r"):
            yield number, "a carriage return (save with Unix line ends)"
        elif line != line.rstrip():
            yield number, "blanks at the end of the line (delete them)"
    if text and not text.endswith("\n"):
        yield text.count("\n") + 1, "no line feed at the end of the file (add one)"


@check("line-length", CODE,
       bad=[{"a.cpp": "// " + "x" * 98 + "\n"}, {"run": "# " + "x" * 99 + "\n"}],
       good=[{"a.cpp": "// " + "x" * 97 + "\n"}, {"a.cpp": "// " + "–" * 97 + "\n"},
             {"a.cpp": "    " + '"' + "x" * 120 + '",\n'}])
def line_length(project, path):
    """at most 100 columns in code; a line that is one literal or address may be longer"""
    for number, line in enumerate(project.lines(path), 1):
        if len(line) > COLUMNS_MAX and " " in line.strip().lstrip("/# "):
            yield number, f"{len(line)} columns, more than {COLUMNS_MAX} (break the line)"
        elif len(line) > COLUMNS_MAX and not re.search(r'["<:]', line):
            yield number, f"{len(line)} columns, more than {COLUMNS_MAX} (break the line)"


@check("file-length", CODE,
       bad=[{"a.cpp": "int a;\n" * (LINES_MAX + 1)}, {"a.cpp": "int a;\n" * (LINES_WARN + 1)}],
       good=[{"a.cpp": "int a;\n" * LINES_WARN}])
def file_length(project, path):
    """at most 800 lines in a file of code; more than 500 is a warning"""
    count = project.text(path).count("\n")
    if count > LINES_MAX:
        yield LINES_MAX, f"{count} lines, more than {LINES_MAX} (split the file by its nouns)"
    elif count > LINES_WARN:
        yield LINES_WARN, f"warning: {count} lines (does this file still hold one noun?)"


@check("opening", ("*.cpp", "*.hpp", "*.cmake", "*.py", "run", "test", "tools/setup",
                   "tools/format", ".ci/run"),
       bad=[{"a.hpp": "#pragma once\n"}, {"cmake/a.cmake": "set(a b)\n"},
            {"tools/setup": "#!/usr/bin/env bash\nset -e\n"}, {"a.py": "import sys\n"}],
       good=[{"a.hpp": "// What this is.\n#pragma once\n"}, {"a.py": '"""What this is."""\n'},
             {"tools/setup": "#!/usr/bin/env bash\n# What this is.\n"}])
def opening(project, path):
    """a file opens with a paragraph that says what it is"""
    lines = project.lines(path)
    first = 1 if lines[0].startswith("#!") else 0
    opener = lines[first] if first < len(lines) else ""
    wanted = ("//", "/*") if path.endswith((".cpp", ".hpp")) else ("# ", '"""')
    if not opener.startswith(wanted):
        yield first + 1, "no opening comment (say what the file is, what it is not, who calls it)"


@check("pragma-once", ("*.hpp",),
       bad=[{"a.hpp": "// A.\nint a;\n"}, {"a.hpp": "// A.\n#ifndef A\n#define A\n#endif\n"}],
       good=[{"a.hpp": "// A.\n#pragma once\n"}])
def pragma_once(project, path):
    """every header has #pragma once"""
    if "\n#pragma once\n" not in project.text(path):
        yield 1, "no #pragma once (add it below the opening comment)"


@check("file-name", ("include/*", "src/*", "cli/*", "tests/*.cpp", "tests/*.hpp", "examples/*"),
       bad=[{"src/core/StatementCache.cpp": "\n"}, {"src/core/statement-cache.hpp": "\n"}],
       good=[{"src/core/statement_cache.cpp": "\n"}, {"examples/01_open.cpp": "\n"}])
def file_name(_project, path):
    """files and folders of code are named in snake_case"""
    for part in path.split("/"):
        if not re.fullmatch(r"[a-z0-9_]+(\.[a-z0-9_]+)*|CMakeLists\.txt|README\.md", part):
            yield 1, f"the name '{part}' is not snake_case (rename it)"


@check("bash-strict", ("run", "test", "tools/*", ".ci/run"),
       bad=[{"run": "#!/usr/bin/env bash\n# A.\necho\n"}],
       good=[{"run": "#!/usr/bin/env bash\n# A.\nset -euo pipefail\n"},
             {"tools/a.py": "import a\n"}])
def bash_strict(project, path):
    """a bash script stops at the first error: set -euo pipefail"""
    text = project.text(path)
    if text.startswith("#!/usr/bin/env bash") and "\nset -euo pipefail\n" not in text:
        yield 1, "no `set -euo pipefail` (add it below the opening comment)"
