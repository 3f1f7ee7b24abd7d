"""A test that exists is a test that is built and run."""
import re

from tidy_checks.cpp import code_only
from tidy_checks.registry import check

TESTS_CMAKE = "cmake/skiff_tests.cmake"
_CMAKE = ('file(GLOB rooms "tests/unit/*")\n'
          'skiff_add_test(unit_${name} FOLDER "unit/${name}" LABEL unit)\n'
          "skiff_add_test(contract FOLDER contract LABEL contract)\n")
_TEST = "// A.\nTEST(a, b) {}\n"


def globbed_folders(project):
    """Folders below tests/ whose files cmake/skiff_tests.cmake compiles into a target."""
    if not project.has(TESTS_CMAKE):
        return []
    folders = re.findall(r'^\s*skiff_add_test\(\S+\s+FOLDER\s+"?([^"\s]+)"?',
                         project.text(TESTS_CMAKE), re.MULTILINE)
    return [re.sub(r"\$\{\w+\}", "[^/]+", folder) for folder in folders]


@check("test-is-built", ("*_test.cpp",),
       bad=[{"tests/attic/a_test.cpp": _TEST, TESTS_CMAKE: _CMAKE},
            {"src/core/a_test.cpp": _TEST, TESTS_CMAKE: _CMAKE},
            {"tests/unit/a_test.cpp": _TEST, TESTS_CMAKE: _CMAKE},
            {"tests/contract/a_test.cpp": _TEST,
             TESTS_CMAKE: "# skiff_add_test(contract FOLDER contract LABEL contract)\n"}],
       good=[{"tests/unit/core/a_test.cpp": _TEST, TESTS_CMAKE: _CMAKE},
             {"tests/contract/a_test.cpp": _TEST, TESTS_CMAKE: _CMAKE}])
def test_is_built(project, path):
    """every *_test.cpp lies in a folder that a test target is made of"""
    if not any(re.match(f"tests/{folder}/", path) for folder in globbed_folders(project)):
        yield 1, f"no test target compiles this file (move it into a folder of {TESTS_CMAKE})"


@check("test-has-tests", ("*_test.cpp",),
       bad=[{"tests/unit/core/a_test.cpp": "// A.\n// TEST(a, b)\n"}],
       good=[{"tests/unit/core/a_test.cpp": _TEST},
             {"tests/unit/core/a_test.cpp": "// A.\nINSTANTIATE_TEST_SUITE_P(a, b, c);\n"}])
def test_has_tests(project, path):
    """a *_test.cpp holds at least one test"""
    if not re.search(r"\b(TYPED_)?TEST(_[FP]|_SUITE\w*)?\(|\bINSTANTIATE_T\w+\(",
                     code_only(project, path)):
        yield 1, "holds no test (delete it, or name a helper otherwise)"


@check("test-file-name", ("tests/unit/*.cpp", "tests/contract/*.cpp", "tests/integration/*.cpp",
                          "tests/crash/*.cpp", "tests/cli/*.cpp"),
       bad=[{"tests/unit/core/a.cpp": _TEST}],
       good=[{"tests/unit/core/a_test.cpp": _TEST}, {"tests/crash/helper.cpp": "// A.\nint a;\n"}])
def test_file_name(project, path):
    """tests live in files named *_test.cpp"""
    if not path.endswith("_test.cpp") and re.search(r"^TEST(_[FP])?\(", code_only(project, path),
                                                    re.MULTILINE):
        yield 1, "holds tests but is not named *_test.cpp (rename it)"


@check("test-name", ("*_test.cpp",),
       bad=[{"tests/unit/core/a_test.cpp": "// A.\nTEST(Connection, TestOpen) {}\n"},
            {"tests/unit/core/a_test.cpp": "// A.\nTEST_F(a, works) {}\n"}],
       good=[{"tests/unit/core/a_test.cpp": "// A.\nTEST(Connection, open_missing_throws) {}\n"}])
def test_name(project, path):
    """a test is named subject_condition_result, in snake_case"""
    for number, line in enumerate(code_only(project, path).split("\n"), 1):
        match = re.match(r"TEST(?:_[FP])?\(\s*\w+\s*,\s*(\w+)", line)
        if match and not re.fullmatch(r"[a-z0-9]+(_[a-z0-9]+)+", match.group(1)):
            yield number, f"'{match.group(1)}' (name it subject_condition_result)"


@check("compile-fail", ("tests/compile_fail/*.cpp",),
       bad=[{"tests/compile_fail/a.cpp": "// A.\n#ifdef SKIFF_MUST_FAIL\n#endif\n"},
            {"tests/compile_fail/a.cpp": "// expect: deleted\nint main() {}\n"}],
       good=[{"tests/compile_fail/a.cpp": "// expect: deleted\n#ifdef SKIFF_MUST_FAIL\n#endif\n"}])
def compile_fail(project, path):
    """a compile-fail test states the message it expects and marks the line that must not compile"""
    if not re.match(r"// expect: \S", project.text(path)):
        yield 1, "the first line is not `// expect: <regular expression>` (add it)"
    if "#ifdef SKIFF_MUST_FAIL" not in project.text(path):
        yield 1, "no `#ifdef SKIFF_MUST_FAIL` (put it around the line that must not compile)"
