#!/usr/bin/env python3
"""Runs SQLite's own TCL tests over Skiff's VFS: tools/torture sqlite-suite [OPTION...]

Each test file runs twice, once with SQLite's VFS and once with Skiff's as the default, in the same
program. What passes with SQLite's and fails with Skiff's is a finding, unless
tests/sqlite_suite/expected_differences.txt says why it must differ. SQLite's source is fetched
with apt-get and built in the folder that --keep names; nothing of it enters the repository.

    --groups A,B   wal locks journals mapped maintenance faults all-mapped veryquick short; the
                   default is all but the last three; short is what ./test runs: logs and locks
                   without the files that wait or take long
    --files A,B    only test files of these names (* and ? allowed); with it, --groups defaults to
                   every group
    --stock        run SQLite's VFS only
    --keep DIR     source, program and logs stay in DIR, and what SQLite's VFS did is not run again
    --jobs N       test files at the same time; 1 by default
    --timeout S    seconds for each run of a file; 300 by default

Needs Debian's tcl-dev and zlib1g-dev. As root it runs the tests as nobody: the suite tests what
happens without permissions.

Exit status: 0 no finding; 1 findings or a step that failed; 2 wrong usage; 3 the suite cannot be
had here, the line says why.
"""
import argparse
import concurrent.futures
import fnmatch
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXPECTED = ROOT / "tests" / "sqlite_suite" / "expected_differences.txt"
VERSION = "3.40.1"
RELEASE = "bookworm"
KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"
NOBODY = 65534
TCL = "/usr/lib/tcl8.6"
# What Skiff's VFS gets in addition to the tests' own names.
PREFIXES = {"mmap": "mm-"}

# Group: the suite's own permutation that its files run in, and the files.
GROUPS = {
    "wal": ("full", ["wal*.test"]),
    "locks": ("full", ["lock*.test", "exclusive*.test", "shared*.test", "superlock.test",
                       "busy*.test", "unixexcl.test", "nolock.test", "readonly.test",
                       "thread*.test", "sync*.test", "async*.test"]),
    "journals": ("full", ["journal*.test", "jrnlmode*.test", "pager*.test", "crash*.test",
                          "savepoint*.test", "rollback*.test", "trans*.test", "memjournal*.test",
                          "delete_db.test", "mjournal.test", "stmt.test", "tempdb*.test",
                          "zeroblob.test", "writecrash.test", "8_3_names.test"]),
    "mapped": ("full", ["mmap*.test", "bigmmap.test", "bigfile*.test"]),
    "maintenance": ("full", ["backup*.test", "*vacuum*.test", "e_wal*.test", "e_vacuum.test",
                             "snapshot*.test", "filectrl.test", "chunksize.test", "fallocate.test",
                             "corrupt*.test", "oserror.test", "multiplex*.test", "quota*.test",
                             "cksumvfs.test", "attach*.test", "pragma*.test", "io.test",
                             "symlink*.test", "tempfault.test", "uri*.test", "vt02.test"]),
    "faults": ("full", ["*ioerr*.test", "*fault*.test", "*_err.test", "*malloc*.test",
                        "diskfull.test"]),
    "all-mapped": ("mmap", []),
    "veryquick": ("veryquick", []),
    "short": ("full", ["wal*.test", "lock*.test", "exclusive*.test", "shared?.test", "busy.test",
                       "superlock.test", "unixexcl.test", "nolock.test", "readonly.test",
                       "!walthread.test", "!walcrash3.test", "!walprotocol.test",
                       "!walsetlk.test", "!walvfs.test", "!walslow.test"]),
}
DEFAULT_GROUPS = [name for name in GROUPS if name not in ("all-mapped", "veryquick", "short")]

SUMMARY = re.compile(r"^(\d+) errors out of (\d+) tests", re.MULTILINE)
FAILURES = re.compile(r"^!Failures on these tests:(.*)$", re.MULTILINE)


class Unavailable(Exception):
    """The suite cannot be had on this machine."""


def call(command, log, otherwise="", **options):
    """Runs a step of the build; its output goes to a file that is shown when it fails. A step that
    may be impossible here says what that means."""
    with open(log, "w", encoding="utf-8") as output:
        run = subprocess.run(command, stdout=output, stderr=subprocess.STDOUT, check=False,
                             **options)
    if run.returncode != 0 and otherwise:
        raise Unavailable(f"{otherwise} (see {log})")
    if run.returncode != 0:
        tail = pathlib.Path(log).read_text(encoding="utf-8", errors="replace")[-3000:]
        sys.exit(f"{tail}\nsqlite-suite: {' '.join(map(str, command[:3]))} failed; see {log}")


def debian_mirror():
    """Where this machine has Debian from: address and release."""
    wanted = ["apt-get", "indextargets", "--format", "$(REPO_URI) $(RELEASE)",
              "Created-By: Packages", f"Release: {RELEASE}", "Component: main"]
    if shutil.which("apt-get") is None:
        raise Unavailable("there is no apt-get here, which fetches SQLite's source")
    found = subprocess.run(wanted, stdout=subprocess.PIPE, text=True, check=False).stdout
    if not found:
        raise Unavailable(f"apt knows no place for Debian's {RELEASE} (add one, or unpack SQLite "
                          f"{VERSION} as sqlite3-{VERSION} in the folder of --keep)")
    return found.splitlines()[0]


def fetch_source(folder):
    """SQLite's source as its authors published it, by way of Debian's source package."""
    source = folder / f"sqlite3-{VERSION}"
    if source.is_dir():
        return source
    apt = folder / "apt"
    for each in ("lists/partial", "cache/archives/partial"):
        (apt / each).mkdir(parents=True, exist_ok=True)
    options = ["-o", f"Dir::Etc::sourcelist={apt}/sources.list", "-o", "Dir::Etc::sourceparts=-",
               "-o", f"Dir::State::lists={apt}/lists", "-o", f"Dir::Cache={apt}/cache",
               "-o", "APT::Sandbox::User="]
    (apt / "sources.list").write_text(f"deb-src [signed-by={KEYS}] {debian_mirror()} main\n")
    call(["apt-get", *options, "update"], apt / "update.log",
         otherwise="apt cannot read Debian's list of sources")
    call(["apt-get", *options, "source", "--download-only", "sqlite3"], apt / "source.log", cwd=apt,
         otherwise="apt cannot fetch SQLite's source")
    archive = next(apt.glob(f"sqlite3_{VERSION}.orig.tar.*"), None)
    if archive is None:
        raise Unavailable(f"Debian's {RELEASE} has another sqlite3 than {VERSION}: change VERSION "
                          f"in {__file__}")
    call(["tar", "xf", archive, "-C", folder], apt / "tar.log")
    return source


def build_vfs(folder, headers):
    """src/vfs and what makes it the default, as a shared library against the suite's SQLite."""
    objects = folder / "objects"
    objects.mkdir(exist_ok=True)
    library = folder / "libskiff_suite.so"
    # counted_os.cpp includes os_linux.cpp.
    sources = [path for path in sorted((ROOT / "src" / "vfs").glob("*.cpp"))
               if path.name != "os_linux.cpp"]
    sources += sorted((ROOT / "tests" / "sqlite_suite").glob("*.cpp"))
    compiler = os.environ.get("CXX", "c++")
    for path in sources:
        call([compiler, "-std=c++20", "-O1", "-g", "-fPIC", "-DSQLITE_ENABLE_SETLK_TIMEOUT=1",
              f"-I{ROOT}/src", f"-I{ROOT}/include", f"-I{headers}", "-c", path,
              "-o", objects / f"{path.stem}.o"], folder / "vfs.log")
    call([compiler, "-shared", "-g", "-o", library,
          *[objects / f"{path.stem}.o" for path in sources], "-lpthread"], folder / "vfs.log")
    return library


def check_reach(folder):
    """As root the tests run as nobody, who must get at the program."""
    if os.geteuid() != 0:
        return
    looks = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "ls", folder]
    if subprocess.run(looks, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                      check=False).returncode != 0:
        raise Unavailable(f"nobody cannot reach {folder}, and root cannot run the tests")


def check_needs():
    for path, package in ((f"{TCL}/tclConfig.sh", "tcl8.6-dev"), ("/usr/include/zlib.h",
                                                                "zlib1g-dev")):
        if not os.path.exists(path):
            raise Unavailable(f"{path} is missing (install {package})")


def build_program(folder):
    check_needs()
    source = fetch_source(folder)
    build = folder / "build"
    program = build / "testfixture"
    build.mkdir(exist_ok=True)
    if not (build / "Makefile").exists():
        print("sqlite-suite: configures SQLite", flush=True)
        call([source / "configure", "--enable-all", "--disable-shared",
              f"--with-tcl={TCL}"], folder / "configure.log", cwd=build)
        call(["make", "sqlite3.c"], folder / "make.log", cwd=build)
    print("sqlite-suite: builds the VFS", flush=True)
    library = build_vfs(folder, build)
    if not program.exists():
        print("sqlite-suite: builds testfixture, about a minute", flush=True)
        call(["make", "testfixture",
              "OPTS=-DSQLITE_ENABLE_SETLK_TIMEOUT=1 -DSQLITE_EXTRA_INIT=skiff_suite_init",
              f"TLIBS=-lm -lz -ldl -lpthread -rdynamic -Wl,-rpath,{folder} {library}"],
             folder / "make.log", cwd=build)
    return source, program


class Suite:
    def __init__(self, folder, source, program, timeout):
        self.folder, self.source, self.program = folder, source, program
        self.timeout = timeout
        self.logs = folder / "logs"
        self.logs.mkdir(exist_ok=True)

    def files_of(self, permutation):
        """Names of the files that the suite itself puts into a permutation."""
        script = self.folder / "list.tcl"
        script.write_text(f"set argv0 {self.source}/test/list.test\n"
                          f"set testdir {self.source}/test\n"
                          "source $testdir/permutations.test\n"
                          f"array set found $::testspec({permutation})\n"
                          'foreach each $found(-files) { puts "file: [file tail $each]" }\n')
        with tempfile.TemporaryDirectory() as scratch:
            run = subprocess.run([self.program, script], cwd=scratch, stdout=subprocess.PIPE,
                                 text=True, check=False, env={**os.environ,
                                                              "SKIFF_SUITE_VFS": "stock"})
        return sorted(set(re.findall(r"^file: (\S+)$", run.stdout, re.MULTILINE)))

    def run(self, vfs, permutation, file):
        """What one test file did: {tests, failed: [names], end: "" or how it ended too early}."""
        scratch = tempfile.mkdtemp(prefix="skiff-suite-", dir=os.environ.get("TMPDIR", "/dev/shm"))
        as_nobody = []
        if os.geteuid() == 0:
            os.chown(scratch, NOBODY, NOBODY)
            as_nobody = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
        log = self.logs / f"{permutation}-{file}.{vfs}.log"
        environment = {**os.environ, "SKIFF_SUITE_VFS": vfs, "TMPDIR": scratch}
        try:
            with open(log, "w", encoding="utf-8") as output:
                run = subprocess.run(
                    ["timeout", "-k", "5", str(self.timeout), *as_nobody, self.program,
                     self.source / "test" / "permutations.test", permutation, file],
                    cwd=scratch, env=environment, stdout=output, stderr=subprocess.STDOUT,
                    stdin=subprocess.DEVNULL, check=False)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
        text = log.read_text(encoding="utf-8", errors="replace")
        return outcome_of(text, run.returncode)


def outcome_of(text, status):
    summary = SUMMARY.search(text)
    failures = FAILURES.search(text)
    failed = sorted(set(failures.group(1).split())) if failures else []
    end = ""
    if status == 124:
        end = "out-of-time"
    elif not summary:
        end = f"ended-with-{status}"
    # What was wrong before an early end counts as well.
    if not failures:
        failed = sorted(set(re.findall(r"^! (\S+) expected:", text, re.MULTILINE)))
    return {"tests": int(summary.group(2)) if summary else 0, "failed": failed, "end": end}


def read_expected():
    """[(pattern of test names, reason)]"""
    expected = []
    for line in EXPECTED.read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            pattern, _, reason = line.partition(" ")
            expected.append((pattern, reason.strip()))
    return expected


def is_expected(name, permutation, expected):
    bare = name.removeprefix(PREFIXES.get(permutation, ""))
    return any(fnmatch.fnmatchcase(bare, pattern) for pattern, _ in expected)


def matches(name, patterns):
    """Whether a name matches one of the patterns, and none that begins with "!"."""
    return any(fnmatch.fnmatch(name, each) for each in patterns) and not any(
        fnmatch.fnmatch(name, each[1:]) for each in patterns if each.startswith("!"))


def differences(file, stock, ours):
    """Names of tests that pass with SQLite's VFS and fail with ours."""
    found = [name for name in ours["failed"] if name not in stock["failed"]]
    if ours["end"] and ours["end"] != stock["end"]:
        found.append(f"{file}:{ours['end']}")
    return found


def chosen_files(suite, options):
    """[(permutation, file)], each once."""
    known = [path.name for path in suite.source.glob("test/*.test")]
    known += [path.name for path in suite.source.glob("ext/*/test/*.test")]
    known += [path.name for path in suite.source.glob("ext/*/*.test")]
    chosen = []
    for group in options.groups:
        permutation, patterns = GROUPS[group]
        names = [name for name in sorted(set(known)) if matches(name, patterns)]
        if not patterns:
            names = suite.files_of(permutation)
        chosen += [(permutation, name) for name in names
                   if any(fnmatch.fnmatch(name, each) for each in options.files)]
    return list(dict.fromkeys(chosen))


def run_files(suite, options, chosen):
    """Runs the files and returns the findings, and the figures of both."""
    cache = suite.folder / "stock.json"
    stock_known = json.loads(cache.read_text()) if cache.exists() else {}
    expected = read_expected()
    figures = {"stock": [0, 0], "skiff": [0, 0]}  # files that passed whole, tests
    findings, allowed = [], []

    def both(job):
        key = "/".join(job)
        stock = stock_known.get(key) or suite.run("stock", *job)
        return stock, stock if options.stock else suite.run("skiff", *job)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for job, (stock, ours) in zip(chosen, pool.map(both, chosen)):
            stock_known["/".join(job)] = stock
            cache.write_text(json.dumps(stock_known, indent=1, sort_keys=True))
            for name, result in (("stock", stock), ("skiff", ours)):
                figures[name][0] += not result["failed"] and not result["end"]
                figures[name][1] += result["tests"]
            known = [] if options.stock else differences(job[1], stock, ours)
            new = [name for name in known if not is_expected(name, job[0], expected)]
            allowed += [name for name in known if name not in new]
            findings += [f"{'/'.join(job)}: {name}" for name in new]
            state = "FAILED " + " ".join(new[:8]) + (" ..." if len(new) > 8 else "") if new else \
                "differs as expected" if known else "same"
            if ours["tests"] != stock["tests"]:
                state += f" (stock: {stock['tests']} tests)"  # as many as faults could be injected
            if stock["failed"] or stock["end"]:
                state += f" (stock itself: {len(stock['failed'])} failed {stock['end']})"
            print(f"{'/'.join(job):40} {ours['tests']:7} tests  {state}", flush=True)
    return findings, allowed, figures


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, prog="tools/torture sqlite-suite",
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--groups")
    parser.add_argument("--files", default="*")
    parser.add_argument("--stock", action="store_true")
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--timeout", type=int, default=300)
    options = parser.parse_args(arguments)
    every = list(GROUPS) if options.files != "*" else DEFAULT_GROUPS
    options.groups = options.groups.split(",") if options.groups else every
    options.files = options.files.split(",")
    if unknown := [each for each in options.groups if each not in GROUPS]:
        parser.error(f"no such group: {', '.join(unknown)}")
    return options


def main(arguments):
    options = parse(arguments)
    with tempfile.TemporaryDirectory(prefix="skiff-suite-") as temporary:
        folder = (options.keep or pathlib.Path(temporary)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o755)
        try:
            check_reach(folder)
            suite = Suite(folder, *build_program(folder), options.timeout)
        except Unavailable as reason:
            print(f"sqlite-suite: not run: {reason}")
            return 3
        chosen = chosen_files(suite, options)
        findings, allowed, figures = run_files(suite, options, chosen)
    print(f"sqlite-suite: {len(chosen)} test files; whole with SQLite's VFS: "
          f"{figures['stock'][0]} ({figures['stock'][1]} tests)")
    if options.stock:
        return 0
    print(f"sqlite-suite: whole with Skiff's: {figures['skiff'][0]} ({figures['skiff'][1]} tests); "
          f"{len(allowed)} tests differ as expected, {len(findings)} do not")
    for each in findings:
        print(f"  {each}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
