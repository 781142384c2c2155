# SPDX-License-Identifier: MIT
"""What the repository promises about itself: layers are not crossed, files say what they own."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE_SUFFIXES = {".cpp", ".hpp", ".h", ".cl", ".py", ".cmake"}
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.MULTILINE)

# A layer may include what is named here, itself, and the public headers. docs/architecture.md says why.
LAYERS = {
    "base": set(),
    "backend": {"base"},
    "backend/host": {"base", "backend", "frontend/host_abi.h"},
    "backend/opencl": {"base", "backend"},
    "backend/cuda": {"base", "backend"},
    "frontend": {"base"},
    "runtime": {"base", "backend", "frontend"},
}


def layer_of(path):
    """The longest layer name that the path begins with; None for what belongs to no layer."""
    return max((name for name in LAYERS if f"{path}/".startswith(f"{name}/")), key=len, default=None)


def included(path):
    return INCLUDE.findall(path.read_text())


def our_sources():
    for folder in ("include", "src", "python", "tests", "examples", "benchmarks"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in SOURCE_SUFFIXES or path.name == "CMakeLists.txt":
                yield path


@pytest.mark.parametrize("layer", sorted(LAYERS))
def test_layer_includes_only_what_is_below_it(layer):
    crossings = []
    for path in sorted((ROOT / "src" / layer).rglob("*")):
        inside = path.relative_to(ROOT / "src").as_posix()
        if path.suffix not in {".cpp", ".hpp", ".h"} or layer_of(inside) != layer:
            continue
        for name in included(path):
            target = layer_of(name)
            if target is None or target == layer or target in LAYERS[layer] or name in LAYERS[layer]:
                continue
            crossings.append(f"src/{inside} includes {name}")
    assert not crossings, "\n".join(crossings)


def test_every_folder_of_src_is_a_known_layer():
    assert {path.name for path in (ROOT / "src").iterdir() if path.is_dir()} <= {
        name.split("/")[0] for name in LAYERS
    }


def test_public_headers_include_only_public_headers():
    for path in sorted((ROOT / "include").rglob("*.hpp")):
        assert [name for name in included(path) if layer_of(name)] == [], path


def test_the_binding_sees_only_public_headers():
    for path in sorted((ROOT / "python" / "src").glob("*")):
        if path.suffix in {".cpp", ".hpp"}:
            assert [name for name in included(path) if layer_of(name)] == [], path


def test_every_source_begins_with_its_licence():
    without = []
    for path in our_sources():
        text = path.read_text()
        head = "\n".join(text.splitlines()[:2])  # a script has its interpreter in the first line
        if text and "SPDX-License-Identifier: MIT" not in head:
            without.append(str(path.relative_to(ROOT)))
    assert without == []


def test_the_version_is_the_same_everywhere():
    cmake = re.search(r"project\(quern VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())
    package = re.search(r'^version = "(.+)"$', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    assert cmake and package and cmake[1] == package[1]
