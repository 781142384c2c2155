# SPDX-License-Identifier: MIT
"""PageRank: which pages of a web are visited most often by a reader who follows links at random?

Shows a sparse matrix and a loop of products with it. The test of convergence waits for the device, so it is made now and then
only. The made-up web is a map: a page links to pages near it, more of them near towns, and some to famous pages.

    python examples/science/pagerank.py --size 1000
"""

import argparse
import sys
from pathlib import Path

import numpy as np

import quern as qn
from quern import sparse

sys.path.append(str(Path(__file__).parents[1]))  # examples/, where pictures.py is
from pictures import FIRE, colours, save_png


def web(size, links_each=8, famous=40, seed=2):
    """The links, from and to, of size * size pages; some pages have no links."""
    rng = np.random.default_rng(seed)
    pages = size * size
    source = np.repeat(np.arange(pages), links_each)
    reach = rng.normal(0, size / 60 + 1, (2, len(source))).round().astype(np.int64)
    near = (source // size + reach[0]) % size * size + (source % size + reach[1]) % size
    stars = rng.choice(pages, famous)
    target = np.where(rng.random(len(source)) < 0.08, rng.choice(stars, len(source)), near)
    kept = (rng.random(pages) > 0.02)[source]
    links = np.unique(np.stack([source[kept], target[kept]]), axis=1)
    return links[0], links[1], pages


def link_matrix(source, target, pages):
    """Column j has the chances of going from page j to each page."""
    count = np.bincount(source, minlength=pages)
    data = (1 / count[source]).astype(np.float32)
    matrix = sparse.coo_array((data, (target, source)), shape=(pages, pages)).tocsr()
    return matrix, qn.asarray(count == 0)


def pagerank(matrix, is_end, damping=0.85, tolerance=1e-6, every=10):
    """The ranks, whose sum is 1, and the number of steps."""
    pages = matrix.shape[0]
    rank = qn.full(pages, 1 / pages, dtype="float32")
    for step in range(1, 1000):
        lost = qn.sum(qn.where(is_end, rank, 0))  # readers at pages without links start anywhere
        new = damping * (matrix @ rank) + (1 - damping + damping * lost) / pages
        is_done = step % every == 0 and float(qn.sum(qn.abs(new - rank))) < tolerance
        rank = new
        if is_done:
            break
    return rank, step


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--size", type=int, default=400, help="pages along each side of the map")
    parser.add_argument("--output", type=Path, default=Path("demo-output/pagerank.png"))
    options = parser.parse_args()

    source, target, pages = web(options.size)
    rank, steps = pagerank(*link_matrix(source, target, pages))
    print(f"{rank.device}: {pages:,} pages, {len(source):,} links, {steps} steps")
    best = qn.argsort(rank)[::-1][:5].get()
    for page in best:
        print(
            f"  page {page:8}: {float(rank[int(page)]):.2e}, {np.count_nonzero(target == page)} links to it"
        )
    assert abs(float(rank.sum()) - 1) < 1e-3

    picture = np.log(rank.get().reshape(options.size, options.size))
    save_png(options.output, colours(picture, FIRE, *np.quantile(picture, [0.01, 0.999])))
    print(f"saved {options.output}")


if __name__ == "__main__":
    main()
