#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fails when two files define a class, structure, union or enumeration of one name in one namespace.

The linker keeps one of their inline functions and discards the other without a message, so that one of the files runs
with the functions of the other. A type that one source alone uses belongs to an anonymous namespace. Run with --self-test
to see the checks themselves checked.
"""

import re
import sys
import tempfile
from pathlib import Path

import check_main

CODE = {".cpp", ".hpp"}
TREES = ["src", "include", "python/src", "tests"]

# What has no braces of code: comments, strings, characters and lines of the preprocessor.
TEXT = re.compile(
    r"//[^\n]*|/\*.*?\*/"
    r'|R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'"
    r"|^[ \t]*#(?:\\\n|[^\n])*",
    re.DOTALL | re.MULTILINE,
)
BRACE = re.compile(r"[{};]")
NAMESPACE = re.compile(r"(?:^|\s)(?:inline\s+)?namespace\b(?P<rest>[^=]*)$", re.DOTALL)
LINKAGE = re.compile(r"\bextern\s*$")  # the string behind it is blanked
TYPE = re.compile(
    r"(?:^|[\s>])(?:class|struct|union|enum(?:\s+(?:class|struct))?)\s+(?:(?:alignas\s*\([^)]*\)|\[\[[^\]]*\]\]|[A-Z_]{4,})\s+)*"
    r"(?P<name>\w+(?:::\w+)*)\s*(?P<arguments><[^(){}]*>)?\s*(?:final\s*)?(?::(?!:)[^(){}]*)?$"
)
TEMPLATE_PARAMETERS = re.compile(r"\btemplate\s*<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>")


def blanked(match):
    return re.sub(r"[^\n]", " ", match.group())


def definitions(text):
    """Yields the line and the full name of each type that a file defines at the scope of a namespace that has a name."""
    code = TEXT.sub(blanked, text)
    scopes = []  # of each open brace: the name of a namespace, "" for linkage, None for all others
    begin = 0
    for brace in BRACE.finditer(code):
        if brace.group() == "{":
            head = TEMPLATE_PARAMETERS.sub(" ", code[begin : brace.start()]).strip()
            is_outside = all(scope is not None for scope in scopes)
            scope = None
            if is_outside and (space := NAMESPACE.search(head)):
                words = space["rest"].split()
                scope = words[-1] if words else None  # types of an anonymous namespace are those of one file
            elif is_outside and LINKAGE.search(head):
                scope = ""
            elif is_outside and (found := TYPE.search(head)):
                name = found["name"] + re.sub(r"\s+", "", found["arguments"] or "")
                line = code.count("\n", 0, brace.start()) + 1
                yield line, "::".join([*filter(None, scopes), name])
            scopes.append(scope)
        elif brace.group() == "}" and scopes:
            scopes.pop()
        begin = brace.end()


def check_tree(root):
    known = {}
    problems = []
    for tree in TREES:
        for file in sorted(file for file in (root / tree).rglob("*") if file.suffix in CODE):
            path = file.relative_to(root).as_posix()
            for line, name in definitions(file.read_text(encoding="utf-8", errors="replace")):
                first, first_line = known.setdefault(name, (path, line))
                if first != path:
                    problems.append(f"{path}:{line}: {first}:{first_line} defines {name} too")
    return problems


def self_test():
    right = {
        "src/a/a.cpp": "namespace quern {\nnamespace {\nstruct Part { int a; };\n}\nstruct A { struct Part {}; };\n}\n",
        "src/a/b.cpp": "namespace quern {\nnamespace {\nstruct Part {};\n}\nstruct A;\nclass B final : public A {};\n}\n",
        "src/a/c.cpp": "namespace quern::c {\nclass B : A {};\n// struct C {\nstruct B *b = nullptr;\n}\n",
        "src/a/d.cpp": "const char *text = R\"(namespace quern { class B {} })\"; // }\nchar c = '{';\nstruct B {};\n",
        "src/a/e.cpp": "namespace quern {\nstruct B f() { struct B {}; return {}; }\nenum class E : char { a };\n}\n",
        "src/a/f.hpp": "namespace quern {\ntemplate <class T> struct Of {};\ntemplate <> struct Of<int> {};\n}\n",
        "src/a/g.hpp": "namespace quern {\ntemplate <> struct Of<char> {};\n#define X {\n}\nnamespace d { class E {}; }\n",
    }
    wrong = {
        "src/b/a.cpp": "namespace quern {\nstruct A { int b; };\n}\n",
        "src/b/b.cpp": "namespace quern::c {\n\nclass B : public A {};\n}\n",
        "src/b/c.cpp": "struct B {};\n",
        "src/b/d.cpp": 'extern "C" {\nstruct B {};\n}\n',
        "src/b/e.cpp": "namespace quern { namespace c { struct alignas(8) B {}; } }\n",
        "src/b/f.cpp": "namespace quern {\nenum E { a };\n}\n",
        "src/b/g.cpp": "namespace quern {\ntemplate <class T, class U = Of<T>>\nclass Of {};\n}\n",
        "src/b/h.cpp": "namespace quern {\ntemplate <>\nstruct Of<char> : B {};\n}\n",
        "python/src/a.cpp": "namespace quern {\nclass QUERN_API B final {};\n}\n",
        "tests/a/a_test.cpp": "namespace d {\nclass E {};\n}\n",
    }
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for path, text in {**right, **wrong}.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
        problems = check_tree(root)
    found = sorted(problem.partition(":")[0] for problem in problems)
    for path in sorted({*found, *wrong}):
        if found.count(path) != (path in wrong):
            failures += 1
            print(f"{path}: {'not noticed' if path in wrong else 'refused'}")
    return failures


if __name__ == "__main__":
    sys.exit(check_main.main(__doc__, check_tree, self_test))
