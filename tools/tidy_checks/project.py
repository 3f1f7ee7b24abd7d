"""The files a run looks at: those of the checkout, or the samples of a self-test."""
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SKIPPED_FOLDERS = ("build", "third_party", ".git", "__pycache__")
TEXT_SUFFIXES = (".cpp", ".hpp", ".c", ".h", ".py", ".cmake", ".txt", ".md", ".in", ".json", ".inc",
                 ".sql", ".yml", ".yaml")


class Project:
    """Paths, relative with forward slashes, and their text. Read once, then immutable.

    `others` are files that exist but are not text of ours: links may lead to them.
    """

    def __init__(self, root, contents, others=()):
        self.root = root
        self._contents = contents
        self._names = {*contents, *others}
        self._names |= {name[:at] for name in self._names for at, character in enumerate(name)
                        if character == "/"}
        self.paths = sorted(contents)
        self._memo = {}

    @classmethod
    def of_checkout(cls):
        contents = {}
        names = _checkout_names()
        for path in sorted(name for name in names if _is_ours(name)):
            try:
                contents[path] = (ROOT / path).read_bytes().decode("utf-8")
            except (UnicodeDecodeError, FileNotFoundError, IsADirectoryError):
                continue  # not text, or deleted but still in the index
        return cls(ROOT, contents, names)

    @classmethod
    def of_samples(cls, files):
        return cls(None, dict(files))

    def text(self, path):
        return self._contents[path]

    def lines(self, path):
        return self._contents[path].split("\n")

    def has(self, path):
        return path in self._contents

    def has_any(self, path):
        """Whether the path is a file of the project or a folder with one below it."""
        return path.rstrip("/") in self._names

    def memo(self, key, make):
        if key not in self._memo:
            self._memo[key] = make()
        return self._memo[key]


def _checkout_names():
    try:
        listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT,
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
        return {name for name in listed.stdout.decode().split("\0") if name}
    except (OSError, subprocess.CalledProcessError):
        return {str(path.relative_to(ROOT)) for path in ROOT.rglob("*") if path.is_file()}


def _is_ours(name):
    parts = name.split("/")
    if any(part in SKIPPED_FOLDERS for part in parts) or parts[0] == "bench" and "results" in parts:
        return False
    last = parts[-1]
    return last.endswith(TEXT_SUFFIXES) or "." not in last.lstrip(".")
