"""Sixteen threads that write, each commit on the disk when it returns: writers.py LIBRARY FILE

LIBRARY is libskiff_vfs.so, or "" to see the same without it.
"""
import sqlite3
import sys
import threading
import time


# [load]
def load(library):
    """Makes Skiff's VFS the one of all databases that this process opens from now on."""
    db = sqlite3.connect(":memory:")
    db.enable_load_extension(True)
    db.execute("select load_extension(?, 'sqlite3_skiffvfs_default_init')", (library,))
# [/load]


def write(path, until, counts, number):
    db = sqlite3.connect(path, timeout=60, isolation_level=None)
    db.execute("pragma synchronous=full")
    while time.monotonic() < until:
        db.execute("insert into notes(text) values ('hello')")
        counts[number] += 1


def main():
    library, path = sys.argv[1:]
    if library:
        load(library)
    db = sqlite3.connect(path)
    db.execute("pragma journal_mode=wal")
    db.execute("create table notes(id integer primary key, text)")
    counts = [0] * 16
    until = time.monotonic() + 1
    threads = [threading.Thread(target=write, args=(path, until, counts, number))
               for number in range(len(counts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    rows = db.execute("select count(*) from notes").fetchone()[0]
    assert rows == sum(counts), f"{rows} rows instead of {sum(counts)}"
    print(f"{rows} commits a second; the slowest thread had {min(counts)}")


if __name__ == "__main__":
    main()
