# SPDX-License-Identifier: MIT
"""Every Python example runs as a program of its own; each checks its answer itself."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[3] / "examples"
ARGUMENTS = {
    "lin_comb.py": ["--size", "100000"],
    "pi.py": ["--points", "4194304"],
    "polygon_mask.py": ["--size", "256", "--output", "mask.png"],
}


@pytest.mark.parametrize("example", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_example_runs_on_the_host(example, tmp_path):
    done = subprocess.run(
        [sys.executable, example, *ARGUMENTS.get(example.name, [])],
        cwd=tmp_path,
        env={**os.environ, "QUERN_DEVICE": "host"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout
    assert done.stderr == ""


def test_the_mask_is_a_picture_any_reader_takes(tmp_path):
    numpy = pytest.importorskip("numpy")
    import importlib.util
    import struct
    import zlib

    spec = importlib.util.spec_from_file_location("polygon_mask", EXAMPLES / "polygon_mask.py")
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    mask = numpy.array([[True, False, True], [False, True, False]])
    example.save_png(tmp_path / "mask.png", mask)

    data, chunks = (tmp_path / "mask.png").read_bytes(), {}
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    position = 8
    while position < len(data):
        length, kind = struct.unpack_from(">I4s", data, position)
        body = data[position + 8 : position + 8 + length]
        assert struct.unpack_from(">I", data, position + 8 + length)[0] == zlib.crc32(kind + body)
        chunks[kind] = body
        position += 12 + length
    assert struct.unpack(">IIBBBBB", chunks[b"IHDR"]) == (3, 2, 8, 0, 0, 0, 0)
    assert zlib.decompress(chunks[b"IDAT"]) == bytes([0, 255, 32, 255, 0, 32, 255, 32])
