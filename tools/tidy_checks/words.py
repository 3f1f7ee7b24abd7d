"""Words that must not stand in the project, each with what to write instead.

The patterns and samples are put together from pieces where the word itself may not stand here.
"""
import fnmatch
import re

from tidy_checks.cpp import code_only, comments
from tidy_checks.registry import check

CPP = ("*.cpp", "*.hpp")

# (pattern in code, what to do, where it holds; "!path" is where it does not)
BANNED = [
    (r"\bstd::endl\b", "write '\\n'; flush where that is meant", ("*",)),
    (r"\busing\s+namespace\s+std\s*;", "name what you use", ("*",)),
    (r"^using\s+namespace\b", "a header must not open a namespace for its users", ("*.hpp",)),
    (r"(?<![\w.>])(?:std::)?v?sprintf\s*\(", "use std::snprintf or std::to_chars", ("*",)),
    (r"(?<![\w.>])(?:std::)?str(?:cpy|cat)\s*\(", "use std::string", ("*",)),
    (r"(?<![\w.>])(?:std::)?system\s*\(", "use posix_spawn, no shell", ("*",)),
    (r"\bstd::regex\b", "parse by hand: std::regex is slow and recurses", ("*",)),
    (r"\bsleep_(?:for|until)\b|(?<![\w.>])u?sleep\s*\(", "wait on a latch or a fake clock",
     ("tests/*",)),
    (r"(?<![\w.>])(?:std::)?f?printf\s*\(", "the library never prints; return an error",
     ("src/*", "include/*", "!src/base/assert.cpp")),
    (r"\bstd::c(?:out|err|log)\b", "the library never prints; return an error",
     ("src/*", "include/*")),
    (r"(?<![\w.>])(?:std::)?(?:abort|exit|_exit|terminate)\s*\(",
     "the library never ends the program; throw or return an error", ("src/core/*", "include/*")),
    (r"(?<![\w.>])(?:std::)?rand\s*\(", "use <random> with a printed seed", ("*",)),
    (r"\bNULL\b", "write nullptr", ("*",)),
    (r"\btypedef\b", "write using", ("*",)),
    (r"\.detach\s*\(\s*\)\s*;", "join every thread; std::jthread does", ("src/*",)),
    (r"\bstd::bind\b", "write a lambda", ("*",)),
    (r"\bDISABLED_\w", "delete the test or mend it", ("tests/*",)),
]


def _holds_at(places, path):
    return "!" + path not in places and any(fnmatch.fnmatchcase(path, place) for place in places)


def _samples(*pairs):
    return [{path: "// A.\n" + code + "\n"} for path, code in pairs]


@check("banned", CPP,
       bad=_samples(
           ("src/core/a.cpp", "out << std::endl;"), ("src/core/a.cpp", "using namespace std;"),
           ("include/skiff/a.hpp", "using namespace skiff;"),
           ("src/core/a.cpp", "sprintf(text, \"%d\", 1);"), ("cli/a.cpp", "strcpy(a, b);"),
           ("cli/a.cpp", "std::system(command);"), ("cli/a.cpp", "std::regex word;"),
           ("tests/unit/core/a_test.cpp", "std::this_thread::sleep_for(1s);"),
           ("tests/unit/core/a_test.cpp", "usleep(10);"), ("src/core/a.cpp", "printf(text);"),
           ("src/core/a.cpp", "std::cerr << 1;"), ("src/core/a.cpp", "std::abort();"),
           ("src/core/a.cpp", "return rand();"), ("src/core/a.cpp", "int* a = NULL;"),
           ("src/core/a.cpp", "typedef int number;"), ("src/pool/a.cpp", "worker.detach();"),
           ("cli/a.cpp", "std::bind(f, 1);"),
           ("tests/unit/core/a_test.cpp", "TEST(a, DISABLED_b) {}")),
       good=_samples(
           ("src/core/a.cpp", "// std::endl and sprintf( in a comment"),
           ("src/core/a.cpp", "auto text = \"std::endl NULL\";"),
           ("cli/a.cpp", "fmt::printf(text); std::snprintf(a, 1, b); row.exit();"),
           ("src/core/a.cpp", "using namespace std::chrono_literals;"),
           ("include/skiff/a.hpp", "    using namespace std::chrono;"),
           ("src/base/assert.cpp", "std::fprintf(stderr, text);")))
def banned(project, path):
    """calls and constructs we do not use, each with its replacement"""
    for number, line in enumerate(code_only(project, path).split("\n"), 1):
        for pattern, instead, places in BANNED:
            match = _holds_at(places, path) and re.search(pattern, line)
            if match:
                yield number, f"`{match.group(0).strip()}` ({instead})"


_LATER = "TO" + "DO"
_MEND = "FIX" + "ME"
_OTHER = ("XX" + "X", "HA" + "CK")


@check("unfinished", ("*",),
       bad=[{"a.cpp": f"// {_LATER}: later\n"}, {"a.md": f"{_MEND}(ann): now\n"},
            {"a.py": f"# {_OTHER[0]}\n"}, {"a.cpp": f"// {_LATER}(ann)\n"}],
       good=[{"a.cpp": f"// {_LATER}(ann): when 3.60 is out, use its own call.\n"},
             {"a.cpp": "auto XXXXXX = 1; // mkstemp's XXXXXX\n"}])
def unfinished(project, path):
    """a mark of unfinished work names its owner and a condition, or is not there"""
    for number, line in enumerate(project.lines(path), 1):
        if re.search(rf"\b({_MEND}|{'|'.join(_OTHER)})\b", line):
            yield number, "a mark of unfinished work (finish it)"
        elif re.search(rf"\b{_LATER}\b(?!\([a-z][a-z0-9_-]*\): \S+ \S+)", line):
            yield number, f"no owner and condition (write `{_LATER}(owner): when ..., ...`)"


_MACHINE_PATHS = re.compile(r"(?<![\w.])/(?:wo" r"rk|home/\w+|root|Users/\w+|tmp/\w+\.\w+)/")
_MACHINERY = re.compile(
    r"\b(?:co" r"dex|cl" r"aude|l" r"lm|coding age" r"nt|this sess" r"ion)\b|\bissue #|shared/des"
    r"ign", re.IGNORECASE)
_HOSTS = re.compile(
    r"\b(?:registry\.np" r"mjs|deb\.deb" r"ian|security\.deb" r"ian|py" r"pi"
    r"|files\.pythonho" r"sted|proxy\.gol" r"ang|static\.cra" r"tes|crat" r"es)\.(?:org|io|com)\b")


@check("machine", ("*",),
       bad=[{"a.md": "see /wo" "rk/main\n"}, {"a.cpp": "// as /ho" "me/ann/skiff has it\n"},
            {"a.md": "by Clau" "de\n"}, {"a.cpp": "// see issue " "#12\n"},
            {"a.md": "in shared/des" "ign\n"}, {"tools/setup": "curl deb.deb" "ian.org\n"}],
       good=[{"a.md": "a SQLite session, /usr/bin/env, https://www.sqlite.org/wal.html\n"},
             {"a.cpp": "auto path = folder + \"/work.db\";\n"}])
def machine(project, path):
    """no paths of one machine, no package hosts, no words about how the work is organised"""
    for number, line in enumerate(project.lines(path), 1):
        if _MACHINE_PATHS.search(line):
            yield number, "a path of one machine (write it relative to the project)"
        if _HOSTS.search(line):
            yield number, "a package host's name (use the package manager's own settings)"
        match = _MACHINERY.search(line)
        if match:
            yield number, f"`{match.group(0)}` (say it in terms of the project itself)"


_DEAD = re.compile(r"// {0,2}(TEST(_[FP])?\(|return\b[^.]*;$|#include\b|\w+\([\w, ]*\);$)")


@check("dead-code", CPP,
       bad=[{"tests/a.cpp": "// TEST(suite, name) {\n"}, {"src/a.cpp": "int a;\n// return a;\n"},
            {"src/a.cpp": "#if 0\n"}],
       good=[{"src/a.cpp": "// We return a;\nint a;\n"},
             {"include/a.hpp": "///     auto a = f();\n"},
             {"src/a.cpp": "// Returns early; the rest follows.\n"}])
def dead_code(project, path):
    """no commented-out code or tests, no #if 0"""
    if re.search(r"^\s*#\s*if\s+0\b", project.text(path), re.MULTILINE):
        yield 1, "#if 0 (delete what it hides)"
    for number, comment in comments(project, path):
        if _DEAD.match(comment):
            yield number, "commented-out code (delete it)"
