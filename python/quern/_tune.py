# SPDX-License-Identifier: MIT
"""The search for the fastest parameters of a kernel, and kernels that run with them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._core import Array, Device, Queue
from ._progress import Bar
from ._tune_problem import Parameters, Problem, restriction_of
from ._tune_result import TuneResult
from ._units import time_text

if TYPE_CHECKING:
    Value = bool | int | float | str


def show_progress(label: str) -> tuple[Bar, Callable[[int, int, float | None], None]]:
    """A bar and the function that a search calls with its progress."""
    bar = Bar(label, unit="candidates")

    def show(done: int, total: int, best: float | None) -> None:
        bar(done, total, None if best is None else f"best {time_text(best)}")

    return bar, show


class _Target:
    """What the search calls: compiles, verifies and launches configurations."""

    def __init__(
        self,
        problem: Problem,
        queue: Queue,
        args: Any,
        verify: Any,
        defaults: Mapping[str, Value],
        tolerance: tuple[float | None, float],
    ) -> None:
        self._problem = problem
        self._queue = queue
        self._args = args if callable(args) else lambda parameters: tuple(args)
        self._launchers: dict[Any, Callable[..., Any]] = {}
        self._tolerance = tolerance
        self._saved = [(a, a.get()) for a in self._args(Parameters(defaults)) if isinstance(a, Array)]
        self._check: Callable[[Sequence[Any], Any], str | None] | None = None
        if callable(verify):
            self._check = lambda arguments, result: _verdict(verify(*arguments))
        elif isinstance(verify, Mapping):
            self._check = lambda arguments, result: self._differences(
                (f"argument {i}", arguments[i], expected) for i, expected in verify.items()
            )
        elif verify is None:
            self._check = self._against_defaults(defaults)
        elif verify is not False:
            raise _core.ArgumentTypeError(
                "verify: expected a function of the arguments, a dict of their numbers and expected values, None or "
                f"False, got {type(verify).__name__}"
            )

    def prepare(self, values: dict[str, Value]) -> None:
        """Compiles a configuration."""
        self._launchers[_key(values)] = self._problem.prepare(Parameters(values), self._queue.device)

    def verify(self, values: dict[str, Value]) -> str | None:
        """Runs a configuration and compares its results."""
        if self._check is None:
            return None
        self.restore()
        arguments, result = self._run(values)
        return self._check(arguments, result)

    def launcher(self, values: dict[str, Value]) -> Callable[[], Any]:
        """A function that enqueues a configuration, whose arguments are made before."""
        return partial(self._launchers[_key(values)], self._queue, *self._arguments(values))

    def release(self, values: dict[str, Value]) -> None:
        """Forgets a configuration that is not run any more."""
        self._launchers.pop(_key(values), None)

    def restore(self) -> None:
        """Gives the arrays the values that they had before the search."""
        for array, values in self._saved:
            array.set(values)

    def _arguments(self, values: Mapping[str, Value]) -> Sequence[Any]:
        arguments = self._args(Parameters(values))
        arrays = [a for a in arguments if isinstance(a, Array)]
        if arrays:
            _core.eval(*arrays)
        return arguments

    def _run(self, values: Mapping[str, Value]) -> tuple[Sequence[Any], Any]:
        arguments = self._arguments(values)
        result = self._launchers[_key(values)](self._queue, *arguments)
        self._queue.finish()
        return arguments, result

    def _against_defaults(self, defaults: Mapping[str, Value]) -> Callable[[Sequence[Any], Any], str | None]:
        try:
            self.prepare(dict(defaults))
            arguments, result = self._run(defaults)
        except Exception as error:
            raise _core.ArgumentValueError(
                f"tune: the default configuration ({_shown(defaults)}) gives no reference: {error}\n"
                "Give verify= a function or expected values, or defaults= that run."
            ) from error
        expected = [values for _, values in _outputs(arguments, result)]
        return lambda arguments, result: self._differences(
            (name, values, reference)
            for (name, values), reference in zip(_outputs(arguments, result), expected, strict=True)
        )

    def _differences(self, pairs: Iterable[tuple[str, Any, Any]]) -> str | None:
        for name, values, expected in pairs:
            difference = _difference(_numpy(values), _numpy(expected), *self._tolerance)
            if difference is not None:
                return f"{name}: {difference}"
        return None


def _key(values: Mapping[str, Value]) -> tuple[Any, ...]:
    return tuple(values.items())


def _shown(values: Mapping[str, Value]) -> str:
    return ", ".join(f"{name}={value}" for name, value in values.items())


def _numpy(values: Any) -> np.ndarray[Any, Any]:
    return np.asarray(values.get() if isinstance(values, Array) else values)


def _outputs(arguments: Sequence[Any], result: Any) -> list[tuple[str, np.ndarray[Any, Any]]]:
    """The arrays that a run may have written, by name, as copies."""
    found = [(f"argument {i}", a.get()) for i, a in enumerate(arguments) if isinstance(a, Array)]
    results = result if isinstance(result, tuple | list) else (result,)
    return found + [(f"result {i}", a.get()) for i, a in enumerate(results) if isinstance(a, Array)]


def _verdict(answer: Any) -> str | None:
    """What is wrong by the answer of a user's function: None and True are right, a text says what is wrong."""
    if answer is None or (isinstance(answer, bool | np.bool_) and answer):
        return None
    return answer if isinstance(answer, str) and answer else "verify() says that the results are wrong"


def _difference(
    values: np.ndarray[Any, Any], expected: np.ndarray[Any, Any], rtol: float | None, atol: float
) -> str | None:
    if values.shape != expected.shape:
        return f"shape {values.shape}, expected {expected.shape}"
    if values.size == 0:
        return None
    kind = np.result_type(values, expected)
    if kind.kind in "fc" and kind.isbuiltin == 1:
        digits = np.finfo(kind).eps
        relative = float(digits) ** 0.6 if rtol is None else rtol
        with np.errstate(all="ignore"):
            finite = np.abs(expected[np.isfinite(expected)])
            largest = float(finite.max()) if finite.size else 0.0
            limit = atol + relative * largest if rtol is None else atol + relative * np.abs(expected)
            wrong = ~((np.abs(values - expected) <= limit) | (values == expected))
            wrong &= ~(np.isnan(values) & np.isnan(expected))
    else:
        wrong = np.asarray(values != expected)
    if not wrong.any():
        return None
    first = tuple(int(i) for i in np.argwhere(wrong)[0]) if values.ndim else ()
    where = f"element {first[0] if len(first) == 1 else first}" if first else "it"
    return (
        f"{where} is {values[first]}, expected {expected[first]} ({int(wrong.sum())} of {values.size} differ)"
    )


def tune(
    kernel: Any,
    parameters: Mapping[str, Iterable[Value]],
    *,
    args: Sequence[Any] | Callable[[Parameters], Sequence[Any]] = (),
    global_size: Any = None,
    local_size: Any = None,
    name: str | None = None,
    restrictions: Any = (),
    defaults: Mapping[str, Value] | None = None,
    verify: Any = None,
    rtol: float | None = None,
    atol: float = 0.0,
    strategy: str = "brute",
    time_limit: float | None = None,
    max_evaluations: int | None = None,
    repeats: int = 7,
    seed: int = 0,
    problem: str | None = None,
    problem_class: str | None = None,
    device: Device | str | None = None,
    keep: bool = True,
    progress: bool = True,
) -> TuneResult:
    """Find the parameters with which a kernel is fastest on a device.

    Every configuration is compiled ahead of its measurement, by several threads, and its results are compared with a
    reference before it is timed. Timed runs of several configurations alternate; slow ones are stopped early. Those that
    do not compile, fail or give other results are recorded with their errors. The fastest ones and the default run once
    more in turn, and the default wins unless another is at least 2 % faster. Ctrl-C ends the search with the best so far,
    or, before there is one, by KeyboardInterrupt.

    Parameters
    ----------
    kernel : Template, str, Program, Kernel or callable
        What to tune. Parameters are placeholders of a template, macros of other sources, and keyword arguments of a
        callable, which runs with the device's queue as the current queue.
    parameters : dict
        Values of each parameter: bools, ints, floats or strings. The first ones are the default configuration.
    args : sequence, optional
        Arguments of the kernel, or a function of the parameters that returns them.
    global_size, local_size : int or tuple, optional
        Sizes of the launch, or functions of the parameters that return them. Without a global size, the shape of the
        first array.
    name : str, optional
        Name of the kernel, if its source has several.
    restrictions : str, callable or sequence of them, optional
        Conditions that configurations meet: expressions such as "tile * rows <= 1024", or functions of the parameters.
    defaults : dict, optional
        Default configuration.
    verify : callable, dict or False, optional
        Reference for the results: a function of the arguments that returns True, or a text that says what is wrong; or
        a dict of expected values by the number of the argument. By default the results of the default configuration.
        False: results are not verified.
    rtol, atol : float, optional
        Tolerances of floating-point numbers, relative to each expected value, and absolute. By default, errors may be
        a part of the largest expected value that is a power of the dtype's epsilon: 7e-5 for float32.
    strategy : {"brute", "random", "anneal", "bayes"}, optional
        All configurations, random ones, simulated annealing, or a Gaussian process that predicts times.
    time_limit : float, optional
        Seconds after which the search ends.
    max_evaluations : int, optional
        Largest number of configurations; by default all for "brute", for others a tenth, but at least 50.
    repeats : int, optional
        Number of timed runs of a configuration.
    seed : int, optional
        Seed of random choices.
    problem, problem_class : str, optional
        Names under which the result is kept; by default the kernel's name, and the dtypes and the order of magnitude
        of the arguments.
    device : Device or str, optional
        Device to tune for; the current device by default.
    keep : bool, optional
        Whether the result is kept for `Tuned`, in this and other processes.
    progress : bool, optional
        Whether a bar on the terminal shows the progress and the best time.

    Returns
    -------
    TuneResult
        The best configuration and all candidates.

    Raises
    ------
    Error
        If no configuration gave right results. The message has the first errors.
    ValueError
        If the parameters, the restrictions or the default configuration are invalid.

    Examples
    --------
    >>> source = '''
    ... kernel void scale(global float *x) {
    ...   for (int k = 0; k < EACH; ++k) x[get_global_id(0) * EACH + k] *= 2;
    ... }'''
    >>> x = qn.ones(4096, dtype="float32")
    >>> result = qn.tune(source, {"EACH": [1, 2, 4]}, args=[x], global_size=lambda p: 4096 // p.EACH)
    >>> result.best["EACH"] in (1, 2, 4)
    True
    """
    target_device = _core.device(device)
    work = Problem(kernel, name, global_size, local_size, problem)
    space = {each: list(values) for each, values in parameters.items()}
    if any(not values for values in space.values()) or not space:
        raise _core.ArgumentValueError("parameters: each parameter needs values")
    for each in space:
        if hasattr(dict, each):  # p.items is a method
            raise _core.ArgumentValueError(
                f"parameters: {each!r} is the name of a method of dict; choose another"
            )
    given = (
        {each: values[0] for each, values in space.items()}
        if defaults is None
        else {each: defaults[each] for each in space if each in defaults}
    )
    if set(given) != set(space) or (defaults is not None and set(defaults) != set(space)):
        raise _core.ArgumentValueError(
            f"defaults: expected a value for each of {', '.join(space)}, got {_shown(defaults or {})}"
        )
    conditions = [restrictions] if isinstance(restrictions, str) or callable(restrictions) else restrictions
    checks = [restriction_of(each, list(space)) for each in conditions]
    queue = Queue(target_device, profiling=True, name=f"tune {work.name}")
    is_default_allowed = all(check(given) for check in checks)
    with queue:
        if verify is None and not is_default_allowed:
            raise _core.ArgumentValueError(
                f"tune: the restrictions exclude the default configuration ({_shown(given)}), which gives the reference; "
                "give defaults= or verify="
            )
        target = _Target(work, queue, args, verify, given, (rtol, atol))
        arguments = args(Parameters(given)) if callable(args) else args
        label = work.class_of(arguments) if problem_class is None else problem_class
        settings = {
            "strategy": strategy,
            "seed": seed,
            "time_limit": math.inf if time_limit is None else float(time_limit),
            "max_evaluations": max_evaluations,
            "repeats": repeats,
            "defaults": given if is_default_allowed else None,
            # Compilers would use the processors that are measured.
            "compiles_while_measuring": target_device.kind != "cpu",
        }
        bar, show = show_progress(f"tuning {work.name}")
        try:
            with bar:
                found = _core.tune_search(target, queue, space, checks, settings, show if progress else None)
        finally:
            target.restore()
    found.title = f"{work.name} on {target_device.spec}"
    result = TuneResult(found, target_device, work.name, label)
    if keep:
        found.keep(work.name, label, work.version, target_device)
        Tuned._generation += 1
    return result


class Tuned:
    """Kernel that runs with tuned parameters where there are any, and with its defaults elsewhere.

    A call looks up the result that `tune()` or `Tuned.tune()` kept for the device, its driver and the class of the
    arguments. It never measures anything.

    Parameters
    ----------
    kernel : Template, str, Program, Kernel or callable
        Kernel whose parameters are placeholders of a template, macros of other sources, or keyword arguments of a callable.
    defaults : dict
        Value of each parameter where nothing was tuned.
    global_size, local_size : int or tuple, optional
        Sizes of the launch, or functions of the parameters that return them.
    name : str, optional
        Name of the kernel, if its source has several.
    problem, problem_class : str, optional
        Names under which results are kept, as for `tune()`.

    Examples
    --------
    >>> source = '''
    ... kernel void scale(global float *x) {
    ...   for (int k = 0; k < EACH; ++k) x[get_global_id(0) * EACH + k] *= 2;
    ... }'''
    >>> scale = qn.Tuned(source, {"EACH": 2}, global_size=lambda p: 2048 // p.EACH)
    >>> x = qn.ones(2048, dtype="float32")
    >>> event = scale(x)
    >>> float(x.sum()), scale.origin(x)
    (4096.0, 'defaults')
    """

    _generation = 0  # changes whenever results may have changed

    def __init__(
        self,
        kernel: Any,
        defaults: Mapping[str, Value],
        *,
        global_size: Any = None,
        local_size: Any = None,
        name: str | None = None,
        problem: str | None = None,
        problem_class: str | None = None,
    ) -> None:
        self._kernel = kernel
        self._problem = Problem(kernel, name, global_size, local_size, problem)
        self._problem_class = problem_class
        self._sizes = (global_size, local_size, name)
        self.defaults = dict(defaults)
        self._launchers: dict[Any, tuple[int, Callable[..., Any], dict[str, Value], str]] = {}

    def _find(self, args: Sequence[Any], device: Device) -> tuple[Callable[..., Any], dict[str, Value], str]:
        label = self._problem.class_of(args) if self._problem_class is None else self._problem_class
        known = self._launchers.get((device, label))
        if known is None or known[0] != Tuned._generation:
            values, origin = _core.tuned_find(
                self._problem.name, label, self._problem.version, self.defaults, device
            )
            launcher = self._problem.prepare(Parameters(values), device, is_built=False)
            known = (Tuned._generation, launcher, values, origin)
            self._launchers[device, label] = known
        return known[1:]

    def __call__(self, *args: Any, queue: Queue | None = None) -> Any:
        """Run the kernel with the parameters for its arguments.

        Parameters
        ----------
        *args
            Arguments of the kernel.
        queue : Queue, optional
            Queue of the launch; the current queue by default.

        Returns
        -------
        Event
            Event of the launch; of a callable its result.
        """
        target = _core.current_queue() if queue is None else queue
        return self._find(args, target.device)[0](target, *args)

    def parameters(self, *args: Any, device: Device | str | None = None) -> dict[str, Value]:
        """Parameters of a call with these arguments.

        Parameters
        ----------
        *args
            Arguments of the kernel.
        device : Device or str, optional
            Device of the call; the current device by default.

        Returns
        -------
        dict
            Value of each parameter.
        """
        return dict(self._find(args, _core.device(device))[1])

    def origin(self, *args: Any, device: Device | str | None = None) -> str:
        """Where the parameters of a call come from.

        Parameters
        ----------
        *args
            Arguments of the kernel.
        device : Device or str, optional
            Device of the call; the current device by default.

        Returns
        -------
        str
            "kept" for a result of `tune()`, "library" for the library's values for a class of devices, or "defaults".
        """
        return self._find(args, _core.device(device))[2]

    def tune(
        self, parameters: Mapping[str, Iterable[Value]], *, args: Sequence[Any], **options: Any
    ) -> TuneResult:
        """Search for the parameters of calls with such arguments, and use them from now on.

        Parameters
        ----------
        parameters : dict
            Values of each parameter.
        args : sequence
            Arguments of the kernel.
        **options
            Other keyword arguments of `tune()`.

        Returns
        -------
        TuneResult
            The best configuration and all candidates.
        """
        global_size, local_size, name = self._sizes
        return tune(
            self._kernel,
            parameters,
            args=args,
            global_size=global_size,
            local_size=local_size,
            name=name,
            problem=self._problem.name,
            **{"defaults": self.defaults, "problem_class": self._problem_class, **options},
        )

    def __repr__(self) -> str:
        return f"<quern.Tuned {self._problem.name}: {_shown(self.defaults)}>"
