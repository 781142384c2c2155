# SPDX-License-Identifier: MIT
"""Bit generators, the sources of random words, and seeds."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from .._core import ArgumentTypeError, ArgumentValueError, RandomGenerator

Seed = (
    int
    | Sequence[int]
    | np.ndarray[Any, Any]
    | np.random.SeedSequence
    | np.random.BitGenerator
    | np.random.Generator
    | None
)
_WORD = 1 << 32


def seed_words(seed: Seed) -> list[int]:
    """Split a seed of any size into 32-bit words; an empty list for None."""
    if seed is None:
        return []
    if isinstance(seed, np.random.SeedSequence):
        return [int(word) for word in seed.generate_state(8, np.uint32)]
    if isinstance(seed, np.random.Generator | np.random.BitGenerator):
        # Take so many words that two generators seeded from it differ.
        bits = seed.bit_generator if isinstance(seed, np.random.Generator) else seed
        raw = [int(word) for word in cast(Any, bits.random_raw(4))]
        return [part for word in raw for part in (word % _WORD, word >> 32)]
    if isinstance(seed, np.ndarray) and seed.ndim:
        seed = seed.ravel().tolist()
    if isinstance(seed, Sequence) and not isinstance(seed, str | bytes):
        # A count of words precedes each number, so that [1, 2] and [1 + (2 << 32)] differ.
        lists = [_words_of(number) for number in seed]
        if not lists:
            raise ArgumentValueError("seed: expected at least one integer, got an empty sequence")
        return [len(lists), *(word for words in lists for word in (len(words), *words)), 1]
    return _words_of(seed)


def _words_of(seed: object) -> list[int]:
    try:
        number = operator.index(cast(int, seed))
    except TypeError:
        raise ArgumentTypeError(f"seed: expected integers or None, got {type(seed).__name__}") from None
    if number < 0:
        raise ArgumentValueError(f"seed: expected an integer >= 0, got {number}")
    words = [number % _WORD]
    while number := number >> 32:
        words.append(number % _WORD)
    return words


class BitGenerator:
    """Counter-based source of random 32-bit words: a key, and a position in its stream.

    Use Philox or Threefry. Threads and generators may share one: no two draws get the same words.
    """

    _native: RandomGenerator

    def __init__(self, seed: Seed = None, *, key: int | None = None) -> None:
        if type(self) is BitGenerator:
            raise ArgumentTypeError("BitGenerator: use Philox or Threefry")
        if key is not None and seed is not None:
            raise ArgumentValueError("expected a seed or a key, not both")
        self._native = RandomGenerator(type(self).__name__, [0] if key is not None else seed_words(seed))
        if key is not None:
            number = operator.index(key)
            if not 0 <= number < 1 << 128:
                raise ArgumentValueError(f"key: expected a number of at most 128 bits, got {number}")
            words = tuple(number >> shift & 0xFFFFFFFF for shift in (0, 32, 64, 96))
            self._native.state = (type(self).__name__, cast(Any, words), 0, 0, 0)

    @classmethod
    def _of(cls, native: RandomGenerator) -> BitGenerator:
        result = cls.__new__(cls)
        result._native = native
        return result

    @property
    def state(self) -> dict[str, Any]:
        """State as a dict: key and position. Assigning it restores the stream."""
        name, key, jumps, position, children = self._native.state
        return {
            "bit_generator": name,
            "key": key,
            "jumps": jumps,
            "position": position,
            "children": children,
        }

    @state.setter
    def state(self, value: dict[str, Any]) -> None:
        name = type(self).__name__
        if not isinstance(value, dict) or value.get("bit_generator") != name:
            raise ArgumentValueError(f"state: expected the state of a {name}")
        try:
            parts = (tuple(value["key"]), value["jumps"], value["position"], value["children"])
            self._native.state = (name, *parts)
        except (KeyError, TypeError, RuntimeError) as error:
            raise ArgumentValueError(f"state: not a state of a {name}: {error!r}") from None

    def spawn(self, n_children: int) -> list[BitGenerator]:
        """Make independent child bit generators."""
        if operator.index(n_children) < 0:
            raise ArgumentValueError(f"n_children: expected a number >= 0, got {n_children}")
        return [self._of(child) for child in self._native.spawn(n_children)]

    def jumped(self, jumps: int = 1) -> BitGenerator:
        """Return a new bit generator whose position is `jumps` * 2**64 words further on."""
        if not 0 <= operator.index(jumps) < _WORD:
            raise ArgumentValueError(f"jumps: expected a number from 0 to 2**32 - 1, got {jumps}")
        return self._of(self._native.jumped(jumps))

    def advance(self, delta: int) -> BitGenerator:
        """Skip `delta` random words and return the bit generator.

        A sample of float32, or of integers from a range of up to 2**32, takes one word, a sample of float64 two.
        """
        if not 0 <= operator.index(delta) < 1 << 64:
            raise ArgumentValueError(f"delta: expected a number from 0 to 2**64 - 1, got {delta}")
        self._native.advance(delta)
        return self

    def reserve(self, blocks: int) -> tuple[tuple[int, int, int, int], tuple[int, int, int, int]]:
        """Reserve blocks of four random words for your own kernel; return the counter of the first block, and the key.

        The counter of block i is that of the first block with i added to its first two words, which are one 64-bit number.
        """
        if not 0 <= operator.index(blocks) < 1 << 60:
            raise ArgumentValueError(f"blocks: expected a number from 0 to 2**60 - 1, got {blocks}")
        name, key, jumps, position, _ = self._native.reserve(4 * blocks, 4)
        first = position // 4
        stream = (jumps + (key[2] if name == "Philox" else 0)) % _WORD
        return (first % _WORD, first >> 32, stream, 0), key

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (type(self), self.state)

    def __repr__(self) -> str:
        state = self.state
        return f"<quern.random.{type(self).__name__} at word {state['position']}>"


class Philox(BitGenerator):
    """Philox4x32-10 bit generator.

    Parameters
    ----------
    seed : int, sequence of ints or one of NumPy's seeds, optional
        Seed, of any size; by default it comes from the operating system's entropy.
    key : int, optional
        Key of up to 128 bits, used as given; not together with `seed`.

    Examples
    --------
    >>> qn.random.Philox(7).state["bit_generator"]
    'Philox'
    """


class Threefry(BitGenerator):
    """Threefry4x32-20 bit generator, which needs no multiplications.

    Parameters
    ----------
    seed : int, sequence of ints or one of NumPy's seeds, optional
        Seed, of any size; by default it comes from the operating system's entropy.
    key : int, optional
        Key of up to 128 bits, used as given; not together with `seed`.

    Examples
    --------
    >>> qn.random.Generator(qn.random.Threefry(7)).random(3).shape
    (3,)
    """


def _restore(cls: type[BitGenerator], state: dict[str, Any]) -> BitGenerator:
    result = cls(0)
    result.state = state
    return result


# Set the public module, for representations and pickles.
for _public in (BitGenerator, Philox, Threefry, _restore):
    _public.__module__ = "quern.random"
