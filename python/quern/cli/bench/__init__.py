# SPDX-License-Identifier: MIT
"""quern bench: a device beside its limits and beside other libraries."""

from __future__ import annotations

import argparse
import datetime
import json
from typing import Any

from .. import add_output_arguments
from .._output import CommandError, Output, check_may_write, write_text
from ._names import NAMES, PEER_NAMES

DESCRIPTION = """Measures a device: bandwidth, launch, compile, upload, download, elementwise, reduction, scan, sort, matmul.

Each row has Quern's shortest time, its rate, the share of what the device can do (its copy bandwidth, its rate of
multiply-adds, its pinned memory), and other libraries that are installed. All take turns in one run; 2.50x behind a
library says that its shortest time is 2.5 times Quern's."""
EPILOG = """exit codes: 0 success; 1 a row fails, or is slower than in the --compare file; 2 the command line is wrong; 130 Ctrl-C, after
which the rows that are measured are printed and written."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"rows to measure; by default all: {', '.join(NAMES)}"
    )
    parser.add_argument("--device", metavar="SPEC", help="the default device otherwise")
    parser.add_argument(
        "--size",
        choices=("small", "normal", "large"),
        default="normal",
        help="size of the arrays; small ones fit into caches",
    )
    parser.add_argument(
        "--peers",
        metavar="NAMES",
        default="all",
        help=f"libraries to measure, separated by commas: all, none, or of {', '.join(PEER_NAMES)}",
    )
    parser.add_argument(
        "--time",
        type=float,
        default=2.0,
        metavar="SECONDS",
        help="time of each row (2); at least three rounds",
    )
    parser.add_argument(
        "--load", metavar="FILE", help="take the results from a file that --json has written; measure nothing"
    )
    parser.add_argument("--compare", metavar="FILE", help="compare with an older result")
    parser.add_argument(
        "--tolerance",
        type=float,
        default=0.1,
        metavar="SHARE",
        help="rows that are slower by more than this share count as slower (0.1)",
    )
    parser.add_argument("--html", metavar="FILE", help="write a report with bars and a roofline")
    parser.add_argument("--output", "-o", metavar="FILE", help="write the JSON there, beside what is printed")
    parser.add_argument("--force", action="store_true", help="overwrite the files of --html and --output")
    add_output_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Runs the command."""
    from ._report import comparison, print_comparison, print_results

    out = Output(options)
    names = _chosen(options.names, NAMES, "the rows are")
    peers = _chosen(options.peers.split(","), PEER_NAMES, "--peers: they are")
    if options.time < 0 or options.tolerance < 0:
        raise CommandError("--time and --tolerance must not be negative")
    for path in (options.html, options.output):
        if path is not None:
            check_may_write(path, options.force)
    old = _read(options.compare) if options.compare is not None else None
    is_interrupted = False
    if options.load is not None:
        result = _read(options.load)
    else:
        result, is_interrupted = _results(options, names, peers)
    print_results(out, result)
    compared = comparison(old, result, options.tolerance) if old is not None else None
    if compared is not None:
        print_comparison(out, compared)
        result = {**result, "comparison": compared}
    out.result(result)
    if options.output is not None:
        write_text(options.output, json.dumps(result, indent=2) + "\n")
    if options.html is not None:
        from ._html import page

        write_text(options.html, page(result))
        out.line(f"{out.paint(options.html, 'cyan')} written")
    if is_interrupted:
        return 130
    is_slower = compared is not None and any(row["verdict"] == "slower" for row in compared["rows"])
    return 1 if is_slower or result["failed"] else 0


def _chosen(given: list[str], known: tuple[str, ...], what: str) -> list[str]:
    if given in ([], ["all"]):
        return list(known)
    if given == ["none"]:
        return []
    for name in given:
        if name not in known:
            raise CommandError(f"'{name}' is not known; {what} {', '.join(known)}")
    return [name for name in known if name in given]


def _read(path: str) -> dict[str, Any]:
    try:
        with open(path, encoding="utf-8") as file:
            result = json.load(file)
        if result["format"] != 1 or not isinstance(result["rows"], list):
            raise ValueError
    except (ValueError, KeyError, TypeError):
        raise CommandError(f"{path}: not a result of quern bench --json") from None
    return {"failed": [], "skipped": [], **result}


def _results(options: argparse.Namespace, names: list[str], peers: list[str]) -> tuple[dict[str, Any], bool]:
    """The results as an object of JSON, and whether Ctrl-C ended the measurement early."""
    import quern

    from ... import _core
    from ..._progress import Bar
    from .._devices import device_facts
    from ._limits import flop_rate
    from ._measure import measure
    from ._ours import benchmarks, data_for, transfer_limit
    from ._peers import contestants

    device = _core.device(options.device)
    skipped: list[dict[str, str]] = []
    rows: list[dict[str, Any]] = []
    result: dict[str, Any] = {
        "format": 1,
        "quern": quern.__version__,
        "time": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "device": device_facts(device),
        "size": options.size,
        "limits": {},
        "peers": {},
        "rows": rows,
        "failed": [],
        "skipped": skipped,
    }

    def skip(what: str, why: str) -> None:
        skipped.append({"what": what, "why": why})

    quiet = False if options.json else None
    with Bar("bench", len(names) + 2, unit="rows", is_shown=quiet) as bar:
        try:
            bar(0, note="limits of the device")
            data = data_for(device, options.size)
            result["elements"], result["side"] = data.elements, data.side
            limits = result["limits"]
            limits["copy_bandwidth"] = _core.copy_bandwidth(device)
            limits["transfer"] = transfer_limit(device, data)
            limits["flop_rate"] = flop_rate(device)
            bar.step(note="first builds")
            with quern.Queue.of(device):
                ours = benchmarks(device, data, limits)
                found, result["peers"] = contestants(peers, device, data, skip)
                bar.step()
                for name in names:
                    benchmark = ours[name]
                    benchmark.peers = found.get(name, [])
                    bar.step(0, note=benchmark.title)
                    try:
                        times, rounds = measure(benchmark, options.time, bar, skip)
                        rows.append(_row(benchmark, times, rounds))
                    except _core.Error as error:
                        result["failed"].append({"name": name, "why": str(error).splitlines()[0]})
                    bar.step()
        except KeyboardInterrupt:
            return result, True
    return result, False


def _row(benchmark: Any, times: dict[str, Any], rounds: int) -> dict[str, Any]:
    own = times[benchmark.ours.name]
    rate = benchmark.amount / own.minimum if benchmark.amount else None
    return {
        "name": benchmark.name,
        "title": benchmark.title,
        "minimum_s": own.minimum,
        "median_s": own.median,
        "rounds": rounds,
        "amount": benchmark.amount or None,
        "unit": benchmark.unit or None,
        "rate": rate,
        "limit": benchmark.limit or None,
        "limit_name": benchmark.limit_name or None,
        "share": rate / benchmark.limit if rate and benchmark.limit else None,
        "flops_per_byte": benchmark.flops_per_byte or None,
        "peers": [
            {
                "name": peer.name,
                "minimum_s": times[peer.name].minimum,
                "median_s": times[peer.name].median,
                "ratio": times[peer.name].minimum / own.minimum,
            }
            for peer in benchmark.peers
            if peer.name in times
        ],
    }
