# SPDX-License-Identifier: MIT
"""Names, signatures and texts of quern.random beside NumPy's."""

import doctest
import inspect
import pickle
import re

import numpy as np
import pytest

import quern as qn

# What NumPy has and this module has not, each with the reason.
LEFT_OUT = {
    "MT19937": "a generator whose words follow each other cannot be drawn from in parallel",
    "PCG64": "the same",
    "PCG64DXSM": "the same",
    "SFC64": "the same",
    "SeedSequence": "NumPy's own is taken as a seed; spawn() needs none",
    "bit_generator": "a module of NumPy's",
    "mtrand": "a module of NumPy's",
    "get_bit_generator": "of NumPy's global state; get_state() is there",
    "set_bit_generator": "the same; set_state() is there",
    "random_integers": "NumPy deprecates it",
    "test": "NumPy's own tests",
}


def public(namespace):
    return {name for name in dir(namespace) if not name.startswith("_")}


def test_no_method_of_numpys_generator_is_missing():
    assert public(np.random.Generator) - public(qn.random.Generator) == set()


def test_no_method_of_numpys_random_state_is_missing():
    assert public(np.random.RandomState) - public(qn.random.RandomState) == {"random_integers"}


def test_no_name_of_numpys_module_is_missing_without_a_reason():
    assert public(np.random) - set(qn.random.__all__) == set(LEFT_OUT)
    assert set(qn.random.__all__) - public(np.random) == {"Threefry"}
    assert all(hasattr(qn.random, name) for name in qn.random.__all__)


def numpys_parameters(function):
    """Names and defaults as the first line of NumPy's text has them: these functions tell nothing else."""
    text = re.match(r"\s*\w+\((.*?)\)\n", function.__doc__, re.DOTALL)[1]
    parts = [part.strip() for part in text.replace("\n", " ").split(",")]
    return [
        tuple(part.split("=")) if "=" in part else (part, None) for part in parts if part not in ("", "*")
    ]


# Where NumPy's text or value differs from ours, and why.
OTHER_DEFAULTS = {
    "np.float64": None,  # ours is float32 where the device has no float64
    "np.int64": np.int64,
    "int": int,
}
METHODS = sorted(public(np.random.Generator) - {"bit_generator"})


@pytest.mark.parametrize("name", METHODS)
def test_parameters_are_named_and_ordered_as_numpys(name):
    own = list(inspect.signature(getattr(qn.random.Generator, name)).parameters.values())[1:]
    expected = numpys_parameters(getattr(np.random.Generator, name))
    for parameter, (known, default) in zip(own, expected, strict=False):
        assert parameter.name == known
        if default is None:
            assert parameter.default is inspect.Parameter.empty
        elif default in OTHER_DEFAULTS:
            assert parameter.default is OTHER_DEFAULTS[default]
        else:
            assert parameter.default == eval(default)
    assert len(own) >= len(expected)


LEGACY = sorted(public(np.random.RandomState) - {"random_integers"})


@pytest.mark.parametrize("name", LEGACY)
def test_older_parameters_are_named_and_ordered_as_numpys(name):
    own = list(inspect.signature(getattr(qn.random.RandomState, name)).parameters.values())[1:]
    expected = {
        "rand": [("args", None)],
        "randn": [("args", None)],
        "get_state": [("legacy", "True")],
        "seed": [("seed", "None")],
    }.get(name) or numpys_parameters(getattr(np.random.RandomState, name))
    for parameter, (known, default) in zip(own, expected, strict=False):
        assert parameter.name == known
        if default is not None:
            known_default = OTHER_DEFAULTS[default] if default in OTHER_DEFAULTS else eval(default)
            assert parameter.default == known_default


CALLABLES = {
    **{f"Generator.{name}": getattr(qn.random.Generator, name) for name in METHODS},
    **{f"RandomState.{name}": getattr(qn.random.RandomState, name) for name in LEGACY},
    **{name: getattr(qn.random, name) for name in qn.random.__all__ if name != "BitGenerator"},
}


@pytest.mark.parametrize("name", CALLABLES)
def test_texts_have_examples_that_print_what_they_say(name):
    value = CALLABLES[name]
    assert inspect.signature(value) is not None
    text = inspect.getdoc(value)
    if not isinstance(value, type):
        assert all(f"{title}\n{'-' * len(title)}" in text for title in ("Parameters", "Returns", "Examples"))
    parsed = doctest.DocTestParser().get_doctest(text, {"qn": qn, "np": np}, name, None, 0)
    assert parsed.examples
    report = []
    with qn.device("host"):
        assert doctest.DocTestRunner(verbose=False).run(parsed, out=report.append).failed == 0, "".join(
            report
        )


def test_parameters_are_those_of_the_texts():
    """Each parameter that is written out has an entry of its own."""
    for name, value in CALLABLES.items():
        if isinstance(value, type):
            continue
        entries = re.findall(r"^([\w, *]+) :|^(\*\*?\w+)$", inspect.getdoc(value), re.MULTILINE)
        told = {word.strip(" *") for pair in entries for part in pair for word in part.split(",")}
        parameters = set(inspect.signature(value).parameters) - {"self"}
        assert parameters <= told, name


def test_classes_are_found_by_their_public_names():
    for name in ("BitGenerator", "Philox", "Threefry", "Generator", "RandomState"):
        value = getattr(qn.random, name)
        assert (value.__module__, value.__qualname__) == ("quern.random", name)
    assert b"quern.random" in pickle.dumps(qn.random.default_rng(1))
    assert b"_bit_generators" not in pickle.dumps(qn.random.default_rng(1))


# default_rng(7) after random(6), as the module wrote it when it was one file.
EARLIER = (
    b"ccopy_reg\n_reconstructor\np0\n(cquern.random\nGenerator\np1\nc__builtin__\nobject\np2\nNtp3\nRp4\n"
    b"(dp5\nV_bits\np6\ncquern.random\n_restore\np7\n(cquern.random\nPhilox\np8\n(dp9\nVbit_generator\np10\n"
    b"VPhilox\np11\nsVkey\np12\n(I784659805\nI614397428\nL4135709823L\nL2155505153L\ntp13\nsVjumps\np14\nI0\n"
    b"sVposition\np15\nI12\nsVchildren\np16\nI0\nstp17\nRp18\nsb."
)


def test_pickles_of_earlier_versions_are_read():
    rng = pickle.loads(EARLIER)
    assert type(rng) is qn.random.Generator
    assert rng.random(device="host") == 0.27484702184705356
    peer = qn.random.default_rng(7)
    peer.random(7, device="host")
    assert rng.bit_generator.state == peer.bit_generator.state
