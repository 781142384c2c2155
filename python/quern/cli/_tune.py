# SPDX-License-Identifier: MIT
"""quern tune: tunes the library's algorithms on this machine, and lists, exports and imports kept results."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from .. import _core, tuning
from .._units import time_text
from . import add_output_arguments
from ._output import CommandError, Output, check_may_write, write_text

if TYPE_CHECKING:
    from .._core import Device
    from .._tune_result import TuneResult

WORKLOADS = ("reduction", "scan", "sort", "matmul", "transpose", "stencil")
DESCRIPTION = "Tune the library's algorithms on this machine; list, export and import kept results."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("workload", nargs="*", help=f"what to tune: {', '.join(WORKLOADS)}")
    parser.add_argument("--all", action="store_true", help="tune all of them")
    parser.add_argument(
        "--device", metavar="SPEC", action="append", help="a device; may be repeated; default: every device"
    )
    parser.add_argument("--strategy", default="brute", choices=("brute", "random", "anneal", "bayes"))
    parser.add_argument("--time-limit", type=float, metavar="SECONDS", help="for each algorithm")
    parser.add_argument("--repeats", type=int, default=7, help="timed runs of a configuration (default: 7)")
    parser.add_argument("--seed", type=int, default=0, help="of random choices")
    parser.add_argument("--dry-run", action="store_true", help="do not keep the results")
    kept = parser.add_mutually_exclusive_group()
    kept.add_argument("--list", action="store_true", help="list the kept results")
    kept.add_argument("--export", metavar="FILE", help="write the kept results as JSON; - is standard output")
    kept.add_argument("--import", metavar="FILE", dest="import_from", help="keep the results of such a file")
    kept.add_argument(
        "--forget", action="store_true", help="remove the kept results, of the workloads or all"
    )
    parser.add_argument("--force", action="store_true", help="overwrite the file of --export")
    add_output_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Runs the command."""
    out = Output(options)
    unknown = [name for name in options.workload if name not in WORKLOADS]
    if unknown:
        raise CommandError(f"unknown workload '{unknown[0]}'; expected {', '.join(WORKLOADS)}")
    if options.import_from is not None:
        try:
            count = tuning.import_results(options.import_from)
        except UnicodeDecodeError as error:
            raise CommandError(f"{options.import_from}: not a text in UTF-8: {error}") from None
        out.line(f"{count} results kept")
        out.result({"kept": count})
    elif options.export is not None:
        check_may_write(options.export, options.force)
        write_text(options.export, tuning.export_results())
        if options.export != "-":
            out.line(f"{len(tuning.results())} results written to {options.export}")
            out.result({"file": options.export, "results": len(tuning.results())})
    elif options.forget:
        count = _forget(options.workload)
        out.line(f"{count} results removed")
        out.result({"removed": count})
    elif options.list or not (options.all or options.workload):
        _list(out, is_asked=options.list)
    else:
        _tune(out, options)
    return 0


def _forget(workloads: list[str]) -> int:
    if not workloads:
        return tuning.forget()
    # The names of forms begin with those of their workloads, except of stencils.
    prefixes = tuple("elementwise_" if name == "stencil" else f"{name}_" for name in workloads)
    problems = {result["problem"] for result in tuning.results()}
    return sum(tuning.forget(problem) for problem in problems if problem.startswith(prefixes))


def _list(out: Output, *, is_asked: bool) -> None:
    found = tuning.results()
    for result in found:
        device = result["device"]
        values = ", ".join(f"{name}={value}" for name, value in result["parameters"].items())
        gain = result["default_seconds"] / result["seconds"] if result["seconds"] else 0
        note = "" if result["complete"] else ", search not complete"
        problem = out.paint(result["problem"], "bold")
        out.line(f"{problem} ({result['class']}) on {device['name']}, driver {device['driver']}")
        out.line(f"  {values}: {gain:.2f} times as fast as the default{note}, {result['date']}")
    if not found:
        out.line("no results are kept")
    if not is_asked:
        out.line(
            "quern tune --all tunes the library's algorithms on every device; quern tune --help says more"
        )
    out.result({"results": found})


def _tune(out: Output, options: argparse.Namespace) -> None:
    devices = _core.devices() if options.device is None else [_core.device(spec) for spec in options.device]
    rows: list[dict[str, Any]] = []
    try:
        for device in devices:
            _tune_on(device, out, options, rows)
    except KeyboardInterrupt:
        out.result({"results": rows})
        raise
    out.result({"results": rows})


def _tune_on(device: Device, out: Output, options: argparse.Namespace, rows: list[dict[str, Any]]) -> None:
    algorithms = [
        each for each in tuning.algorithms(device) if options.all or each.workload in options.workload
    ]
    out.line(f"{device.spec}: {device.name}" + ("" if algorithms else ": nothing to tune"))
    for algorithm in algorithms:
        result = tuning.tune_algorithm(
            algorithm,
            device,
            strategy=options.strategy,
            time_limit=options.time_limit,
            repeats=options.repeats,
            seed=options.seed,
            keep=not options.dry_run,
        )
        rows.append(_row(device, result))
        out.line(f"  {algorithm.form}, {algorithm.description}: {_summary(result)}")
        if result.interrupted:
            raise KeyboardInterrupt


def _summary(result: TuneResult) -> str:
    changed = ", ".join(f"{name}={value}" for name, value in result.best.items() if value)
    if not changed:
        return f"{time_text(result.seconds)}, the default is the fastest of {len(result.candidates)}"
    return (
        f"{time_text(result.seconds)} with {changed}, {result.gain or 0:.2f} times as fast as the default "
        f"({len(result.candidates)} candidates)"
    )


def _row(device: Device, result: TuneResult) -> dict[str, Any]:
    return {
        "device": device.spec,
        "problem": result.problem,
        "class": result.problem_class,
        "parameters": result.best,
        "seconds": result.seconds,
        "default_seconds": result.default_seconds,
        "candidates": len(result.candidates),
        "interrupted": result.interrupted,
    }
