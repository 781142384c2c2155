# SPDX-License-Identifier: MIT
"""The gallery's programs on every device, against NumPy, SciPy, hashlib, formulas and conservation laws."""

import hashlib

import numpy as np
import pytest
from test_examples import load

import quern as qn


@pytest.fixture(autouse=True)
def current(device):
    with qn.device(device):
        yield


def around(a):
    """The sums of the four neighbours minus four times the middle, on a torus."""
    return sum(np.roll(a, shift, axis) for shift in (1, -1) for axis in (0, 1)) - 4 * a


def test_heat_spreads_as_in_numpy():
    heat = load("heat")
    expected = heat.cold_plate(40).astype(np.float64)
    for _ in range(30):
        new = expected + 0.2 * around(expected)
        expected[1:-1, 1:-1] = new[1:-1, 1:-1]
    got = heat.spread(qn.asarray(heat.cold_plate(40)), 30).get()
    np.testing.assert_allclose(got, expected, atol=1e-3)
    assert got[1:-1, 1:-1].max() > 50


def test_walkers_take_single_steps_and_spread_with_time():
    walkers, steps = 2000, 64
    x, y = (part.get() for part in load("random_walks").walk(walkers, steps))
    moved = abs(np.diff(x, axis=1, prepend=0)) + abs(np.diff(y, axis=1, prepend=0))
    assert x.shape == (walkers, steps) and (moved == 1).all()
    # The squared distance has the mean and the deviation n.
    assert abs((x[:, -1] ** 2 + y[:, -1] ** 2).mean() - steps) < 5 * steps / np.sqrt(walkers)


def test_points_in_the_circle_give_pi():
    pi, points = load("pi"), 1 << 20
    assert abs(4 * pi.hits(qn.Program(pi.SOURCE), points) / points - np.pi) < 6 * np.sqrt(
        np.pi * (4 - np.pi) / points
    )
    pixels = pi.picture(20_000, 64)
    y, x = (np.mgrid[:64, :64] + 0.5) / 64
    radius = np.hypot(x, 1 - y)
    orange, blue = (np.all(pixels == colour, axis=-1) for colour in ((255, 160, 40), (60, 120, 220)))
    assert orange.any() and (radius[orange] < 1.03).all()
    assert blue.any() and (radius[blue] > 0.97).all()


def test_stars_move_as_in_numpy_and_keep_their_momentum():
    nbody = load("nbody")
    position, velocity = nbody.two_galaxies(60)
    x, v, mass = position[:, :3].astype(float), velocity[:, :3].astype(float), position[:, 3].astype(float)
    for _ in range(6):
        away = x[None] - x[:, None]
        v += 0.01 * np.sum(mass[None, :, None] * away / ((away**2).sum(-1) + 0.01)[..., None] ** 1.5, axis=1)
        x += 0.01 * v
    start = qn.asarray(position)
    speeds = qn.asarray(velocity)
    got, _ = nbody.advance(qn.Program(nbody.SOURCE).step, start, speeds, qn.empty_like(start), 6, 0.01)
    np.testing.assert_allclose(got.get()[:, :3], x, atol=1e-4)
    np.testing.assert_allclose(speeds.get()[:, :3], v, atol=1e-3)
    before, after = mass @ velocity[:, :3], mass @ speeds.get()[:, :3]
    np.testing.assert_allclose(after, before, atol=1e-5)


def test_substances_react_as_in_numpy():
    program = load("reaction_diffusion")
    u, v = (part.astype(float) for part in program.start(40))
    got = program.react(u.astype(np.float32), v.astype(np.float32), 20)
    for _ in range(20):
        turned = u * v * v
        u, v = (
            u + 0.2 * around(u) - turned + 0.030 * (1 - u),
            v + 0.1 * around(v) + turned - 0.090 * v,
        )
    np.testing.assert_allclose(got[0].get(), u, atol=1e-5)
    np.testing.assert_allclose(got[1].get(), v, atol=1e-5)


def test_waves_run_as_in_numpy_and_not_through_walls():
    waves = load("waves")
    wall = waves.obstacles(60)
    keep = waves.sponge(60, 8)
    parts = [np.zeros_like(wall), np.zeros_like(wall), wall, keep]
    before, expected = np.zeros((60, 60)), np.zeros((60, 60))
    for step in range(90):  # the discrete wave equation for a speed of half a cell in a step
        new = (2 * expected - before + 0.5**2 * around(expected)) * wall
        new[0] = new[-1] = new[:, 0] = new[:, -1] = 0
        new[1:-1, 4] += 0.25 * np.sin(np.pi * step / 16)
        before, expected = expected * keep, new * keep
    height, _ = waves.advance(*(qn.asarray(part) for part in parts), 0, 90)
    np.testing.assert_allclose(height.get(), expected, atol=1e-3)
    assert abs(height.get()[:, :20]).max() > 0.5 and not height.get()[wall == 0].any()


def flow_in_numpy(f, wall, steps, speed, rate):
    """The lattice Boltzmann method by whole arrays: stream, send back from walls, collide."""
    moves = [(0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)]
    weights = np.array([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4)

    def equilibrium(density, u, v):
        along = [3 * (x * u + y * v) for x, y in moves]
        return np.stack(
            [
                w * density * (1 + a + a * a / 2 - 1.5 * (u * u + v * v))
                for w, a in zip(weights, along, strict=True)
            ]
        )

    solid, f = wall.astype(bool), f.astype(float)
    for _ in range(steps):
        streamed = np.empty_like(f)
        for k, (x, y) in enumerate(moves):
            columns = np.clip(np.arange(f.shape[2]) - x, 0, f.shape[2] - 1)
            came = np.roll(f[k], y, axis=0)[:, columns]
            from_wall = np.roll(solid, y, axis=0)[:, columns]
            streamed[k] = np.where(from_wall, f[moves.index((-x, -y))], came)
        density = streamed.sum(axis=0)
        u = sum(x * part for (x, _), part in zip(moves, streamed, strict=True)) / density
        v = sum(y * part for (_, y), part in zip(moves, streamed, strict=True)) / density
        collided = streamed - rate * (streamed - equilibrium(density, u, v))
        collided[:, solid] = f[:, solid]
        collided[:, :, 0] = equilibrium(1.0, np.float64(speed), 0.0)[:, None]
        f = collided
    return f


def test_the_flow_past_the_cylinder_is_numpys():
    cylinder = load("cylinder")
    f, wall = cylinder.channel(20, 50, 0.08)
    got = cylinder.advance(f, wall, 40, 0.08, 1.4)
    expected = flow_in_numpy(f, wall, 40, 0.08, 1.4)
    np.testing.assert_allclose(got.get(), expected, atol=2e-5)
    u, v = cylinder.velocity(got)
    steps = cylinder.STEPS
    np.testing.assert_allclose(
        u.get(), np.tensordot(steps[:, 0], expected, 1) / expected.sum(axis=0), atol=1e-4
    )
    np.testing.assert_allclose(
        v.get(), np.tensordot(steps[:, 1], expected, 1) / expected.sum(axis=0), atol=1e-4
    )


def test_the_magnet_has_onsagers_energy():
    special = pytest.importorskip("scipy.special")
    ising, temperature = load("ising"), 3.2
    spins = ising.simulate([temperature] * 4, 64, 60)
    assert set(np.unique(spins.get())) == {-1, 1}
    # Onsager's energy of an endless plane.
    beta = 1 / temperature
    k = 2 * np.sinh(2 * beta) / np.cosh(2 * beta) ** 2
    exact = -(1 / np.tanh(2 * beta)) * (
        1 + 2 / np.pi * (2 * np.tanh(2 * beta) ** 2 - 1) * special.ellipk(k * k)
    )
    # The deviation of four planes' mean is about 0.01.
    assert abs(ising.energy(spins).get().mean() - exact) < 0.05
    assert ising.simulate([0.5], 16, 5).get().mean() > 0.99


def test_options_have_the_prices_of_formulas():
    integrate = pytest.importorskip("scipy.integrate")
    program = load("option_pricing")
    formulas = program.exact(20)
    deviation = program.VOLATILITY * np.sqrt(program.YEARS)

    def payoff(z):
        price = program.SPOT * np.exp(
            (program.RATE - program.VOLATILITY**2 / 2) * program.YEARS + deviation * z
        )
        return max(price - program.STRIKE, 0) * np.exp(-z * z / 2) / np.sqrt(2 * np.pi)

    by_integral = np.exp(-program.RATE * program.YEARS) * integrate.quad(payoff, -10, 10, limit=200)[0]
    assert abs(formulas[0] - by_integral) < 1e-4
    results, passed = program.simulate(200_000, 20)
    for (price, error), formula in zip(results, formulas, strict=True):
        assert 0 < error < 0.1 and abs(price - formula) < 5 * error
    assert passed.shape == (200, 20) and (passed.get()[:, 0].sum() == 200_000)


def test_ranks_solve_the_equation_of_pagerank():
    program = load("pagerank")
    source, target, pages = program.web(14)
    matrix = np.zeros((pages, pages))
    np.add.at(matrix, (target, source), 1 / np.bincount(source, minlength=pages)[source])
    matrix[:, np.bincount(source, minlength=pages) == 0] = 1 / pages
    expected = np.linalg.solve(np.eye(pages) - 0.85 * matrix, np.full(pages, 0.15 / pages))
    rank, steps = program.pagerank(*program.link_matrix(source, target, pages), tolerance=3e-7)
    assert steps < 200
    np.testing.assert_allclose(rank.get(), expected, rtol=1e-3)


def test_the_mask_is_numpys(device, monkeypatch, tmp_path, capsys):
    """The program compares itself with NumPy and ends with an error otherwise."""
    output = tmp_path / "mask.png"
    monkeypatch.setattr(
        "sys.argv", ["polygon_mask.py", "--size", "128", "--device", device.spec, "--output", str(output)]
    )
    load("polygon_mask").main()
    assert "checked against NumPy" in capsys.readouterr().out and output.exists()


def test_points_leave_the_mandelbrot_set_after_numpys_steps():
    program = load("mandelbrot_zoom")
    width, height, most = 60, 40, 80
    got = program.escape(width, height, 0.05, most, (-0.7, 0.1)).get()
    c = (-0.7 + 0.05 * (np.arange(width) - width // 2)) + 1j * (
        0.1 + 0.05 * (np.arange(height)[:, None] - height // 2)
    )
    z, steps = np.zeros_like(c), np.full(c.shape, -1.0)
    for n in range(1, most + 1):
        moving = steps < 0
        z[moving] = z[moving] ** 2 + c[moving]
        gone = moving & (abs(z) >= 8)
        if n < most:  # the kernel does not look at the last point
            steps[gone] = n + 1 - np.log2(np.log2(abs(z[gone]) ** 2) / 6)
    # Rounding decides about points at the edge of the set.
    assert np.mean(np.isclose(got, steps, atol=0.01)) > 0.98
    assert 0.05 < np.mean(got < 0) < 0.5


def test_colours_are_those_of_lloyds_iteration():
    program = load("kmeans_colours")
    pixels = program.landscape(24, 36).reshape(-1, 3)
    centres = pixels[np.argsort(pixels.sum(axis=1))[np.linspace(0, len(pixels) - 1, 5).astype(int)]].astype(
        float
    )
    got, index = program.kmeans(qn.asarray(pixels), 5, 4)
    for _ in range(5):
        nearest = ((pixels[:, None] - centres) ** 2).sum(-1).argmin(axis=1)
        used = centres
        centres = np.stack([pixels[nearest == k].mean(axis=0) for k in range(5)])
    np.testing.assert_allclose(got.get(), used, atol=0.5)
    assert np.mean(index.get() == nearest) > 0.98


def test_the_reconstruction_is_the_body():
    program = load("tomography")
    size, angles = 64, 90
    rays, body = program.shadows(size, angles), program.body(size)
    image = program.reconstruct(rays).get()
    assert np.sqrt(np.mean((image - body) ** 2)) < 0.12
    # The same sums by NumPy: a filter in the frequencies, then a loop over angles.
    place = np.arange(-size, size)
    ramp = np.where(place % 2 == 1, -1 / (np.pi * np.where(place == 0, 1, place)) ** 2, 0.25 * (place == 0))
    filtered = np.stack([np.convolve(row, ramp)[size : 2 * size] for row in rays.astype(float)])
    axis, expected = np.arange(size) - (size - 1) / 2, np.zeros((size, size))
    for k, theta in enumerate(np.pi * np.arange(angles) / angles):
        at = axis * np.cos(theta) - axis[:, None] * np.sin(theta) + (size - 1) / 2
        expected += np.interp(at, np.arange(size), filtered[k], left=0, right=0)
    inside = axis**2 + axis[:, None] ** 2 < (size / 2 - 2) ** 2  # rays beside the detector differ
    np.testing.assert_allclose(image[inside], expected[inside] * np.pi / angles, atol=2e-3)


def test_the_spectrogram_is_numpys():
    program = load("spectrogram")
    sound = program.sound(0.5)
    got = program.spectrogram(sound, 128, 32).get()
    pieces = np.lib.stride_tricks.sliding_window_view(sound.astype(float), 128)[::32]
    expected = 10 * np.log10(abs(np.fft.rfft(pieces * np.hanning(128), axis=1)) ** 2 + 1e-6)
    assert got.shape == expected.shape
    loud = expected > -10
    assert loud.mean() > 0.3
    np.testing.assert_allclose(got[loud], expected[loud], atol=0.2)


def test_rays_see_the_balls_where_geometry_says():
    program = load("raytracer")
    balls, paints = program.scene()
    width, height = 96, 60
    image = program.render(width, height, balls, paints).get()[..., :3]
    column, row = np.meshgrid(np.arange(width), np.arange(height))
    ray = np.stack(
        [(column - 0.5 * width) / height, (0.4 * height - row) / height, np.full(column.shape, 1.2)], axis=-1
    )
    ray /= np.linalg.norm(ray, axis=-1, keepdims=True)
    away = balls[:, :3] - np.array([0, 1.6, -5.5])
    gaps = np.stack(
        [(away**2).sum(-1)[k] - (ray @ away[k]) ** 2 - balls[k, 3] ** 2 for k in range(len(balls))]
    )
    is_sky = (ray[..., 1] > 0.01) & (gaps > 0.01).all(axis=0)
    part = np.maximum(ray[..., 1:2], 0)
    sky = (1 - part) * np.array([0.95, 0.8, 0.65]) + part * np.array([0.25, 0.45, 0.8])
    np.testing.assert_allclose(image[is_sky], sky[is_sky], atol=1e-4)
    is_ball = (gaps < -0.01).any(axis=0)
    assert is_ball.mean() > 0.1 and is_sky.mean() > 0.2
    assert (abs(image - sky).max(axis=-1)[is_ball] > 0.01).mean() > 0.95
    assert image.min() >= 0 and image.max() < 1.5


def test_life_follows_the_rules_and_gliders_fly():
    life = load("life")
    board = np.random.default_rng(2).integers(0, 2, (24, 24)).astype(np.uint8)
    age = qn.asarray(board)
    got = life.advance(age, qn.empty_like(age), 5)[0].get()
    expected = board.astype(int)
    for _ in range(5):
        neighbours = sum(
            np.roll(expected > 0, (dy, dx), (0, 1)) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dy or dx
        )
        expected = np.where((neighbours == 3) | ((neighbours == 2) & (expected > 0)), expected + 1, 0)
    assert np.array_equal(got, expected)
    glider = qn.asarray(life.world(16, [(0, 1), (1, 2), (2, 0), (2, 1), (2, 2)]))
    flown = life.advance(glider, qn.empty_like(glider), 64)[0]  # once around the torus
    assert np.array_equal(flown.get() > 0, life.world(16, [(0, 1), (1, 2), (2, 0), (2, 1), (2, 2)]) > 0)


def test_the_search_finds_hashlibs_first_number():
    program = load("sha256_search")
    text, _, _ = program.message_of("a text")

    def leading(number):
        digest = hashlib.sha256(f"{text}{number:08x}".encode()).digest()
        return 256 - int.from_bytes(digest, "big").bit_length()

    expected = next(number for number in range(1 << 20) if leading(number) >= 9)
    number, zeros = program.search("a text", 9, block=1024)
    assert number == expected
    assert zeros.get()[:300].tolist() == [leading(n) for n in range(300)]
    assert program.search("a text", 60, block=1024, most=4096)[0] is None
    with pytest.raises(ValueError, match="64 bytes"):
        program.message_of("x" * 45)
