# SPDX-License-Identifier: MIT
"""The library and the package have the same version."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]


def test_the_version_is_the_same_everywhere():
    cmake = re.search(r"project\(quern VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())
    package = re.search(r'^version = "(.+)"$', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    assert cmake and package and cmake[1] == package[1]
