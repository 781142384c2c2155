# SPDX-License-Identifier: MIT
"""Principal components of pictures by singular values: how few of them restore the pictures."""

import numpy as np


def pictures(count, size):
    """Two bright spots each, at places that follow a formula."""
    axis = np.linspace(-1, 1, size)
    phase = np.arange(count)[:, None, None]

    def spot(speed, width):
        x, y = np.cos(speed * phase), np.sin(1.3 * speed * phase)
        return np.exp(-((axis[None, None, :] - 0.7 * x) ** 2 + (axis[None, :, None] - 0.7 * y) ** 2) / width)

    return (spot(0.011, 0.2) + 0.5 * spot(0.017, 0.5)).reshape(count, size * size)


class Components:
    def __init__(self, count):
        self.count = count

    def fit(self, data):
        self.mean = data.mean(axis=0)
        _, values, directions = np.linalg.svd(data - self.mean, full_matrices=False)
        # The sign of a direction is arbitrary: its greatest element becomes positive.
        greatest = np.argmax(np.abs(directions), axis=1)
        signs = np.sign(directions[np.arange(len(directions)), greatest])
        self.directions = (directions * signs[:, None])[: self.count]
        variance = values**2 / (len(data) - 1)
        self.explained = variance[: self.count] / variance.sum()
        return self

    def transform(self, data):
        return (data - self.mean) @ self.directions.T

    def restore(self, scores):
        return scores @ self.directions + self.mean


def main(count=400, size=24, components=12):
    """The shares of the variance, the scores of some pictures, and the error of the restored ones."""
    data = pictures(count, size)
    model = Components(components).fit(data)
    scores = model.transform(data)
    error = np.linalg.norm(model.restore(scores) - data) / np.linalg.norm(data)
    return model.explained, scores[:5], float(error)


if __name__ == "__main__":
    explained, _, error = main()
    print("shares of the variance:", np.round(explained, 4))
    print(f"relative error of the restored pictures {error:.4f}")
