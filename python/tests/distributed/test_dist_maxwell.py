# SPDX-License-Identifier: MIT
"""examples/science/maxwell_dg.py: its right-hand side against loops of NumPy, its order, and the same fields on any number of ranks."""

import importlib.util
import struct
from pathlib import Path

import numpy as np
import pytest

import quern as qn
import quern.dist as dist

PATH = Path(__file__).parents[3] / "examples" / "science" / "maxwell_dg.py"


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location("maxwell_dg", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def expected_right_hand_side(u, elements, derivative, weight):
    """The curls and the fluxes of each element, one face at a time."""
    q, h = len(derivative), 1 / elements
    nodes = u.reshape(6, elements, q, elements, q, elements, q)
    result = np.zeros_like(nodes)
    for axis in range(3):
        first, second = (axis + 1) % 3, (axis + 2) % 3
        inner = 2 + 2 * axis
        d = 2 / h * np.moveaxis(np.tensordot(derivative, nodes, (1, inner)), 0, inner)
        result[first] -= d[3 + second]
        result[second] += d[3 + first]
        result[3 + first] += d[second]
        result[3 + second] -= d[first]

        # Elements along the axis first, then its nodes.
        f = np.moveaxis(nodes, (inner - 1, inner), (0, 1))
        r = np.moveaxis(result, (inner - 1, inner), (0, 1))
        for e in range(elements):
            for normal, own, beside in ((-1, 0, e - 1), (1, q - 1, e + 1)):
                mine = f[e, own]
                if 0 <= beside < elements:
                    other = f[beside, q - 1 - own]
                else:
                    other = np.concatenate([-mine[:3], mine[3:]])
                jump = mine - other
                n = np.zeros((3, 1, 1, 1, 1))
                n[axis] = normal
                e_jump, h_jump = jump[:3], jump[3:]
                of_e = -np.cross(n, h_jump, axis=0) - (e_jump - n * (n * e_jump).sum(axis=0))
                of_h = np.cross(n, e_jump, axis=0) - (h_jump - n * (n * h_jump).sum(axis=0))
                r[e, own] += np.concatenate([of_e, of_h]) / (h * weight)
    return result.reshape(u.shape)


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_the_kernel_computes_the_right_hand_side(example, ranks):
    elements, order = 4, 3
    _, weights, derivative = example.gauss_lobatto(order)
    values = np.random.default_rng(5).standard_normal((6, *3 * (elements * (order + 1),)))

    def program():
        cavity = example.Cavity(elements, order)
        block = tuple(slice(*interval) for (interval,) in cavity.u.layout.intervals(dist.rank()))
        cavity.u.interior[...] = values[block]
        cavity.u.exchange()
        size = cavity.residual.shape[:0:-1]
        cavity.kernel(
            None, size, None, cavity.u.local, cavity.residual, cavity.derivative,
            0.0, 1.0, cavity.scale, cavity.lift, cavity.walls,
        )  # fmt: skip
        return block, cavity.residual.get()

    expected = expected_right_hand_side(values, elements, derivative, weights[0])
    for block, found in dist.on_threads(ranks, program):
        np.testing.assert_allclose(found, expected[block], rtol=1e-11, atol=1e-10)


@pytest.mark.parametrize("order", [2, 3])
def test_errors_fall_with_the_power_of_the_order(example, order):
    errors = example.convergence([order], [2, 4], until=0.2)
    assert np.log2(errors[order, 2] / errors[order, 4]) > order + 0.4


def test_the_fields_are_the_same_on_any_number_of_ranks(example):
    def program():
        cavity = example.Cavity(4, 2, mode=(2, 1, 1))
        before = cavity.energy()
        cavity.run(3 * cavity.dt)
        plane = cavity.u.array[:, :, :, 3].gather().get()
        return plane, before, cavity.energy()

    ((expected, before, after),) = dist.on_threads(1, program)
    assert 0.99 * before < after <= before
    for ranks in (2, 4):
        for plane, energy, _ in dist.on_threads(ranks, program):
            np.testing.assert_allclose(plane, expected, rtol=0, atol=1e-13)
            assert energy == pytest.approx(before, rel=1e-13)


def test_nodes_and_weights_integrate_and_differentiate_polynomials(example):
    for order in (1, 2, 5, 8):
        x, weights, derivative = example.gauss_lobatto(order)
        for power in range(2 * order):
            assert weights @ x**power == pytest.approx((1 - (-1) ** (power + 1)) / (power + 1), abs=1e-13)
        for power in range(1, order + 1):
            np.testing.assert_allclose(derivative @ x**power, power * x ** (power - 1), atol=1e-11)


def test_ranks_that_cannot_divide_the_elements_are_told(example):
    with pytest.raises(SystemExit, match="cannot be divided evenly among 3 ranks"):
        example.process_grid(4, 3)
    assert example.process_grid(8, 4) in {(1, 2, 2), (2, 1, 2), (2, 2, 1)}


def test_pictures_and_movies_are_png_files(example, tmp_path):
    frames = [np.full((5, 3), value) for value in (-1.0, 0.5)]
    example.write_png(tmp_path / "movie.png", frames)
    data = (tmp_path / "movie.png").read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    at, kinds = 8, []
    while at < len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        kinds.append(data[at + 4 : at + 8])
        at += 12 + length
    assert kinds == [b"IHDR", b"acTL", b"fcTL", b"IDAT", b"fcTL", b"fdAT", b"IEND"]


def test_the_state_lives_on_the_current_device(example, device):
    if not device.has_fp64:
        pytest.skip("needs double precision")
    with qn.device(device):
        cavity = example.Cavity(2, 2)
        cavity.run(0.1)
        assert cavity.u.local.device == device
        assert cavity.error() < 0.2
