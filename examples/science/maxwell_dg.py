# SPDX-License-Identifier: MIT
"""Maxwell's equations in a cavity by a discontinuous Galerkin method, on one process or on many ranks.

    python examples/science/maxwell_dg.py                              one rank
    mpiexec -n 4 python examples/science/maxwell_dg.py --order 5       four ranks
    python examples/science/maxwell_dg.py --convergence                errors for several meshes and orders
    python examples/science/maxwell_dg.py --mode 3 2 1 --picture ez.png --movie ez_movie.png

The unit cube has perfectly conducting walls and cubes as elements, with Gauss-Lobatto nodes of any order and upwind fluxes. The state is
one array: the six components of E and H at all nodes. Elements do not share nodes, so that the node beside a face belongs to the
neighbouring element, and ghost cells of width one are just what neighbouring ranks need. One kernel computes the right-hand side, the time step is a
Runge-Kutta method with five stages and low storage. The errors are those from a mode of the cavity, which is known exactly.
"""

import argparse
import itertools
import struct
import sys
import time
import zlib

import numpy as np
from numpy.polynomial import legendre

import quern as qn
import quern.dist as dist

SOURCE = """
// residual = a * residual + dt * (curl H, -curl E), both with the fluxes through the faces of the elements.
// Axis 2 of the range is x. u has a layer of ghost cells, residual has none.
kernel void right_hand_side(global const real *u, global real *residual, global const real *derivative, real a, real dt,
                            real scale, real lift, int walls) {
  const size_t shape[3] = {get_global_size(2), get_global_size(1), get_global_size(0)};
  const size_t index[3] = {get_global_id(2), get_global_id(1), get_global_id(0)};
  const size_t stride[3] = {(shape[1] + 2) * (shape[2] + 2), shape[2] + 2, 1};
  const size_t volume = (shape[0] + 2) * stride[0];
  const size_t node = (index[0] + 1) * stride[0] + (index[1] + 1) * stride[1] + index[2] + 1;
  real sum[6] = {0, 0, 0, 0, 0, 0};
  for (int axis = 0; axis < 3; ++axis) {
    const int first = (axis + 1) % 3, second = (axis + 2) % 3;  // the tangential components
    global const real *e1 = u + first * volume, *e2 = u + second * volume;
    global const real *h1 = u + (3 + first) * volume, *h2 = u + (3 + second) * volume;
    const int row = index[axis] % Q;
    const size_t line = node - row * stride[axis];
    real de1 = 0, de2 = 0, dh1 = 0, dh2 = 0;
    for (int k = 0; k < Q; ++k) {
      const real d = derivative[row * Q + k];
      const size_t at = line + k * stride[axis];
      de1 += d * e1[at];
      de2 += d * e2[at];
      dh1 += d * h1[at];
      dh2 += d * h2[at];
    }
    sum[first] -= scale * dh2;
    sum[second] += scale * dh1;
    sum[3 + first] += scale * de2;
    sum[3 + second] -= scale * de1;
    for (int side = 0; side < 2; ++side) {
      if (row != side * (Q - 1)) continue;
      const real normal = 2 * side - 1;
      const size_t beyond = side ? node + stride[axis] : node - stride[axis];
      const bool is_wall = (walls >> (2 * axis + side) & 1) && index[axis] == side * (shape[axis] - 1);
      // Jumps over the face. A conductor reflects: E has the opposite sign beyond a wall, H the same.
      const real je1 = e1[node] - (is_wall ? -e1[node] : e1[beyond]), je2 = e2[node] - (is_wall ? -e2[node] : e2[beyond]);
      const real jh1 = is_wall ? 0 : h1[node] - h1[beyond], jh2 = is_wall ? 0 : h2[node] - h2[beyond];
      sum[first] += lift * (normal * jh2 - je1);
      sum[second] += lift * (-normal * jh1 - je2);
      sum[3 + first] += lift * (-normal * je2 - jh1);
      sum[3 + second] += lift * (normal * je1 - jh2);
    }
  }
  const size_t inner = (index[0] * shape[1] + index[1]) * shape[2] + index[2];
  for (int c = 0; c < 6; ++c) {
    global real *to = residual + c * shape[0] * shape[1] * shape[2] + inner;
    *to = a * *to + dt * sum[c];
  }
}
"""

# The five stages of Carpenter and Kennedy's method of fourth order.
STAGES = (
    (0.0, 1432997174477 / 9575080441755),
    (-567301805773 / 1357537059087, 5161836677717 / 13612068292357),
    (-2404267990393 / 2016746695238, 1720146321549 / 2090206949498),
    (-3550918686646 / 2091501179385, 3134564353537 / 4481467310338),
    (-1275806237668 / 842570457699, 2277821191437 / 14882151754819),
)


def gauss_lobatto(order):
    """Nodes and weights in [-1, 1], and the matrix of derivatives at the nodes of the polynomials through them."""
    top = np.eye(order + 1)[order]
    x = np.concatenate([[-1.0], np.sort(legendre.legroots(legendre.legder(top)).real), [1.0]])
    weights = 2 / (order * (order + 1) * legendre.legval(x, top) ** 2)
    gaps = x[:, None] - x + np.eye(order + 1)
    products = gaps.prod(axis=1)
    derivative = products[:, None] / (products * gaps)
    np.fill_diagonal(derivative, 0)
    np.fill_diagonal(derivative, -derivative.sum(axis=1))
    return x, weights, derivative


def process_grid(elements, ranks):
    """The lengths of a grid of ranks that divides the elements evenly, as close to a cube as possible."""
    grids = [g for g in itertools.product(range(1, ranks + 1), repeat=3) if np.prod(g) == ranks]
    fitting = [g for g in grids if all(elements % length == 0 for length in g)]
    if not fitting:
        sys.exit(
            f"{elements} elements along an axis cannot be divided evenly among {ranks} ranks; choose --elements"
        )
    return min(fitting, key=sum)


def total(value):
    """The sum of a number over all ranks."""
    return float(dist.sum(dist.from_local(qn.reshape(value, (1,)))))


class Cavity:
    """The fields in the cavity, at first those of a mode with electric energy only."""

    def __init__(self, elements, order, dtype=np.float64, mode=(1, 1, 1)):
        self.order, self.dtype, self.time = order, np.dtype(dtype), 0.0
        self.waves = np.pi * np.array(mode)
        self.amplitudes = (1.0, 1.0, -(mode[0] + mode[1]) / mode[2])  # orthogonal to the waves
        self.frequency = float(np.linalg.norm(self.waves))
        nodes, weights, derivative = gauss_lobatto(order)
        q, h = order + 1, 1 / elements
        self.h, self.scale, self.lift = h, 2 / h, 1 / (h * weights[0])
        self.dt = 0.25 * h * (nodes[1] - nodes[0])
        shape = (6,) + 3 * (elements * q,)
        self.u = dist.HaloArray(
            shape, (0, 1, 1, 1), dtype, corners=False, layout=(1, *process_grid(elements, dist.size()))
        )
        self.residual = qn.zeros(self.u.interior.shape, dtype)
        self.derivative = qn.asarray(derivative.astype(dtype))
        real = "float" if self.dtype == np.float32 else "double"
        self.kernel = qn.Program(SOURCE, options=[f"-DQ={q}", f"-Dreal={real}"]).right_hand_side
        # Coordinates and weights of the nodes of this rank along each axis; bits for its sides that are walls.
        self.walls, self.x, self.weights = 0, [], []
        where = self.where = np.arange(elements).repeat(q) * h + np.tile((nodes + 1) * h / 2, elements)
        for axis, intervals in enumerate(self.u.layout.intervals(dist.rank())[1:]):
            ((first, last),) = intervals
            self.walls |= (first == 0) << (2 * axis) | (last == shape[1]) << (2 * axis + 1)
            line = [1, 1, 1]
            line[axis] = last - first
            self.x.append(qn.asarray(where[first:last].reshape(line)))
            self.weights.append(qn.asarray((np.tile(weights, elements) * h / 2)[first:last].reshape(line)))
        for component in range(6):
            self.u.interior[component] = self.exact(component)

    def exact(self, component):
        """A component of the mode on this rank."""
        k, a = self.waves, self.amplitudes
        sines = [qn.sin(k[i] * self.x[i]) for i in range(3)]
        cosines = [qn.cos(k[i] * self.x[i]) for i in range(3)]
        i = component % 3
        if component < 3:
            factors = [cosines[j] if j == i else sines[j] for j in range(3)]
            factor = a[i] * np.cos(self.frequency * self.time)
        else:
            factors = [sines[j] if j == i else cosines[j] for j in range(3)]
            j, m = (i + 1) % 3, (i + 2) % 3
            factor = -(a[m] * k[j] - a[j] * k[m]) / self.frequency * np.sin(self.frequency * self.time)
        return float(factor) * factors[0] * factors[1] * factors[2]

    def step(self):
        """Advances the fields by one time step."""
        size = self.residual.shape[:0:-1]
        for a, b in STAGES:
            self.u.exchange()
            self.kernel(
                None, size, None, self.u.local, self.residual, self.derivative,
                a, self.dt, self.scale, self.lift, self.walls,
            )  # fmt: skip
            self.u.interior[...] += b * self.residual
        self.time += self.dt

    def norm_squared(self, fields):
        """The integral of the squares of fields."""
        w = self.weights
        return total(sum(qn.sum(field * field * w[0] * w[1] * w[2]) for field in fields))

    def energy(self):
        return self.norm_squared(self.u.interior[c] for c in range(6)) / 2

    def error(self):
        """The norm of the difference from the exact fields, relative to their norm."""
        difference = self.norm_squared(self.u.interior[c] - self.exact(c) for c in range(6))
        return (difference / self.norm_squared(self.exact(c) for c in range(6))) ** 0.5

    def slice(self):
        """Ez in the middle of the cavity, as pixels on rank 0."""
        plane = self.u.array[2, :, :, self.u.shape[3] // 2].gather(root=0)
        if plane is None:
            return None
        at = (np.arange(320) + 0.5) / 320
        rows = np.array([np.interp(at, self.where, row) for row in plane.get()])
        return np.array([np.interp(at, self.where, column) for column in rows.T]).T

    def run(self, until, frames=None):
        steps = max(1, round((until - self.time) / self.dt))
        for number in range(steps):
            if frames is not None and number % max(1, steps // 60) == 0:
                frames.append(self.slice())
            self.step()
        return steps


def write_png(name, frames):
    """Writes a picture, or several as an animated PNG: blue is negative, red is positive."""
    most = max(float(np.abs(frame).max()) for frame in frames) or 1.0

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    def rows(frame):
        v = np.clip(frame.T[::-1] / most, -1, 1)[..., None]
        fade = 1 - np.abs(v)
        one = np.ones_like(v)
        rgb = np.where(v > 0, np.concatenate([one, fade, fade], 2), np.concatenate([fade, fade, one], 2))
        pixels = np.uint8(255 * rgb).reshape(len(v), -1)
        return zlib.compress(np.pad(pixels, ((0, 0), (1, 0))).tobytes())

    width, height = frames[0].shape
    out = [b"\x89PNG\r\n\x1a\n", chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))]
    if len(frames) > 1:
        out.append(chunk(b"acTL", struct.pack(">II", len(frames), 0)))
    number = 0
    for i, frame in enumerate(frames):
        if len(frames) > 1:
            out.append(chunk(b"fcTL", struct.pack(">IIIIIHHBB", number, width, height, 0, 0, 1, 20, 0, 0)))
            number += 1
        if i == 0:
            out.append(chunk(b"IDAT", rows(frame)))
        else:
            out.append(chunk(b"fdAT", struct.pack(">I", number) + rows(frame)))
            number += 1
    with open(name, "wb") as file:
        file.write(b"".join([*out, chunk(b"IEND", b"")]))


def convergence(orders, meshes, until=0.5, dtype=np.float64):
    """Errors for each order and mesh."""
    errors = {}
    for order, elements in itertools.product(orders, meshes):
        cavity = Cavity(elements, order, dtype)
        cavity.run(until)
        errors[order, elements] = cavity.error()
    return errors


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--elements", type=int, default=8, help="elements along each axis")
    parser.add_argument("--order", type=int, default=4, help="order of the polynomials")
    parser.add_argument("--time", type=float, default=1.0, help="light crosses the cavity in 1")
    parser.add_argument(
        "--mode", type=int, nargs=3, default=(1, 1, 1), help="half waves along x, y and z, at least 1"
    )
    parser.add_argument("--dtype", choices=["float32", "float64"], default="float64")
    parser.add_argument(
        "--convergence", action="store_true", help="print errors for several meshes and orders"
    )
    parser.add_argument(
        "--picture", metavar="FILE", help="write Ez in the middle of the cavity as a PNG file"
    )
    parser.add_argument("--movie", metavar="FILE", help="write its course as an animated PNG file")
    options = parser.parse_args()
    is_first = dist.rank() == 0

    if options.convergence:
        orders, meshes = (1, 2, 3, 4), (2, 4, 8)
        errors = convergence(orders, meshes)
        for order in orders:
            row = [errors[order, n] for n in meshes]
            rates = [np.log2(row[i] / row[i + 1]) for i in range(len(meshes) - 1)]
            if is_first:
                texts = [f"{error:.2e}" for error in row], [f"{rate:.2f}" for rate in rates]
                print(f"order {order}: errors {' '.join(texts[0])}, rates {' '.join(texts[1])}")
        return

    cavity = Cavity(options.elements, options.order, options.dtype, options.mode)
    energy, frames = cavity.energy(), [] if options.movie else None
    cavity.run(cavity.dt)  # compiles the kernels
    qn.synchronize()
    start = time.perf_counter()
    steps = cavity.run(options.time, frames)
    qn.synchronize()
    dist.barrier()
    seconds = time.perf_counter() - start
    unknowns, error, last = int(np.prod(cavity.u.shape)), cavity.error(), cavity.energy()
    plane = cavity.slice() if options.picture else None
    if is_first:
        print(
            f"{dist.size()} ranks, {unknowns:,} unknowns, {steps} steps in {seconds:.2f} s: {unknowns * steps / seconds:.3g} a second"
        )
        print(f"energy {energy:.6f}, {last / energy - 1:+.1e} at the end; error {error:.1e}")
        if options.picture:
            write_png(options.picture, [plane])
        if options.movie:
            write_png(options.movie, frames)
    assert last <= energy * (1 + 1e-5), "the fluxes never add energy"


if __name__ == "__main__":
    main()
