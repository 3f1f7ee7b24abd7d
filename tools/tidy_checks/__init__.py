"""The checks of tools/tidy.py, gathered from the modules of this package."""
from tidy_checks import docs, functions, includes, text, tests, words
from tidy_checks.registry import registered

MODULES = (text, words, functions, includes, tests, docs)


def all_checks():
    return registered()
