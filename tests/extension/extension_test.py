#!/usr/bin/env python3
"""libskiff_vfs.so as Python programs use it, with the SQLite that Python came with.

    extension_test.py LIBRARY [unittest's arguments]

Exit status: 0 passed; 1 failed; 77 this Python cannot load extensions.
"""
import multiprocessing
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import unittest

LIBRARY = ""
DEFAULT_ENTRY = "sqlite3_skiffvfs_default_init"
SKIPPED = 77
EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples" / "extension" / "writers.py"


def load(db, entry=None):
    db.enable_load_extension(True)
    if entry is None:
        db.load_extension(LIBRARY)
    else:
        db.execute("select load_extension(?, ?)", (LIBRARY, entry))
    db.enable_load_extension(False)


def connect(path, **options):
    return sqlite3.connect(path, timeout=60, isolation_level=None, **options)


def status(db):
    return {name: value for name, value, _ in db.execute("select * from skiff_vfs")}


def in_child(work, *arguments):
    """Runs work in another process and returns what it returned; registration is for ever, so each
    test has a process of its own."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    child = context.Process(target=call, args=(theirs, LIBRARY, work, arguments))
    child.start()
    theirs.close()
    try:
        answer = ours.recv()
    except EOFError:
        answer = RuntimeError("the process died")
    child.join()
    if isinstance(answer, BaseException):
        raise answer
    return answer


def call(pipe, library, work, arguments):
    global LIBRARY
    LIBRARY = library
    try:
        pipe.send(work(*arguments))
    except Exception as failure:  # pylint: disable=broad-except
        pipe.send(RuntimeError(repr(failure)))


def vfs_before_and_after_the_default(path):
    before = connect(path)
    load(before, DEFAULT_ENTRY)
    after = connect(path)
    load(after)
    return [status(db)["VFS of this database"] for db in (before, after)]


def vfs_by_name_only(path):
    first = connect(":memory:")
    load(first)
    load(first)
    by_name = connect(f"file:{path}?vfs=skiff", uri=True)
    load(by_name)
    plain = connect(path)
    load(plain)
    return [status(db)["VFS of this database"] for db in (by_name, plain)]


def vfs_with_environment(path):
    os.environ["SKIFF_VFS_DEFAULT"] = "1"
    load(connect(":memory:"))
    db = connect(path)
    load(db)
    return status(db)["VFS of this database"]


def open_default(path, *pragmas):
    load(connect(":memory:"), DEFAULT_ENTRY)
    db = connect(path)
    load(db)
    for pragma in pragmas:
        db.execute("pragma " + pragma)
    return db


def write_with_threads(path, threads, seconds, value, synchronous):
    """Rows that were written, and the status after each tenth of a second."""
    db = open_default(path, "journal_mode=wal")
    db.execute("create table t(x)")
    until = time.monotonic() + seconds
    counts = [0] * threads

    def write(number):
        mine = connect(path)
        mine.execute("pragma synchronous=" + synchronous)
        while time.monotonic() < until:
            mine.execute(f"insert into t values({value})")
            counts[number] += 1
        mine.close()

    writers = [threading.Thread(target=write, args=(number,)) for number in range(threads)]
    for each in writers:
        each.start()
    seen = []
    while any(each.is_alive() for each in writers):
        time.sleep(0.1)
        seen.append(status(db))
    rows = db.execute("select count(*) from t").fetchone()[0]
    return {"counts": counts, "rows": rows, "seen": seen,
            "check": db.execute("pragma integrity_check").fetchone()[0]}


def write_beside_stock(path, rows):
    db = open_default(path, "journal_mode=wal")
    db.execute("create table t(x)")
    stock = subprocess.Popen([sys.executable, "-c", STOCK_WRITER, path, str(rows)])
    for _ in range(rows):
        db.execute("insert into t values(1)")
    stock.wait()
    total = db.execute("select count(*) from t").fetchone()[0]
    return [stock.returncode, total, db.execute("pragma integrity_check").fetchone()[0]]


STOCK_WRITER = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], timeout=60, isolation_level=None)
for _ in range(int(sys.argv[2])):
    db.execute("insert into t values(2)")
"""


def use_after_fork(path):
    db = open_default(path, "journal_mode=wal")
    db.execute("create table t(x)")
    for _ in range(100):
        db.execute("insert into t values(1)")
    child = os.fork()
    if child == 0:
        try:
            db.execute("insert into t values(2)")
            os._exit(1)
        except sqlite3.OperationalError:
            os._exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    db.execute("insert into t values(3)")
    return [code, db.execute("select count(*) from t").fetchone()[0]]


class Extension(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="skiff-extension-")
        self.path = os.path.join(self.folder, "a.db")

    def tearDown(self):
        shutil.rmtree(self.folder)

    def test_serves_files_that_are_opened_after_it_became_the_default(self):
        self.assertEqual(in_child(vfs_before_and_after_the_default, self.path), ["unix", "skiff"])

    def test_serves_by_name_and_may_be_loaded_twice(self):
        self.assertEqual(in_child(vfs_by_name_only, self.path), ["skiff", "unix"])

    def test_is_the_default_where_the_environment_says_so(self):
        self.assertEqual(in_child(vfs_with_environment, self.path), "skiff")

    def test_durable_writers_share_syncs_and_lose_nothing(self):
        told = in_child(write_with_threads, self.path, 16, 1.0, "1", "full")
        self.assertEqual(told["rows"], sum(told["counts"]))
        self.assertEqual(told["check"], "ok")
        last = told["seen"][-1]
        commits, syncs = int(last["commits that shared syncs"]), int(last["syncs for them"])
        self.assertGreater(commits, syncs)
        self.assertGreater(min(told["counts"]), 0, "somebody never had a turn")

    def test_log_stays_short_while_writers_never_stop(self):
        told = in_child(write_with_threads, self.path, 4, 3.0, "zeroblob(20000)", "normal")
        longest = max(int(each["bytes of the log"]) for each in told["seen"])
        self.assertLess(longest, 512 << 20, "SQLite's own has gigabytes here")
        self.assertGreater(int(told["seen"][-1]["resets of the log"]), 0)

    def test_stock_process_may_write_at_the_same_time(self):
        self.assertEqual(in_child(write_beside_stock, self.path, 300), [0, 600, "ok"])

    def test_child_after_fork_is_refused_and_harms_nobody(self):
        self.assertEqual(in_child(use_after_fork, self.path), [0, 101])

    def test_example_of_the_guide_runs(self):
        told = subprocess.run([sys.executable, EXAMPLE, LIBRARY, self.path], text=True,
                              capture_output=True, check=True)
        self.assertIn("commits a second", told.stdout)

    @unittest.skipUnless(shutil.which("sqlite3"), "there is no sqlite3 shell")
    def test_shell_loads_it(self):
        script = f""".load {LIBRARY} {DEFAULT_ENTRY}
.open {self.path}
.load {LIBRARY}
select value from skiff_vfs where name = 'VFS of this database';
"""
        told = subprocess.run(["sqlite3"], input=script, text=True, capture_output=True, check=True)
        self.assertEqual(told.stdout.strip(), "skiff")


def main():
    global LIBRARY
    if not hasattr(sqlite3.Connection, "enable_load_extension"):
        print(f"{sys.executable} cannot load extensions")
        return SKIPPED
    LIBRARY = str(pathlib.Path(sys.argv.pop(1)).with_suffix(""))
    unittest.main()
    return 0


if __name__ == "__main__":
    sys.exit(main())
