# SPDX-License-Identifier: MIT
"""The command line in a process of its own: with pipes, and in a pseudo-terminal."""

import os
import pty
import select
import signal
import subprocess
import sys
import time

import pytest
from processes import settings


@pytest.fixture
def quern(tmp_path):
    """Runs `python -m quern` with these arguments in pipes."""

    def run(*arguments, module="quern", stdin=None, **env):
        return subprocess.run(
            [sys.executable, "-m", module, *map(str, arguments)],
            capture_output=True,
            text=True,
            input=stdin,
            env=settings(tmp_path / "cache", **env),
            timeout=120,
            cwd=tmp_path,
        )

    return run


@pytest.fixture
def terminal(tmp_path):
    """Runs Python with these arguments in a terminal; returns its exit code and what it printed. `interrupt_at`: the
    text after which Ctrl-C is pressed."""

    def run(*arguments, interrupt_at=None, **env):
        pid, place = pty.fork()
        if pid == 0:
            os.chdir(tmp_path)
            os.execve(
                sys.executable,
                [sys.executable, *map(str, arguments)],
                settings(tmp_path / "cache", COLUMNS="80", LINES="24", **env),
            )
        text, end = b"", time.monotonic() + 120
        try:
            while time.monotonic() < end:
                if not select.select([place], [], [], 1)[0]:
                    continue
                try:
                    piece = os.read(place, 1 << 16)
                except OSError:  # Linux reports so that the other side is closed
                    break
                if not piece:
                    break
                text += piece
                if interrupt_at is not None and interrupt_at.encode() in text:
                    os.kill(pid, signal.SIGINT)
                    interrupt_at = None
            else:
                os.kill(pid, signal.SIGKILL)
        finally:
            os.close(place)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), text.decode(errors="replace")

    return run
