# SPDX-License-Identifier: MIT
"""Upload of 256 MiB of pageable NumPy memory to a GPU, beside the driver's own copy, CuPy and PyTorch."""

import ctypes

import numpy as np

import quern as qn
from quern_bench import Contestant, Report, chosen, native, options, peer, take_turns

NBYTES = 256 << 20


def cuda(report, device):
    source = np.random.default_rng(4).integers(0, 255, NBYTES // 4, dtype=np.int32)  # touches every page
    target = qn.empty(source.shape, source.dtype, device=device)
    queue = qn.Queue(device)
    contestants = [Contestant("Quern", lambda: target.set(source, queue=queue), queue.finish)]

    floor = native(report, "cuda_floor")
    if floor and floor.cuda_floor_open() == 0:
        upload = floor.cuda_floor_upload
        upload.restype = ctypes.c_double
        pointer, size = source.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(NBYTES)
        contestants.append(
            Contestant("cuMemcpyHtoD from C++", batch_time=lambda calls: upload(pointer, size, calls))
        )
    cupy = peer(report, "cupy")
    if cupy:
        theirs = cupy.empty(source.shape, source.dtype)
        finish = cupy.cuda.get_current_stream().synchronize
        contestants.append(Contestant("CuPy", lambda: theirs.set(source), finish))
    torch = peer(report, "torch")
    if torch:
        pageable = torch.from_numpy(source)
        tensor = torch.empty_like(pageable, device="cuda")
        contestants.append(Contestant("PyTorch", lambda: tensor.copy_(pageable), torch.cuda.synchronize))
    report.add(
        take_turns(
            "upload of 256 MiB, pageable",
            "cuda",
            contestants,
            rounds=report.options.rounds,
            drain_inside=True,
            nbytes=NBYTES,
            reference="cuMemcpyHtoD from C++",
            bar="ratio 0.5",
        )
    )
    assert np.array_equal(target.get(), source)


def main():
    report = Report(options(__doc__, rounds=15))
    device = chosen(report, "cuda")
    if device:
        cuda(report, device)
    report.finish()


if __name__ == "__main__":
    main()
