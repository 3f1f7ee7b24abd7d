#!/usr/bin/env python3
"""The engine is not trained with what it is measured with: training_sql.py.

The SQL in tools/train/work and the SQL in the string literals of bench/ and cli/demo are held
against each other: no statement may be the same once values are left out, no long one may have the
same shape once names are left out too, and no table may have the same name. Before that it plants
each statement that is measured, as it is and with other names, among those of the training, and
must find every one.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MEASURED = ("bench", "cli/demo")
# Shorter ones, such as a row by its key, are alike in all programs.
LONG_TOKENS = 20
# What the search must find at least, or it looks in the wrong places.
TRAINED_MIN, MEASURED_MIN = 150, 8

VERBS = ("(?:select|insert|update|delete|replace|with|create|alter|drop|values|pragma|vacuum"
         "|attach)")
LITERAL = re.compile(r'R"(\w*)\((.*?)\)\1"|"((?:[^"\\\n]|\\.)*)"', re.DOTALL)
TOKEN = re.compile(r"""'(?:[^']|'')*'|"[^"]*"|0x[0-9a-f]+|\d+\.?\d*(?:e[+-]?\d+)?"""
                   r"""|\?\d*|[:@$]\w+|[a-z_]\w*|->>|->|\|\||<=|>=|<>|!=|==|\S""")
# Words of the language, which are not names that somebody could change.
WORDS = set("""
select from where insert into values update set delete create table index view trigger virtual
using with recursive as union all on join left inner group by order having limit offset desc asc
and or not in is null like glob between exists case when then else end distinct primary key unique
references check default text integer int real blob without rowid begin commit replace ignore
conflict do if over partition rows range preceding following current row returning
""".split())


def literals(source):
    """The text of string literals; neighbours with nothing but blanks between them are one."""
    source = re.sub(r"^\s*//.*$|^\s*#\s*include.*$", "", source, flags=re.MULTILINE)
    joined, end = [], -1
    for match in LITERAL.finditer(source):
        text = match.group(2) if match.group(2) is not None else \
            match.group(3).replace('\\"', '"').replace("\\n", "\n")
        if end >= 0 and not source[end:match.start()].strip():
            joined[-1] += text
        else:
            joined.append(text)
        end = match.end()
    return joined


def statements(text):
    text = re.sub(r"--[^\n]*", "", text)
    # Where a trigger's body is cut into its statements, each is compared as well.
    for part in re.split(r";(?=(?:[^']*'[^']*')*[^']*$)", text):
        if re.match(rf"\s*{VERBS}\b\s*\S", part, re.IGNORECASE):
            yield part.strip()


def tokens(sql):
    return TOKEN.findall(sql.lower())


def without_values(sql):
    return " ".join("?" if re.match(r"['\d?:@$]", token) else token for token in tokens(sql))


def shape(sql):
    """The statement with nothing but the language's words and its marks."""
    words = tokens(sql)
    if len(words) < LONG_TOKENS:
        return None
    return " ".join("?" if re.match(r"['\d?:@$]", word) else
                    word if word in WORDS or not re.match(r'[a-z_"]', word) else "name"
                    for word in words)


def tables(sql):
    return set(re.findall(r"\bcreate (?:virtual |temp )?table (?:if not exists )?(\w+)",
                          sql.lower()))


def common(trained, measured):
    """One line for each thing that both have."""
    found = []
    texts = {without_values(sql): sql for sql in measured}
    shapes = {shape(sql): sql for sql in measured if shape(sql)}
    measured_tables = set().union(*map(tables, measured))
    for sql in trained:
        if without_values(sql) in texts and not re.match(r"pragma|begin|commit", sql.lower()):
            found.append(f"the statement `{sql}` is measured, too")
        elif shape(sql) in shapes:
            found.append(f"`{sql}` has the shape of `{shapes[shape(sql)]}`, which is measured")
        for table in tables(sql) & measured_tables:
            found.append(f"a table `{table}` is measured, too")
    return found


def renamed(sql):
    return re.sub(r"\b[a-z_]\w*\b",
                  lambda word: word.group(0) if word.group(0) in WORDS else word.group(0) + "_x",
                  sql.lower())


def missed_plants(trained, measured):
    for sql in measured:
        if re.match(r"pragma", sql.lower()):
            continue
        yield from [] if common([*trained, sql], measured) else [sql]
        if shape(sql) and not common([*trained, renamed(sql)], measured):
            yield renamed(sql)


def main():
    trained = [sql for path in sorted((ROOT / "tools/train/work").glob("*.sql"))
               for sql in statements(path.read_text())]
    sources = [path for folder in MEASURED for path in sorted((ROOT / folder).rglob("*.[ch]pp"))]
    measured = [sql for path in sources for text in literals(path.read_text())
                for sql in statements(text)]
    print(f"{len(trained)} statements train the engine, {len(measured)} measure it")
    wrong = []
    if len(trained) < TRAINED_MIN or len(measured) < MEASURED_MIN:
        wrong.append("too few statements were found: the search looks in the wrong places")
    wrong += [f"the search would miss a copy of `{sql}`"
              for sql in missed_plants(trained, measured)]
    wrong += common(trained, measured)
    for line in wrong:
        print(line)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
