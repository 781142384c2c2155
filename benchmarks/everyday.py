# SPDX-License-Identifier: MIT
"""The programs of examples/everyday, as they are with NumPy and SciPy and with Quern in their place."""

import re
from pathlib import Path

import numpy as np

import quern as qn
from quern_bench import Contestant, run, take_turns

FOLDER = Path(__file__).parents[1] / "examples" / "everyday"
LARGE = {
    "kmeans": {"count": 1_000_000},
    "life": {"rows": 2048, "columns": 2048, "steps": 20},
    "heat": {"size": 2048, "steps": 50},
    "mandelbrot": {"width": 1800, "height": 1200},
    "option_pricing": {"paths": 200_000},
    "mixture": {"count": 300_000, "steps": 10},
    "poisson": {"size": 500},
    "vortices": {"size": 512, "steps": 20},
    "components": {"count": 1_000, "size": 32},
    "tracking": {"objects": 20_000},
}


def program(name, library):
    text = (FOLDER / f"{name}.py").read_text()
    if library is qn:
        text = re.sub(r"\bnp\b", "qn", text.replace("import numpy as np", "import quern as qn"))
        text = text.replace("from scipy", "from quern")
    names = {"__name__": name}
    exec(compile(text, f"{name}.py", "exec"), names)
    return names["main"]


def compare(report, device):
    for name, sizes in LARGE.items():
        ours, theirs = program(name, qn), program(name, np)

        def call(ours=ours, sizes=sizes):
            with qn.device(device):
                result = ours(**sizes)
                for part in result if isinstance(result, tuple) else (result,):
                    if isinstance(part, qn.Array):
                        qn.eval(part)
                qn.synchronize()

        report.add(
            take_turns(
                name,
                device.backend,
                [Contestant("Quern", call), Contestant("NumPy", lambda f=theirs, s=sizes: f(**s))],
                rounds=min(report.options.rounds, 3),
                reference="NumPy",
            )
        )


if __name__ == "__main__":
    run(__doc__, 3, host=compare, cuda=compare)
