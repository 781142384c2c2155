# SPDX-License-Identifier: MIT
"""Arrays to and from the host, other devices, files and other processes."""

import asyncio
import copy
import pickle

import numpy as np
import pytest

import quern as qn


def test_futures_bring_the_elements(device):
    data = np.arange(1000.0).reshape(10, 100)
    x = qn.asarray(data, device=device)
    future = x.get_async()
    assert (future.result(timeout=60) == data).all() and future.done()
    assert future.exception() is None
    out = np.zeros((100, 10)).T
    assert x.get_async(out).result() is out and (out == data).all()
    assert (x[::-2, 3:].get_async().result() == data[::-2, 3:]).all()
    with pytest.raises(qn.ArgumentTypeError, match="dtype"):
        x.get_async(np.zeros((10, 100), "int32"))


def test_futures_can_be_awaited(device):
    x = qn.asarray(np.arange(100000.0), device=device)

    async def fetch():
        return await asyncio.gather(*(wait(x[start::2].get_async()) for start in range(2)))

    async def wait(future):
        return await future

    even, odd = asyncio.run(fetch())
    assert even[-1] == 99998 and odd[-1] == 99999


def test_a_future_that_is_not_done_says_so(device, spin):
    queue = qn.Queue(device)
    target = qn.zeros(1, "float32", device)
    spin(queue, 0.3, target)
    future = target.get_async(queue=queue)
    if not future.done():
        with pytest.raises(TimeoutError):
            future.result(timeout=0.001)
    assert future.result().shape == (1,)


@pytest.mark.parametrize(
    "index", [np.s_[...], np.s_[::-1], np.s_[:, ::2], np.s_[1], np.s_[0, 0, ...], np.s_[1:1]]
)
def test_set_writes_views_of_any_stride(device, index):
    expected = np.zeros((3, 4), np.float32)
    x = qn.asarray(expected, device=device)
    lazy = x + 1
    values = np.arange(1, expected[index].size + 1, dtype=np.float32).reshape(expected[index].shape)
    expected[index] = values
    x[index].set(values)
    assert (x.get() == expected).all()
    x[index].set_async(-values).result()
    expected[index] = -values
    assert (x.get() == expected).all()
    assert (lazy.get() == 1).all()


def test_arrays_move_to_any_device(device, other_device):
    data = np.arange(12, dtype=np.int32).reshape(3, 4)
    x = qn.asarray(data, device=device)
    assert x.to_device(device) is x
    for view in (x, x.T, x[::-1, 1::2], x[1:1], x[2, 2]):
        moved = view.to_device(other_device)
        assert moved.device == other_device and moved.shape == view.shape
        assert (moved.get() == view.get()).all()
    queue = qn.Queue(other_device)
    assert (x + 1).to_device(queue).get().sum() == data.sum() + 12
    assert x.to_device(other_device.spec, stream=queue).device == other_device
    with pytest.raises(qn.ArgumentValueError, match="stream"):
        x.to_device(device, stream=queue)


def test_what_is_moved_is_what_it_was_when_it_was_moved(device, other_device):
    x = qn.asarray(np.arange(100000, dtype=np.float64), device=device)
    moved = x.to_device(other_device)
    x[:] = -1
    assert (moved.get() == np.arange(100000)).all()


@pytest.mark.parametrize("protocol", [2, 5])
def test_pickles_bring_arrays_back(device, protocol):
    data = np.arange(12, dtype=np.complex64).reshape(3, 4)
    x = qn.asarray(data, device=device)[:, ::-1]
    with qn.device(device.spec):
        back = pickle.loads(pickle.dumps(x, protocol))
    assert back.device == device and back.dtype == data.dtype
    assert (back.get() == data[:, ::-1]).all()
    with qn.device("host"):  # where it was, if that is there
        assert pickle.loads(pickle.dumps(x, protocol)).device == device


def test_an_array_of_a_device_that_is_not_there_comes_to_the_current_one(device):
    from quern._storage import restore

    with device:
        back = restore(np.arange(3), "cuda:999")
    assert back.device == device and back.get().tolist() == [0, 1, 2]


def test_pickles_of_the_host_go_out_of_band():
    x = qn.asarray(np.arange(100000.0), device="host")
    buffers = []
    small = pickle.dumps(x, protocol=5, buffer_callback=buffers.append)
    assert len(small) < 1000 and len(buffers) == 1
    back = pickle.loads(small, buffers=buffers)
    assert (back.get() == np.arange(100000.0)).all()
    x[:] = 0
    back[:1] = 5
    assert x.get()[0] == 0 and back.get()[1] == 1


def test_copies_have_memory_of_their_own(device):
    x = qn.asarray(np.arange(3.0), device=device)
    box = {"x": x, "same": x}
    shallow, deep = copy.copy(x), copy.deepcopy(box)
    assert deep["x"] is deep["same"]
    x[:] = -1
    assert shallow.get().tolist() == deep["x"].get().tolist() == [0, 1, 2]
    assert deep["x"].device == device


def test_files_are_numpys(device, tmp_path):
    data = np.arange(12, dtype=np.int16).reshape(3, 4)
    x = qn.asarray(data, device=device)
    qn.save(tmp_path / "one.npy", x.T)
    assert (np.load(tmp_path / "one.npy") == data.T).all()
    np.save(tmp_path / "theirs.npy", np.asfortranarray(data))
    back = qn.load(tmp_path / "theirs.npy", device=device)
    assert back.device == device and (back.get() == data).all()
    qn.savez(tmp_path / "many.npz", x, y=x + 1, z=np.ones(2))
    with np.load(tmp_path / "many.npz") as theirs:
        assert sorted(theirs.files) == ["arr_0", "y", "z"] and (theirs["y"] == data + 1).all()
    ours = qn.load(tmp_path / "many.npz", device=device)
    assert sorted(ours) == ["arr_0", "y", "z"] and ours["z"].device == device
    assert (ours["y"].get() == data + 1).all()


def test_compressed_files_are_numpys(device, tmp_path):
    data = np.arange(4000) % 7
    qn.savez_compressed(tmp_path / "many", qn.asarray(data, device=device), y=data[:3])
    assert (tmp_path / "many.npz").stat().st_size < data.nbytes // 4
    ours = qn.load(tmp_path / "many.npz", device=device)
    np.testing.assert_array_equal(ours["arr_0"].get(), data, strict=True)
    np.testing.assert_array_equal(ours["y"].get(), data[:3], strict=True)


def test_text_and_raw_bytes_are_read_and_written_as_by_numpy(device, tmp_path):
    data = np.array([[1.5, 2.0, -3.0], [4.0, 1e-300, 6.25]])
    x = qn.asarray(data, device=device)
    qn.savetxt(tmp_path / "a.csv", x, delimiter=",", header="three columns")
    np.savetxt(tmp_path / "b.csv", data, delimiter=",", header="three columns")
    assert (tmp_path / "a.csv").read_text() == (tmp_path / "b.csv").read_text()
    for options in (
        {},
        {"unpack": True},
        {"usecols": (2, 0)},
        {"max_rows": 1, "skiprows": 1},
        {"ndmin": 2, "usecols": 1},
    ):
        ours = qn.loadtxt(tmp_path / "a.csv", delimiter=",", device=device, **options)
        assert ours.device == device
        np.testing.assert_array_equal(
            ours.get(), np.loadtxt(tmp_path / "a.csv", delimiter=",", **options), strict=True
        )
    x.tofile(tmp_path / "raw")
    ours = qn.fromfile(tmp_path / "raw", "float64", 4, offset=8, device=device)
    np.testing.assert_array_equal(ours.get(), data.ravel()[1:5], strict=True)
    ours = qn.fromstring("1 2 3", "int16", sep=" ", device=device)
    np.testing.assert_array_equal(ours.get(), np.array([1, 2, 3], np.int16), strict=True)


def test_names_and_open_files_are_taken_as_numpy_takes_them(device, tmp_path):
    x = qn.asarray(np.arange(3), device=device)
    qn.save(tmp_path / "plain", x)
    assert (tmp_path / "plain.npy").exists()
    with open(tmp_path / "open.npy", "wb") as file:
        qn.save(file, x)
    with open(tmp_path / "open.npy", "rb") as file:
        assert qn.load(file, device=device).get().tolist() == [0, 1, 2]


def test_numpys_save_takes_our_arrays(device, tmp_path):
    x = qn.asarray(np.arange(6).reshape(2, 3), device=device)
    np.save(tmp_path / "a.npy", x.T)
    np.testing.assert_array_equal(np.load(tmp_path / "a.npy"), np.arange(6).reshape(2, 3).T, strict=True)


def test_errors_of_files_that_cannot_be_written_name_the_given_path(device, tmp_path):
    x = qn.zeros(3, "float32", device)
    for save in (qn.save, qn.savez, qn.savez_compressed):
        with pytest.raises(FileNotFoundError) as told:
            save(tmp_path / "none" / "a.npz", x)
        assert told.value.filename.startswith(str(tmp_path / "none" / "a.npz"))
        with pytest.raises(qn.ArgumentTypeError, match=f"{save.__name__}: file: .* got Array"):
            save(x, "a.npy")
    with pytest.raises(qn.ArgumentTypeError, match="load: file"):
        qn.load(x)


def test_a_file_is_never_half_written(device, tmp_path, monkeypatch):
    x = qn.asarray(np.arange(3), device=device)
    qn.save(tmp_path / "a.npy", x)

    def fail(file, array, **options):
        file.write(b"half")
        raise OSError("no space left")

    monkeypatch.setattr(np.lib.format, "write_array", fail)
    with pytest.raises(OSError, match="no space"):
        qn.save(tmp_path / "a.npy", x + 1)
    monkeypatch.undo()
    assert qn.load(tmp_path / "a.npy").get().tolist() == [0, 1, 2]
    assert [path.name for path in tmp_path.iterdir()] == ["a.npy"]


def test_bad_files_are_typed_errors(tmp_path):
    (tmp_path / "bad.npy").write_bytes(b"not an array")
    np.save(tmp_path / "objects.npy", np.array([{}]), allow_pickle=True)
    np.save(tmp_path / "text.npy", np.array(["a"]))
    whole = (tmp_path / "cut.npy", np.arange(1000))
    np.save(*whole)
    whole[0].write_bytes(whole[0].read_bytes()[:500])
    for name in ("bad", "objects", "cut"):
        with pytest.raises(qn.ArgumentValueError, match=f"{name}.npy"):
            qn.load(tmp_path / f"{name}.npy", device="host")
    with pytest.raises(qn.ArgumentTypeError, match=r"text\.npy"):
        qn.load(tmp_path / "text.npy", device="host")
    with pytest.raises(FileNotFoundError):
        qn.load(tmp_path / "none.npy")
