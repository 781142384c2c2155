# SPDX-License-Identifier: MIT
"""Products of triangles and of whole matrices, in one run: python benchmarks/triangles.py [device [size...]].

The triangle is stored in the timed call, and the ratio is the time of the whole product over that of the triangle's.
"""

import sys
import time

import numpy as np

import quern as qn


def seconds(call, repeats=7):
    """Minimum of several calls, each of which waits."""
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        qn.eval(call())
        qn.synchronize()
        times.append(time.perf_counter() - begin)
    return min(times)


def main():
    rng = np.random.default_rng(0)
    sizes = [int(size) for size in sys.argv[2:]] or [1024, 2048, 4096, 8192]
    with qn.device(sys.argv[1] if len(sys.argv) > 1 else "cuda:0"):
        print(f"{'dtype':10} {'n':>6} {'a @ b':>10} {'triu(a) @ b':>12} {'b @ tril(a)':>12} {'ratios':>12}")
        for dtype in ("float16", "float32", "float64", "complex64"):
            for n in sizes:
                a, b = (qn.asarray(rng.standard_normal((n, n)).astype(dtype)) for _ in range(2))

                def left(a=a, b=b):
                    return qn.triu(a) @ b

                def right(a=a, b=b):
                    return b @ qn.tril(a)

                whole = seconds(lambda a=a, b=b: a @ b)
                upper, lower = seconds(left), seconds(right)
                print(
                    f"{dtype:10} {n:6} {whole * 1e3:8.3f}ms {upper * 1e3:10.3f}ms {lower * 1e3:10.3f}ms "
                    f"{whole / upper:6.2f}{whole / lower:6.2f}"
                )


if __name__ == "__main__":
    main()
