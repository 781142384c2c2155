# SPDX-License-Identifier: MIT
"""The pictures of the examples: PNG files and movies from NumPy arrays, and colours for numbers."""

import struct
import zlib
from pathlib import Path

import numpy as np

# Each scale runs through these colours (red, green, blue) in equal steps.
FIRE = [(4, 4, 18), (78, 18, 106), (180, 44, 88), (246, 118, 38), (252, 200, 64), (255, 252, 220)]
ICE = [(6, 10, 30), (16, 58, 110), (26, 122, 160), (92, 194, 190), (188, 234, 208), (250, 255, 246)]
SIGNED = [(30, 64, 150), (120, 164, 222), (246, 246, 246), (232, 138, 110), (158, 26, 40)]  # zero is white
WHEEL = [(12, 18, 54), (34, 96, 178), (224, 240, 250), (250, 180, 50), (140, 46, 20), (12, 18, 54)]  # closed


def colours(values, scale=FIRE, low=None, high=None):
    """Returns the colours of the values, uint8 with a last axis of 3; `low` and `high` are the ends of the scale."""
    values = np.asarray(values, dtype=np.float64)
    low = values.min() if low is None else low
    high = values.max() if high is None else high
    position = np.clip((values - low) / ((high - low) or 1), 0, 1) * (len(scale) - 1)
    steps = np.arange(len(scale))
    parts = [np.interp(position, steps, [colour[channel] for colour in scale]) for channel in range(3)]
    return np.stack(parts, axis=-1).round().astype(np.uint8)


def save_png(path, pixels):
    """Writes a picture: uint8 of the shape (height, width) in grey, or (height, width, 3) in red, green and blue."""
    save_movie(path, [pixels])


def save_movie(path, frames, milliseconds=50):
    """Writes pictures of one shape as an animated PNG, which browsers play; one picture is a plain PNG."""
    frames = [np.asarray(frame) for frame in frames]
    height, width = frames[0].shape[:2]
    colour_type = 2 if frames[0].ndim == 3 else 0
    header = struct.pack(">IIBBBBB", width, height, 8, colour_type, 0, 0, 0)
    parts = [b"\x89PNG\r\n\x1a\n", _chunk(b"IHDR", header)]
    if len(frames) > 1:
        parts.append(_chunk(b"acTL", struct.pack(">II", len(frames), 0)))
    number = 0  # of the chunks of the animation
    for index, frame in enumerate(frames):
        if frame.dtype != np.uint8 or frame.shape != frames[0].shape:
            raise ValueError(f"frames are uint8 and of one shape, not {frame.dtype} {frame.shape}")
        if len(frames) > 1:
            control = struct.pack(">IIIIIHHBB", number, width, height, 0, 0, milliseconds, 1000, 0, 0)
            parts.append(_chunk(b"fcTL", control))
            number += 1
        rows = np.zeros((height, 1 + frame[0].size), np.uint8)  # each row begins with its filter: none
        rows[:, 1:] = frame.reshape(height, -1)
        data = zlib.compress(rows.tobytes(), 9)
        if index == 0:
            parts.append(_chunk(b"IDAT", data))
        else:
            parts.append(_chunk(b"fdAT", struct.pack(">I", number) + data))
            number += 1
    parts.append(_chunk(b"IEND", b""))
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(parts))


def _chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
