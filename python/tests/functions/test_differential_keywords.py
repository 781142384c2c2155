# SPDX-License-Identifier: MIT
"""The calls of the differential test have every function of the registry in them, and every keyword that NumPy has, too."""

import inspect
import operator

import numpy as np
import pytest
from differential import Draw
from differential_calls import CALLS, NOT_COMPARED

from quern import _core

FUNCTIONS = sorted(name for name in _core.functions if name not in NOT_COMPARED)
# What they do not change, and what NumPy does not have.
NOT_DRAWN = {"device", "like", "max_work", "queue", "subok"}
# Parameters that a function takes to refuse them, as NumPy does, or that say nothing there.
REFUSED = {
    "matmul": {"axis", "keepdims"},
    "matvec": {"axis", "keepdims"},
    "vecmat": {"axis", "keepdims"},
    "frexp": {"casting", "dtype"},  # Its two results have two types.
}
MOST_DRAWS = 1500


def parameters_to_draw(name):
    """Those that NumPy's function has as well; all of them where NumPy does not tell."""
    ours = set(inspect.signature(_core.functions[name]).parameters)
    try:
        theirs = operator.attrgetter(name)(np)
    except AttributeError:
        theirs = None
    try:
        parameters = inspect.signature(theirs).parameters.values()
        is_open = any(one.kind is one.VAR_KEYWORD for one in parameters) or isinstance(theirs, np.ufunc)
        known = ours if is_open else {one.name for one in parameters}
    except (TypeError, ValueError):
        known = ours
    return (ours & known) - NOT_DRAWN - REFUSED.get(name, set())


def drawn_by(name, seed):
    """The parameters that a call gives, by position and by name."""
    draw = Draw((seed, name))
    draw.name = name
    call = CALLS[name](draw)
    parameters = inspect.signature(_core.functions[name]).parameters.values()
    by_position = [
        one.name for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)
    ]
    rest = [one.name for one in parameters if one.kind is one.VAR_POSITIONAL]
    return {
        *by_position[: len(call.args)],
        *call.kwargs,
        *(rest if len(call.args) > len(by_position) else []),
    }


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_and_keyword_is_drawn(name):
    assert name in CALLS, "it needs a line that says how it is called"
    missing = parameters_to_draw(name)
    for seed in range(MOST_DRAWS):
        if not missing:
            return
        missing = missing - drawn_by(name, seed)
    assert not missing


def test_a_keyword_that_no_call_has_is_missed():
    """The test itself: a parameter that is drawn nowhere would be told."""
    assert "out" in parameters_to_draw("sum") and "where" in parameters_to_draw("hypot")
    assert all("no_such_parameter" not in drawn_by("sum", seed) for seed in range(50))
    assert any("where" in drawn_by("sum", seed) for seed in range(200))
