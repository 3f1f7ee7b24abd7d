#!/usr/bin/env python3
"""clang-tidy over src/ and cli/: lint.py BUILD_DIRECTORY [FILE...]

A file is looked at again only when it, a project header it includes, .clang-tidy, its compile
command or clang-tidy itself has changed: results that were clean are kept under build/lint, by a
hash of all these.
"""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CACHE = ROOT / "build" / "lint"
CLANG_TIDY = "clang-tidy-22"
INCLUDE = re.compile(rb'^\s*#\s*include\s*(?:"([^"]+)"|<(skiff/[^>]+)>)', re.MULTILINE)


def project_includes(path, content):
    """The files of the project that `path` includes directly."""
    for quoted, public in INCLUDE.findall(content):
        name = (quoted or public).decode()
        for folder in (path.parent, ROOT / "src", ROOT / "include", ROOT / "cli"):
            if (folder / name).is_file():
                yield (folder / name).resolve()
                break


def closure(path, contents):
    """`path` and every project file it includes, directly or not; fills `contents`."""
    seen, waiting = set(), [path]
    while waiting:
        file = waiting.pop()
        if file in seen:
            continue
        seen.add(file)
        if file not in contents:
            content = file.read_bytes()
            contents[file] = content, list(project_includes(file, content))
        waiting.extend(contents[file][1])
    return sorted(seen)


def fingerprint(entry, contents, common):
    digest = hashlib.sha256(common + (entry.get("command") or "").encode())
    for file in closure(pathlib.Path(entry["file"]), contents):
        digest.update(str(file).encode() + b"\0" + contents[file][0])
    return digest.hexdigest()


def chosen_entries(build, only):
    database = json.loads((build / "compile_commands.json").read_text())
    folders = tuple(str(ROOT / name) + os.sep for name in ("src", "cli"))
    for entry in database:
        file = str(pathlib.Path(entry["file"]).resolve())
        if file.startswith(folders) and (not only or file in only):
            yield entry


def lint(build, entry, mark):
    run = subprocess.run([CLANG_TIDY, "--quiet", "-p", str(build), entry["file"]], text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if run.returncode == 0 and "warning:" not in run.stdout:
        mark.touch()
        return ""
    return run.stdout or run.stderr


def main(arguments):
    build = pathlib.Path(arguments[0]).resolve()
    only = {str(pathlib.Path(name).resolve()) for name in arguments[1:]}
    if not shutil.which(CLANG_TIDY):
        sys.exit(f"lint: {CLANG_TIDY} is missing (run tools/setup)")
    version = subprocess.run([CLANG_TIDY, "--version"], stdout=subprocess.PIPE, check=True).stdout
    common = version + (ROOT / ".clang-tidy").read_bytes()
    CACHE.mkdir(parents=True, exist_ok=True)

    contents, waiting, known = {}, [], 0
    for entry in chosen_entries(build, only):
        mark = CACHE / fingerprint(entry, contents, common)
        if mark.exists():
            os.utime(mark)
            known += 1
        else:
            waiting.append((entry, mark))
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count() or 2) as pool:
        jobs = {pool.submit(lint, build, entry, mark): entry for entry, mark in waiting}
        for done, job in enumerate(concurrent.futures.as_completed(jobs), 1):
            name = pathlib.Path(jobs[job]["file"]).relative_to(ROOT)
            findings = job.result()
            bad += bool(findings)
            print(f"[{done}/{len(jobs)}] {name}{': findings' if findings else ''}", flush=True)
            if findings:
                print(findings, flush=True)
    print(f"lint: {known + len(waiting)} files, {known} unchanged, {bad} with findings")
    return 1 if bad else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
