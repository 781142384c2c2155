# SPDX-License-Identifier: MIT
"""The command line that the checks of the source tree share."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path


def main(doc: str, check_tree: Callable[[Path], Sequence[str]], self_test: Callable[[], int]) -> int:
    """Checks the tree that the first argument names, or this one; --self-test counts failures of the check."""
    arguments = sys.argv[1:]
    if arguments == ["--self-test"]:
        return 1 if self_test() else 0
    if len(arguments) > 1:
        print(doc, f"\nusage: {sys.argv[0]} [--self-test | ROOT]")
        return 2
    root = Path(arguments[0]) if arguments else Path(__file__).parents[1]
    problems = check_tree(root.resolve())
    for problem in problems:
        print(problem)
    return 1 if problems else 0
