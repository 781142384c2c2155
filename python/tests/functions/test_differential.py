# SPDX-License-Identifier: MIT
"""Every function that NumPy has too gives what NumPy gives: values, dtypes, shapes and errors, of calls drawn at random.

Quick runs draw the same calls every time. `tools/compare_with_numpy.py` draws new ones for as long as it is told to.
"""

import os
import time
import zlib
from pathlib import Path

import pytest
from differential_calls import CALLS, NOT_COMPARED, compared, methods_to_compare, names_to_compare
from differential_coverage import covering_seeds
from differential_known import KNOWN

import quern as qn
from quern import _core

IS_FULL = os.environ.get("QUERN_TEST_FULL") == "1"
PAGE = Path(__file__).parents[3] / "docs" / "numpy-differences.md"


def seeds_for(name, device):
    """How many calls, and which: compiling a kernel for each takes most devices long."""
    first = time.time_ns() if IS_FULL else 0
    if device.backend == "host":
        seeds = set(range(first, first + (600 if IS_FULL else 60)))
        is_listed = name in _core.functions or name in methods_to_compare()
        return sorted(seeds | covering_seeds(name)[0] if is_listed else seeds)
    if IS_FULL or zlib.crc32(name.encode()) % 8 == 0:
        return range(first, first + 2)
    pytest.skip("a part of the functions is enough where kernels take long to compile")


@pytest.mark.parametrize("name", sorted(CALLS))
def test_functions_agree_with_numpy(device, name):
    if not device.has_fp64:
        pytest.skip("its default precision is another")
    different = [one for seed in seeds_for(name, device) if (one := compared(name, seed, device)).difference]
    unknown = [str(one) for one in different if not one.known_as]
    assert not unknown, "\n".join(unknown[:5])


def test_every_function_and_method_is_compared_or_has_a_reason_not_to_be():
    """A new function needs a line in differential_numbers.py, differential_products.py or differential_arrays.py that says how it is called."""
    forgotten = (names_to_compare() | methods_to_compare()) - set(CALLS)
    assert not forgotten
    gone = set()
    for name in NOT_COMPARED:
        place, _, own = name.rpartition(".")
        if place != "Array" and not hasattr(getattr(qn, place) if place else qn, own):
            gone.add(name)
    assert not gone


def test_a_wrong_result_is_a_difference(device, monkeypatch):
    """The comparison itself: a function that is wrong in one element, in its dtype or its error is found out."""
    right = qn.add
    for wrong in (
        lambda x, y, **options: right(x, y, **options) + qn.asarray(1, "int8"),
        lambda x, y, **options: right(x, y, **options).astype("complex128"),
        lambda x, y, **options: qn.asarray([]),
    ):
        monkeypatch.setattr(qn, "add", wrong)
        results = [compared("add", seed, device) for seed in range(20)]
        assert sum(bool(one.difference) and not one.known_as for one in results) > 5


def test_known_differences_are_named_in_the_documentation():
    page = " ".join(PAGE.read_text().split())
    missing = [one.words for one in KNOWN if f"**{one.words}**" not in page]
    assert not missing
