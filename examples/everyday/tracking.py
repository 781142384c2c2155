# SPDX-License-Identifier: MIT
"""A Kalman filter with a smoother after it: many objects, whose positions are measured with errors."""

import numpy as np


def model(dt, noise, error):
    """Transition, observation and covariances of a motion at nearly constant speed in the plane."""
    transition = np.eye(4) + np.diag([dt, dt], k=2)
    observation = np.eye(2, 4)
    push = np.vstack([dt**2 / 2 * np.eye(2), dt * np.eye(2)])
    return transition, observation, noise**2 * push @ push.T, error**2 * np.eye(2)


def measure(objects, steps, dt, error):
    """Positions on circles, with errors that follow a formula: objects x steps x 2."""
    t = dt * np.arange(steps)[None, :]
    speed = np.linspace(0.2, 1.0, objects)[:, None]
    exact = np.stack([np.cos(speed * t), np.sin(speed * t)], axis=-1)
    number = np.arange(objects * steps * 2).reshape(objects, steps, 2)
    return exact, exact + error * np.sin(12.9898 * number) * np.sqrt(2)


def filter_forward(measured, transition, observation, process, errors):
    """States and covariances after each measurement, and as they were predicted before it."""
    state = np.concatenate([measured[:, 0], np.zeros_like(measured[:, 0])], axis=1)
    covariance = np.broadcast_to(np.eye(4), (len(measured), 4, 4))
    history = []
    for k in range(measured.shape[1]):
        predicted = state @ transition.T
        ahead = transition @ covariance @ transition.T + process
        innovation = measured[:, k] - predicted @ observation.T
        spread = observation @ ahead @ observation.T + errors
        gain = np.swapaxes(np.linalg.solve(spread, observation @ ahead), -1, -2)
        state = predicted + np.einsum("oij,oj->oi", gain, innovation)
        covariance = ahead - gain @ observation @ ahead
        history.append((state, covariance, predicted, ahead))
    return history


def smooth_backward(history, transition):
    """Rauch, Tung and Striebel: what later measurements say about earlier states."""
    state, covariance, _, _ = history[-1]
    states = [state]
    for k in range(len(history) - 2, -1, -1):
        filtered, spread, _, _ = history[k]
        _, _, predicted, ahead = history[k + 1]
        back = np.swapaxes(np.linalg.solve(ahead, transition @ spread), -1, -2)
        state = filtered + np.einsum("oij,oj->oi", back, state - predicted)
        covariance = spread + back @ (covariance - ahead) @ np.swapaxes(back, -1, -2)
        states.append(state)
    return np.stack(states[::-1], axis=1), covariance


def main(objects=500, steps=60, dt=0.1, error=0.1):
    """The smoothed states of the first objects, and the errors of the measured, filtered and smoothed positions."""
    exact, measured = measure(objects, steps, dt, error)
    transition, observation, process, errors = model(dt, 0.5, error)
    history = filter_forward(measured, transition, observation, process, errors)
    filtered = np.stack([state for state, _, _, _ in history], axis=1)
    smoothed, covariance = smooth_backward(history, transition)

    def distance(positions):
        return float(np.sqrt(((positions - exact) ** 2).sum(axis=-1).mean()))

    return (
        smoothed[:4],
        covariance[:4],
        distance(measured),
        distance(filtered[..., :2]),
        distance(smoothed[..., :2]),
    )


if __name__ == "__main__":
    _, _, measured, filtered, smoothed = main()
    print(f"errors: measured {measured:.4f}, filtered {filtered:.4f}, smoothed {smoothed:.4f}")
