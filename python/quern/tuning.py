# SPDX-License-Identifier: MIT
"""Kept results of tuning: listing, export, import, and the tuning of the library's own algorithms."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from . import _core
from ._core import Device, TunableAlgorithm
from ._tune import Tuned, show_progress
from ._tune_result import TuneResult

__all__ = [
    "TunableAlgorithm",
    "algorithms",
    "export_results",
    "forget",
    "import_results",
    "reload",
    "results",
    "tune_algorithm",
]


def results() -> list[dict[str, Any]]:
    """List the kept results of all devices and drivers.

    Returns
    -------
    list of dict
        For each result the problem, its class and version, the device, the parameters and the times.

    Examples
    --------
    >>> all("parameters" in result for result in qn.tuning.results())
    True
    """
    return list(json.loads(_core.tuned_export())["results"])


def export_results(path: str | os.PathLike[str] | None = None) -> str:
    """Return the kept results as JSON, and optionally write them to a file.

    Parameters
    ----------
    path : str or pathlib.Path, optional
        File to write.

    Returns
    -------
    str
        The document.

    Examples
    --------
    >>> qn.tuning.export_results().splitlines()[1]
    '  "format": "quern tuning",'
    """
    text = _core.tuned_export()
    if path is not None:
        Path(path).write_text(text, encoding="utf-8")
    return text


def import_results(source: str | os.PathLike[str]) -> int:
    """Keep the results of a document that `export_results()` wrote.

    Parameters
    ----------
    source : str or pathlib.Path
        File, or the text of the document.

    Returns
    -------
    int
        Number of results.

    Raises
    ------
    ValueError
        If it is not such a document. Nothing is kept then.

    Examples
    --------
    >>> qn.tuning.import_results(qn.tuning.export_results()) == len(qn.tuning.results())
    True
    """
    is_text = isinstance(source, str) and source.lstrip().startswith("{")
    count = _core.tuned_import(str(source) if is_text else Path(source).read_text(encoding="utf-8"))
    Tuned._generation += 1
    return int(count)


def forget(problem: str | None = None) -> int:
    """Remove kept results.

    Parameters
    ----------
    problem : str, optional
        Name of the problem whose results are removed; all problems by default.

    Returns
    -------
    int
        Number of removed results.

    Examples
    --------
    >>> qn.tuning.forget("a problem without results")
    0
    """
    Tuned._generation += 1
    return int(_core.tuned_forget(problem or ""))


def reload() -> None:
    """Read kept results again, so that those of other processes are found.

    Examples
    --------
    >>> qn.tuning.reload()
    """
    Tuned._generation += 1
    _core.tuned_reload()


def algorithms(device: Device | str | None = None) -> list[TunableAlgorithm]:
    """List the algorithms of the library that have parameters on a device. The call runs each of them once.

    Parameters
    ----------
    device : Device or str, optional
        Device; the current device by default.

    Returns
    -------
    list of TunableAlgorithm
        Forms of the algorithms that the device runs.

    Examples
    --------
    >>> "reduction" in {algorithm.workload for algorithm in qn.tuning.algorithms("host")}
    True
    """
    return list(_core.tunable_algorithms(_core.device(device)))


def tune_algorithm(
    algorithm: TunableAlgorithm,
    device: Device | str | None = None,
    *,
    strategy: str = "brute",
    time_limit: float | None = None,
    max_evaluations: int | None = None,
    repeats: int = 7,
    seed: int = 0,
    keep: bool = True,
    progress: bool = True,
) -> TuneResult:
    """Tune an algorithm of the library on a device. `quern tune --all` does so for all of them.

    Parameters
    ----------
    algorithm : TunableAlgorithm
        One of `algorithms()`.
    device : Device or str, optional
        Device to tune for; the current device by default.
    strategy : {"brute", "random", "anneal", "bayes"}, optional
        Strategy of the search.
    time_limit : float, optional
        Seconds after which the search ends.
    max_evaluations : int, optional
        Largest number of configurations.
    repeats : int, optional
        Number of timed runs of a configuration.
    seed : int, optional
        Seed of random choices.
    keep : bool, optional
        Whether the algorithm uses the result from now on, in this and other processes.
    progress : bool, optional
        Whether a bar on the terminal shows the progress and the best time.

    Returns
    -------
    TuneResult
        The best configuration, in which 0 is the algorithm's own choice, and all candidates.

    Examples
    --------
    >>> scan = next(a for a in qn.tuning.algorithms("host") if a.workload == "scan")
    >>> result = qn.tuning.tune_algorithm(scan, "host", repeats=1, max_evaluations=2, keep=False)
    >>> len(result.candidates)
    2
    """
    target = _core.device(device)
    settings = {
        "strategy": strategy,
        "time_limit": time_limit,
        "max_evaluations": max_evaluations,
        "repeats": repeats,
        "seed": seed,
    }
    bar, show = show_progress(f"tuning {algorithm.form}")
    with bar:
        found = _core.tune_algorithm(target, algorithm, settings, show if progress else None)
    result = TuneResult(found, target, algorithm.form, algorithm.problem_class)
    if keep:
        found.keep(algorithm.form, algorithm.problem_class, algorithm.version, target)
    return result


def tune_all(
    device: Device | str | None = None, workloads: Sequence[str] | None = None, **options: Any
) -> list[TuneResult]:
    """Tune the algorithms of the library on a device.

    Parameters
    ----------
    device : Device or str, optional
        Device to tune for; the current device by default.
    workloads : sequence of str, optional
        Names of workloads; all by default.
    **options
        Keyword arguments of `tune_algorithm()`.

    Returns
    -------
    list of TuneResult
        A result for each form of an algorithm.
    """
    chosen = [a for a in algorithms(device) if workloads is None or a.workload in workloads]
    found = []
    for algorithm in chosen:
        found.append(tune_algorithm(algorithm, device, **options))
        if found[-1].interrupted:
            break
    return found


TunableAlgorithm.__module__ = "quern.tuning"
