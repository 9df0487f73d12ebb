"""What triplet kernels see of data whose truth is known: figures of the kernel paper in numbers.

    python benchmarks/clusters.py [--mnist FOLDER]

Three tables, after Kleindessner & von Luxburg (2017). Their text gives no sizes of groups, noise
levels or numbers of answers that a reader could copy, so those here are ours.

Figures 3 and 6: four planar sets of 400 points and a stochastic block model with shortest-path
distance, a tenth of all triplets, ties broken at random. Rank correlation of each object's
similarities with its distances to all others, with the sign that makes 1 perfect: the median
object and the worst of 20. Mean similarity within groups less that between them. Then purity of
complete linkage.

Figure 5: digits. Answers of a landmark design (some, drawn at random, or all if there are no more)
or to random questions, as many, wrong with probability p. Kernel k-means, and k-means in
embeddings, with five starts; purity against the digits, and processor seconds to compute kernel or
embedding from answers on one thread, without compilation. FOLDER holds the ten thousand images of
the MNIST test set as IDX files.
"""

from __future__ import annotations

import argparse
import gzip
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from joblib import parallel_config
from report import machine, print_table
from scipy.sparse.csgraph import shortest_path
from scipy.spatial.distance import pdist, squareform
from scipy.stats import rankdata
from sklearn.datasets import load_digits, make_circles, make_moons
from sklearn.metrics import euclidean_distances
from threadpoolctl import threadpool_limits

from tripletscope.core.cluster import Agglomerative, KMeans
from tripletscope.core.cluster.agreement import agreement
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.embedding import CKL, GNMDS, TSTE
from tripletscope.core.kernel import K1, K2
from tripletscope.core.kernel.landmarks import choose_landmarks, landmark_questions
from tripletscope.core.kernel.space import Space, space_of
from tripletscope.core.method import Method
from tripletscope.core.simulation.simulate import random_questions
from tripletscope.dashboard.serving.prepare import compile_all


def answers(
    distances: np.ndarray, questions: np.ndarray, wrong: float, rng: np.random.Generator
) -> Triplets:
    """What distances say to questions; ties by a coin, and each wrong with a probability."""
    anchor, first, second = questions.T
    apart = distances[anchor, first] - distances[anchor, second]
    turned = np.where(apart == 0, rng.random(len(apart)) < 0.5, apart > 0)
    turned ^= rng.random(len(apart)) < wrong
    rows = questions.astype(np.int32)
    rows[turned, 1:] = rows[turned, :0:-1]
    return Triplets.from_array(rows, len(distances))


# Figures 3 and 6 ------------------------------------------------------------------------------


def data_sets(n: int = 400) -> Iterator[tuple[str, np.ndarray, np.ndarray | None]]:
    """Name, distances and groups."""
    rng = np.random.default_rng(0)
    groups = np.repeat([0, 1, 2], [n // 2, n // 4, n - n // 2 - n // 4])
    centres = np.array([[0.0, 0.0], [6.0, 0.0], [3.0, 6.0]])
    points = rng.normal(size=(n, 2)) + centres[groups]
    yield "three Gaussians", squareform(pdist(points)), groups
    points, groups = make_moons(n, noise=0.07, random_state=0)
    yield "two moons", squareform(pdist(points)), groups
    points, groups = make_circles(n, noise=0.04, factor=0.4, random_state=0)
    yield "two rings", squareform(pdist(points)), groups
    yield "uniform square", squareform(pdist(rng.random((n, 2)))), None
    groups = np.repeat(np.arange(4), n // 4)
    likely = np.where(groups[:, None] == groups, 0.25, 0.02)
    edges = np.triu(rng.random((n, n)) < likely, 1)
    yield "stochastic blocks", shortest_path(edges | edges.T, unweighted=True), groups


def figure_3() -> Iterator[tuple[str, ...]]:
    """A row for each data set and kernel."""
    rng = np.random.default_rng(1)
    for name, distances, groups in data_sets():
        n = len(distances)
        every = n * (n - 1) * (n - 2) // 2
        triplets = answers(distances, random_questions(n, every // 10, rng), 0.0, rng)
        for method in (K1(), K2()):
            fitted = method.fit(triplets)
            kernel = fitted.kernel_
            found = np.array([
                np.corrcoef(
                    rankdata(np.delete(kernel[a], a)), -rankdata(np.delete(distances[a], a))
                )[0, 1]
                for a in range(0, n, n // 20)
            ])
            contrast = purity = "–"
            if groups is not None:
                same = groups[:, None] == groups
                other = ~np.eye(n, dtype=bool)
                contrast = f"{kernel[same & other].mean() - kernel[~same].mean():.3f}"
                clusters = Agglomerative(
                    linkage="complete", order_leaves=False, n_clusters=len(set(groups))
                ).fit_space(space_of(fitted))
                purity = f"{agreement(clusters.labels_, groups).purity:.2f}"
            yield (
                name, method.name, f"{np.median(found):.2f}", f"{found.min():.2f}", contrast,
                purity,
            )


# Figure 5 -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Trial:
    """What is asked of whom: a share of a landmark design, or as many random questions."""

    distances: np.ndarray
    landmarks: np.ndarray
    n_answers: int
    wrong: float
    seed: int

    def triplets(self, design: str) -> Triplets:
        """The answers of one of the designs "k1", "k2" and "random"."""
        rng = np.random.default_rng(self.seed)
        n = len(self.distances)
        if design == "random":
            questions = random_questions(n, self.n_answers, rng)
        else:
            questions = landmark_questions(n, self.landmarks, design)
            kept = min(self.n_answers, len(questions))
            questions = questions[rng.choice(len(questions), kept, replace=False)]
        return answers(self.distances, questions, self.wrong, rng)


def tried(
    method: Method, design: str, trials: list[Trial], digits: list[np.ndarray]
) -> tuple[str, str]:
    """Mean purity and seconds."""
    purities, seconds = [], []
    for trial, labels in zip(trials, digits, strict=True):
        triplets = trial.triplets(design)
        start = time.process_time()
        fitted = method.fit(triplets)
        seconds.append(time.process_time() - start)
        clusters = KMeans(n_clusters=len(set(labels)), seed=trial.seed).fit_space(
            space_of(fitted)
        )
        purities.append(agreement(clusters.labels_, labels).purity)
    return f"{np.mean(purities):.2f} ± {np.std(purities):.2f}", f"{np.mean(seconds):.3f}"


def figure_5(
    name: str, vectors: np.ndarray, digits: np.ndarray, *, n: int, n_landmarks: int,
    per_object: int, wrong: float, d: int, runs: int, slow: bool = True,
) -> Iterator[tuple[str, ...]]:
    """A row for each method, from `runs` draws of images, landmarks and answers."""
    trials, labels, direct, chance = [], [], [], []
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        drawn = rng.choice(len(vectors), min(n, len(vectors)), replace=False)
        some, known = vectors[drawn], digits[drawn]
        landmarks = choose_landmarks(len(some), n_landmarks, rng)
        count = per_object * len(some)
        trials.append(Trial(euclidean_distances(some), landmarks, count, wrong, seed))
        labels.append(known)
        k = len(set(known))
        own = KMeans(n_clusters=k, seed=seed).fit_space(
            Space(len(some), np.arange(len(some)), vectors=some)
        )
        direct.append(agreement(own.labels_, known).purity)
        chance.append(agreement(rng.integers(k, size=len(some)), known).purity)
    about = (name, f"{len(labels[0]):,}", f"{per_object}", f"{wrong:.0%}")
    yield *about, "k1", "landmarks", *tried(K1(), "k1", trials, labels)
    yield *about, "k2", "landmarks", *tried(K2(), "k2", trials, labels)
    yield *about, "k1", "random", *tried(K1(), "random", trials, labels)
    yield *about, "k2", "random", *tried(K2(), "random", trials, labels)
    embeddings = (GNMDS, CKL, TSTE) if slow else (GNMDS,)
    for method in embeddings:
        embedding = method(n_components=d, n_init=1)
        for design in ("k1", "random"):
            words = "landmarks" if design == "k1" else design
            yield *about, f"{method.title}, d = {d}", words, *tried(
                embedding, design, trials, labels
            )
    yield *about, "k-means on the vectors", "–", f"{np.mean(direct):.2f}", "–"
    yield *about, "random clusters", "–", f"{np.mean(chance):.2f}", "–"


def mnist(folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """Images and digits of the test set."""
    with gzip.open(folder / "t10k-images-idx3-ubyte.gz") as file:
        images = np.frombuffer(file.read()[16:], np.uint8).reshape(-1, 784)
    with gzip.open(folder / "t10k-labels-idx1-ubyte.gz") as file:
        return images.astype(np.float32), np.frombuffer(file.read()[8:], np.uint8)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--mnist", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    print(machine())
    head = ("data", "objects", "answers / object", "wrong", "method", "answers", "purity", "s")
    with parallel_config(n_jobs=1), threadpool_limits(1):
        compile_all()
        print_table(
            ("data", "kernel", "median object", "worst", "within − between", "purity"), figure_3()
        )
        images, digits = load_digits(return_X_y=True)
        three = (digits >= 1) & (digits <= 3)
        for per_object, wrong in ((10, 0.0), (50, 0.0), (50, 0.3), (225, 0.0)):
            print_table(head, figure_5(
                "digits 1, 2, 3", images[three], digits[three], n=1000, n_landmarks=15,
                per_object=per_object, wrong=wrong, d=2, runs=10,
            ))
        if options.mnist:
            images, digits = mnist(options.mnist)
            for n in (1000, 3000, 10_000):
                print_table(head, figure_5(
                    "MNIST", images, digits, n=n, n_landmarks=30, per_object=200, wrong=0.0,
                    d=5, runs=3 if n < 3000 else 1, slow=n < 10_000,
                ))


if __name__ == "__main__":
    main()
