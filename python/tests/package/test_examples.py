# SPDX-License-Identifier: MIT
"""Every Python example runs as a program of its own; each checks its answer itself."""

import ast
import importlib.util
import os
import re
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import numpy
import pytest

EXAMPLES = Path(__file__).parents[3] / "examples"
SHELVES = ("first_steps", "science", "images", "systems")
PROGRAMS = [path for shelf in SHELVES for path in sorted((EXAMPLES / shelf).glob("*.py"))]
ARGUMENTS = {
    "balance": ["--size", "128"],
    "cylinder": ["--width", "60", "--steps", "200", "--reynolds", "40"],
    "event_server": ["--requests", "200"],
    "graphs": ["--size", "32", "--rounds", "5"],
    "heat": ["--size", "64", "--steps", "40"],
    "ising": ["--size", "48", "--sweeps", "100"],
    "kmeans_colours": ["--size", "60", "--steps", "4"],
    "life": ["--size", "48", "--frames", "6"],
    "lin_comb": ["--size", "100000"],
    "mandelbrot_zoom": ["--width", "60", "--frames", "4", "--most", "100"],
    "maxwell_dg": ["--elements", "4", "--order", "3", "--picture", "ez.png", "--movie", "movie.png"],
    "nbody": ["--stars", "200", "--frames", "4", "--size", "60"],
    "option_pricing": ["--paths", "20000", "--steps", "40"],
    "pagerank": ["--size", "60"],
    "pi": ["--points", "4194304", "--size", "80"],
    "pipeline": ["--blocks", "12", "--size", "50000", "--trace", "trace.json", "--picture", "lanes.svg"],
    "polygon_mask": ["--size", "256"],
    "random_walks": ["--walkers", "2000", "--steps", "100"],
    "raytracer": ["--width", "80"],
    "reaction_diffusion": ["--size", "64", "--steps", "400"],
    "sha256_search": ["--bits", "12"],
    "spectrogram": ["--seconds", "1"],
    "tomography": ["--size", "96", "--angles", "120"],
    "waves": ["--size", "80", "--frames", "4"],
}


@pytest.mark.parametrize("example", PROGRAMS, ids=lambda path: path.stem)
def test_example_runs_on_the_host(example, tmp_path):
    has_picture = '"--output"' in example.read_text()
    output = ["--output", "pictures/picture.png"] if has_picture else []
    done = subprocess.run(
        [sys.executable, example, *ARGUMENTS.get(example.stem, []), *output],
        cwd=tmp_path,
        env={**os.environ, "QUERN_DEVICE": "host"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout
    assert done.stderr == ""
    if has_picture:
        for frame in read_png(tmp_path / "pictures" / "picture.png"):
            assert len(numpy.unique(frame)) > 1, "a picture of one colour"


def read_png(path):
    """The pictures of a file, height x width x channels; every length, number and checksum is tested."""
    data, position, frames, numbers, announced = path.read_bytes(), 8, [], [], None
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    while position < len(data):
        length, kind = struct.unpack_from(">I4s", data, position)
        body = data[position + 8 : position + 8 + length]
        assert struct.unpack_from(">I", data, position + 8 + length)[0] == zlib.crc32(kind + body)
        position += 12 + length
        if kind == b"IHDR":
            width, height, depth, colour, *rest = struct.unpack(">IIBBBBB", body)
            assert depth == 8 and colour in (0, 2) and rest == [0, 0, 0]
        elif kind == b"acTL":
            announced = struct.unpack(">II", body)[0]
        elif kind == b"fcTL":
            numbers.append(struct.unpack(">III", body[:12]))
        elif kind in (b"IDAT", b"fdAT"):
            if kind == b"fdAT":
                numbers.append(struct.unpack(">I", body[:4]))
            rows = zlib.decompress(body if kind == b"IDAT" else body[4:])
            channels = 3 if colour == 2 else 1
            rows = numpy.frombuffer(rows, numpy.uint8).reshape(height, 1 + width * channels)
            assert not rows[:, 0].any()
            frames.append(rows[:, 1:].reshape(height, width, channels))
    assert kind == b"IEND"
    assert [number[0] for number in numbers] == list(range(len(numbers)))
    assert all(number[1:] == (width, height) for number in numbers if len(number) > 1)
    assert announced == (len(frames) if len(frames) > 1 else None)
    return frames


def load(name):
    """An example as a module."""
    (path,) = [path for path in [EXAMPLES / "pictures.py", *PROGRAMS] if path.stem == name]
    spec = importlib.util.spec_from_file_location(name, path)
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    return example


def test_blocks_are_shared_out_over_all_devices_and_over_parts():
    import quern as qn

    example = load("balance")
    expected = example.expected(200, 150, 80)
    host = qn.device("host")
    parts = host.split(counts=[1] * min(host.compute_units, 3))
    for devices in ([d for d in qn.devices() if d.has_fp64], parts, [*parts, host], [host]):
        image, shares, seconds = example.mandelbrot(devices, 200, 150, 7, 80)
        assert numpy.array_equal(image, expected)
        assert sum(shares.values()) == pytest.approx(1) and all(share > 0 for share in shares.values())
        assert seconds > 0


def test_balancing_raises_the_error_of_a_block(run_python):
    """In a process of its own: other drivers install handlers of faults, too."""
    run_python("""
    import quern as qn
    from test_examples import load
    example = load("balance")
    broken = example.SOURCE.replace("= n;\\n}", "= n; *(global int *)(ulong)8 = n;\\n}")
    assert broken != example.SOURCE
    example.SOURCE = broken
    try:
        example.Balance([qn.device("host")], 64, 64, 4, 10).run()
    except qn.KernelError:
        raise SystemExit(0)
    raise SystemExit("no error")
    """)


def test_the_pipeline_computes_every_block_on_every_device(device, tmp_path, capsys):
    overlap = load("pipeline").main(
        ["--device", device.spec, "--blocks", "10", "--size", "20000", "--slots", "3"]
    )
    assert set(overlap.busy) == {"read", "upload", "compute", "download", "write"}
    assert all(seconds > 0 for seconds in overlap.busy.values())
    assert overlap.busy[overlap.slowest] == max(overlap.busy.values())
    assert "results checked" in capsys.readouterr().out


def test_the_overlap_of_a_pipeline_is_that_of_its_slowest_stage():
    """Computed by hand: three blocks, the kernel takes 30 ns of each."""

    class Times:
        def __init__(self, started, ended):
            self.started, self.ended = started, ended

    class Record:
        def __init__(self, kind, started, ended):
            self.kind, self.times = kind, Times(started, ended)

    class Profile:
        records = [Record("upload", 10 + 30 * i, 20 + 30 * i) for i in range(3)]  # noqa: RUF012
        records += [Record("kernel", 20 + 30 * i, 50 + 30 * i) for i in range(3)]
        records += [Record("download", 50 + 30 * i, 55 + 30 * i) for i in range(3)]
        records += [Record("host wait", 0, 1000)]

    files = {
        "read": [(30 * i, 30 * i + 10) for i in range(3)],
        "write": [(60 + 30 * i, 70 + 30 * i) for i in range(3)],
    }
    overlap = load("pipeline").Overlap(Profile, files)
    assert overlap.slowest == "compute"
    assert overlap.elapsed == pytest.approx(130e-9)
    assert overlap.share == pytest.approx(90 / 130)


def test_the_server_answers_alike_by_events_and_by_threads(device):
    example = load("event_server")
    server, requests = example.Server(device), example.make_requests(60, 5000)
    for answers in (example.by_events(server, requests), example.by_threads(server, requests)):
        for (values, mean), answer in zip(requests, answers, strict=True):
            numpy.testing.assert_allclose(answer, example.expected(values, mean), rtol=1e-4, atol=1e-4)


def test_pictures_and_movies_hold_what_was_saved(tmp_path):
    pictures = load("pictures")
    grey = numpy.array([[255, 32, 255], [32, 255, 0]], numpy.uint8)
    pictures.save_png(tmp_path / "folder" / "grey.png", grey)
    (read,) = read_png(tmp_path / "folder" / "grey.png")
    assert numpy.array_equal(read[..., 0], grey)
    frames = numpy.random.default_rng(1).integers(0, 256, (5, 4, 7, 3), numpy.uint8)
    pictures.save_movie(tmp_path / "movie.png", frames)
    assert numpy.array_equal(read_png(tmp_path / "movie.png"), frames)
    with pytest.raises(ValueError, match="uint8"):
        pictures.save_png(tmp_path / "wrong.png", grey.astype(float))


def test_colours_run_through_the_scale():
    pictures = load("pictures")
    scale = [(0, 0, 0), (100, 0, 200), (200, 50, 0)]
    got = pictures.colours([-9.0, 0.0, 0.5, 1.0, 2.0, 9.0], scale, 0, 2)
    assert got.tolist() == [[0, 0, 0], [0, 0, 0], [50, 0, 100], [100, 0, 200], [200, 50, 0], [200, 50, 0]]
    assert pictures.colours(numpy.zeros((2, 2))).shape == (2, 2, 3)  # one value: no division by zero


LONGER = {"balance.py", "event_server.py", "maxwell_dg.py", "pipeline.py"}
LISTED = re.compile(r"^\| \[([^\]]+)\]\(([^)]+)\) \| ([^|]+) \|(.*)\|$", re.MULTILINE)


def test_the_list_of_the_gallery_is_complete():
    text = (EXAMPLES / "README.md").read_text()
    rows = LISTED.findall(text)
    files = {
        f"{shelf}/{path.name}"
        for shelf in SHELVES
        for path in (EXAMPLES / shelf).glob("*.[pc]*")
        if path.is_file()
    }
    assert sorted(path for _, path, _, _ in rows) == sorted(files)
    assert sum(bool(picture.strip()) for *_, picture in rows) >= 20
    for name, path, what, picture in rows:
        source = (EXAMPLES / path).read_text()
        assert path.endswith(f"/{name}")
        assert ("(longer)" in what) == (name in LONGER) == (source.count("\n") >= 120)
        makes_png = '"--output"' in source
        assert not makes_png or picture.strip() == ("movie" if "save_movie" in source else "PNG")
        if name.endswith(".py"):
            assert f"python examples/{path}" in ast.get_docstring(ast.parse(source)), "how to run it"
    assert all(
        any(path.startswith(shelf) and path.endswith(".cpp") for _, path, _, _ in rows) for shelf in SHELVES
    )


def test_the_page_of_the_gallery_shows_the_pictures(tmp_path):
    done = subprocess.run(
        [
            sys.executable,
            EXAMPLES / "gallery.py",
            "--output",
            tmp_path,
            "--only",
            "spectrogram",
            "tomography",
        ],
        env={**os.environ, "QUERN_DEVICE": "host"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    shown = re.findall(r'<img src="([^"]+)"', (tmp_path / "index.html").read_text())
    assert sorted(shown) == ["spectrogram.png", "tomography.png"]
    assert all(len(read_png(tmp_path / name)) == 1 for name in shown)
