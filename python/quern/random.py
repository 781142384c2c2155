# SPDX-License-Identifier: MIT
"""Random numbers on any device, with NumPy's names.

rng = qn.random.default_rng(7)
x = rng.random((1000, 1000), dtype="float32")
n = rng.normal(size=1000)

The numbers are not NumPy's: they come from counter-based generators, element by element, and integers, uniform, normal
and exponential numbers are the same to the bit on every device, but for CUDA's float32 normals. `docs/guide.md` says more.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypedDict, cast

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from . import _core
from ._array import asarray, shape_of
from ._core import (
    ArgumentTypeError,
    ArgumentValueError,
    Array,
    Device,
    Event,
    Queue,
    RandomGenerator,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["BitGenerator", "Generator", "Philox", "Threefry", "default_rng"]

_Seed = int | Sequence[int] | None
_Size = int | Sequence[int] | None
_Waits = Event | Sequence[Event] | None
_Number = (
    int | float | Array | ArrayLike
)  # a parameter: the same for all elements, or an array that is broadcast
_WORD = 1 << 32


class _Where(TypedDict, total=False):
    """Where numbers go, and after what."""

    device: Device | str | None
    queue: Queue | None
    wait_for: _Waits


class _Options(_Where, total=False):
    """What all distributions take."""

    dtype: DTypeLike | None
    out: Array | None


def _is_valid_at_least_0(values: Any) -> Any:
    return (values >= 0) & np.isfinite(values)


# What parameters are called, and which of their values are allowed; the library says it of single numbers.
_PARAMETERS: dict[str, tuple[tuple[str, str, Any], ...]] = {
    "uniform": (("low", "finite", np.isfinite), ("high", "finite", np.isfinite)),
    "normal": (("loc", "finite", np.isfinite), ("scale", ">= 0 and finite", _is_valid_at_least_0)),
    "lognormal": (("mean", "finite", np.isfinite), ("sigma", ">= 0 and finite", _is_valid_at_least_0)),
    "exponential": (("scale", ">= 0 and finite", _is_valid_at_least_0),),
    "gamma": (
        ("shape", ">= 0 and finite", _is_valid_at_least_0),
        ("scale", ">= 0 and finite", _is_valid_at_least_0),
    ),
    "poisson": (("lam", ">= 0 and finite", _is_valid_at_least_0),),
    "binomial": (
        ("n", ">= 0", lambda values: values >= 0),
        ("p", "from 0 to 1", lambda values: (values >= 0) & (values <= 1)),
    ),
    "integers": (("low", "", lambda values: True), ("high", "", lambda values: True)),
}


def _seed_words(seed: _Seed) -> list[int]:
    """The words of a seed of any size; none for None."""
    if seed is None:
        return []
    if isinstance(seed, Sequence) and not isinstance(seed, str | bytes):
        # Each number gets a count of its words in front, so that [1, 2] and [1 + (2 << 32)] differ.
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
    """Where the words of random numbers come from: a key, and a position in an endless row of 32-bit words.

    Use Philox or Threefry. It may be shared between threads and generators: no two draws get the same words.
    """

    _native: RandomGenerator

    def __init__(self, seed: _Seed = None, *, key: int | None = None) -> None:
        if type(self) is BitGenerator:
            raise ArgumentTypeError("BitGenerator: use Philox or Threefry")
        if key is not None and seed is not None:
            raise ArgumentValueError("a bit generator has a seed or a key, not both")
        self._native = RandomGenerator(type(self).__name__, [0] if key is not None else _seed_words(seed))
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
        """All there is to know of it; setting it brings the numbers back."""
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
        """New bit generators, whose words are independent of these and of each other's."""
        if operator.index(n_children) < 0:
            raise ArgumentValueError(f"n_children: expected a number >= 0, got {n_children}")
        return [self._of(child) for child in self._native.spawn(n_children)]

    def jumped(self, jumps: int = 1) -> BitGenerator:
        """A new one at the place that this one would reach by 2**64 words, `jumps` times over."""
        if not 0 <= operator.index(jumps) < _WORD:
            raise ArgumentValueError(f"jumps: expected a number from 0 to 2**32 - 1, got {jumps}")
        return self._of(self._native.jumped(jumps))

    def advance(self, delta: int) -> BitGenerator:
        """Skips so many words: float32 and integers of a range up to 2**32 take one each, float64 two."""
        if not 0 <= operator.index(delta) < 1 << 64:
            raise ArgumentValueError(f"delta: expected a number from 0 to 2**64 - 1, got {delta}")
        self._native.advance(delta)
        return self

    def reserve(self, blocks: int) -> tuple[tuple[int, int, int, int], tuple[int, int, int, int]]:
        """Takes so many blocks of four words for a kernel of one's own: the counter of the first, and the key.

        Block i has the counter's first two words, as one number of 64 bits, increased by i.
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
    """Philox4x32-10. `key` is taken as it is, up to 128 bits; of a seed, every bit counts."""


class Threefry(BitGenerator):
    """Threefry4x32-20, which needs no multiplications."""


def _restore(cls: type[BitGenerator], state: dict[str, Any]) -> BitGenerator:
    result = cls(0)
    result.state = state
    return result


def _integer_bounds(low: int, high: int | None, dtype: np.dtype[Any], endpoint: bool) -> tuple[int, int]:
    """The first and the last integer of NumPy's arguments, both included."""
    try:
        first, last = (
            (0, operator.index(low)) if high is None else (operator.index(low), operator.index(high))
        )
    except TypeError:
        raise ArgumentTypeError("integers: expected low and high to be integers") from None
    if not endpoint:
        last -= 1
    if dtype.kind not in "iub":
        raise ArgumentTypeError(f"integers: expected an integer dtype or bool, got {dtype}")
    least, greatest = (0, 1) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    if first < least:
        raise ArgumentValueError(f"integers: low is {first}, below the least {dtype}, {least}")
    if last > greatest:
        raise ArgumentValueError(f"integers: high reaches {last}, above the greatest {dtype}, {greatest}")
    if first > last:
        relation = "<=" if endpoint else "<"
        raise ArgumentValueError(f"integers: expected low {relation} high, got {low} and {high}")
    return first, last


class Generator:
    """Draws numbers of many distributions from the words of a bit generator.

    Methods are called as NumPy's, and take besides:
    - `dtype`: float32 or float64 (the default where the device has it); every integer type for integers;
    - `device` or `queue`: where; the current ones by default;
    - `out`: an Array to be filled, instead of `size`; then the result is the Event, which is not waited for.

    Parameters are numbers, or arrays of NumPy's or of the device that are broadcast against each other and `size`. What
    arrays of the device hold is not looked at: out of its domain a distribution gives NaN, counts -1, and integers of an
    empty range the lower bound.

    Without `size` and `out` the result is a Python number.
    """

    def __init__(self, bit_generator: BitGenerator) -> None:
        if not isinstance(bit_generator, BitGenerator):
            raise ArgumentTypeError(
                f"bit_generator: expected Philox or Threefry, got {type(bit_generator).__name__}"
            )
        self._bits = bit_generator

    @property
    def bit_generator(self) -> BitGenerator:
        return self._bits

    def spawn(self, n_children: int) -> list[Generator]:
        """New generators, whose numbers are independent of these and of each other's."""
        return [Generator(child) for child in self._bits.spawn(n_children)]

    def random(
        self,
        size: _Size = None,
        dtype: DTypeLike | None = None,
        out: Array | None = None,
        **where: Unpack[_Where],
    ) -> Any:
        """Uniform numbers in [0, 1), in steps of 2**-24 or 2**-53."""
        return self._draw("uniform", 0.0, 1.0, size, dtype=dtype, out=out, **where)

    def uniform(
        self,
        low: _Number = 0.0,
        high: _Number = 1.0,
        size: _Size = None,
        **options: Unpack[_Options],
    ) -> Any:
        """Uniform numbers in [low, high); rounding may reach high."""
        return self._draw("uniform", low, high, size, **options)

    def standard_normal(
        self,
        size: _Size = None,
        dtype: DTypeLike | None = None,
        out: Array | None = None,
        **where: Unpack[_Where],
    ) -> Any:
        """Normal numbers with mean 0 and deviation 1, by the method of Box and Muller."""
        return self._draw("normal", 0.0, 1.0, size, dtype=dtype, out=out, **where)

    def normal(
        self,
        loc: _Number = 0.0,
        scale: _Number = 1.0,
        size: _Size = None,
        **options: Unpack[_Options],
    ) -> Any:
        """Normal numbers with mean `loc` and deviation `scale`."""
        return self._draw("normal", loc, scale, size, **options)

    def lognormal(
        self,
        mean: _Number = 0.0,
        sigma: _Number = 1.0,
        size: _Size = None,
        **options: Unpack[_Options],
    ) -> Any:
        """Numbers whose logarithm is normal with this mean and deviation."""
        return self._draw("lognormal", mean, sigma, size, **options)

    def standard_exponential(
        self,
        size: _Size = None,
        dtype: DTypeLike | None = None,
        out: Array | None = None,
        **where: Unpack[_Where],
    ) -> Any:
        """Exponential numbers with mean 1."""
        return self._draw("exponential", 1.0, 0.0, size, dtype=dtype, out=out, **where)

    def exponential(
        self,
        scale: _Number = 1.0,
        size: _Size = None,
        **options: Unpack[_Options],
    ) -> Any:
        """Exponential numbers with mean `scale`."""
        return self._draw("exponential", scale, 0.0, size, **options)

    def standard_gamma(
        self,
        shape: _Number,
        size: _Size = None,
        dtype: DTypeLike | None = None,
        out: Array | None = None,
        **where: Unpack[_Where],
    ) -> Any:
        """Gamma numbers of this shape, with scale 1."""
        return self._draw("gamma", shape, 1.0, size, dtype=dtype, out=out, **where)

    def gamma(
        self,
        shape: _Number,
        scale: _Number = 1.0,
        size: _Size = None,
        **options: Unpack[_Options],
    ) -> Any:
        """Gamma numbers of this shape and scale."""
        return self._draw("gamma", shape, scale, size, **options)

    def poisson(
        self,
        lam: _Number = 1.0,
        size: _Size = None,
        **options: Unpack[_Options],
    ) -> Any:
        """How many events there are of which `lam` are expected."""
        return self._draw("poisson", lam, 0.0, size, **options)

    def binomial(
        self,
        n: _Number,
        p: _Number,
        size: _Size = None,
        **options: Unpack[_Options],
    ) -> Any:
        """How many of n trials succeed, each with probability p."""
        if _is_single("binomial", n):
            n = _integer("binomial: n", n)
            if n >= 1 << 63:
                raise ArgumentValueError(f"binomial: expected n below 2**63, got {n}")
        return self._draw("binomial", n, p, size, **options)

    def integers(
        self,
        low: int | Array | ArrayLike,
        high: int | Array | ArrayLike | None = None,
        size: _Size = None,
        dtype: DTypeLike = np.int64,
        endpoint: bool = False,
        *,
        out: Array | None = None,
        **where: Unpack[_Where],
    ) -> Any:
        """Integers from low to high (from 0 to low, without high), all equally likely.

        `high` itself is one of them only with endpoint=True.
        """
        element = np.dtype(dtype if out is None else out.dtype)
        if not (_is_single("integers", low) and (high is None or _is_single("integers", high))):
            ends = (0, low) if high is None else (low, high)
            return self._draw("integers", *ends, size, dtype=element, out=out, endpoint=endpoint, **where)
        first, last = _integer_bounds(cast(int, low), cast("int | None", high), element, endpoint)
        # The binding takes the bits of unsigned numbers as signed ones.
        first, last = (number - (1 << 64) if number >= 1 << 63 else number for number in (first, last))
        return self._draw("integers", first, last, size, dtype=element, out=out, **where)

    def permutation(
        self,
        x: int | Array | ArrayLike,
        axis: int = 0,
        *,
        device: Device | str | None = None,
        queue: Queue | None = None,
    ) -> Array:
        """The integers below x, or a copy of an array with its rows, in random order."""
        if axis != 0:
            raise ArgumentValueError(f"permutation: expected axis 0, got {axis}")
        return self._bits._native.permutation(_count_or_array(x, device, queue), device, queue)

    def shuffle(
        self, x: Array, axis: int = 0, *, queue: Queue | None = None, wait_for: _Waits = None
    ) -> Event:
        """Puts the rows of an array into random order, in place. Returns the Event, which is not waited for."""
        if not isinstance(x, Array):
            raise ArgumentTypeError(f"shuffle: expected a quern.Array, got {type(x).__name__}")
        if axis != 0:
            raise ArgumentValueError(f"shuffle: expected axis 0, got {axis}")
        return self._bits._native.shuffle(x, queue, wait_for)

    def choice(
        self,
        a: int | Array | ArrayLike,
        size: _Size = None,
        replace: bool = True,
        p: ArrayLike | Array | None = None,
        axis: int = 0,
        shuffle: bool = True,
        *,
        device: Device | str | None = None,
        queue: Queue | None = None,
    ) -> Any:
        """Rows of an array, or integers below a, all equally likely or with probabilities p.

        With replace=False none comes twice. The order is random, whatever `shuffle` says.
        """
        if axis != 0:
            raise ArgumentValueError(f"choice: expected axis 0, got {axis}")
        weights = None
        if p is not None:
            weights = np.asarray(p, np.float64)
            if weights.ndim != 1:
                raise ArgumentValueError(f"choice: expected p of one dimension, got {weights.ndim}")
        shape: Sequence[int] = () if size is None else (size,) if isinstance(size, int) else size
        chosen = self._bits._native.choice(
            _count_or_array(a, device, queue),
            shape,
            bool(replace),
            None if weights is None else weights.tolist(),
            device,
            queue,
        )
        return chosen if size is not None or chosen.ndim else chosen.get(queue=queue).item()

    def _draw(
        self,
        distribution: str,
        a: _Number,
        b: _Number,
        size: _Size,
        *,
        dtype: DTypeLike | None = None,
        out: Array | None = None,
        device: Device | str | None = None,
        queue: Queue | None = None,
        wait_for: _Waits = None,
        endpoint: bool = True,
    ) -> Any:
        is_single = _is_single(distribution, a) and _is_single(distribution, b)
        for given in (a, b):
            if isinstance(given, Array) and out is None and queue is None and device is None:
                device = given.device
        if out is not None:
            _check_out(out, size, dtype, device)
            result = out
        else:
            if dtype is None:
                is_count = distribution in ("poisson", "binomial")
                dtype = np.int64 if is_count else _default_float(device, queue)
            shape = _broadcast(distribution, a, b) if size is None else shape_of(distribution, size)
            if is_single and wait_for is None:
                result = self._bits._native.draw_lazily(
                    shape, np.dtype(dtype), distribution, cast(Any, a), cast(Any, b), device, queue
                )
                return result if size is not None else result.get(queue=queue).item()
            result = _core.empty(shape, np.dtype(dtype), device, queue)
        if is_single:
            event = self._bits._native.draw(result, distribution, cast(Any, a), cast(Any, b), queue, wait_for)
        else:
            arrays = _parameters(distribution, a, b, result, queue, endpoint)
            event = self._bits._native.draw_each(result, distribution, *arrays, endpoint, queue, wait_for)
        if out is not None:
            return event
        if size is not None or not is_single:
            return result
        event.wait()
        return result.get(queue=queue).item()

    def __repr__(self) -> str:
        return f"<quern.random.Generator({type(self._bits).__name__})>"


def _is_single(distribution: str, parameter: object) -> bool:
    """Whether it is one number; arrays of no dimensions are none."""
    if isinstance(parameter, int | float | np.integer | np.floating):
        return True
    if not isinstance(parameter, Array | np.ndarray | Sequence) or isinstance(parameter, str | bytes):
        kind = type(parameter).__name__
        raise ArgumentTypeError(f"{distribution}: expected numbers or arrays as parameters, got {kind}")
    return False


def _broadcast(distribution: str, *parameters: _Number) -> tuple[int, ...]:
    shapes = [p.shape if isinstance(p, Array) else np.shape(cast(Any, p)) for p in parameters]
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        raise ArgumentValueError(
            f"{distribution}: parameters of the shapes {shapes[0]} and {shapes[1]} do not broadcast together"
        ) from None


def _parameters(
    distribution: str, a: _Number, b: _Number, result: Array, queue: Queue | None, endpoint: bool
) -> tuple[Array, Array]:
    """Parameters as arrays beside the result. Those of the host are checked, those of a device are not waited for."""
    shape = _broadcast(distribution, a, b)
    try:
        fits = np.broadcast_shapes(shape, result.shape) == result.shape
    except ValueError:
        fits = False
    if not fits:
        raise ArgumentValueError(
            f"{distribution}: parameters of the shape {shape} do not broadcast to {result.shape}"
        )
    of_host: list[Any] = []
    for (name, allowed, is_allowed), values in zip(_PARAMETERS[distribution], (a, b), strict=False):
        if isinstance(values, Array):
            continue
        of_host.append(np.asarray(values))
        if of_host[-1].dtype.kind not in "iufb" or (
            distribution == "integers" and of_host[-1].dtype.kind == "f"
        ):
            raise ArgumentTypeError(
                f"{distribution}: expected {name} to hold numbers, got {of_host[-1].dtype}"
            )
        if not np.all(is_allowed(of_host[-1])):
            raise ArgumentValueError(f"{distribution}: expected {name} {allowed} everywhere")
    if len(of_host) == 2 and distribution in ("uniform", "integers"):
        low, high = of_host
        if not np.all(low <= high if endpoint or distribution == "uniform" else low < high):
            raise ArgumentValueError(f"{distribution}: expected low to be below high everywhere")
    if distribution == "integers" and of_host:
        least, greatest = (0, 1) if result.dtype.kind == "b" else _limits(result.dtype)
        for values in of_host:
            if np.any(values < least) or np.any(values > greatest + (not endpoint)):
                raise ArgumentValueError(f"integers: bounds do not fit {result.dtype}")
    has_double = result.device.has_fp64
    moved = []
    for values in (a, b):
        if not isinstance(values, Array):
            array = np.asarray(values)
            if array.dtype == np.float64 and not has_double:
                array = array.astype(np.float32)
            values = asarray(array, device=result.device, queue=queue)
        moved.append(values)
    return moved[0], moved[1]


def _limits(dtype: np.dtype[Any]) -> tuple[int, int]:
    if dtype.kind not in "iu":
        raise ArgumentTypeError(f"integers: expected an integer dtype or bool, got {dtype}")
    return int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)


def _integer(name: str, value: object) -> int:
    try:
        return operator.index(cast(int, value))
    except TypeError:
        raise ArgumentTypeError(f"{name}: expected an integer, got {type(value).__name__}") from None


def _count_or_array(
    x: int | Array | ArrayLike, device: Device | str | None, queue: Queue | None
) -> int | Array:
    if isinstance(x, Array):
        if device is not None and _core.device(device) != x.device:
            raise ArgumentValueError(
                f"the array is on '{x.device.spec}', not on '{_core.device(device).spec}'"
            )
        return x
    if isinstance(x, int | np.integer):
        if not -(1 << 63) <= x < 1 << 63:
            raise ArgumentValueError(f"expected a number below 2**63, got {x}")
        return int(x)
    if isinstance(x, np.ndarray | list | tuple):
        return asarray(x, device=device, queue=queue)
    raise ArgumentTypeError(f"expected an integer or an array, got {type(x).__name__}")


def _default_float(device: Device | str | None, queue: Queue | None) -> np.dtype[Any]:
    target = queue.device if queue is not None else _core.device(device)
    return np.dtype(np.float64 if target.has_fp64 else np.float32)


def _check_out(out: Array, size: _Size, dtype: DTypeLike | None, device: Device | str | None) -> None:
    if not isinstance(out, Array):
        raise ArgumentTypeError(f"out: expected a quern.Array, got {type(out).__name__}")
    if dtype is not None and np.dtype(dtype) != out.dtype and out.dtype.kind == "f":
        raise ArgumentTypeError(f"out: expected dtype {np.dtype(dtype)}, got {out.dtype}")
    lengths = None if size is None else (size,) if isinstance(size, int) else tuple(size)
    if lengths is not None and lengths != out.shape:
        raise ArgumentValueError(f"out: expected shape {lengths}, as size says, got {out.shape}")
    if device is not None and _core.device(device) != out.device:
        raise ArgumentValueError(
            f"out: expected an array on '{_core.device(device).spec}', got one on '{out.device.spec}'"
        )


def default_rng(seed: _Seed | BitGenerator | Generator = None) -> Generator:
    """A generator on Philox with this seed; without one, different each time."""
    if isinstance(seed, Generator):
        return seed
    return Generator(seed if isinstance(seed, BitGenerator) else Philox(seed))
