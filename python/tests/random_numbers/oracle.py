# SPDX-License-Identifier: MIT
"""The engines and the documented ways from words to numbers, written again in NumPy and plain Python."""

import numpy as np

MASK = np.uint64(0xFFFFFFFF)
SHIFT = np.uint64(32)


def philox4x32(counters, key):
    """Ten rounds; counters of shape (n, 4), a key of two words."""
    x, y, z, w = (counters[:, i].astype(np.uint64) for i in range(4))
    k, m = (int(word) for word in key[:2])
    for _ in range(10):
        p, q = x * np.uint64(0xD2511F53), z * np.uint64(0xCD9E8D57)
        x, y, z, w = (q >> SHIFT) ^ y ^ np.uint64(k), q & MASK, (p >> SHIFT) ^ w ^ np.uint64(m), p & MASK
        k, m = (k + 0x9E3779B9) & 0xFFFFFFFF, (m + 0xBB67AE85) & 0xFFFFFFFF
    return np.stack([x, y, z, w], axis=1).astype(np.uint32)


ROTATIONS = [(10, 26), (11, 21), (13, 27), (23, 5), (6, 20), (17, 11), (25, 10), (18, 20)]


def threefry4x32(counters, key):
    """Twenty rounds; a key of four words."""
    keys = [int(word) for word in key]
    keys.append(0x1BD11BDA ^ keys[0] ^ keys[1] ^ keys[2] ^ keys[3])
    x = [(counters[:, i].astype(np.uint64) + np.uint64(keys[i])) & MASK for i in range(4)]

    def rotated(value, bits):
        return ((value << np.uint64(bits)) | (value >> np.uint64(32 - bits))) & MASK

    for round_number in range(20):
        first, second = ROTATIONS[round_number % 8]
        a, b = (1, 3) if round_number % 2 == 0 else (3, 1)
        x[0] = (x[0] + x[a]) & MASK
        x[a] = rotated(x[a], first) ^ x[0]
        x[2] = (x[2] + x[b]) & MASK
        x[b] = rotated(x[b], second) ^ x[2]
        if round_number % 4 == 3:
            turn = round_number // 4 + 1
            for i in range(4):
                x[i] = (x[i] + np.uint64(keys[(turn + i) % 5])) & MASK
            x[3] = (x[3] + np.uint64(turn)) & MASK
    return np.stack(x, axis=1).astype(np.uint32)


def engine(state):
    return philox4x32 if state["bit_generator"] == "Philox" else threefry4x32


def stream(state):
    own = state["key"][2] if state["bit_generator"] == "Philox" else 0
    return (own + state["jumps"]) & 0xFFFFFFFF


def words(state, count, alignment=1):
    """The next words of a bit generator in this state."""
    position = -(-state["position"] // alignment) * alignment
    first, last = position // 4, -(-(position + count) // 4)
    numbers = np.arange(last - first, dtype=np.uint64) + np.uint64(first)
    counters = np.stack(
        [
            numbers & MASK,
            numbers >> SHIFT,
            np.full_like(numbers, stream(state)),
            np.zeros_like(numbers),
        ],
        axis=1,
    )
    return engine(state)(counters, state["key"]).ravel()[position % 4 :][:count]


def uniform(state, count, dtype):
    if dtype == np.float32:
        return (words(state, count) >> np.uint32(8)).astype(np.float32) * np.float32(2**-24)
    pairs = words(state, 2 * count, 2).reshape(-1, 2).astype(np.float64)
    return np.floor(pairs[:, 1] / 32) * 2.0**-27 + np.floor(pairs[:, 0] / 64) * 2.0**-53


def integers(state, count, first, last):
    """Python's own integers; refused words are replaced as the documentation says."""
    span = last - first + 1
    size = 1 if span <= 1 << 32 else 2
    bits = 32 * size
    refused = ((1 << bits) - span) % span

    def joined(row):
        return sum(int(word) << 32 * i for i, word in enumerate(row))

    result = []
    position = -(-state["position"] // size) * size
    for index, row in enumerate(words(state, count * size, size).reshape(-1, size)):
        product = joined(row) * span
        place, attempt = position + index * size, 0
        more = []
        while product % (1 << bits) < refused:
            if not more:
                attempt += 1
                counter = np.array([[place & 0xFFFFFFFF, place >> 32, stream(state), attempt]], np.uint64)
                more = list(engine(state)(counter, state["key"]).reshape(-1, size))
            product = joined(more.pop(0)) * span
        result.append(first + (product >> bits))
    return result
