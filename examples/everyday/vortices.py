# SPDX-License-Identifier: MIT
"""Two-dimensional turbulence: the Navier-Stokes equations for the vorticity, by Fourier series."""

import numpy as np


def wave_numbers(size):
    """Along both axes of a real transform, and the mask of the lower two thirds."""
    kx = np.fft.rfftfreq(size, 1 / size)
    ky = np.fft.fftfreq(size, 1 / size)[:, None]
    keep = (np.abs(ky) < size / 3) & (np.abs(kx) < size / 3)
    return kx, ky, keep


def advection(spectrum, kx, ky, square, keep):
    """Minus the transform of velocity times gradient of the vorticity, without aliases."""
    stream = spectrum / square
    u = np.fft.irfft2(1j * ky * stream)
    v = np.fft.irfft2(-1j * kx * stream)
    along_x = np.fft.irfft2(1j * kx * spectrum)
    along_y = np.fft.irfft2(1j * ky * spectrum)
    return -np.fft.rfft2(u * along_x + v * along_y) * keep


def main(size=256, steps=40, dt=0.005, viscosity=1e-3):
    """The vorticity after some steps of Heun's method with exact viscosity, and the mean kinetic energy."""
    kx, ky, keep = wave_numbers(size)
    square = kx**2 + ky**2
    square[0, 0] = 1
    x = 2 * np.pi * np.arange(size) / size
    across, down = np.meshgrid(x, x)
    start = np.sin(3 * across) * np.cos(2 * down) + 0.5 * np.cos(5 * down + 2 * across) + np.sin(across)
    spectrum = np.fft.rfft2(start)
    decay = np.exp(-viscosity * square * dt)
    for _ in range(steps):
        first = advection(spectrum, kx, ky, square, keep)
        trial = decay * (spectrum + dt * first)
        second = advection(trial, kx, ky, square, keep)
        spectrum = decay * (spectrum + 0.5 * dt * first) + 0.5 * dt * second
    vorticity = np.fft.irfft2(spectrum)
    stream = np.fft.irfft2(spectrum / square)
    return vorticity, float((vorticity * stream).mean() / 2)


if __name__ == "__main__":
    vorticity, energy = main()
    print(f"kinetic energy {energy:.6f}, greatest vorticity {float(np.abs(vorticity).max()):.6f}")
