# SPDX-License-Identifier: MIT
"""Poisson's equation on a square: the five-point matrix of the Laplacian, and conjugate gradients."""

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import cg


def laplacian(size):
    """The five-point matrix with zeros around the square, from the matrix of one dimension."""
    line = sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(size, size))
    identity = sparse.eye_array(size)
    return (sparse.kron(line, identity) + sparse.kron(identity, line)).tocsr()


def main(size=200, tolerance=1e-10):
    """The solution, and its greatest distance from the exact one at the points of the grid."""
    step = 1 / (size + 1)
    x = np.linspace(step, 1 - step, size)
    across, down = np.meshgrid(x, x)
    exact = np.sin(np.pi * across) * np.sin(2 * np.pi * down)
    source = 5 * np.pi**2 * exact
    matrix = laplacian(size)
    right = step**2 * source.ravel()
    solution, info = cg(matrix, right, rtol=tolerance)
    residual = np.linalg.norm(right - matrix @ solution) / np.linalg.norm(right)
    if info != 0 or residual > 10 * tolerance:
        raise RuntimeError(f"conjugate gradients stopped with {info}, residual {residual}")
    solution = solution.reshape(size, size)
    return solution, float(np.abs(solution - exact).max())


if __name__ == "__main__":
    solution, error = main()
    print(f"greatest value {float(solution.max()):.6f}, discretisation error {error:.2e}")
