#!/usr/bin/env python3
"""Skiff's own rules, as a tool: what a formatter and a compiler do not check.

    tools/tidy.py              checks every file of the project
    tools/tidy.py --staged     only the files that are staged for a commit
    tools/tidy.py --list       the checks, one a line
    tools/tidy.py --self-test  feeds every check a bad sample that must trip it and a good one

A finding reads `path:line: check: message (what to do)`. A rule is a function in
tools/tidy_checks/ together with its samples; a rule without a bad sample does not load.
"""
import subprocess
import sys
import time

from tidy_checks import all_checks
from tidy_checks.project import Project


def run_checks(project, paths):
    findings = []
    for check in all_checks():
        for path in paths:
            if check.applies_to(path):
                for line, message in check.function(project, path):
                    findings.append((path, line, check.name, message))
    return sorted(findings)


def staged_paths(project):
    names = subprocess.run(["git", "diff", "--cached", "--name-only", "--diff-filter=d", "-z"],
                           cwd=project.root, stdout=subprocess.PIPE, check=True).stdout
    staged = set(names.decode().split("\0"))
    return [path for path in project.paths if path in staged]


def self_test():
    """Each check alone, on projects that hold nothing but its samples."""
    wrong = []
    samples = 0
    for check in all_checks():
        for kind, files in [("bad", sample) for sample in check.bad] + \
                           [("good", sample) for sample in check.good]:
            samples += 1
            project = Project.of_samples(files)
            found = [finding for path in project.paths if check.applies_to(path)
                     for finding in check.function(project, path)]
            if bool(found) != (kind == "bad"):
                wrong.append(f"{check.name}: the {kind} sample {list(files)} gives {found}")
    for line in wrong:
        print(line)
    print(f"tidy self-test: {len(all_checks())} checks, {samples} samples, {len(wrong)} wrong")
    return 1 if wrong else 0


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    if arguments == ["--list"]:
        for check in all_checks():
            print(f"{check.name:18} {check.summary}")
        return 0
    if arguments not in ([], ["--staged"]):
        print(__doc__)
        return 2
    started = time.monotonic()
    project = Project.of_checkout()
    paths = staged_paths(project) if arguments else project.paths
    findings = run_checks(project, paths)
    warnings = [finding for finding in findings if finding[3].startswith("warning: ")]
    for path, line, name, message in findings:
        print(f"{path}:{line}: {name}: {message}")
    print(f"tidy: {len(paths)} files, {len(all_checks())} checks, "
          f"{len(findings) - len(warnings)} findings, {len(warnings)} warnings, "
          f"{time.monotonic() - started:.1f} s")
    return 1 if len(findings) > len(warnings) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
