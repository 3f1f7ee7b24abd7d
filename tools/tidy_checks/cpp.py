"""C++ text with comments and literals blanked out, so that checks see code and nothing else."""
import re

_TOKENS = re.compile(
    r'''(?P<raw>R"(?P<tag>[^()\\\s]{0,16})\(.*?\)(?P=tag)")'''
    r'''|(?P<string>"(?:[^"\\\n]|\\.)*")'''
    r'''|(?P<char>(?<![0-9a-fA-F])'(?:[^'\\\n]|\\.)+')'''
    r'''|(?P<line>//[^\n]*)'''
    r'''|(?P<block>/\*.*?\*/)''', re.DOTALL)
_DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n\\]|\\\n|\\.)*", re.MULTILINE)


def _blank(text):
    return "".join(character if character == "\n" else " " for character in text)


def _blank_literal(match):
    text = match.group(0)
    if match.group("line") or match.group("block"):
        return _blank(text)
    return text[0] + _blank(text[1:-1]) + text[-1]


def code_only(project, path):
    """The file's code, at its own lines and columns, without comments and literals' content."""
    return project.memo(("code", path), lambda: _TOKENS.sub(_blank_literal, project.text(path)))


def code_without_directives(project, path):
    return project.memo(("plain", path), lambda: _DIRECTIVE.sub(
        lambda match: _blank(match.group(0)), code_only(project, path)))


def comments(project, path):
    """(line, text) of every comment."""
    text = project.text(path)
    for match in _TOKENS.finditer(text):
        if match.group("line") or match.group("block"):
            first = text.count("\n", 0, match.start()) + 1
            for offset, line in enumerate(match.group(0).split("\n")):
                yield first + offset, line
