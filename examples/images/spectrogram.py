# SPDX-License-Identifier: MIT
"""A spectrogram: which tones are in a sound, and when.

Shows an index array that cuts the sound into overlapping windows, and Fourier transforms of all of them in one call. The sound is
made here: a rising whistle, three notes with their overtones, a warble, clicks and noise.

    python examples/images/spectrogram.py --seconds 8
"""

import argparse
import sys
from pathlib import Path

import numpy as np

import quern as qn

sys.path.append(str(Path(__file__).parents[1]))  # examples/, where pictures.py is
from pictures import FIRE, colours, save_png

RATE = 8000  # samples a second


def sound(seconds):
    """Float32 samples."""
    t = np.arange(int(seconds * RATE)) / RATE
    part = t / seconds
    whistle = 0.5 * np.sin(2 * np.pi * (600 + 1000 * part) * t)  # its tone rises from 600 to 2600 Hz
    warble = 0.3 * np.sin(2 * np.pi * 3200 * t + 40 * np.sin(2 * np.pi * 2 * t))
    note = np.array([220, 277.2, 329.6])[np.minimum((3 * part).astype(int), 2)]
    notes = sum(0.4 / k * np.sin(2 * np.pi * k * note * t) for k in range(1, 6))
    clicks = (np.arange(len(t)) % RATE == RATE // 2) * 6.0
    noise = np.random.default_rng(6).normal(0, 0.01, len(t))
    return (whistle + warble + notes + clicks + noise).astype(np.float32)


def spectrogram(samples, window=512, hop=64):
    """The power of each frequency in each window, in decibels: an array of the shape (windows, window // 2 + 1)."""
    samples = qn.asarray(samples)
    starts = qn.arange(0, len(samples) - window + 1, hop)
    pieces = samples[starts[:, None] + qn.arange(window)]
    weights = qn.hanning(window).astype("float32")
    spectrum = qn.fft.rfft(pieces * weights, axis=1)
    return 10 * qn.log10(qn.abs(spectrum) ** 2 + 1e-6)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--output", type=Path, default=Path("demo-output/spectrogram.png"))
    options = parser.parse_args()

    power = spectrogram(sound(options.seconds))
    loudest = qn.argmax(power[:, 1:], axis=1) + 1
    print(f"{power.device}: {power.shape[0]} windows of {power.shape[1]} frequencies")
    middle = int(loudest[len(loudest) // 4]) * RATE / 512
    print(f"the loudest tone after a quarter of the time is at {middle:.0f} Hz")

    save_png(options.output, colours(power.get().T[::-1], FIRE, -15, 42))  # high tones on top
    print(f"saved {options.output}")


if __name__ == "__main__":
    main()
