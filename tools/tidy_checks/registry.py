"""How a check is declared: a function, the files it looks at, and samples that prove it works."""
import dataclasses
import fnmatch
import typing

_CHECKS = []


@dataclasses.dataclass(frozen=True)
class Check:
    name: str
    summary: str
    patterns: tuple
    bad: tuple
    good: tuple
    function: typing.Callable

    def applies_to(self, path):
        return any(fnmatch.fnmatchcase(path, pattern) for pattern in self.patterns)


def check(name, patterns, bad, good):
    """Registers `function(project, path)`, which yields (line, message) for each finding.

    `bad` and `good` are lists of samples; a sample is a dictionary of path to content, a whole
    project of its own. The function's docstring is the summary that --list prints.
    """
    def register(function):
        if not bad or not good:
            raise ValueError(f"the check {name} needs a bad and a good sample")
        _CHECKS.append(Check(name, function.__doc__.splitlines()[0], tuple(patterns), tuple(bad),
                             tuple(good), function))
        return function
    return register


def registered():
    return tuple(_CHECKS)
