# SPDX-License-Identifier: MIT
"""Public names of quern.sparse are documented, and their examples print what the docstrings say."""

import doctest
import inspect

import numpy as np
import pytest

import quern as qn
from quern.sparse import linalg

THINGS = {name: getattr(qn.sparse, name) for name in qn.sparse.__all__ if name != "linalg"}
THINGS |= {f"linalg.{name}": getattr(linalg, name) for name in linalg.__all__}


@pytest.mark.parametrize("name", sorted(THINGS))
def test_names_are_documented(name):
    assert inspect.getdoc(THINGS[name])
    if isinstance(THINGS[name], type):
        methods = [part for part in vars(THINGS[name]) if part[0] != "_" and part not in ("format", "ndim")]
        assert all(inspect.getdoc(getattr(THINGS[name], part)) for part in methods)


@pytest.mark.parametrize("name", sorted(name for name in THINGS if ">>>" in (THINGS[name].__doc__ or "")))
def test_examples_print_what_docstrings_say(name):
    examples = doctest.DocTestParser().get_doctest(
        inspect.getdoc(THINGS[name]), {"qn": qn, "np": np}, name, None, 0
    )
    report = []
    with qn.device("host"):
        failed = doctest.DocTestRunner(verbose=False).run(examples, out=report.append).failed
    assert not failed, "".join(report)
