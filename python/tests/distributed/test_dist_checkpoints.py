# SPDX-License-Identifier: MIT
"""Checkpoints: whole or not at all, read by NumPy, on other numbers of ranks; and files of HDF5."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import quern
import quern.dist as qn
from quern import _progress
from quern._progress import Bar
from quern.dist import _block_files, _hdf5

PROGRAM = Path(__file__).with_name("checkpoint_program.py")
LAUNCHERS = {
    "open_mpi": ("mpiexec.openmpi", ["--oversubscribe", "--allow-run-as-root"]),
    "mpich": ("mpiexec.mpich", []),
}


@pytest.fixture(autouse=True)
def on_host():
    with quern.device("host"):
        yield


@pytest.fixture(params=LAUNCHERS)
def ranks(request):
    """Runs the program on a number of ranks."""
    program, options = LAUNCHERS[request.param]
    path = shutil.which(program)
    if path is None:
        pytest.skip(f"{program} is not installed")

    def run(count, *arguments, check=True):
        package = str(Path(quern.__file__).parents[1])
        environment = {
            **os.environ,
            "QUERN_DEVICE": "host",
            "QUERN_DIST_TIMEOUT": "60",
            "OMPI_MCA_mpi_yield_when_idle": "1",
            "PYTHONPATH": os.pathsep.join([package, os.environ.get("PYTHONPATH", "")]),
        }
        start = [path, *options, "-n", str(count)] if count else []
        done = subprocess.run(
            [*start, sys.executable, str(PROGRAM), *map(str, arguments)],
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
        )
        if check:
            assert done.returncode == 0, done.stderr[-3000:]
        return done

    return run


def numpy_reads(folder, step):
    """The checkpoint is complete by NumPy and json alone."""
    manifest = json.loads((folder / "checkpoint.json").read_text())
    assert manifest["values"]["step"] == step
    np.testing.assert_array_equal(np.load(folder / "u.npy"), np.arange(35.0).reshape(5, 7) + step)
    np.testing.assert_array_equal(np.load(folder / "cyclic.npy"), np.arange(23, dtype=np.int32) * step)


def test_a_checkpoint_restarts_on_other_numbers_of_ranks(ranks, tmp_path):
    folder = tmp_path / "state"
    ranks(3, "save", folder, 1)
    numpy_reads(folder, 1)
    ranks(2, "load", folder, 1)
    ranks(0, "load", folder, 1)
    ranks(2, "save", folder, 2)
    ranks(4, "load", folder, 2)
    assert os.listdir(tmp_path) == ["state"]


@pytest.mark.parametrize("writes", [0, 1, 3])
def test_a_killed_rank_leaves_the_previous_checkpoint(ranks, tmp_path, writes):
    folder = tmp_path / "state"
    ranks(2, "save", folder, 1)
    assert ranks(2, "killed", folder, 2, writes, check=False).returncode != 0
    numpy_reads(folder, 1)
    ranks(3, "load", folder, 1)
    ranks(2, "save", folder, 3)  # removes what was left
    assert os.listdir(tmp_path) == ["state"]
    numpy_reads(folder, 3)


def test_a_program_killed_before_the_new_checkpoint_has_its_name(ranks, tmp_path):
    folder = tmp_path / "state"
    ranks(2, "save", folder, 1)
    assert ranks(2, "killed_before_publishing", folder, 2, check=False).returncode != 0
    numpy_reads(folder, 1)


def test_a_disk_that_fills_leaves_the_previous_checkpoint(ranks, tmp_path):
    folder = tmp_path / "state"
    ranks(2, "save", folder, 1)
    done = ranks(2, "full", folder, 2, 4000)
    for rank in range(2):
        assert f"rank {rank}: DistributedOSError: save_checkpoint: rank 0" in done.stdout
    numpy_reads(folder, 1)
    assert os.listdir(tmp_path) == ["state"]


def test_hdf5_is_written_and_read_by_all_ranks(ranks, tmp_path):
    h5py = pytest.importorskip("h5py")
    ranks(3, "hdf5", tmp_path)
    assert os.listdir(tmp_path) == ["x.h5"]
    with h5py.File(tmp_path / "x.h5") as file:
        np.testing.assert_array_equal(file["group/x"][...], np.arange(30.0).reshape(5, 6))


LAYOUTS = [None, "replicated", qn.owned(1), qn.cyclic(2), (1, 3), (3, 1), qn.cyclic(3, (1, 3))]


@pytest.mark.parametrize("saved", LAYOUTS, ids=lambda one: one if type(one) is str else type(one).__name__)
@pytest.mark.parametrize("shape", [(11, 4), (2, 3, 5), (0, 4), (3, 0)], ids=str)
def test_every_layout_is_saved_and_loaded_in_every_other(tmp_path, saved, shape):
    values = np.random.default_rng(3).integers(-100, 100, shape).astype(np.int16)

    def program():
        qn.save_checkpoint(tmp_path / "state", {"x": qn.asarray(values, layout=saved)}, progress=False)
        for layout in LAYOUTS:
            x = qn.load_checkpoint(tmp_path / "state", layout=layout)["x"]
            np.testing.assert_array_equal(x.get(), values)

    qn.on_threads(3, program)
    np.testing.assert_array_equal(np.load(tmp_path / "state" / "x.npy"), values)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "float32", "complex128", "bfloat16"])
def test_every_dtype_keeps_its_bits(tmp_path, dtype):
    if dtype == "bfloat16":
        pytest.importorskip("ml_dtypes")
    values = np.arange(-3, 9).astype(dtype)
    qn.save_checkpoint(tmp_path / "state", {"x": qn.asarray(quern.asarray(values))})
    x = qn.load_checkpoint(tmp_path / "state")["x"].get()
    assert x.dtype == values.dtype
    assert x.tobytes() == values.tobytes()


def test_arrays_and_values_of_every_kind(tmp_path):
    state = {
        "numpy": np.arange(3.0),
        "zero-dimensional": np.array(2, np.float32),
        "quern": quern.arange(4),
        "a/b ..": qn.ones(3),
        "none": None,
        "nan": float("nan"),
        "large": 2**70,
        "text": "\u00e4\n",
        "numbers": (np.int64(3), np.float32(0.5), np.bool_(True)),
    }
    qn.save_checkpoint(str(tmp_path / "state") + "/", state)
    loaded = qn.load_checkpoint(tmp_path / "state")
    assert list(loaded) == list(state)
    assert type(loaded["numpy"]) is np.ndarray
    assert loaded["numpy"].tolist() == [0, 1, 2]
    assert loaded["zero-dimensional"].shape == ()
    assert isinstance(loaded["quern"], quern.Array)
    assert loaded["quern"].get().tolist() == [0, 1, 2, 3]
    assert loaded["a/b .."].get().tolist() == [1, 1, 1]
    assert loaded["nan"] != loaded["nan"]
    assert loaded["numbers"] == [3, 0.5, True]
    assert {name: loaded[name] for name in ("none", "large", "text")} == {
        name: state[name] for name in ("none", "large", "text")
    }
    assert list(qn.load_checkpoint(tmp_path / "state", names=["text"])) == ["text"]


def test_wrong_arguments_are_named(tmp_path):
    with pytest.raises(TypeError, match="'step': cannot save complex"):
        qn.save_checkpoint(tmp_path / "state", {"step": 3j})
    with pytest.raises(TypeError, match="names are texts, got 3"):
        qn.save_checkpoint(tmp_path / "state", {3: 1})
    with pytest.raises(TypeError, match="expected a dictionary"):
        qn.save_checkpoint(tmp_path / "state", [1])
    with pytest.raises(TypeError, match="Python objects"):
        qn.save_checkpoint(tmp_path / "state", {"x": np.array([{}])})
    assert os.listdir(tmp_path) == []
    with pytest.raises(FileNotFoundError, match="there is no checkpoint"):
        qn.load_checkpoint(tmp_path / "state")
    qn.save_checkpoint(tmp_path / "state", {"x": qn.ones(3)})
    with pytest.raises(ValueError, match="has no 'y'; it has x"):
        qn.load_checkpoint(tmp_path / "state", names=["y"])
    np.save(tmp_path / "state" / "x.npy", np.ones(4))
    with pytest.raises(ValueError, match="the manifest says"):
        qn.load_checkpoint(tmp_path / "state")
    (tmp_path / "state" / "checkpoint.json").write_text("{")
    with pytest.raises(ValueError, match="is damaged"):
        qn.load_checkpoint(tmp_path / "state")


def test_a_folder_of_other_files_is_not_replaced(tmp_path):
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "thesis.txt").write_text("years")
    with pytest.raises(FileExistsError, match="not a checkpoint"):
        qn.save_checkpoint(tmp_path / "work", {"x": qn.ones(3)})
    assert (tmp_path / "work" / "thesis.txt").read_text() == "years"
    assert os.listdir(tmp_path) == ["work"]


def test_ranks_that_disagree_about_values_are_named(tmp_path):
    with pytest.raises(qn.DistributedError, match="rank 1 differ from those of rank 0"):
        qn.on_threads(2, lambda: qn.save_checkpoint(tmp_path / "state", {"step": qn.rank()}))
    assert os.listdir(tmp_path) == []


def test_a_file_system_that_cannot_exchange_names(tmp_path, monkeypatch):
    from quern.dist import _checkpoints

    monkeypatch.setattr(_checkpoints, "_exchange", lambda one, other: False)
    for step in range(3):
        qn.save_checkpoint(tmp_path / "state", {"step": step})
        assert qn.load_checkpoint(tmp_path / "state") == {"step": step}
        assert os.listdir(tmp_path) == ["state"]
    # A program that is killed between the two renames leaves the old checkpoint under the other name.
    os.rename(tmp_path / "state", tmp_path / "state.old")
    assert qn.load_checkpoint(tmp_path / "state") == {"step": 2}
    qn.save_checkpoint(tmp_path / "state", {"step": 3})
    assert qn.load_checkpoint(tmp_path / "state") == {"step": 3}


def test_progress_is_reported_in_bytes(tmp_path):
    seen = []
    qn.save_checkpoint(tmp_path / "state", {"x": qn.ones(10)}, progress=lambda *done: seen.append(done))
    assert seen == [(80, 80)]
    qn.load_checkpoint(tmp_path / "state", progress=lambda *done: seen.append(done))
    assert seen == [(80, 80), (80, 80)]


def test_a_bar_is_drawn_on_terminals_only(monkeypatch):
    monkeypatch.setattr(_progress, "_libraries", ())  # tqdm and rich draw others

    class Terminal:
        def __init__(self, is_terminal):
            self.text, self.isatty, self.flush = "", lambda: is_terminal, lambda: None

        def write(self, text):
            self.text += text

    for is_terminal in (True, False):
        stream = Terminal(is_terminal)
        bar = Bar("saving", stream=stream)
        bar(1, 4)
        assert stream.text == ""  # short work shows nothing
        bar._next = 0
        bar(1, 4)
        assert ("saving [" in stream.text and "25 %" in stream.text) == is_terminal
        bar.close()
        assert stream.text.endswith("\r\x1b[K") == is_terminal


def test_hdf5_names_what_is_missing(tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "two.h5", "w") as file:
        file["a"], file["b/c"] = np.arange(3), np.arange(4)
    with pytest.raises(ValueError, match=r"2 datasets .a, b/c.: name one with dataset="):
        qn.load(tmp_path / "two.h5")
    with pytest.raises(ValueError, match="no dataset 'd'"):
        qn.load(tmp_path / "two.h5", dataset="d")
    with pytest.raises(ValueError, match="is a group"):
        qn.load(tmp_path / "two.h5", dataset="b")
    assert qn.load(tmp_path / "two.h5", dataset="b/c").get().tolist() == [0, 1, 2, 3]
    with pytest.raises(FileNotFoundError):
        qn.save(tmp_path / "none" / "x.h5", qn.ones(3))


def test_hdf5_without_h5py_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "h5py", None)
    for call in (lambda: qn.save(tmp_path / "x.h5", qn.ones(3)), lambda: qn.load(tmp_path / "x.hdf5")):
        with pytest.raises(ImportError, match="pip install h5py"):
            call()


def test_arrays_of_every_device_are_saved_and_loaded(tmp_path, device):
    values = np.arange(24, dtype=np.float32).reshape(4, 6)

    def program():
        with device:
            x = qn.asarray(values) * 2
            qn.save_checkpoint(tmp_path / "state", {"x": x, "local": quern.ones(3, "float32")})
            loaded = qn.load_checkpoint(tmp_path / "state", layout=(1, 2))
            assert loaded["x"].local.device == loaded["local"].device == device
            elsewhere = qn.load_checkpoint(tmp_path / "state", names=["x"], device="host")["x"]
            assert elsewhere.local.device.backend == "host"
            for found in (loaded["x"], elsewhere):
                np.testing.assert_array_equal(found.get(), 2 * values)

    qn.on_threads(2, program)


def failures(function):
    """What each of two ranks raises; both go on."""

    def program():
        with pytest.raises(qn.DistributedError) as raised:
            function(qn.rank())
        qn.barrier()
        return str(raised.value)

    return qn.on_threads(2, program, timeout=20)


@pytest.mark.parametrize("file", ["state", "x.npy", "x.h5"])
@pytest.mark.parametrize("error", [KeyError, MemoryError, RuntimeError, AttributeError])
def test_an_error_of_one_rank_that_writes_or_reads_is_one_of_all(tmp_path, monkeypatch, file, error):
    if file == "x.h5":
        pytest.importorskip("h5py")
    name, real = tmp_path / file, _block_files.boxes
    save, load = (qn.save_checkpoint, qn.load_checkpoint) if file == "state" else (qn.save, qn.load)

    def saved():
        return {"x": qn.arange(6)} if file == "state" else qn.arange(6)

    def boxes(layout, rank):
        if rank == 1:
            raise error("of this rank")
        return real(layout, rank)

    save(name, saved())
    for module in (_block_files, _hdf5):
        monkeypatch.setattr(module, "boxes", boxes)
    for found in failures(lambda rank: save(name, saved())) + failures(lambda rank: load(name)):
        assert f"rank 1 failed: {error.__name__}: " in found
    assert os.listdir(tmp_path) == [file]


def test_an_error_of_a_function_that_gets_the_progress_is_one_of_all_ranks(tmp_path):
    def progress(rank):
        return {1: lambda done, total: {}["none"]}.get(rank, False)

    def save(rank, **options):
        qn.save_checkpoint(tmp_path / "state", {"x": qn.arange(6)}, **options)

    for found in failures(lambda rank: save(rank, progress=progress(rank))):
        assert "save_checkpoint: rank 1 failed: KeyError: 'none'" in found
    assert os.listdir(tmp_path) == []
    qn.on_threads(2, lambda: save(0))
    for found in failures(lambda rank: qn.load_checkpoint(tmp_path / "state", progress=progress(rank))):
        assert "load_checkpoint: rank 1 failed: KeyError: 'none'" in found


def test_a_rank_whose_values_cannot_be_saved_leaves_no_other_waiting(tmp_path):
    def program():
        kind, text = (
            (TypeError, "cannot save complex") if qn.rank() else (qn.DistributedError, "rank 1 differ")
        )
        with pytest.raises(kind, match=text):
            qn.save_checkpoint(tmp_path / "state", {"a": 3j if qn.rank() else 3})
        qn.barrier()

    qn.on_threads(2, program, timeout=20)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("damage", ["names", "arrays", "values", "file", "kind", "shape", "step"])
def test_a_damaged_manifest_is_named(tmp_path, damage):
    qn.save_checkpoint(tmp_path / "state", {"x": qn.arange(6), "step": 3})
    file = tmp_path / "state" / "checkpoint.json"
    manifest = json.loads(file.read_text())
    for part in (manifest, manifest["arrays"]["x"], manifest["values"]):
        part.pop(damage, None)
    file.write_text(json.dumps(manifest))
    with pytest.raises(ValueError, match="is damaged"):
        qn.load_checkpoint(tmp_path / "state")
    for found in failures(lambda rank: qn.load_checkpoint(tmp_path / "state")):
        assert "is damaged" in found


def test_arrays_of_some_ranks_are_saved_by_these_ranks(tmp_path):
    def program():
        comm = qn._ranks.current()
        part = comm.split(int(comm.rank > 0))
        if comm.rank == 0:
            return
        with qn.using(part):
            x = qn.arange(7)
            qn.save_checkpoint(tmp_path / "state", {"x": x})
            np.testing.assert_array_equal(qn.load_checkpoint(tmp_path / "state")["x"].get(), np.arange(7))
        qn.save(tmp_path / "x.npy", x)
        np.testing.assert_array_equal(np.load(tmp_path / "x.npy"), np.arange(7))

    qn.on_threads(4, program, timeout=20)


def test_arrays_of_as_many_other_ranks_are_refused(tmp_path):
    def program():
        comm = qn._ranks.current()
        with qn.using(comm.split(comm.rank % 2)):
            x = qn.arange(6)
        other = comm.rank in (1, 2)  # has another number in the other two ranks
        kind, text = (ValueError, "other ranks") if other else (qn.DistributedError, "differ")
        with qn.using(comm.split(comm.rank // 2)), pytest.raises(kind, match=text):
            qn.save_checkpoint(tmp_path / "state", {"x": x})

    qn.on_threads(4, program, timeout=20)
    assert os.listdir(tmp_path) == []
