# SPDX-License-Identifier: MIT
"""qn.eval(): its names, its results and its errors."""

import inspect
import pickle
import pydoc

import numpy as np
import pytest

import quern as qn


def test_it_is_called_eval():
    assert (qn.eval.__name__, qn.eval.__module__) == ("eval", "quern")
    shown = pydoc.render_doc(qn.eval, renderer=pydoc.plaintext)
    assert "eval(*arrays)" in shown and "evaluate(" not in shown
    assert not hasattr(qn._core, "evaluate")
    assert inspect.signature(qn.eval).parameters["arrays"].kind is inspect.Parameter.VAR_POSITIONAL
    assert pickle.loads(pickle.dumps(qn.eval)) is qn.eval


@pytest.mark.parametrize("count", [0, 1, 2, 7])
def test_all_arrays_are_evaluated(device, count):
    with device:
        x = qn.arange(5, dtype="float32")
        known = qn.ones(5, dtype="float32")
        lazy = [x * k for k in range(1, count + 1)]
        assert qn.eval(*lazy, known) is None
        assert all(one.in_memory for one in lazy)
        qn.eval(*lazy, known)  # again, where nothing is left to do
        for k, one in enumerate(lazy, 1):
            np.testing.assert_array_equal(one.get(), np.arange(5, dtype="float32") * k)


def test_other_objects_are_refused(device):
    with device:
        x = qn.ones(3) + 1
        with pytest.raises(
            qn.ArgumentTypeError, match=r"eval: expected arrays, got list; .* eval\(\*arrays\)"
        ):
            qn.eval([x])
        with pytest.raises(qn.ArgumentTypeError, match="got NoneType"):
            qn.eval(x, None)
        with pytest.raises(qn.ArgumentTypeError, match="eval: unexpected keyword argument 'array'"):
            qn.eval(array=x)
        assert not x.in_memory
