#!/usr/bin/env python3
"""Tests the tests of the VFS with seeded bugs: tools/torture mutants [OPTION...]

src/vfs/mutant.hpp lists the bugs. One build (preset `mutants`) has all of them; the tests run
against each in turn, unit_vfs first, then integration, then crash, until one fails.

    --only M3,S1   these mutants
    --programs A,B unit_vfs, integration, crash: only these
    --markdown     writes the table into docs/internals/testing.md, between its marks; what was
                   not run now is taken from the last run of this build
    --list         the mutants and what they do

Exit status: 0 every mutant was killed; 1 one survived, or a test fails without any; 2 wrong usage.
"""
import argparse
import contextlib
import functools
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEADER = ROOT / "src" / "vfs" / "mutant.hpp"
PAGE = ROOT / "docs" / "internals" / "testing.md"
BUILD = ROOT / "build" / "mutants"
PROGRAMS = ["unit_vfs", "integration", "crash"]
MARKS = ("<!-- tools/torture mutants --markdown -->", "<!-- end of mutants -->")
ENUMERATOR = re.compile(r"^    ([ms]\d+)_(\w+), +///< (.*)$", re.MULTILINE)
# Beyond what the tests take without a mutant: a hang, which kills as well.
SLOWER = 4
SHORTEST_TIMEOUT_S = 60


class Mutant:
    def __init__(self, number, short, name, sentence):
        self.number, self.short, self.name, self.sentence = number, short.upper(), name, sentence
        rule = re.match(r"([A-E]\d+):", sentence)
        self.rule = rule.group(1).lower() if rule else None

    def is_named_in(self, test):
        """Whether a test is named after the rule that the mutant breaks."""
        return self.rule is not None and f".{self.rule}_" in test


def read_mutants():
    text = HEADER.read_text(encoding="utf-8")
    found = [Mutant(number, *parts) for number, parts in enumerate(ENUMERATOR.findall(text), 1)]
    listed = text[text.index("none,"):text.index("};")].count("\n") - 1
    if len(found) != listed:
        sys.exit(f"mutants: {len(found)} of {listed} lines of {HEADER} are understood")
    return found


def build(programs):
    if not (BUILD / "build.ninja").exists():
        subprocess.run(["cmake", "--preset", "mutants"], cwd=ROOT, check=True,
                       stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", BUILD, "--target", *programs], cwd=ROOT, check=True)


def failed_of(report):
    """Names of the tests that failed, from GoogleTest's report."""
    return [f"{suite['name']}.{test['name']}" for suite in report["testsuites"]
            for test in suite["testsuite"] if test.get("failures")]


def run_program(command, scratch, number, log, timeout):
    """How the program ended when that was not by itself. What it forked ends with it."""
    environment = {**os.environ, "SKIFF_MUTANT": str(number), "TMPDIR": scratch}
    with open(log, "w", encoding="utf-8") as output:
        run = subprocess.Popen(command, cwd=scratch, env=environment, stdin=subprocess.DEVNULL,
                               stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            status = run.wait(timeout)
            end = f"signal {-status}" if status < 0 else ""
        except subprocess.TimeoutExpired:
            end = "a hang"
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(run.pid, signal.SIGKILL)
            run.wait()
    return end


def run_tests(program, number, timeout, tests="*"):
    """([tests that failed], seconds); how the program ended stands behind the last one when that
    was not by itself."""
    log = BUILD / f"mutant-{number}-{program}.log"
    started = time.monotonic()
    with tempfile.TemporaryDirectory(dir=BUILD) as scratch:
        report = pathlib.Path(scratch) / "report.json"
        command = [BUILD / "bin" / program, f"--gtest_output=json:{report}",
                   f"--gtest_filter={tests}"]
        end = run_program(command, scratch, number, log, timeout)
        took = time.monotonic() - started
        if not end and report.exists():
            return failed_of(json.loads(report.read_text())), took
    text = log.read_text(encoding="utf-8", errors="replace")
    failed = re.findall(r"^\[  FAILED  \] ([\w/.]+) ?(?:,|\()", text, re.MULTILINE)
    last = re.findall(r"^\[ RUN      \] (\S+)", text, re.MULTILINE)
    if last and last[-1] not in failed:
        failed.append(f"{last[-1]} ({end or 'ended early'})")
    return failed or [end or "ended early"], took


@functools.cache
def seconds_without(program):
    """What a program takes without a mutant; no test may fail then."""
    failed, took = run_tests(program, 0, None)
    if failed:
        sys.exit(f"mutants: without any, {program} fails: {', '.join(failed)}")
    return took


def run_mutants(mutants, programs):
    """{short name: [tests that killed it]}"""
    killed = {}
    for each in mutants:
        killers, total = [], 0
        for program in programs:
            timeout = max(SHORTEST_TIMEOUT_S, SLOWER * seconds_without(program))
            failed, took = run_tests(program, each.number, timeout)
            total += took
            if failed and each.rule and not any(map(each.is_named_in, failed)):
                # A test that ended the program may have come before those of the rule.
                failed += run_tests(program, each.number, timeout, f"*.{each.rule}_*")[0]
            killers = [f"{program}: {name}" for name in failed]
            if killers:
                break
        killed[each.short] = killers
        more = f" and {len(killers) - 1} more" if len(killers) > 1 else ""
        print(f"{each.short:4} {each.name:28} {total:4.0f} s  "
              f"{killers[0] + more if killers else 'SURVIVED'}", flush=True)
    return killed


def chosen_killer(mutant, killers):
    """The test to name: one that is named after the mutant's rule, else the first."""
    of_rule = [name for name in killers if mutant.is_named_in(name)]
    return (of_rule or killers)[0].split(": ", 1)[1].split(" (")[0]


def write_table(mutants, killed):
    lines = ["| mutant | what it does | killed by | tests that fail |", "| --- | --- | --- | --- |"]
    for each in mutants:
        killers = killed[each.short]
        lines.append(f"| {each.short} | {each.sentence} | `{chosen_killer(each, killers)}` | "
                     f"{len(killers)} |" if killers else
                     f"| {each.short} | {each.sentence} | nobody | 0 |")
    page = PAGE.read_text(encoding="utf-8")
    before, rest = page.split(MARKS[0])
    after = rest.split(MARKS[1])[1]
    table = "\n".join(lines)
    PAGE.write_text(f"{before}{MARKS[0]}\n\n{table}\n\n{MARKS[1]}{after}", encoding="utf-8")


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, prog="tools/torture mutants",
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only")
    parser.add_argument("--programs", default=",".join(PROGRAMS))
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args(arguments)
    mutants = read_mutants()
    programs = options.programs.split(",")
    if unknown := set(programs) - set(PROGRAMS):
        parser.error(f"no such program: {', '.join(sorted(unknown))}")
    if options.only:
        wanted = options.only.upper().split(",")
        if unknown := set(wanted) - {each.short for each in mutants}:
            parser.error(f"no such mutant: {', '.join(sorted(unknown))}")
        mutants = [each for each in mutants if each.short in wanted]
    if options.list:
        for each in mutants:
            print(f"{each.short:4} {each.name:28} {each.sentence}")
        return 0
    build(programs)
    killed = run_mutants(mutants, programs)
    survivors = [short for short, killers in killed.items() if not killers]
    print(f"mutants: {len(mutants) - len(survivors)} of {len(mutants)} killed"
          + (f"; SURVIVED: {', '.join(survivors)}" if survivors else ""))
    results = BUILD / "mutants.json"
    known = json.loads(results.read_text()) if results.exists() else {}
    known.update({each.name: killed[each.short] for each in mutants})
    results.write_text(json.dumps(known, indent=1))
    if options.markdown:
        everyone = read_mutants()
        if missing := [each.short for each in everyone if each.name not in known]:
            sys.exit(f"mutants: no table without {', '.join(missing)}")
        write_table(everyone, {each.short: known[each.name] for each in everyone})
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
