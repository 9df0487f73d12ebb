"""How fast uncertainty is computed, whether it holds, and what the paper's figures look like here.

    python benchmarks/uncertainty.py                  about 20 minutes on one busy core
    python benchmarks/uncertainty.py speed figure3    only these parts

Paper: Lohaus, Hennig & von Luxburg (2019). Where a part follows it, so does the setting: bootstrap
of 20 subsamples of 40 %, posterior with prior variance 15, probabilities as published.
"""

from __future__ import annotations

import argparse
import time
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from report import machine, print_table
from sklearn.base import clone
from sklearn.cluster import SpectralClustering
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sources import LEVEL, alien_eggs, n_answers

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.design.active import propose
from tripletscope.core.embedding import CKL, STE, TSTE
from tripletscope.core.geometry import procrustes_disparity
from tripletscope.core.optimise.loss import margins
from tripletscope.core.simulation.simulate import answer, random_questions, simulate
from tripletscope.core.uncertainty import Abstention, Samples, bootstrap, laplace, sample_posterior
from tripletscope.core.uncertainty.calibration import (
    Truth,
    held_by_ellipses,
    simulated_answers,
    tally,
)

PUBLISHED_BOOTSTRAP: dict[str, Any] = {
    "replicates": 20, "scheme": "subsample", "share": 0.4, "rescale": False,
}
REPEATS = 3


def stopwatch(function: Callable[[], Any], times: int = 2) -> tuple[Any, float, float]:
    """Result, processor seconds and seconds, of the fastest of some calls."""
    best = None
    for _ in range(times):
        wall, cpu = time.perf_counter(), time.process_time()
        result = function()
        found = time.process_time() - cpu, time.perf_counter() - wall
        best = min(found, best or found)
    return result, *best


# Speed -------------------------------------------------------------------------------------------


def speed() -> None:
    """Bootstrap, posterior and all comparisons, against the plain way in the same run."""
    eggs, rows = alien_eggs(), []
    for method in (STE(), TSTE()):
        reference = method.fit(eggs).embedding_
        single = clone(method).set_params(n_init=1)

        def plain(single: Any = single) -> None:
            rng = np.random.default_rng(0)
            for _ in range(20):
                clone(single).fit(eggs.take(np.sort(rng.integers(len(eggs), size=len(eggs)))))

        def ours(method: Any = method, reference: np.ndarray = reference) -> Samples:
            return bootstrap(method, eggs, replicates=100, reference=reference)

        _, cpu, wall = stopwatch(ours)
        _, plain_cpu, _ = stopwatch(plain)
        rows.append((method.title, f"{cpu:.2f}", f"{wall:.2f}", f"{5 * plain_cpu / cpu:.1f}"))
    print("100 replicates of alien eggs (300 objects, 17,611 answers); ratio to a fit of each draw")
    print_table(("method", "processor s", "s", "ratio"), rows)

    sample_posterior(STE(), eggs, most=100)  # compiles, and imports the diagnostics
    rows = []
    for n, d, t in ((50, 2, 5000), (100, 2, 5000), (200, 2, 20_000), (100, 5, 10_000)):
        truth = 1.2 * np.random.default_rng(0).standard_normal((n, d))
        triplets = simulate(truth, t, noise="logistic", seed=1)
        rate = {}
        for sampler, most in (("laplace", 100_000), ("plain", 2000)):
            found, cpu, _ = stopwatch(
                lambda sampler=sampler, most=most, d=d, triplets=triplets: sample_posterior(
                    STE(n_components=d), triplets, sampler=sampler, most=most
                ),
                times=1,
            )
            rate[sampler] = found.effective / cpu
            if sampler == "laplace":
                kept = found
        _, approx, _ = stopwatch(lambda d=d, t=triplets: laplace(STE(n_components=d), t))
        rows.append((
            str(n), str(d), f"{t:,}", f"{rate['laplace']:.0f}",
            f"{rate['laplace'] / rate['plain']:.0f}", f"{kept.effective:.0f}", f"{kept.rhat:.3f}",
            f"{approx:.2f}",
        ))
    print("Posterior of STE: effective samples of distances per processor second, from the fit on;")
    print("ratio to elliptical slice sampling from the prior (4 chains of 2,000 draws)")
    print_table(
        ("n", "d", "answers", "effective / s", "ratio", "effective", "R-hat", "Laplace, s"), rows
    )

    rng = np.random.default_rng(0)
    rows = []
    for n in (200, 1000):
        maps = rng.normal(size=(1, n, 2)) + 0.1 * rng.normal(size=(64, n, 2))
        known, _, moments = stopwatch(lambda maps=maps: Samples(maps, maps[0]).comparisons)
        _, _, top = stopwatch(lambda known=known: known.most_uncertain(1000))
        # A copy each time, because what was computed is remembered.
        _, _, mean = stopwatch(lambda known=known: replace(known).average_uncertainty)
        tracemalloc.start()
        again = replace(known)
        again.most_uncertain(1000)
        again.average_uncertainty  # noqa: B018 - for its memory
        peak = tracemalloc.get_traced_memory()[1] / 2**20
        tracemalloc.stop()
        rows.append((
            f"{n:,}", f"{n * (n - 1) * (n - 2) // 2:,}", f"{moments:.3f}", f"{top:.3f}",
            f"{mean:.2f}", f"{peak:.0f}",
        ))
    print("All comparisons, from 64 maps; seconds")
    print_table(
        ("n", "comparisons", "distances", "1,000 least certain", "average", "peak MB"), rows
    )


# Figures 2 and 3 ---------------------------------------------------------------------------------


def mixture(n: int, rng: np.random.Generator) -> np.ndarray:
    """Points of the paper's three normal distributions in the plane (section 5.1)."""
    means = np.array([[2, 2], [-2, -1], [4, -2]])
    covariances = np.array([[[2, 0], [0, 1]], [[1, 0], [0, 1]], [[1, 0.7], [0.7, 2]]])
    return np.array([
        rng.multivariate_normal(means[c], covariances[c]) for c in rng.integers(3, size=n)
    ])


def answers_about(truth: np.ndarray, share: float, noise: float, seed: int) -> Triplets:
    """A share of all comparisons, with log-normal noise on distances."""
    n = len(truth)
    size = int(share * n * (n - 1) * (n - 2) / 2)
    return simulate(truth, size, noise="lognormal", level=noise, seed=seed)


def true_triplets(truth: np.ndarray, seed: int = 0) -> Triplets:
    """20,000 true answers."""
    return simulate(truth, 20_000, seed=seed)


def both_ways(triplets: Triplets, d: int, seed: int) -> dict[str, Samples]:
    """The published bootstrap and posterior of STE."""
    method = STE(n_components=d)
    return {
        "bootstrap": bootstrap(method, triplets, seed=seed, **PUBLISHED_BOOTSTRAP),
        "posterior": sample_posterior(
            method, triplets, variance=15.0, effective=100, most=3000, seed=seed
        ),
    }


def uncertainty_rows(
    truth: np.ndarray, settings: list[tuple[float, float]]
) -> Iterator[tuple[str, ...]]:
    """Mean uncertainty of the true answers, both ways, and Procrustes error of the STE map."""
    true, n = true_triplets(truth), len(truth)
    for share, noise in settings:
        found = []
        for seed in range(REPEATS):
            triplets = answers_about(truth, share, noise, seed)
            samples = both_ways(triplets, 2, seed)
            found.append([
                *(1 - s.probability(true).mean() for s in samples.values()),
                procrustes_disparity(STE().fit(triplets).embedding_, truth),
            ])
        found = np.array(found)
        cells = [
            f"{m:.3f} ± {s:.3f}"
            for m, s in zip(found.mean(axis=0), found.std(axis=0, ddof=1), strict=True)
        ]
        size = share * n * (n - 1) * (n - 2) / 2
        yield f"{noise:g}", f"{share:.1%}", f"{size / (2 * n * np.log(n)):.1f}", *cells


def figure2() -> None:
    """Uncertainty and Procrustes error against noise, number of answers and dimension."""
    truth = mixture(50, np.random.default_rng(0))
    header = (
        "noise", "of all comparisons", "answers / d n ln n", "bootstrap", "posterior",
        "Procrustes error",
    )
    print(f"Figure 2 (e), (f): mixture of three normals, n = 50; {REPEATS} repetitions")
    print_table(header, uncertainty_rows(truth, [(0.02, s) for s in (0, 0.1, 0.3, 0.6, 1, 2, 4)]))
    print_table(
        header, uncertainty_rows(truth, [(s, 0) for s in (0.005, 0.01, 0.02, 0.05, 0.1, 0.15)])
    )
    digits = load_digits()
    chosen = digits.data[np.isin(digits.target, (6, 8))]
    rng = np.random.default_rng(0)
    points = PCA(3).fit_transform(chosen)[rng.permutation(len(chosen))[:50]]
    rows = []
    for d in range(1, 7):
        found = []
        for seed in range(3):
            triplets = answers_about(points, 0.2, 0.1, seed)
            fitted = STE(n_components=d).fit(triplets)
            own = bootstrap(STE(n_components=d), triplets, replicates=20, seed=seed)
            found.append([
                fitted.loss_ / len(triplets),
                *(s.average_uncertainty for s in both_ways(triplets, d, seed).values()),
                own.calibrated.average_uncertainty,
            ])
        rows.append((str(d), *(f"{x:.4f}" for x in np.mean(found, axis=0))))
    print("Figure 2 (d): scikit-learn's digits 6 and 8 in 3 principal components, n = 50, 20 % of")
    print("all comparisons, noise 0.1; 3 repetitions. Average uncertainty of all comparisons")
    print_table(
        ("d", "loss / answer", "bootstrap", "posterior", "default bootstrap, calibrated"), rows
    )


def figure3() -> None:
    """Error and abstention rate against threshold and number of answers."""
    truth = mixture(50, np.random.default_rng(0))
    true, thresholds, rows = true_triplets(truth), (0.5, 0.6, 0.7, 0.8, 0.9, 0.95), []
    for share in (0.005, 0.01, 0.02, 0.05, 0.1):
        found = []
        for seed in range(REPEATS):
            triplets = answers_about(truth, share, 0, seed)
            samples = bootstrap(STE(), triplets, seed=seed, **PUBLISHED_BOOTSTRAP)
            predicted = Abstention(np.arange(len(true)), samples.probability(true), true.weight)
            found.append(predicted.at(thresholds))
        means = np.mean(found, axis=0).T
        rows.append((f"{share:.1%}", *(f"{e:.3f}, {abs(a):.2f}" for e, a in means)))
    print("Figure 3: error on predicted comparisons, and share of those left open")
    print_table(("of all comparisons", *(f"t = {t:g}" for t in thresholds)), rows)


# Figure 4 ----------------------------------------------------------------------------------------


def perception(length: float, n_observers: int, rng: np.random.Generator) -> np.ndarray:
    """(o, 20) draws of the paper's Gaussian process (section 5.4, appendix E)."""
    x, ends = np.linspace(0, 1, 20), np.array([0.0, 1.0])

    def kernel(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return np.exp(-np.subtract.outer(a, b) ** 2 / (2 * length**2))

    across = kernel(x, ends)
    covariance = kernel(x, x) - across @ np.linalg.solve(kernel(ends, ends), across.T)
    mean = 1 / (1 + np.exp(-25 * (x - 0.5)))
    root = np.linalg.svd(covariance)
    return mean + rng.standard_normal((n_observers, 20)) * np.sqrt(root[1]) @ root[0].T


def figure4() -> None:
    """Uncertainty of a pooled scale against how much observers differ."""
    rows = []
    for length in (2.0, 0.88, 0.54):
        sds = {"r = 0.1, as published": [], "default": []}
        for seed in range(REPEATS):
            rng = np.random.default_rng(seed)
            observers = perception(length, 50, rng)
            answers = np.concatenate([
                answer(own[:, None], random_questions(20, 100, rng), rng) for own in observers
            ])
            triplets = Triplets.from_array(answers, 20)
            published = {"scheme": "subsample", "share": 0.1, "rescale": False}
            for name, options in zip(sds, (published, {}), strict=True):
                samples = bootstrap(
                    STE(n_components=1), triplets, replicates=50, seed=seed, **options
                )
                scale = samples.embeddings[..., 0]
                scale = (scale - scale[:, :1]) / (scale[:, -1:] - scale[:, :1])
                sds[name].append(scale.std(axis=0, ddof=1).mean())
        rows.append((f"{length:g}", *(f"{np.mean(s):.4f} ± {np.std(s):.4f}" for s in sds.values())))
    print("Figure 4: mean standard deviation of 20 stimuli on the pooled scale, 50 observers of")
    print(f"100 answers each; {REPEATS} repetitions")
    print_table(("length scale", *sds), rows)


# Figure 5 ----------------------------------------------------------------------------------------


def figure5() -> None:
    """Chosen against random questions, on three tasks."""
    digits = load_digits()
    chosen = np.flatnonzero(digits.target < 6)
    rows, sizes, repeats = [], (1000, 2000, 4000), 4
    for strategy in ("random", "uncertain", "gain"):
        found = []
        for seed in range(repeats):
            rng = np.random.default_rng(seed)
            which = rng.permutation(chosen)[:100]
            points, labels = digits.data[which], digits.target[which]
            judged = random_questions(100, 20_000, rng)
            truly = margins(points, judged) > 0
            triplets = simulate(points, 1000, noise="lognormal", level=0.1, seed=seed)
            for size in range(1000, sizes[-1] + 1, 500):
                fitted = STE(n_components=5).fit(triplets)
                if size in sizes:
                    x = fitted.embedding_
                    near = cross_val_score(KNeighborsClassifier(5), x, labels, cv=5).mean()
                    groups = SpectralClustering(6, random_state=0).fit_predict(x)
                    found.append((
                        np.mean((margins(x, judged) > 0) != truly), 1 - near,
                        adjusted_rand_score(labels, groups),
                    ))
                samples = None
                if strategy != "random":
                    samples = bootstrap(
                        STE(n_components=5), triplets, replicates=20, seed=size,
                        reference=fitted.embedding_,
                    )
                asked = propose(
                    STE(n_components=5), triplets, 500, strategy=strategy, seed=size,
                    samples=samples,
                )
                more = answer(points, asked, rng, noise="lognormal", level=0.1)
                triplets = Triplets.from_array(np.concatenate([triplets.rows, more]), 100)
        values = np.array(found).reshape(repeats, len(sizes), 3)
        means = values.mean(axis=0)
        errors = values.std(axis=0, ddof=1) / np.sqrt(repeats)
        for task, name in enumerate(("comparisons wrong", "5-NN error", "ARI of clusters")):
            cells = [f"{m:.3f} ± {e:.3f}" for m, e in zip(means[:, task], errors[:, task],
                                                            strict=True)]
            rows.append((name, strategy, *cells))
    print("Figure 5 in small: 100 of scikit-learn's digits 0 to 5 (64 dimensions), d = 5, noise")
    print(f"0.1, batches of 500; {repeats} repetitions, with standard errors")
    print_table(("task", "questions", *(f"{s:,} answers" for s in sizes)), sorted(rows))


# Coverage ----------------------------------------------------------------------------------------

SETS = {30: 6, 100: 3, 300: 1}


def coverage() -> None:
    """Coverage of ellipses and calibration of probabilities on planted data."""
    rows = []
    for method in (STE(), TSTE(), CKL()):
        for n, n_sets in SETS.items():
            for factor in (2, 5):
                for source in ("bootstrap", "posterior", "laplace"):
                    rows.append(coverage_row(method, n, factor, source, n_sets))
    print("Planted standard normal positions / 0.7 (STE) or / 0.35, answers by the method's own")
    print("model, d = 2. Per cent of objects inside their 50, 80 and 95 % ellipses; expected")
    print("calibration error of probabilities with three spreads of a difference")
    print_table(
        ("method", "n", "answers / d n ln n", "data sets", "source", "50, 80, 95 %", "published",
         "independent", "joint"),
        rows,
    )


def coverage_row(
    method: Any, n: int, factor: int, source: str, n_sets: int
) -> tuple[str, ...]:
    """One row of the table."""
    held, tallies = [], np.zeros((3, 3, 10))
    for seed in range(n_sets):
        rng = np.random.default_rng(seed)
        truth = rng.standard_normal((n, 2)) / LEVEL * (1 if method.fixes_scale else 2)
        questions = random_questions(n, n_answers(factor, n, 2), rng)
        rows = simulated_answers(method, Truth(truth, 0.0, 0.0), questions, rng)
        triplets = Triplets.from_array(rows, n)
        samples = {
            "bootstrap": lambda t=triplets, s=seed: bootstrap(method, t, seed=s),
            "posterior": lambda t=triplets, s=seed: sample_posterior(
                method, t, effective=100, most=10_000, seed=s
            ),
            "laplace": lambda t=triplets, s=seed: laplace(method, t, seed=s),
        }[source]()
        held.append(held_by_ellipses(samples, truth))
        judged = random_questions(n, 20_000, rng)
        right = margins(truth, judged) > 0
        for row, spread in enumerate(("published", "independent", "joint")):
            tallies[row] += tally(samples.probability(judged, spread=spread), right)
    off = [np.abs(right - said).sum() / counts.sum() for counts, said, right in tallies]
    shares = ", ".join(f"{100 * x:.0f}" for x in np.mean(held, axis=0))
    return (method.title, str(n), str(factor), str(n_sets), source, shares,
            *(f"{x:.3f}" for x in off))


PARTS = {
    part.__name__: part for part in (speed, figure2, figure3, figure4, figure5, coverage)
}


def main() -> None:
    """Print the parts asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="by default all")
    chosen = parser.parse_args().parts or list(PARTS)
    print(machine())
    for name in chosen:
        PARTS[name]()


if __name__ == "__main__":
    main()
