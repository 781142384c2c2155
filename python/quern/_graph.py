# SPDX-License-Identifier: MIT
"""Functions whose work is recorded by the first call and replayed by later ones: @quern.graph."""

from __future__ import annotations

import functools
import threading
from collections import OrderedDict, namedtuple
from collections.abc import Callable
from typing import Any

from . import _core

CacheInfo = namedtuple("CacheInfo", ["hits", "misses", "maxsize", "currsize"])


class _ArrayAt:
    """Place of an array in the structure of arguments or results."""

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number


class _Static:
    """Argument that is a part of the key: another value is recorded anew."""

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value


def _flatten(value: Any, arrays: list[Any], generators: list[Any], statics: list[Any]) -> Any:
    """Structure of a value with the arrays and generators taken out; `statics` gets what the key needs."""
    if isinstance(value, _core.Array):
        statics.append(_ArrayAt)
        arrays.append(value)
        return _ArrayAt(len(arrays) - 1)
    kind = type(value)
    if kind in (tuple, list) or (isinstance(value, tuple) and hasattr(value, "_fields")):
        statics.append((kind, len(value)))
        items = [_flatten(item, arrays, generators, statics) for item in value]
        return kind(*items) if hasattr(value, "_fields") else kind(items)
    if kind is dict:
        statics.append((dict, tuple(value)))
        return {name: _flatten(item, arrays, generators, statics) for name, item in value.items()}
    if hasattr(value, "__array__") and getattr(value, "ndim", 0) > 0:
        raise _core.CaptureError(
            f"a function with @qn.graph takes arrays on the device, got {kind.__module__}.{kind.__qualname__}; "
            "pass qn.asarray(...)"
        )
    if _is_generator(value):
        statics.append(kind)
        generators.append(value)
        return _Static(value)
    try:
        hash(value)
    except TypeError:
        raise TypeError(
            f"a function with @qn.graph takes arrays, generators and hashable values, got {kind.__qualname__}"
        ) from None
    statics.append((kind, _identity(value)))
    return _Static(value)


def _identity(value: Any) -> Any:
    """What the key holds of a value: numbers that compare equal may differ in the sign of zero; NaN equals nothing."""
    if isinstance(value, (float, complex)):
        return repr(value)
    return value.tobytes() if type(value).__module__ == "numpy" and hasattr(value, "tobytes") else value


def _is_generator(value: object) -> bool:
    from .random import Generator

    return isinstance(value, Generator)


def _rebuilt(structure: Any, arrays: list[Any], replaced: dict[int, Any]) -> Any:
    """Value of a structure with these arrays; static values are replaced by their identity."""
    if isinstance(structure, _ArrayAt):
        return arrays[structure.number]
    if isinstance(structure, _Static):
        return replaced.get(id(structure.value), structure.value)
    if isinstance(structure, dict):
        return {name: _rebuilt(item, arrays, replaced) for name, item in structure.items()}
    items = [_rebuilt(item, arrays, replaced) for item in structure]
    return type(structure)(*items) if hasattr(structure, "_fields") else type(structure)(items)


def _queue_of(arrays: list[Any]) -> Any:
    """Queue for the work on these arrays: the current one, if it is on their device."""
    queue = _core.current_queue()
    places = {each.device for each in arrays}
    if len(places) > 1:
        names = ", ".join(sorted(place.spec for place in places))
        raise _core.CaptureError(f"a function with @qn.graph takes arrays of one device, got some on {names}")
    return queue if queue.device in places or not places else _core.Queue.of(places.pop())


class _Draw:
    """Draw of random numbers in a recorded function. It is repeated before each replay."""

    def __init__(self, generator: int, method: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.generator, self.method, self.args, self.kwargs = generator, method, args, kwargs
        self.memory: Any = None

    def run(self, generators: list[Any], arrays: list[Any]) -> Any:
        """New numbers, with the generators and arrays of a call."""

        def given(value: Any) -> Any:
            return arrays[value.number] if isinstance(value, _ArrayAt) else value

        args = [given(value) for value in self.args]
        kwargs = {name: given(value) for name, value in self.kwargs.items()}
        result = getattr(generators[self.generator], self.method)(*args, **kwargs)
        if not isinstance(result, _core.Array) or any(result is each for each in (*args, *kwargs.values())):
            raise _core.CaptureError(
                f"{self.method}() of a generator cannot be recorded, because it returns no new array"
            )
        _core.eval(result)
        return result


class _Call:
    """Arrays and generators of a call that is recorded, and the draws that it makes."""

    def __init__(self, arrays: list[Any], placeholders: list[Any], generators: list[Any]) -> None:
        self.arrays, self.placeholders, self.generators = arrays, placeholders, generators
        self.draws: list[_Draw] = []

    def draw(self, generator: int, method: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        draw = _Draw(
            generator,
            method,
            tuple(self._parameter(value) for value in args),
            {name: self._parameter(value) for name, value in kwargs.items()},
        )
        pause = _core.CapturePause()
        try:
            result = draw.run(self.generators, self.arrays)
        finally:
            del pause
        draw.memory = _core.same_elements(result)
        self.draws.append(draw)
        return result

    def _parameter(self, value: Any) -> Any:
        """Parameter of a draw: an argument of the function is that of each call."""
        if not isinstance(value, _core.Array):
            return value
        for number, each in enumerate(self.placeholders):
            if each is value:
                return _ArrayAt(number)
        # What the function computes becomes memory of the capture, which draws cannot use.
        _, (owner, *owners) = _core.graph_key([value, *self.placeholders])
        if owner in owners:
            raise _core.CaptureError(
                "a random draw cannot use a view of an argument: pass the argument itself, or draw outside"
            )
        return value


class _RecordedGenerator:
    """Generator in a function that is recorded: draws run, and are repeated by replays."""

    def __init__(self, call: _Call, number: int) -> None:
        self._call, self._number = call, number

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return type(self._call.generators[self._number])

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._call.generators[self._number], name)
        if not callable(method):
            return method

        @functools.wraps(method)
        def draw(*args: Any, **kwargs: Any) -> Any:
            return self._call.draw(self._number, name, args, kwargs)

        return draw


class _Recording:
    """Graph of one call, with the memory that it reads and writes at present."""

    def __init__(
        self,
        function: Callable[..., Any],
        queue: Any,
        structure: Any,
        arrays: list[Any],
        generators: list[Any],
    ) -> None:
        # In memory of their own, arguments differ from arrays that the function finds elsewhere.
        placeholders = _core.graph_placeholders(arrays, queue)
        self._states = [(each, each.bit_generator.state) for each in generators]
        call = _Call(arrays, placeholders, generators)
        proxies = {id(each): _RecordedGenerator(call, number) for number, each in enumerate(generators)}
        args, kwargs = _rebuilt(structure, placeholders, proxies)
        with queue.capture() as graph:
            value = function(*args, **kwargs)
            results: list[Any] = []
            self._structure = _flatten(value, results, [], [])
            self._from_arguments = [
                next((k for k, each in enumerate(placeholders) if each is result), None) for result in results
            ]
            _core.eval(*results)
            seen: list[int] = []
            for number, result in enumerate(results):
                if self._from_arguments[number] is not None:
                    continue
                is_shared = not _core.is_new_result(result) or _core.graph_key([result])[1][0] in seen
                if is_shared:
                    results[number] = result = result.copy()
                    _core.eval(result)
                seen.append(_core.graph_key([result])[1][0])
            del value
        self._graph = graph
        self._draws = call.draws
        self._outputs: list[Any] = [
            None if self._from_arguments[number] is not None else _core.same_elements(result)
            for number, result in enumerate(results)
        ]
        self._inputs = _core.graph_memory(placeholders)
        self._owners = _core.graph_key(placeholders)[1]
        self._is_new = True  # the draws of the recording are those of its first replay

    def can_replay(self, arrays: list[Any], owners: list[int]) -> bool:
        """Whether no argument is memory that the function also uses by another name."""
        return owners == self._owners or not any(
            owner not in self._owners and self._graph._uses(each)
            for owner, each in zip(owners, arrays, strict=True)
        )

    def undo_draws(self) -> None:
        """Restore the generators of a recording that was not replayed yet. The next replay draws anew."""
        if self._is_new:
            for generator, state in self._states:
                generator.bit_generator.state = state
        self._states, self._is_new = [], False

    def replay(self, queue: Any, arrays: list[Any], owners: list[int], generators: list[Any]) -> Any:
        pairs: list[Any] = []
        outputs = list(self._outputs)
        for number, result in enumerate(self._outputs):
            # The caller keeps a result that it still holds: this replay writes other memory.
            if result is None or not self._graph._is_lent(result):
                continue
            fresh = _core.empty(result.shape, dtype=result.dtype, queue=queue)
            pairs.append((result, fresh))
            outputs[number] = _core.same_elements(fresh)
            del fresh
        inputs = self._inputs
        if owners != self._owners:
            inputs = _core.graph_memory(arrays)
            pairs.extend(zip(self._inputs, inputs, strict=True))
        draws = [] if self._is_new else [draw.run(generators, arrays) for draw in self._draws]
        pairs.extend((draw.memory, result) for draw, result in zip(self._draws, draws, strict=False))
        if pairs:
            self._graph._replace(pairs)
        self._outputs, self._inputs, self._owners, self._is_new = outputs, inputs, owners, False
        self._states = []
        for draw, result in zip(self._draws, draws, strict=False):
            draw.memory = _core.same_elements(result)
        del pairs, draws
        self._graph.launch(queue)
        return self._results(arrays)

    def _results(self, arrays: list[Any]) -> Any:
        results = [
            arrays[argument] if argument is not None else self._graph._lent(result)
            for argument, result in zip(self._from_arguments, self._outputs, strict=True)
        ]
        return _rebuilt(self._structure, results, {})


class GraphFunction:
    """Function whose work is recorded by its first call and replayed by later ones; `graph` makes it.

    Parameters
    ----------
    function : callable
        Function of arrays.
    maxsize : int, optional
        Number of recordings that are kept.

    Examples
    --------
    >>> double = qn.GraphFunction(lambda x: 2 * x)
    >>> print(double(qn.arange(3)), double(qn.ones(3, dtype="int64")))
    [0 2 4] [2 2 2]
    >>> double.cache_info().hits
    1
    """

    def __init__(self, function: Callable[..., Any], maxsize: int = 16) -> None:
        functools.update_wrapper(self, function)
        self._function, self._maxsize = function, maxsize
        self._recordings: OrderedDict[Any, _Recording] = OrderedDict()
        self._lock = threading.RLock()
        self._hits = self._misses = 0

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if _core.is_capturing():  # the work becomes a part of that graph
            return self._function(*args, **kwargs)
        arrays: list[Any] = []
        generators: list[Any] = []
        statics: list[Any] = []
        structure = _flatten((args, kwargs), arrays, generators, statics)
        layout, owners = _core.graph_key(arrays)
        queue = _queue_of(arrays)
        key = (layout, tuple(statics), queue.device, queue.context)
        with self._lock:
            recording = self._recordings.get(key)
            if recording is not None:
                self._hits += 1
                self._recordings.move_to_end(key)
            else:
                self._misses += 1
                recording = _Recording(self._function, queue, structure, arrays, generators)
                self._recordings[key] = recording
                if len(self._recordings) > self._maxsize:
                    self._recordings.popitem(last=False)
            if recording.can_replay(arrays, owners):
                return recording.replay(queue, arrays, owners, generators)
            recording.undo_draws()
        return self._function(*args, **kwargs)

    def cache_info(self) -> CacheInfo:
        """Counts of calls that replayed and that recorded, and the numbers of recordings allowed and kept."""
        with self._lock:
            return CacheInfo(self._hits, self._misses, self._maxsize, len(self._recordings))

    def cache_clear(self) -> None:
        """Drop all recordings and the memory that they keep."""
        with self._lock:
            self._recordings.clear()
            self._hits = self._misses = 0


def graph(function: Callable[..., Any] | None = None, *, maxsize: int = 16) -> Any:
    """Record the work of a function at its first call, and replay it at later calls.

    A call with arrays of the same dtypes, shapes and layouts replays the recorded kernels on the arrays of that call: the
    Python code of the function does not run again. Other arguments (numbers, strings) are a part of the recording, so other
    values are recorded anew. Pass a number that changes often as an array without dimensions. Globals, closures and attributes
    that the function reads keep their values of the first call: pass them as arguments, too.

    Results are new arrays, which later calls do not change. An argument that the function returns is returned itself; a view
    is returned as a copy. What the function writes to its arguments is written to those of each call.

    Reading values (``float(x)``, ``x.get()``, printing, ``if x > 0``) and waiting raise CaptureError while the function is
    recorded, and so do random draws, except from generators that are arguments of the function: their draws run before each
    replay, and advance the generator as usual. Parameters of such draws may be arguments of the function, but not views of
    them or arrays that the function computes.

    While a function is recorded, uninitialised memory of the same size takes the place of its arguments. A call whose argument
    is an array that the function also uses by another name runs the function itself.

    Parameters
    ----------
    function : callable
        Function of arrays, of tuples, lists and dicts of arrays, of generators and of hashable values.
    maxsize : int, optional
        Number of recordings that are kept; the least recently used one is dropped.

    Returns
    -------
    GraphFunction
        Function with the methods cache_info() and cache_clear().

    Examples
    --------
    >>> @qn.graph
    ... def step(x, y):
    ...     return 0.5 * (x + y), x - y
    >>> mean, difference = step(qn.arange(3.0), qn.ones(3))
    >>> print(mean, difference)
    [0.5 1.  1.5] [-1.  0.  1.]
    >>> mean, difference = step(qn.ones(3), qn.zeros(3))
    >>> print(mean)
    [0.5 0.5 0.5]
    >>> step.cache_info()
    CacheInfo(hits=1, misses=1, maxsize=16, currsize=1)
    """
    if function is None:
        return functools.partial(graph, maxsize=maxsize)
    if not callable(function):
        raise TypeError(f"graph: expected a function, got {type(function).__qualname__}")
    if maxsize < 1:
        raise ValueError(f"maxsize: expected at least 1, got {maxsize}")
    return GraphFunction(function, maxsize)
