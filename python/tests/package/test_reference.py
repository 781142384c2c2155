# SPDX-License-Identifier: MIT
"""The reference pages: all public names of Python are on one, with their parameters and examples, and all headers of C++."""

import inspect
import re
import sys
from pathlib import Path

import pytest

import quern as qn
from quern import _core

ROOT = Path(__file__).parents[3]
TOOLS = ROOT / "tools" / "docs"


@pytest.fixture(scope="module")
def tools():
    """The modules of tools/docs, which import each other."""
    before = list(sys.path)
    sys.path.insert(0, str(TOOLS))
    import cpp_reference
    import headers
    import navigation
    import python_reference

    sys.path[:] = before
    return python_reference, cpp_reference, headers, navigation


@pytest.fixture(scope="module")
def python_pages(tools, tmp_path_factory):
    folder = tmp_path_factory.mktemp("python")
    assert tools[0].write(folder, qn) > 800
    return {path.stem: path.read_text() for path in folder.glob("*.md")}


@pytest.fixture(scope="module")
def entries(python_pages):
    """The text of the entry of each name."""
    found = {}
    for text in python_pages.values():
        for entry in re.split(r"^`{8}$", text, flags=re.MULTILINE):
            head = re.search(r"^`{8}\{py:\w+\} (.*)$", entry, re.MULTILINE)
            for signature in head[1].split(" | ") if head else ():
                name = re.match(r"quern\.([\w.]+)", signature)[1]
                assert name not in found, f"{name} is described twice"
                found[name] = entry[head.start() :]
    return found


def test_every_function_of_the_registry_is_described(entries):
    assert set(_core.functions) <= set(entries)


def test_every_public_name_is_described_or_listed(entries, python_pages):
    own_of_numpy = [text.partition("## Names that are NumPy's")[2] for text in python_pages.values()]
    listed = {name for text in own_of_numpy for name in re.findall(r"`qn\.(\w+)`", text)}
    modules = {name for name in qn.__all__ if inspect.ismodule(getattr(qn, name))}
    assert set(qn.__all__) - set(entries) - listed - modules == {"ndarray"}  # another name of Array
    for module in (qn.algorithms, qn.sparse, qn.sparse.linalg, qn.random, qn.fft, qn.linalg, qn.cache):
        prefix = module.__name__.removeprefix("quern.")
        own = {name for name in module.__all__ if not inspect.ismodule(getattr(module, name))}
        assert {f"{prefix}.{name}" for name in own} <= set(entries) | {"linalg.LinAlgError"}


def test_entries_have_all_parameters_and_the_example(entries):
    for name, function in _core.functions.items():
        for parameter in inspect.signature(function).parameters.values():
            star = r"\*" if parameter.kind is parameter.VAR_POSITIONAL else ""
            assert f"- **{star}{parameter.name.replace('_', chr(92) + '_')}** (" in entries[name], name
        example = function.__doc__.partition("Examples\n--------\n")[2].strip()
        assert example.startswith(">>> ") and example.splitlines()[-1] in entries[name], name


def test_methods_are_in_the_entry_of_their_class(entries):
    for kind in (qn.Array, qn.Queue, qn.Program, qn.Event, qn.Buffer):
        public = {name for name in dir(kind) if name[0] != "_" and inspect.getdoc(getattr(kind, name))}
        described = set(
            re.findall(r"^`{6}\{py:(?:method|property)\} (\w+)", entries[kind.__name__], re.MULTILINE)
        )
        assert public <= described, kind


def test_the_index_leads_to_all_pages(python_pages):
    links = re.findall(r"\]\(([^)]+)\.md\)", python_pages["index"])
    assert sorted(links) == sorted(set(python_pages) - {"index"})


def test_names_that_the_registry_no_longer_has_are_errors(tools, monkeypatch):
    monkeypatch.setitem(tools[0].ROWS, "no_such_function", "sums")
    with pytest.raises(ValueError, match="no_such_function"):
        tools[0].pages_of(tools[0].public_names(qn), _core)


def test_every_header_has_a_page(tools, tmp_path):
    include = ROOT / "include" / "quern"
    count = tools[1].write(tmp_path, include)
    names = {path.relative_to(include).with_suffix("") for path in include.rglob("*.hpp")} - {
        Path("api"),
        Path("quern"),
    }
    assert count == len(names)
    for name in names:
        text = (tmp_path / name.with_suffix(".md")).read_text()
        assert f"#include <quern/{name}.hpp>" in text
        assert text.count("```") % 2 == 0 and "private:" not in text and "detail {" not in text


HEADER = """// SPDX-License-Identifier: MIT
// Shapes. Of things.
#pragma once

#include <vector>

namespace quern {
class Forward;
namespace detail {
struct Hidden {};
}  // namespace detail

// A shape: with "}" in it.
class Shape : public Base {
 public:
  // Makes one.
  explicit Shape(int sides, double size = {1}) : sides_(sides), size_{size} {}
  [[nodiscard]] int sides() const noexcept { return sides_; }  // at least 3
  struct Inner {
    int a = 0;
  };
  ~Shape();
  // Internal.
  void secret();

 private:
  int sides_;
};

// Sums.
inline int sum(int a, int b) {
  return a + b;  // of both
}
int sum(int a, int b, int c);

enum class Kind : char { round, square };
}  // namespace quern
"""


def test_declarations_are_read_without_bodies_and_private_parts(tools):
    about, (shape, total, kind) = tools[2].read(HEADER)
    assert about == "Shapes. Of things."
    assert shape.names == ["Shape"] and shape.comment == 'A shape: with "}" in it.'
    assert shape.code == [
        "class Shape : public Base {\n public:\n  // Makes one.\n  explicit Shape(int sides, double size = {1});\n"
        "  [[nodiscard]] int sides() const noexcept;  // at least 3\n  struct Inner {\n    int a = 0;\n  };\n};"
    ]
    assert total.names == ["sum"] and total.code == [
        "int sum(int a, int b);",
        "int sum(int a, int b, int c);",
    ]
    assert kind.code == ["enum class Kind : char { round, square };"] and kind.namespace == "quern"


def test_the_navigation_takes_the_pages_that_are_there(tools, tmp_path):
    for name in (
        "index",
        "reference",
        "coming-from",
        "faq",
        "coming-from/cupy",
        "examples/coming-from/x",
        "add-things",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / f"{name}.md").write_text(f"# {name}\n")
    tools[3].add_to(tmp_path)

    def tree(page):
        text = (tmp_path / f"{page}.md").read_text()
        trees = re.findall(r"```\{toctree\}\n(.*?)```", text, re.DOTALL)
        return [line for one in trees for line in one.splitlines() if line and line[0] != ":"]

    assert tree("index") == ["coming-from", "faq", "reference"]
    assert tree("coming-from") == ["/coming-from/cupy"]
    assert tree("faq") == []
