# SPDX-License-Identifier: MIT
"""One-sided memory, as in Global Arrays: each rank reads the rows of its neighbours without their help."""

import numpy as np

import quern.dist as qn


def relax(above, row, below):
    return 0.25 * (above[:, 1:-1] + below[:, 1:-1] + row[:, :-2] + row[:, 2:])


def solve(n, most, every, limit):
    now, new = (qn.GlobalArray((n, n), layout=(qn.size(), 1)) for _ in range(2))
    rows, _ = now.distribution()
    for a in (now, new):
        a.local[:, 0], a.local[:, -1] = 75.0, 50.0
        if rows.start == 0 < rows.stop:
            a.local[0] = 100.0
        a.sync()
    for sweep in range(1, most + 1):
        u, v = np.asarray(now.local), np.asarray(new.local)  # the memory itself
        if len(u):
            v[1:-1, 1:-1] = relax(u[:-2], u[1:-1], u[2:])
            above = now[rows.start - 1 : rows.start] if rows.start > 0 else None
            below = now[rows.stop : rows.stop + 1] if rows.stop < n else None
            if above is not None and (len(u) > 1 or below is not None):
                v[:1, 1:-1] = relax(above, u[:1], u[1:2] if len(u) > 1 else below)
            if below is not None and len(u) > 1:
                v[-1:, 1:-1] = relax(u[-2:-1], u[-1:], below)
        new.sync()
        now, new = new, now
        if sweep % every == 0:
            change = qn.from_local(np.max(np.abs(v - u), initial=0.0).reshape(1))
            if float(qn.max(change)) < limit:
                break
    whole = now.get()
    now.sync()
    return whole, sweep
