# SPDX-License-Identifier: MIT
"""NumPy and SciPy programs from everyday science, with the names of the modules replaced and nothing else."""

import re
from pathlib import Path

import numpy as np
import pytest

import quern as qn

pytestmark = pytest.mark.smoke

FOLDER = Path(__file__).parents[3] / "examples" / "everyday"
SMALL = {
    "kmeans": {"count": 3000, "steps": 3},
    "life": {"rows": 64, "columns": 96, "steps": 5},
    "heat": {"size": 64, "steps": 10},
    "mandelbrot": {"width": 60, "height": 40, "steps": 15},
    "mixture": {"count": 900, "steps": 4},
    "poisson": {"size": 24},
    "vortices": {"size": 32, "steps": 3},
    "components": {"count": 60, "size": 8, "components": 4},
    "tracking": {"objects": 6, "steps": 12},
}
# Iterations that stop at a tolerance of their own, and sums in another order.
TOLERANCE = {"mixture": 1e-9, "poisson": 1e-9, "components": 1e-9, "tracking": 1e-10}


def program(name, library):
    """What the file defines, as it is or with Quern in NumPy's place."""
    text = (FOLDER / f"{name}.py").read_text()
    if library is qn:
        text = text.replace("import numpy as np", "import quern as qn")
        text = re.sub(r"\bnp\.", "qn.", text).replace("from scipy", "from quern")
        assert "numpy" not in text and "scipy" not in text and "np." not in text.replace("qn.", "")
    names = {"__name__": name}
    exec(compile(text, f"{name}.py", "exec"), names)
    return names


def numbers(result):
    """All numbers of a result, as one NumPy array."""
    parts = result if isinstance(result, tuple) else (result,)
    return np.concatenate([np.ravel(p.get() if isinstance(p, qn.Array) else p) for p in parts])


@pytest.mark.parametrize("name", SMALL)
def test_a_numpy_program_gives_the_same_result(device, name):
    if not device.has_fp64:
        pytest.skip("needs float64")
    with qn.device(device):
        got = numbers(program(name, qn)["main"](**SMALL[name]))
    want = numbers(program(name, np)["main"](**SMALL[name]))
    if want.dtype.kind == "f":
        np.testing.assert_allclose(got, want, rtol=TOLERANCE.get(name, 1e-12), atol=1e-12)
    else:
        np.testing.assert_array_equal(got, want)


def test_a_simulation_agrees_with_the_formula(device):
    if not device.has_fp64:
        pytest.skip("needs float64")
    with qn.device(device):
        ours = program("option_pricing", qn)
        (european, error), (asian, asian_error) = ours["main"](paths=20_000, steps=16)
    assert abs(european - ours["exact"](100.0, 105.0, 0.03, 0.2, 1.0)) < 5 * error
    _, (theirs, their_error) = program("option_pricing", np)["main"](paths=20_000, steps=16)
    assert abs(asian - theirs) < 5 * np.hypot(asian_error, their_error)
