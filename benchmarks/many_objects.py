"""What thousands of objects cost: comparisons, trees, spectral clusters and bootstraps.

    python benchmarks/many_objects.py                     a quarter of an hour on a busy core
    python benchmarks/many_objects.py certain trees       only these parts

Every line is measured in a process of its own, after a small run that compiles: seconds on the
clock, processor seconds, and by how much the peak of its memory grew. Run with another checkout in
PYTHONPATH it measures that one, as far as it can do the same. Peers in the same run: SciPy's
linkage of given distances, scikit-learn's spectral clustering with a given number of clusters, and
a fit from one start.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from joblib import parallel_config
from report import machine, print_table
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import pdist
from sklearn.cluster import spectral_clustering
from sources import n_answers

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.landmarks import choose_landmarks, landmark_questions
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.inference.uncertainty import Samples, bootstrap, resampling
from tripletscope.core.models.embedding import CKL, GNMDS, SOE, STE, TSTE
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding
from tripletscope.core.models.optimise.loss import margins
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.core.similarity.clusters import AgglomerativeClustering, SpectralClustering
from tripletscope.core.similarity.kernels import K1
from tripletscope.core.similarity.kernels.space import Space, space_of

N_MAPS, N_LANDMARKS, N_GROUPS = 64, 30, 8


def measured(function: Callable[[], Any], warmed: Callable[[], Any] | None = None) -> list[str]:
    """Seconds, processor seconds and megabytes of a call, as cells of a table."""
    if warmed:
        warmed()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    wall, cpu = time.perf_counter(), time.process_time()
    function()
    cells = [f"{time.perf_counter() - wall:.2f}", f"{time.process_time() - cpu:.2f}"]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    return [*cells, f"{peak / 1024:,.0f}"]


def points(n: int, d: int) -> np.ndarray:
    """(n, d) groups of normal points."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, d)) + 4 * rng.normal(size=(N_GROUPS, d))[
        rng.integers(N_GROUPS, size=n)
    ]


def mapped(n: int, d: int = 2) -> Space:
    """A map."""
    return Space(n, np.arange(n), vectors=points(n, d))


def by_landmarks(n: int) -> Space:
    """The features of k1 from all questions about the landmarks."""
    rng, truth = np.random.default_rng(0), points(n, 5)
    questions = landmark_questions(n, choose_landmarks(n, N_LANDMARKS, rng), "k1")
    turned = margins(truth, questions) < 0
    questions[turned] = questions[turned][:, [0, 2, 1]]
    return space_of(K1().fit(Triplets.from_array(questions.astype(np.int32), n)))


def maps(n: int) -> Samples:
    """Maps that differ a little."""
    rng = np.random.default_rng(0)
    found = rng.normal(size=(1, n, 2)) + 0.1 * rng.normal(size=(N_MAPS, n, 2))
    return Samples(found, found[0])


# Parts ------------------------------------------------------------------------------------------


def certain(n: int) -> list[str]:
    """The thousand least certain comparisons."""
    samples = maps(n)
    return measured(lambda: samples.most_uncertain(1000), lambda: maps(50).most_uncertain(9))


def distances(n: int) -> list[str]:
    """Mean and standard deviation of all distances."""
    samples = maps(n)
    return measured(lambda: samples.comparisons, lambda: maps(50).comparisons)


def tree(kind: str, n: int, rule: str) -> list[str]:
    """A fit of a tree, with the number of its clusters."""
    space = by_landmarks(n) if kind == "landmarks" else mapped(n, int(kind))
    method = AgglomerativeClustering(linkage=rule)
    try:
        return measured(lambda: method.fit_space(space), lambda: method.fit_space(mapped(50)))
    except DataError:
        return ["refused", "–", "–"]


def scipys(n: int) -> list[str]:
    """SciPy's linkage alone."""
    apart = pdist(points(n, 2))
    return measured(lambda: linkage(apart, "average"))


def spectral(n: int) -> list[str]:
    """A fit of spectral clusters, with their number."""
    return measured(lambda: SpectralClustering().fit_space(mapped(n)),
                    lambda: SpectralClustering().fit_space(mapped(50)))


def scikit_learns(n: int) -> list[str]:
    """Scikit-learn's spectral clustering for one number of clusters, of given similarities."""
    affinity = np.maximum(np.exp(-mapped(n).distances() ** 2), 1e-6)
    return measured(lambda: spectral_clustering(
        affinity, n_clusters=N_GROUPS, assign_labels="cluster_qr", random_state=0
    ))


def replicates(n: int, factor: int, number: int) -> list[str]:
    """A bootstrap, in fits from one start."""
    truth = 1.2 * np.random.default_rng(0).standard_normal((n, 2))
    answers = simulate(truth, n_answers(factor, n, 2), noise="logistic", seed=1)
    bootstrap(STE(), simulate(truth[:40], 900), replicates=6)
    with parallel_config(n_jobs=1):
        fitted = STE(n_init=1).fit(answers)
        fit = least(lambda: fitted.fit(answers), 5)
        one = least(lambda: bootstrap(
            STE(), answers, replicates=number, reference=fitted.embedding_
        ), 1) / number
    return [f"{fit:.4f}", f"{one:.4f}", f"{one / fit:.2f}"]


def tolerance(method: OrdinalEmbedding, n: int, factor: float) -> list[str]:
    """What the tolerance of replicates changes of the standard deviations of distances."""
    truth = 1.2 * np.random.default_rng(0).standard_normal((n, 2))
    answers = simulate(truth, int(factor * 2 * n * np.log(n)), noise="logistic", seed=1)
    reference, sds, seconds = method.fit(answers).embedding_, [], []
    bootstrap(method, answers, replicates=5, reference=reference)
    for rough in (1e-10, resampling._ROUGH):
        resampling._ROUGH = rough
        before = time.process_time()
        found = bootstrap(method, answers, replicates=100, reference=reference)
        seconds.append(time.process_time() - before)
        sds.append(found.comparisons.sd[np.triu_indices(n, 1)])
    ratio = sds[1] / sds[0]
    return [f"{sds[1].mean() / sds[0].mean():.4f}", f"{np.median(ratio):.4f}",
            f"{seconds[1] / seconds[0]:.2f}"]


def least(function: Callable[[], Any], times: int) -> float:
    """The fewest processor seconds of some calls."""
    found = []
    for _ in range(times):
        before = time.process_time()
        function()
        found.append(time.process_time() - before)
    return min(found)


# Tables -----------------------------------------------------------------------------------------

COST = ("s", "processor s", "MB more")
PARTS: dict[str, tuple[tuple[str, ...], list[tuple[str, Callable[..., list[str]], tuple]]]] = {
    "certain": (("from 64 maps", *COST), [
        ("1,000 least certain, n = 1,000", certain, (1_000,)),
        ("1,000 least certain, n = 10,000", certain, (10_000,)),
        ("mean and sd of all distances, n = 10,000", distances, (10_000,)),
    ]),
    "trees": (("tree", *COST), [
        ("SciPy's average linkage alone, n = 10,000", scipys, (10_000,)),
        ("average, map, n = 10,000", tree, ("2", 10_000, "average")),
        ("average, k1 of 30 landmarks, n = 10,000", tree, ("landmarks", 10_000, "average")),
        ("single, map, n = 70,000", tree, ("2", 70_000, "single")),
        ("Ward, map, n = 70,000", tree, ("2", 70_000, "ward")),
        ("Ward, ten dimensions, n = 70,000", tree, ("10", 70_000, "ward")),
        ("average, map, n = 70,000", tree, ("2", 70_000, "average")),
    ]),
    "spectral": (("spectral clusters of a map", *COST), [
        ("scikit-learn, 8 clusters, n = 4,000", scikit_learns, (4_000,)),
        ("2 to 15 clusters, n = 4,000", spectral, (4_000,)),
        ("2 to 15 clusters, n = 10,000", spectral, (10_000,)),
    ]),
    "replicates": (("STE, d = 2", "fit, processor s", "replicate, processor s", "fits"), [
        (f"n = {n:,}, {factor} d n ln n answers, {number} replicates", replicates,
         (n, factor, number))
        for n, number in ((100, 100), (1_000, 100), (10_000, 20)) for factor in (1, 5)
    ]),
    "tolerance": (("tolerance 1e-6 to 1e-10", "mean sd", "median sd", "processor s"), [
        (f"{method.title}, n = {n:,}, {factor} d n ln n answers", tolerance, (method, n, factor))
        for method, n, factor in (
            (STE(n_init=1), 100, 1), (STE(n_init=1), 1_000, 1), (STE(n_init=1), 300, 5),
            (TSTE(n_init=1), 300, 2), (CKL(n_init=1), 300, 5), (SOE(n_init=1), 300, 2),
            (GNMDS(n_init=1), 300, 2),
        )
    ]),
}


def main() -> None:
    """Print the parts asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []])
    print(machine())
    for part in parser.parse_args().parts or PARTS:
        header, lines = PARTS[part]
        rows = []
        for name, function, arguments in lines:
            with multiprocessing.get_context("spawn").Pool(1) as own:
                rows.append((name, *own.apply(function, arguments)))
                print(*rows[-1], flush=True)
        print_table(header, rows)


if __name__ == "__main__":
    main()
