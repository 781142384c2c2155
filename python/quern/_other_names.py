# SPDX-License-Identifier: MIT
"""Names of PyOpenCL, PyCUDA, CuPy and Numba, and what takes their place: advice for AttributeError."""

from __future__ import annotations

# Name in the other library: the library, and what to use.
_NAMES: dict[str, tuple[str, str]] = {
    # PyOpenCL
    "create_some_context": ("PyOpenCL", "qn.device() is the current device, and needs no context"),
    "choose_devices": ("PyOpenCL", "qn.device() or qn.devices()"),
    "get_platforms": ("PyOpenCL", "qn.devices()"),
    "CommandQueue": ("PyOpenCL", "qn.Queue(device)"),
    "command_queue_properties": ("PyOpenCL", "qn.Queue(device, profiling=True, out_of_order=True)"),
    "mem_flags": ("PyOpenCL", "qn.Buffer(nbytes, access=...) or qn.asarray(x)"),
    "enqueue_copy": ("PyOpenCL", "queue.copy(dst, src) or qn.copy(dst, src)"),
    "enqueue_copy_buffer": ("PyOpenCL", "queue.copy(dst, src)"),
    "enqueue_read_buffer": ("PyOpenCL", "x.get(out) or queue.copy(out, x)"),
    "enqueue_write_buffer": ("PyOpenCL", "x.set(values) or queue.copy(x, values)"),
    "enqueue_nd_range_kernel": ("PyOpenCL", "kernel(queue, global_size, local_size, *args)"),
    "enqueue_fill_buffer": ("PyOpenCL", "queue.fill(x, value)"),
    "enqueue_map_buffer": ("PyOpenCL", "x.map(access)"),
    "enqueue_barrier": ("PyOpenCL", "queue.barrier(events)"),
    "enqueue_marker": ("PyOpenCL", "queue.marker(events)"),
    "wait_for_events": ("PyOpenCL", "qn.wait_all(events)"),
    "SVM": ("PyOpenCL", "qn.svm_empty(shape, dtype)"),
    # pyopencl.array, pycuda.gpuarray
    "to_device": ("PyOpenCL, PyCUDA and Numba", "qn.asarray(x)"),
    "gpuarray": ("PyCUDA", "qn.Array; qn.asarray(x) makes one"),
    "GPUArray": ("PyCUDA", "qn.Array; qn.asarray(x) makes one"),
    "to_gpu": ("PyCUDA", "qn.asarray(x)"),
    "elementwise": ("PyOpenCL and PyCUDA", "qn.ElementwiseKernel"),
    "reduction": ("PyOpenCL and PyCUDA", "qn.ReductionKernel"),
    "scan": ("PyOpenCL and PyCUDA", "qn.ScanKernel"),
    "clmath": ("PyOpenCL", "the functions of NumPy in qn, such as qn.sin"),
    "clrandom": ("PyOpenCL", "qn.random.default_rng()"),
    "cumath": ("PyCUDA", "the functions of NumPy in qn, such as qn.sin"),
    "curandom": ("PyCUDA", "qn.random.default_rng()"),
    "GenericScanKernel": ("PyOpenCL", "qn.ScanKernel"),
    "InclusiveScanKernel": ("PyOpenCL and PyCUDA", "qn.ScanKernel"),
    "ExclusiveScanKernel": ("PyOpenCL and PyCUDA", "qn.ScanKernel"),
    # PyCUDA
    "SourceModule": ("PyCUDA", 'qn.Program(source, language="cuda")'),
    "mem_alloc": ("PyCUDA", "qn.Buffer(nbytes)"),
    "memcpy_htod": ("PyCUDA", "x.set(values)"),
    "memcpy_dtoh": ("PyCUDA", "x.get(out)"),
    "memcpy_dtod": ("PyCUDA", "qn.copy(dst, src)"),
    "mem_get_info": ("PyCUDA", "qn.device().memory_info()"),
    "pagelocked_empty": ("PyCUDA", "qn.pinned_empty(shape, dtype)"),
    "managed_empty": ("PyCUDA", "qn.svm_empty(shape, dtype)"),
    # CuPy
    "cuda": ("CuPy and Numba", 'qn.device("cuda"), qn.Queue, qn.Event and qn.synchronize()'),
    "RawKernel": ("CuPy", 'qn.Program(source, language="cuda")[name]'),
    "RawModule": ("CuPy", 'qn.Program(source, language="cuda")'),
    "get_default_memory_pool": ("CuPy", "qn.pool_stats() and qn.trim_pool()"),
    "fuse": ("CuPy", "nothing: expressions of arrays are fused without it"),
    "cupyx": ("CuPy", "qn.sparse, qn.linalg and the other modules of qn"),
    # Numba
    "jit": ("Numba and JAX", "qn.graph for functions of arrays, qn.Program for kernels"),
    "njit": ("Numba", "qn.graph for functions of arrays, qn.Program for kernels"),
    "guvectorize": ("Numba", "qn.Program or qn.ElementwiseKernel"),
    "prange": ("Numba", "qn.Program: a kernel runs once for each index"),
    "device_array": ("Numba", "qn.empty(shape, dtype)"),
    "pinned_array": ("Numba", "qn.pinned_empty(shape, dtype)"),
    # JAX, PyTorch
    "device_put": ("JAX", "qn.asarray(x, device=...)"),
    "block_until_ready": ("JAX", "qn.synchronize()"),
    "vmap": ("JAX", "broadcasting, or qn.ElementwiseKernel"),
    "tensor": ("PyTorch", "qn.asarray(x)"),
    "from_numpy": ("PyTorch", "qn.asarray(x)"),
}
_ENDINGS = {"Stream": "Queue", "Module": "Program"}


def advice_for(name: str) -> str:
    """The end of an error message about a name that another library has; empty for other names."""
    if name in _NAMES:
        library, ours = _NAMES[name]
        return f"; it is a name of {library}: use {ours}"
    if name in _ENDINGS:
        return f"; use qn.{_ENDINGS[name]}"
    return ""
