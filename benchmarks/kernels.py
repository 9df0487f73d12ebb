"""Time of triplet kernels and of what is made of them, beside libraries that could do the same.

    python benchmarks/kernels.py

Processor seconds on one thread with the preparation of the answers, without compilation; the
least of three runs. Both sides of a row run in turn. Nobody else offers these kernels, so the
peers are the definition in numpy (full feature vectors, one matrix product), and scipy.sparse.
Answers are about random positions. The last block never makes the (n, n) matrix; its memory is the
most that the process has used, answers included.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from joblib import parallel_config
from report import machine, print_table
from scipy import sparse
from threadpoolctl import threadpool_limits

from tripletscope.core.data.landmarks import choose_landmarks, landmark_questions
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.models.simulation.simulate import answer, simulate
from tripletscope.core.similarity.clusters import KMeans
from tripletscope.core.similarity.clusters.kmeans import kernel_kmeans
from tripletscope.core.similarity.kernels import K1, K2
from tripletscope.core.similarity.kernels.kernel import smallest_eigenvalue
from tripletscope.core.similarity.kernels.space import space_of
from tripletscope.core.similarity.kernels.spectrum import principal_components
from tripletscope.core.similarity.kernels.triplet import TripletKernel

HEADER = ("what", "ours s", "peer", "peer s", "ratio", "target s", "paper s")


def least(function: Callable[[], Any], runs: int = 3) -> tuple[float, Any]:
    """Processor seconds, and what came out."""
    times, found = [], None
    for _ in range(runs):
        found = None  # its memory is used again
        start = time.process_time()
        found = function()
        times.append(time.process_time() - start)
    return min(times), found


def fitted(method: type[TripletKernel], rows: np.ndarray, n_objects: int) -> np.ndarray:
    """Our kernel of a plain array, its diagonal not reduced, as the peers'."""
    triplets = Triplets.from_array(rows, n_objects)
    return method(reduce_diagonal=False).fit(triplets).kernel_


def places(rows: np.ndarray, n_objects: int, name: str) -> tuple[np.ndarray, ...]:
    """Object, feature and sign of every vote, as the definition has them."""
    anchor, near, far = rows.astype(np.int64).T
    if name == "k1":
        column = np.minimum(near, far) * n_objects + np.maximum(near, far)
        return anchor, column, np.where(near < far, 1.0, -1.0)
    ones = np.ones(len(rows))
    return (
        np.concatenate([near, far]),
        np.concatenate([anchor * n_objects + far, anchor * n_objects + near]),
        np.concatenate([ones, -ones]),
    )


def in_numpy(rows: np.ndarray, n_objects: int, name: str) -> np.ndarray:
    """Full vectors and one product."""
    row, column, sign = places(rows, n_objects, name)
    net, total = np.zeros((2, n_objects, n_objects**2))
    np.add.at(net, (row, column), sign)
    np.add.at(total, (row, column), 1.0)
    features = net / np.maximum(total, 1.0)
    features /= np.maximum(np.linalg.norm(features, axis=1, keepdims=True), 1e-300)
    return features @ features.T


def in_scipy(rows: np.ndarray, n_objects: int, name: str) -> np.ndarray:
    """Sparse vectors and one sparse product."""
    row, column, sign = places(rows, n_objects, name)
    shape = (n_objects, n_objects**2)
    features = sparse.coo_array((sign, (row, column)), shape).tocsr()
    features.data /= sparse.coo_array((np.ones(len(sign)), (row, column)), shape).tocsr().data
    length = np.sqrt((features * features).sum(axis=1))
    features = sparse.diags_array(1.0 / np.maximum(length, 1e-300)) @ features
    return (features @ features.T).toarray()


def random_answers() -> Iterator[tuple[str, ...]]:
    """Answers to random questions."""
    rng = np.random.default_rng(0)
    for n, count, peer, target in (
        (85, 283_770, in_numpy, "0.010"), (85, 283_770, in_scipy, "0.010"),
        (1000, 1_000_000, in_scipy, "–"),
    ):
        rows = simulate(rng.normal(size=(n, 3)), count, noise="logistic").rows
        for method in (K1, K2):
            paper = "0.1 (n = 100, 190,376 answers)" if n == 85 else "–"
            fitted(method, rows, n)  # compiles
            ours, kernel = least(lambda m=method, r=rows, n=n: fitted(m, r, n))
            theirs, other = least(
                lambda m=method, r=rows, n=n, peer=peer: peer(r, n, m.name), 1
            )
            assert np.allclose(kernel, other, atol=1e-5)
            yield (
                f"{method.name}, n = {n:,}, {len(rows):,} answers", f"{ours:.4f}",
                peer.__name__.replace("in_", ""), f"{theirs:.3f}", f"{theirs / ours:.0f}",
                target if method is K1 else "–", paper,
            )
        if n == 1000:
            ours, value = least(lambda k=kernel: smallest_eigenvalue(k))
            theirs, values = least(lambda k=kernel: np.linalg.eigvalsh(k), 1)
            assert abs(value - max(values[0], 0)) < 1e-4
            yield (
                "smallest eigenvalue, n = 1,000", f"{ours:.4f}", "numpy.linalg.eigvalsh",
                f"{theirs:.3f}", f"{theirs / ours:.0f}", "–", "–",
            )


def landmark_answers(n: int, n_landmarks: int, name: str) -> Triplets:
    """All answers of a landmark design about ten groups of positions in ten dimensions."""
    rng = np.random.default_rng(0)
    centres = 2 * rng.normal(size=(10, 10))
    positions = rng.normal(size=(n, 10)) + centres[rng.integers(10, size=n)]
    questions = landmark_questions(n, choose_landmarks(n, n_landmarks, rng), name)
    return Triplets.from_array(answer(positions, questions.astype(np.int32), rng), n)


def landmark_designs(n: int = 10_000) -> Iterator[tuple[str, ...]]:
    """All answers of a landmark design with 30 landmarks."""
    for method, paper, target in ((K1, "100", "0.4"), (K2, "180", "–")):
        rows = landmark_answers(n, 30, method.name).rows
        ours, kernel = least(lambda m=method, r=rows: fitted(m, r, n))
        features = method().fit(Triplets.from_array(rows, n)).features_
        theirs, other = least(lambda f=features: f @ f.T)
        assert np.allclose(kernel, other, atol=1e-5)
        del kernel, other
        yield (
            f"{method.name}, n = {n:,}, 30 landmarks, {len(rows):,} answers", f"{ours:.3f}",
            "numpy, product of our features alone", f"{theirs:.3f}", f"{theirs / ours:.1f}",
            target, paper,
        )
    space = space_of(K1().fit(landmark_answers(5_000, 30, "k1")))
    gram = space.vectors @ space.vectors.T
    clustering = KMeans(n_clusters=10)
    ours, _ = least(lambda: clustering.divisions(space, [10]), 1)
    theirs, _ = least(lambda: [kernel_kmeans(gram, 10, seed) for seed in range(5)], 1)
    yield (
        "k-means, 5 starts, n = 5,000, 435 features", f"{ours:.2f}",
        "kernel k-means on the matrix", f"{theirs:.2f}", f"{theirs / ours:.1f}", "–", "–",
    )


def without_a_matrix(n: int = 70_000) -> Iterator[tuple[str, ...]]:
    """What works on features where the matrix would take 20 GB."""
    triplets = landmark_answers(n, 30, "k1")

    def memory() -> str:
        return f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f}"

    seconds, kernel = least(lambda: K1().fit(triplets), 1)
    yield f"{len(triplets):,} answers to 435 features", f"{seconds:.2f}", "–", memory()
    space = space_of(kernel)
    seconds, _ = least(lambda: principal_components(space, 2))
    yield "kernel PCA", f"{seconds:.2f}", "2", memory()
    seconds, _ = least(lambda: KMeans(n_clusters=10).divisions(space, [10]), 1)
    yield "k-means, 10 clusters, 5 starts", f"{seconds:.1f}", "15", memory()


def main() -> None:
    """Print the tables."""
    print(machine())
    with parallel_config(n_jobs=1), threadpool_limits(1):
        print_table(HEADER, [*random_answers(), *landmark_designs()])
        print("70,000 objects, 30 landmarks")
        print_table(("what", "ours s", "target s", "memory GB"), list(without_a_matrix()))


if __name__ == "__main__":
    main()
