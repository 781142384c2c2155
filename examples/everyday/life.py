# SPDX-License-Identifier: MIT
"""Conway's Game of Life on a torus."""

import numpy as np


def seed(rows, columns):
    """A board that is full of holes, by a formula instead of random numbers."""
    y, x = np.meshgrid(np.arange(rows), np.arange(columns), indexing="ij")
    return (x * x + 3 * y * y + x * y) % 7 < 3


def step(board):
    cells = board.astype(np.uint8)
    neighbours = np.zeros_like(cells)
    for dy in (-1, 0, 1):
        for dx in (-1, 0, 1):
            if (dy, dx) != (0, 0):
                neighbours += np.roll(cells, (dy, dx), axis=(0, 1))
    return (neighbours == 3) | (board & (neighbours == 2))


def main(rows=512, columns=512, steps=50):
    board = seed(rows, columns)
    for _ in range(steps):
        board = step(board)
    return board


if __name__ == "__main__":
    board = main()
    print(f"{int(board.sum())} of {board.size} cells live")
