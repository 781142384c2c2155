# SPDX-License-Identifier: MIT
"""k-means: points in the plane fall into clusters."""

import numpy as np


def spiral(count, arms=5):
    """Points around `arms` centres, by a formula instead of random numbers."""
    i = np.arange(count)
    arm = i % arms
    radius = 0.6 * ((i * 0.6180339887498949) % 1.0) ** 0.5
    angle = 2.399963229728653 * i
    x = 2 * np.cos(2 * np.pi * arm / arms) + radius * np.cos(angle)
    y = 2 * np.sin(2 * np.pi * arm / arms) + radius * np.sin(angle)
    return np.stack([x, y], axis=1)


def kmeans(points, clusters, steps):
    """Lloyd's iteration: each point to its nearest centre, each centre to the mean of its points."""
    centres = points[:clusters].copy()
    for _ in range(steps):
        distance = ((points[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)
        nearest = distance.argmin(axis=1)
        for k in range(clusters):
            members = points[nearest == k]
            if len(members) > 0:
                centres[k] = members.mean(axis=0)
    distance = ((points - centres[nearest]) ** 2).sum(axis=1)
    return centres, float(distance.mean())


def main(count=100_000, clusters=5, steps=10):
    return kmeans(spiral(count), clusters, steps)


if __name__ == "__main__":
    centres, spread = main()
    print(centres)
    print(f"mean square distance {spread:.6f}")
