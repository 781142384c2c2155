# SPDX-License-Identifier: MIT
"""Which parameters the calls of the differential test give, and which seeds are needed so that each is given."""

from __future__ import annotations

import functools
import inspect
import operator

import numpy as np
from differential import Draw
from differential_calls import CALLS, NUMPYS

import quern as qn
from quern import _core

# What does not change a result, and what NumPy does not have.
NOT_DRAWN = {"device", "like", "max_work", "queue", "signature", "subok", "wait_for"}
# Parameters that a function takes to refuse them, as NumPy does, or that say nothing there.
REFUSED = {
    "matmul": {"axis", "keepdims"},
    "matvec": {"axis", "keepdims"},
    "vecmat": {"axis", "keepdims"},
    "frexp": {"casting", "dtype"},  # Its two results have two types.
    "ilogb": {"casting", "dtype"},  # Its result is of another type than its operand.
    "fft.hfft": {"out"},  # NumPy takes it, but does not write it.
    "fft.irfft2": {"out"},
    "fft.fftfreq": {"dtype"},
    "fft.rfftfreq": {"dtype"},
    # Parameters of the functions that NumPy's methods do not have, and of a type that the device chooses.
    "Array.argsort": {"descending"},
    "Array.sort": {"descending"},
    "Array.reshape": {"copy"},
    "Array.std": {"correction"},
    "Array.var": {"correction"},
    "Array.view": {"type"},
}
REFUSED |= {name: {"casting", "dtype"} for name in ("bessel_jn", "bessel_yn", "pown", "rootn")}
MOST_DRAWS = 1500


def signature_of(name: str) -> inspect.Signature:
    if name.startswith("Array."):
        return inspect.signature(getattr(qn.Array, name.removeprefix("Array.")))
    return inspect.signature(_core.functions[name])


def parameters_to_draw(name: str) -> set[str]:
    """Those that NumPy's function has as well; all of them where NumPy does not tell."""
    ours = set(signature_of(name).parameters)
    try:
        theirs = NUMPYS.get(name) or operator.attrgetter(name)(np)
    except AttributeError:
        theirs = None
    try:
        parameters = inspect.signature(theirs).parameters.values()  # type: ignore[arg-type]
        is_open = any(one.kind is one.VAR_KEYWORD for one in parameters) or isinstance(theirs, np.ufunc)
        known = ours if is_open else {one.name for one in parameters}
    except (TypeError, ValueError):
        known = ours
    return (ours & known) - NOT_DRAWN - REFUSED.get(name, set())


def drawn_by(name: str, seed: int) -> set[str]:
    """The parameters that a call gives, by position and by name."""
    draw = Draw((seed, name))
    draw.name = name
    call = CALLS[name](draw)
    parameters = signature_of(name).parameters.values()
    by_position = [
        one.name for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)
    ]
    rest = [one.name for one in parameters if one.kind is one.VAR_POSITIONAL]
    return {
        *by_position[: len(call.args)],
        *call.kwargs,
        *(rest if len(call.args) > len(by_position) else []),
    }


@functools.cache
def covering_seeds(name: str) -> tuple[frozenset[int], frozenset[str]]:
    """Seeds whose calls give every parameter that one of many calls gives, and the parameters that none gives."""
    missing = parameters_to_draw(name)
    seeds = set()
    for seed in range(MOST_DRAWS):
        if not missing:
            break
        if missing & (drawn := drawn_by(name, seed)):
            seeds.add(seed)
            missing = missing - drawn
    return frozenset(seeds), frozenset(missing)
