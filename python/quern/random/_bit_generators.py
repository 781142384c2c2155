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
Words = int | Sequence[int] | np.ndarray[Any, Any]
_WORD = 1 << 32
_STREAM = 1 << 96  # words of one key


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


def _joined(name: str, words: Words, bits: int) -> int:
    """Join 64-bit words, the lowest first, as NumPy does; a number is taken as it is."""
    try:
        if isinstance(words, Sequence | np.ndarray) and not isinstance(words, str | bytes):
            parts = [
                operator.index(part) for part in (words.ravel() if isinstance(words, np.ndarray) else words)
            ]
            if not all(0 <= part < 1 << 64 for part in parts):
                raise ArgumentValueError(f"{name}: expected words of 64 bits, got {parts}")
            number = sum(part << 64 * place for place, part in enumerate(parts))
        else:
            number = operator.index(cast(int, words))
    except TypeError:
        raise ArgumentTypeError(f"{name}: expected an integer or 64-bit words, got {words!r}") from None
    if not 0 <= number < 1 << bits:
        raise ArgumentValueError(f"{name}: expected a number of at most {bits} bits, got {number}")
    return number


class BitGenerator:
    """Counter-based source of random 32-bit words: a key, and a position in its stream.

    Use Philox or Threefry. Threads and generators may share one: no two draws get the same words.

    Parameters
    ----------
    seed : int, sequence of ints or one of NumPy's seeds, optional
        Seed, of any size; by default it comes from the operating system's entropy.
    counter : int or sequence of ints, optional
        Block of four words at which the stream starts: a number of up to 94 bits, or 64-bit words, the lowest first.
    key : int or sequence of ints, optional
        Key of up to 128 bits, used as given: a number, or 64-bit words, the lowest first; not together with `seed`.

    Examples
    --------
    >>> isinstance(qn.random.default_rng(7).bit_generator, qn.random.BitGenerator)
    True
    """

    _native: RandomGenerator

    def __init__(self, seed: Seed = None, counter: Words | None = None, key: Words | None = None) -> None:
        if type(self) is BitGenerator:
            raise ArgumentTypeError("BitGenerator: use Philox or Threefry")
        if key is not None and seed is not None:
            raise ArgumentValueError("expected a seed or a key, not both")
        self._native = RandomGenerator(type(self).__name__, [0] if key is not None else seed_words(seed))
        if key is not None:
            number = _joined("key", key, 128)
            words = tuple(number >> shift & 0xFFFFFFFF for shift in (0, 32, 64, 96))
            self._native.state = (type(self).__name__, cast(Any, words), 0, 0, 0)
        if counter is not None:
            self.advance(4 * _joined("counter", counter, 94))

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
        """Make independent child bit generators.

        Parameters
        ----------
        n_children : int
            Number of children.

        Returns
        -------
        list of BitGenerator
            The children, of the same class. Later calls make other ones.

        Examples
        --------
        >>> first, second = qn.random.Philox(7).spawn(2)
        >>> first.state["key"] == second.state["key"]
        False
        """
        if operator.index(n_children) < 0:
            raise ArgumentValueError(f"n_children: expected a number >= 0, got {n_children}")
        return [self._of(child) for child in self._native.spawn(n_children)]

    def jumped(self, jumps: int = 1) -> BitGenerator:
        """Return a new bit generator whose position is `jumps` * 2**64 words further on.

        Parameters
        ----------
        jumps : int, optional
            Number of jumps.

        Returns
        -------
        BitGenerator
            The new bit generator; this one is unchanged.

        Examples
        --------
        >>> qn.random.Philox(7).jumped(2).state["jumps"]
        2
        """
        if not 0 <= operator.index(jumps) < _WORD:
            raise ArgumentValueError(f"jumps: expected a number from 0 to 2**32 - 1, got {jumps}")
        return self._of(self._native.jumped(jumps))

    def advance(self, delta: int) -> BitGenerator:
        """Skip `delta` random words and return the bit generator; a negative number goes back.

        A sample of float32, or of integers from a range of up to 2**32, takes one word, a sample of float64 two. The stream
        has 2**96 words, after which it begins again.

        Parameters
        ----------
        delta : int
            Number of words.

        Returns
        -------
        BitGenerator
            This bit generator.

        Examples
        --------
        >>> qn.random.Philox(7).advance(8).state["position"]
        8
        """
        try:
            words = operator.index(delta) % _STREAM
        except TypeError:
            raise ArgumentTypeError(f"delta: expected an integer, got {type(delta).__name__}") from None
        self._native.advance(words % (1 << 64), words >> 64)
        return self

    def random_raw(self, size: int | tuple[int, ...] | None = None, output: bool = True) -> Any:
        """Draw unsigned 64-bit integers of two random words each.

        Parameters
        ----------
        size : int or tuple of ints, optional
            Shape of the result; by default the result is one Python integer.
        output : bool, optional
            If False, the words are skipped and the result is None.

        Returns
        -------
        Array or int or None
            The integers, on the current device.

        Examples
        --------
        >>> bits = qn.random.Philox(7)
        >>> bits.random_raw(3).dtype
        dtype('uint64')
        """
        from ._generator import Generator

        if not output:
            count = 1
            for length in (size,) if isinstance(size, int) else size or ():
                count *= length
            self._native.reserve(2 * count, 2)
            return None
        return Generator(self).integers(0, (1 << 64) - 1, size, np.uint64, endpoint=True)

    def reserve(self, blocks: int) -> tuple[tuple[int, int, int, int], tuple[int, int, int, int]]:
        """Reserve blocks of four random words for a kernel of the program, and return their counter and key.

        The counter of block i is that of the first block with i added to its first two words, which are one 64-bit number.

        Parameters
        ----------
        blocks : int
            Number of blocks.

        Returns
        -------
        tuple
            Counter and key, of four 32-bit words each.

        Examples
        --------
        >>> counter, key = qn.random.Philox(7).reserve(10)
        >>> counter[:2], len(key)
        ((0, 0), 4)
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
    counter : int or sequence of ints, optional
        Block of four words at which the stream starts: a number of up to 94 bits, or 64-bit words, the lowest first.
    key : int or sequence of ints, optional
        Key of up to 128 bits, used as given: a number, or 64-bit words, the lowest first; not together with `seed`.

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
    counter : int or sequence of ints, optional
        Block of four words at which the stream starts: a number of up to 94 bits, or 64-bit words, the lowest first.
    key : int or sequence of ints, optional
        Key of up to 128 bits, used as given: a number, or 64-bit words, the lowest first; not together with `seed`.

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
