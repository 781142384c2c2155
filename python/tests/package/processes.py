# SPDX-License-Identifier: MIT
"""What child processes of the tests of this folder are started with."""

import os
from pathlib import Path

import quern as qn

# A shell's background jobs inherit that Ctrl-C is ignored.
START = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from quern.cli import main
sys.exit(main(sys.argv[1:]))
"""


def settings(cache, **env):
    """The environment of a child that imports this Quern, with a cache of its own and no settings of the user."""
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "QUERN_PROGRESS")}
    path = os.pathsep.join(filter(None, (str(Path(qn.__file__).parents[1]), kept.get("PYTHONPATH"))))
    return {**kept, "TERM": "xterm", "PYTHONPATH": path, "QUERN_CACHE_DIR": str(cache), **env}
