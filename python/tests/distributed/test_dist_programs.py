# SPDX-License-Identifier: MIT
"""Random programs of distributed arrays give what NumPy gives, on 1 to 64 ranks and in every layout."""

import programs
import pytest
import random_programs
from hypothesis import given, settings
from hypothesis import strategies as st

import quern
import quern.dist as qn

BODIES = [*programs.BODIES, *random_programs.BODIES]
NAMES = [body.__name__ for body in BODIES]


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=15)
@given(ranks=st.integers(1, 8), seed=st.integers(0, 2**32 - 1))
def test_a_program_gives_what_numpy_gives(name, ranks, seed):
    with quern.device("host"):
        qn.on_threads(ranks, programs.run, name, seed, BODIES, timeout=60)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=5)
@given(ranks=st.integers(9, 64), seed=st.integers(0, 2**32 - 1))
def test_a_program_gives_what_numpy_gives_on_many_ranks(name, ranks, seed):
    """Most arrays have fewer rows than there are ranks."""
    with quern.device("host"):
        qn.on_threads(ranks, programs.run, name, seed, BODIES, timeout=300)


@pytest.mark.parametrize("name", NAMES)
def test_a_program_gives_what_numpy_gives_on_every_device(name, device):
    with device:
        qn.on_threads(3, programs.run, name, 1, BODIES, timeout=300)
