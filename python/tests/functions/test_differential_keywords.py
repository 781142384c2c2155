# SPDX-License-Identifier: MIT
"""The differential test has every function of the registry and every method in it, with every keyword that NumPy has, too."""

import pytest
from differential_calls import CALLS, NOT_COMPARED, methods_to_compare
from differential_coverage import covering_seeds, drawn_by, parameters_to_draw

from quern import _core

# NumPy's arrays would be other memory than the device's.
WITHOUT_COUNTERPART = {"may_share_memory", "shares_memory"}
NAMES = sorted((set(_core.functions) - WITHOUT_COUNTERPART) | methods_to_compare())


def test_every_row_of_the_registry_is_compared():
    assert set(_core.functions) & set(NOT_COMPARED) == WITHOUT_COUNTERPART


@pytest.mark.parametrize("name", NAMES)
def test_every_function_and_keyword_is_drawn(name):
    """test_differential.py makes the calls of these seeds on the host."""
    assert name in CALLS, "it needs a line that says how it is called"
    assert not covering_seeds(name)[1]


def test_a_keyword_that_no_call_has_is_missed():
    """The test itself: a parameter that is drawn nowhere would be told."""
    assert "out" in parameters_to_draw("sum") and "where" in parameters_to_draw("hypot")
    assert all("no_such_parameter" not in drawn_by("sum", seed) for seed in range(50))
    assert any("where" in drawn_by("sum", seed) for seed in range(200))
