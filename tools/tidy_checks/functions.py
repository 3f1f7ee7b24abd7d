"""Length of functions, found by matching braces: good enough for code clang-format has shaped.

Exceptions stand in tools/tidy_exceptions.txt, with the length they may have. Their number is
written down here and may only go down.
"""
import bisect
import re

from tidy_checks.cpp import code_without_directives
from tidy_checks.registry import check

LINES_MAX = 70
EXCEPTIONS_MAX = 1
EXCEPTIONS_FILE = "tools/tidy_exceptions.txt"
_SCOPE = re.compile(r"\b(namespace|class|struct|union|enum|extern)\b[^()]*$|^\s*$|=\s*$")
_NAME = re.compile(r"([~\w:]+|operator\s*\S+)\s*\(")


def _closing_braces(code):
    closing, open_at = {}, []
    for match in re.finditer(r"[{}]", code):
        if match.group() == "{":
            open_at.append(match.start())
        elif open_at:
            closing[open_at.pop()] = match.start()
    return closing


def functions(code):
    """(name, first line, last line) of every function that is not inside another."""
    closing = _closing_braces(code)
    starts = [0] + [match.end() for match in re.finditer(r"\n", code)]
    header_start = position = 0
    for match in iter(lambda: re.compile(r"[{};]").search(code, position), None):
        position = match.end()
        if match.group() != "{":
            header_start = position
            continue
        header = code[header_start:match.start()]
        end = closing.get(match.start(), len(code) - 1)
        if code[end + 1:end + 40].lstrip()[:1] in (",", "{", ")") and ")" in header:
            position = end + 1  # a braced initializer in a constructor's list
        elif _SCOPE.search(re.sub(r"<[^<>]*>", "", header)):
            header_start = position
        elif "(" in header:
            name = _NAME.search(header)
            first = bisect.bisect_right(starts, header_start + len(header) - len(header.lstrip()))
            yield name.group(1) if name else "?", first, bisect.bisect_right(starts, end)
            position = header_start = end + 1
        else:
            position = header_start = end + 1


def exceptions(project):
    """{(path, function): lines allowed} from the exceptions file."""
    if not project.has(EXCEPTIONS_FILE):
        return {}
    allowed = {}
    for line in project.lines(EXCEPTIONS_FILE):
        words = line.split()
        if len(words) == 3 and not line.startswith("#"):
            allowed[(words[0], words[1])] = int(words[2])
    return allowed


def _long_function(lines, name="f", before=""):
    return "// A.\n" + before + f"int {name}(int a) {{\n" + "    a += 1;\n" * (lines - 2) + "}\n"


@check("function-length", ("*.cpp", "*.hpp"),
       bad=[{"a.cpp": _long_function(LINES_MAX + 1)},
            {"a.cpp": _long_function(LINES_MAX + 1, before="namespace a {\nint b{1};\n")},
            {"a.cpp": "// A.\nTEST(a, b) {\n" + "    f();\n" * LINES_MAX + "}\n"},
            {"a.cpp": "// A.\nb::b(int c) : d_{c}, e_{c} {\n" + "    f();\n" * LINES_MAX + "}\n"},
            {"a.cpp": _long_function(90), EXCEPTIONS_FILE: "a.cpp f 80\n"}],
       good=[{"a.cpp": _long_function(LINES_MAX)},
             {"a.hpp": "// A.\nclass a {\n" + "    int f() { return 1; }\n" * 90 + "};\n"},
             {"a.cpp": "// A.\nconst char* names[] = {\n" + "    \"a\",\n" * 90 + "};\n"},
             {"a.cpp": _long_function(80), EXCEPTIONS_FILE: "a.cpp f 80\n"}])
def function_length(project, path):
    """at most 70 lines in a function"""
    allowed = exceptions(project)
    for name, first, last in functions(code_without_directives(project, path)):
        count = last - first + 1
        if count > allowed.get((path, name), LINES_MAX):
            yield first, (f"{name} has {count} lines, more than {LINES_MAX} (branches stay in the "
                          "function, straight-line parts become helpers)")


def _exceptions(count, lines=80):
    return {EXCEPTIONS_FILE: "# path function lines\n" +
            "".join(f"a.cpp f{number} 80\n" for number in range(count)),
            "a.cpp": "".join(_long_function(lines, f"f{number}") for number in range(count))}


@check("exceptions", (EXCEPTIONS_FILE,),
       bad=[_exceptions(EXCEPTIONS_MAX + 1), _exceptions(max(EXCEPTIONS_MAX, 1), lines=10),
            {EXCEPTIONS_FILE: "gone.cpp f 80\n" * EXCEPTIONS_MAX + "gone.cpp g 80\n"}],
       good=[_exceptions(EXCEPTIONS_MAX)])
def exceptions_shrink(project, path):
    """listed exceptions are still needed, and never more than the count in functions.py"""
    allowed = exceptions(project)
    if len(allowed) != EXCEPTIONS_MAX:
        yield 1, (f"{len(allowed)} exceptions, {EXCEPTIONS_MAX} expected (shorten the function; "
                  "when an entry is gone, lower EXCEPTIONS_MAX)")
    for (file, name), _ in allowed.items():
        lengths = [last - first + 1 for found, first, last in
                   (functions(code_without_directives(project, file)) if project.has(file) else ())
                   if found == name]
        if not lengths or max(lengths) <= LINES_MAX:
            yield 1, f"{file} {name} needs no exception (delete the line)"
