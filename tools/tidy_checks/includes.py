"""Who may include whom: every #include is held against tools/layers.txt."""
import re

from tidy_checks.registry import check

LAYERS_FILE = "tools/layers.txt"
_INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]')
_FAMILIES = {"sqlite3.h": "sqlite", "sqlite3ext.h": "sqlite", "lz4.h": "lz4", "lz4frame.h": "lz4",
             "histedit.h": "edit", "editline/readline.h": "edit"}
_POSIX_FOLDERS = ("sys", "linux", "netinet", "arpa", "net")

_SAMPLE_LAYERS = ("include: std\nbase: std posix\ncore: base include std posix sqlite vfs/reg.hpp\n"
                  "vfs: base std posix sqlite\ncli: include std fmt\n"
                  "cli/demo: include std sqlite\nexamples: include std\n")


def layers(project):
    """{room: what it may include} from tools/layers.txt."""
    def read():
        table = {}
        for line in project.lines(LAYERS_FILE) if project.has(LAYERS_FILE) else ():
            if ":" in line and not line.startswith("#"):
                room, _, allowed = line.partition(":")
                table[room.strip()] = set(allowed.split())
        return table
    return project.memo("layers", read)


def room_of(path, table=()):
    """The room whose line of tools/layers.txt holds for the file: its own folder, if listed."""
    parts = path.split("/")
    if "/".join(parts[:2]) in table:
        return "/".join(parts[:2])
    if parts[0] == "src" and len(parts) > 2:
        return parts[1]
    return parts[0] if parts[0] in ("include", "cli", "examples", "bench") else None


def family(name):
    """What kind of header <name> is, in the words of tools/layers.txt."""
    if name.startswith("skiff/"):
        return "include"
    if name in _FAMILIES:
        return _FAMILIES[name]
    if "/" in name:
        folder = name.split("/")[0]
        return "posix" if folder in _POSIX_FOLDERS else folder
    return "posix" if name.endswith(".h") else "std"


def includes(project, path):
    for number, line in enumerate(project.lines(path), 1):
        match = _INCLUDE.match(line)
        if match:
            yield number, match.group(1) == '"', match.group(2)


def _quoted_finding(project, room, name, allowed):
    if room == "include":
        return f'"{name}" (public headers write <skiff/...>)'
    consumer = room.split("/")[0]
    if consumer in ("cli", "examples", "bench"):
        return None if project.has(f"{consumer}/{name}") else \
            f'"{name}" is no file of {consumer}/ (a consumer sees its own files and <skiff/...>)'
    if not project.has(f"src/{name}"):
        return f'"{name}" is no file below src/ (write the path from src/, such as "{room}/x.hpp")'
    other = name.split("/")[0]
    if other == room or other in allowed or name in allowed:
        return None
    return f'{room} may not include "{name}" (tools/layers.txt; move the interface instead)'


def _sample(path, line):
    return {path: f"// A.\n#include {line}\n", LAYERS_FILE: _SAMPLE_LAYERS,
            "src/core/row.hpp": "\n", "src/base/fd.hpp": "\n", "src/vfs/reg.hpp": "\n",
            "src/vfs/file.hpp": "\n", "cli/output.hpp": "\n"}


@check("layers", ("include/*.hpp", "src/*.hpp", "src/*.cpp", "cli/*", "examples/*.cpp",
                  "bench/*.hpp", "bench/*.cpp"),
       bad=[_sample("src/base/a.cpp", '"core/row.hpp"'), _sample("src/base/a.cpp", "<sqlite3.h>"),
            _sample("include/skiff/a.hpp", "<sqlite3.h>"),
            _sample("include/skiff/a.hpp", '"skiff/b.hpp"'),
            _sample("include/skiff/a.hpp", "<unistd.h>"), _sample("src/core/a.cpp", "<fmt/core.h>"),
            _sample("cli/a.cpp", '"core/row.hpp"'), _sample("cli/a.cpp", "<sqlite3.h>"),
            _sample("cli/demo/a.cpp", '"core/row.hpp"'), _sample("examples/a.cpp", "<fmt/core.h>"),
            _sample("src/core/a.cpp", '"row.hpp"'), _sample("src/core/a.cpp", '"vfs/file.hpp"'),
            _sample("src/attic/a.cpp", "<vector>")],
       good=[_sample("src/core/a.cpp", '"core/row.hpp"'),
             _sample("src/core/a.cpp", '"base/fd.hpp"'),
             _sample("src/core/a.cpp", '"vfs/reg.hpp"'), _sample("src/core/a.cpp", "<sqlite3.h>"),
             _sample("src/base/a.cpp", "<sys/mman.h>"), _sample("cli/a.cpp", '"output.hpp"'),
             _sample("cli/demo/a.cpp", "<sqlite3.h>"), _sample("cli/demo/a.cpp", '"output.hpp"'),
             _sample("cli/a.cpp", "<skiff/skiff.hpp>"), _sample("include/skiff/a.hpp", "<span>")])
def layer_rule(project, path):
    """a room includes only what tools/layers.txt lists; public headers and consumers likewise"""
    room = room_of(path, layers(project))
    if room == "bench" and room not in layers(project):
        return
    if room not in layers(project):
        yield 1, f"'{room}' is no room of {LAYERS_FILE} (add it, with what it may include)"
        return
    allowed = layers(project)[room]
    for number, quoted, name in includes(project, path):
        if quoted:
            finding = _quoted_finding(project, room, name, allowed)
            if finding:
                yield number, finding
        elif family(name) not in allowed and not (family(name) == "include" == room):
            yield number, (f"{room} may not include <{name}> ({family(name)} is not in its line of "
                           f"{LAYERS_FILE})")


@check("public-sqlite", ("include/*",),
       bad=[{"include/skiff/a.hpp": "// A.\n#  include <sqlite3.h>\n"},
            {"include/skiff/a.hpp": "// A.\n#if __has_include(\"sqlite3.h\")\n"}],
       good=[{"include/skiff/a.hpp": "// Declares what sqlite3.h declares.\nstruct sqlite3;\n"}])
def public_sqlite(project, path):
    """no public header includes sqlite3.h"""
    for number, line in enumerate(project.lines(path), 1):
        if re.match(r"\s*#.*\bsqlite3(ext)?\.h", line):
            yield number, "sqlite3.h in a public header (forward-declare, or declare in detail/)"


@check("unused-header", ("src/*.hpp", "cli/*.hpp"),
       bad=[{"src/core/a.hpp": "// A.\n", "src/core/b.cpp": '// B.\n#include "core/c.hpp"\n'}],
       good=[{"src/core/a.hpp": "// A.\n", "src/core/a.cpp": '// A.\n#include "core/a.hpp"\n'}])
def unused_header(project, path):
    """every private header is included by something"""
    def collect():
        return {name for file in project.paths if file.endswith((".cpp", ".hpp"))
                for _, quoted, name in includes(project, file) if quoted}
    if path.split("/", 1)[1] not in project.memo("included", collect):
        yield 1, "nothing includes this header (delete it)"
