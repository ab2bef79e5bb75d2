"""Times exact searches by FAISS and usearch on the vectors of knn.rs; run by `cargo xtask bench knn`.

    pip install numpy==2.4.6 faiss-cpu==1.15.1 usearch==2.26.6
    python bench_flat.py FOLDER

In: `open ROWSxDIMENSION`, whose vectors and queries knn.rs wrote to FOLDER, or `query NUMBER`. Out, a
line each: milliseconds of loading; or of FAISS's flat index by inner product and of usearch's exact
search, both for the 30 nearest on one thread, and then the rows that FAISS found.
"""

import sys
import time
from pathlib import Path

import faiss
import numpy as np
from usearch.index import MetricKind, search

K = 30


def timed(task):
    """What a task gives, and its milliseconds."""
    start = time.perf_counter()
    result = task()
    return result, (time.perf_counter() - start) * 1e3


def main():
    """Answers every line."""
    folder = Path(sys.argv[1])
    faiss.omp_set_num_threads(1)
    for line in sys.stdin:
        word, what = line.split()
        if word == "open":
            start = time.perf_counter()
            dimension = int(what.split("x")[1])
            rows = np.fromfile(folder / f"{what}.vectors", np.float32).reshape(-1, dimension)
            queries = np.fromfile(folder / f"{what}.queries", np.float32).reshape(-1, dimension)
            flat = faiss.IndexFlatIP(dimension)
            flat.add(rows)
            # The first search of either makes ready what later ones use.
            flat.search(queries[-1:], K)
            search(rows, queries[-1], K, MetricKind.IP, exact=True, threads=1)
            print(f"{(time.perf_counter() - start) * 1e3:.3f}", flush=True)
            continue
        query = queries[int(what) : int(what) + 1]
        (_, found), by_faiss = timed(lambda: flat.search(query, K))
        _, by_usearch = timed(
            lambda: search(rows, query[0], K, MetricKind.IP, exact=True, threads=1)
        )
        print(f"{by_faiss:.4f} {by_usearch:.4f}", *found[0].tolist(), flush=True)


if __name__ == "__main__":
    main()
