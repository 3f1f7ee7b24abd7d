#!/usr/bin/env python3
"""tools/make_sample.py PACKAGES...: writes examples/data/packages-sample.control.

The sample stands in for Debian's package index where there is none (`skiff demo`, tests). It is a
choice of real packages from real indexes, given plain or as .lz4 (needs the lz4 program). The same
indexes give the same sample, byte for byte.

No person is named: maintainers are left out, and a home page stays only when it is a bare host of
the project's own name or of a large project.
"""

import hashlib
import pathlib
import re
import subprocess
import sys

TARGET = pathlib.Path(__file__).resolve().parent.parent / "examples/data/packages-sample.control"
BYTES_MAX = 1_500_000

KEPT_FIELDS = ("Package", "Version", "Section", "Priority", "Installed-Size", "Pre-Depends",
               "Depends", "Size", "Description", "Homepage")
# Taken whole: small sections that the demo's questions look into.
WHOLE_SECTIONS = {"database", "shells", "vcs", "httpd"}
WHOLE_PRIORITIES = {"required", "important", "standard"}
# Of these, one package in so many, chosen by the hash of its name.
PART_SECTIONS = {"libs": 10, "utils": 4, "net": 6, "admin": 4, "mail": 3, "web": 4}
ALWAYS = {"libssl3", "libc6", "libsqlite3-0", "openssl", "ca-certificates"}

BARE_HOST = re.compile(r"https?://(?:www\.)?((?:[a-z0-9-]+\.)*([a-z0-9-]+)\.[a-z]+)/?")
LARGE_PROJECTS = ("sourceforge.net", "kde.org", "gnu.org", "apache.org", "freedesktop.org",
                  "kernel.org", "postgresql.org", "debian.org", "netfilter.org", "gnome.org")


def stanzas(path):
    """Yields each stanza of an index as a dict of its fields."""
    if path.suffix == ".lz4":
        data = subprocess.run(["lz4", "-dc", path], check=True, capture_output=True).stdout
    else:
        data = path.read_bytes()
    for text in data.decode("utf-8").split("\n\n"):
        fields = {}
        name = None
        for line in text.splitlines():
            if line[:1] in (" ", "\t"):
                fields[name] += "\n" + line
            elif line:
                name, _, value = line.partition(":")
                fields[name] = value.strip()
        if fields:
            yield fields


def is_chosen(fields):
    name, section = fields["Package"], fields.get("Section", "")
    if name in ALWAYS or section in WHOLE_SECTIONS:
        return True
    if fields.get("Priority") in WHOLE_PRIORITIES:
        return True
    one_in = PART_SECTIONS.get(section)
    if one_in is None or name.endswith(("-dbg", "-dbgsym")):
        return False
    digest = hashlib.sha256(name.encode()).digest()
    return int.from_bytes(digest[:4], "big") % one_in == 0


def names_nobody(homepage, package):
    found = BARE_HOST.fullmatch(homepage)
    if found is None:
        return False
    host, label = found.groups()
    return label in package or host.endswith(LARGE_PROJECTS)


def stanza_text(fields):
    lines = []
    for name in KEPT_FIELDS:
        value = fields.get(name)
        if value is None:
            continue
        if name == "Homepage" and not names_nobody(value, fields["Package"]):
            continue
        lines.append(f"{name}: {value}\n")
    return "".join(lines)


def main(arguments):
    if not arguments or arguments[0].startswith("-"):
        print(__doc__.strip())
        return 0 if arguments[:1] == ["--help"] else 2
    chosen = {}
    for path in arguments:
        for fields in stanzas(pathlib.Path(path)):
            if is_chosen(fields):
                chosen.setdefault((fields["Package"], fields["Version"]), stanza_text(fields))
    text = "\n".join(chosen[key] for key in sorted(chosen))
    size = len(text.encode())
    if size > BYTES_MAX:
        print(f"make_sample: {size} bytes are more than {BYTES_MAX}", file=sys.stderr)
        return 1
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text(text, encoding="utf-8")
    print(f"{TARGET}: {len(chosen)} packages, {size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
