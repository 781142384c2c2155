# SPDX-License-Identifier: MIT
"""A Gaussian mixture with full covariances: expectation and maximisation until the likelihood stops growing."""

import numpy as np


def clouds(count):
    """Points of three rotated ellipses, by a formula instead of random numbers."""
    i = np.arange(count)
    radius = np.sqrt(-2 * np.log(((i * 0.7548776662466927) % 1.0) * 0.998 + 0.001))
    angle = 2 * np.pi * ((i * 0.5698402909980532) % 1.0)
    round_points = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    shapes = np.array([[[1.0, 0.0], [0.6, 0.4]], [[0.5, 0.0], [-0.4, 0.9]], [[0.7, 0.0], [0.0, 0.3]]])
    centres = np.array([[0.0, 0.0], [4.0, 1.0], [1.0, 4.0]])
    member = i % 3
    return np.einsum("nij,nj->ni", shapes[member], round_points) + centres[member]


def log_density(points, means, covariances):
    """The logarithm of each normal density at each point, by Cholesky factors."""
    factors = np.linalg.cholesky(covariances)
    scaled = np.linalg.solve(factors, np.swapaxes(points[None] - means[:, None], 1, 2))
    log_det = np.log(np.diagonal(factors, axis1=1, axis2=2)).sum(axis=1)
    return (-0.5 * (scaled**2).sum(axis=1) - log_det[:, None] - np.log(2 * np.pi)).T


def expect(points, weights, means, covariances):
    """The share of each component in each point, and the mean log-likelihood."""
    joint = log_density(points, means, covariances) + np.log(weights)
    largest = joint.max(axis=1, keepdims=True)
    total = largest + np.log(np.exp(joint - largest).sum(axis=1, keepdims=True))
    return np.exp(joint - total), float(total.mean())


def maximise(points, shares):
    count = shares.sum(axis=0)
    means = shares.T @ points / count[:, None]
    away = points[None] - means[:, None]
    covariances = np.einsum("nk,kni,knj->kij", shares, away, away) / count[:, None, None]
    covariances += 1e-6 * np.eye(points.shape[1])
    return count / len(points), means, covariances


def main(count=60_000, steps=30, tolerance=1e-7):
    points = clouds(count)
    weights = np.full(3, 1 / 3)
    means = points[:3].copy()
    covariances = np.stack([np.cov(points.T)] * 3)
    previous = -np.inf
    for _ in range(steps):
        shares, likelihood = expect(points, weights, means, covariances)
        weights, means, covariances = maximise(points, shares)
        if likelihood - previous < tolerance:
            break
        previous = likelihood
    return weights, means, covariances, likelihood


if __name__ == "__main__":
    weights, means, covariances, likelihood = main()
    print(means)
    print(f"mean log-likelihood {likelihood:.6f}")
