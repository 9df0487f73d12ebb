"""How often bootstrap ellipses cover the true positions, and whether they have the right size.

    python benchmarks/ellipse_coverage.py            about 25 minutes on two cores
    python benchmarks/ellipse_coverage.py --quick    under two

Objects are planted at standard normal positions. Answers come from the method's own model or, to
show what a wrong model does, t-STE's maps are fitted to STE's answers. The truth is aligned to
the fit (rotation, reflection, shift, scale). First table: per cent of the objects inside their
50, 80 and 95 % ellipses around the fitted positions, with standard errors over the data sets;
"wrong" is the share of answers against the true distances. Second table: standard deviation by
the bootstrap, divided by that of the fits of independent data sets about one truth; the median
over the objects.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, product
from typing import Any

import numpy as np
from joblib import Parallel, cpu_count, delayed, parallel_config
from report import machine, print_table
from sources import LEVEL, n_answers

from tripletscope.core.data.geometry import procrustes
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.inference.uncertainty import Samples, bootstrap
from tripletscope.core.inference.uncertainty.calibration import (
    Truth,
    held_by_ellipses,
    simulated_answers,
)
from tripletscope.core.models.embedding import STE, TSTE
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding
from tripletscope.core.models.simulation.simulate import random_questions

DEFAULT = "resample"
SCHEMES: dict[str, dict[str, Any]] = {
    DEFAULT: {},
    "r = 0.5, rescaled": {"scheme": "subsample", "share": 0.5},
    "r = 0.4, as published": {"scheme": "subsample", "share": 0.4, "rescale": False},
    "r = 0.1, as published": {"scheme": "subsample", "share": 0.1, "rescale": False},
}
#: The default twice: deviations from the mean of the maps (as `Samples` has it), and from the fit.
COLUMNS = [DEFAULT, f"{DEFAULT}, about the fit", *list(SCHEMES)[1:]]
METHODS: dict[str, type[OrdinalEmbedding]] = {"STE": STE, "t-STE": TSTE}


@dataclass(frozen=True)
class Setting:
    """What is fitted to whose answers; answers are counted in d n ln n."""

    method: str
    model: str
    n_objects: int
    n_components: int
    factor: float

    @property
    def schemes(self) -> list[str]:
        """All, but the default only where the model is wrong."""
        return list(SCHEMES) if self.method == self.model else [DEFAULT]

    def truth(self, seed: int) -> np.ndarray:
        """Planted positions, in the model's scale."""
        rng = np.random.default_rng([seed, 0])
        return rng.standard_normal((self.n_objects, self.n_components)) / LEVEL

    def answers(self, truth: np.ndarray, seed: int) -> Triplets:
        """Answers that the model gives about the truth."""
        rng = np.random.default_rng([seed, 1])
        n = n_answers(self.factor, *truth.shape)
        model = METHODS[self.model](n_components=self.n_components)
        questions = random_questions(len(truth), n, rng)
        rows = simulated_answers(model, Truth(truth, 0.0, 0.0), questions, rng)
        return Triplets.from_array(rows, len(truth))

    def fitted(self, triplets: Triplets, seed: int) -> np.ndarray:
        """The map of all answers."""
        method = METHODS[self.method](n_components=self.n_components, seed=seed)
        return method.fit(triplets).embedding_

    def samples(
        self, triplets: Triplets, reference: np.ndarray, scheme: str, replicates: int, seed: int
    ) -> Samples:
        """Bootstrap around the map."""
        return bootstrap(
            METHODS[self.method](n_components=self.n_components), triplets,
            replicates=replicates, seed=seed, reference=reference, **SCHEMES[scheme],
        )


def wrong_answers(setting: Setting) -> float:
    """Share of answers against the true distances."""
    truth = setting.truth(0)
    anchor, near, far = truth[setting.answers(truth, 0).rows.T]
    nearer = np.sum((anchor - near) ** 2, axis=1) < np.sum((anchor - far) ** 2, axis=1)
    return float(1 - nearer.mean())


def about_fit(samples: Samples) -> np.ndarray:
    """(n, d, d) covariances in which deviations count from the fit, not from the mean map."""
    deviations = np.nan_to_num(samples.embeddings - samples.reference)
    total = np.einsum("bni,bnj->nij", deviations, deviations)
    return total / np.maximum(samples.counts, 1)[:, None, None]


def coverage_of(setting: Setting, replicates: int, seed: int) -> np.ndarray:
    """Coverages of one data set, shape (columns of the table, levels)."""
    truth = setting.truth(seed)
    triplets = setting.answers(truth, seed)
    rows = []
    with parallel_config(n_jobs=1):
        reference = setting.fitted(triplets, seed)
        for scheme in setting.schemes:
            samples = setting.samples(triplets, reference, scheme, replicates, seed)
            rows.append(held_by_ellipses(samples, truth))
            if scheme == DEFAULT:
                rows.append(held_by_ellipses(samples, truth, about_fit(samples)))
    return np.array(rows)


def spread_of(setting: Setting, replicates: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """One data set about a common truth, in the units of the truth.

    Returns: (n, d): The aligned map; (schemes, n): Variance of each position by the bootstrap; NaN
        without replicates.
    """
    truth = setting.truth(0)
    triplets = setting.answers(truth, seed)
    variances = np.full((len(SCHEMES), len(truth)), np.nan)
    with parallel_config(n_jobs=1):
        found = setting.fitted(triplets, seed)
        align = procrustes(found, truth)
        for row, scheme in enumerate(SCHEMES if replicates else ()):
            samples = setting.samples(triplets, found, scheme, replicates, seed)
            variances[row] = align.scale**2 * np.trace(samples.covariances, axis1=1, axis2=2)
    return align(found), variances


def in_processes(function: Callable[..., Any], tasks: Sequence[tuple]) -> Iterator[Any]:
    """Results in order, with a count of what is done on the error stream."""
    results = Parallel(n_jobs=cpu_count(), return_as="generator")(
        delayed(function)(*task) for task in tasks
    )
    for number, result in enumerate(results, 1):
        print(f"\r{number}/{len(tasks)}", end="", file=sys.stderr, flush=True)
        yield result
    print(file=sys.stderr)


def percent(coverages: np.ndarray) -> str:
    """Means and standard errors of the coverages of several data sets, shape (m, levels)."""
    means = 100 * coverages.mean(axis=0)
    errors = 100 * coverages.std(axis=0, ddof=1) / np.sqrt(len(coverages))
    return ", ".join(f"{m:.0f}±{e:.0f}" for m, e in zip(means, errors, strict=True))


def coverage_rows(
    settings: list[Setting], n_sets: dict[int, int], replicates: int
) -> Iterator[tuple[str, ...]]:
    """A row for each setting."""
    tasks = [
        (setting, replicates, seed)
        for setting in settings
        for seed in range(n_sets[setting.n_objects])
    ]
    done = zip(tasks, in_processes(coverage_of, tasks), strict=True)
    for setting, group in groupby(done, lambda pair: pair[0][0]):
        found = np.array([coverages for _, coverages in group])
        cells = [percent(found[:, row]) for row in range(found.shape[1])]
        cells += ["–"] * (len(COLUMNS) - len(cells))
        yield (
            setting.method, setting.model, str(setting.n_objects), str(setting.n_components),
            f"{setting.factor:g}", f"{wrong_answers(setting):.0%}", str(len(found)), *cells,
        )


def spread_rows(
    settings: list[Setting], n_fits: int, n_bootstraps: int, replicates: int
) -> Iterator[tuple[str, ...]]:
    """A row for each setting."""
    tasks = [
        (setting, replicates if seed < n_bootstraps else 0, seed)
        for setting in settings
        for seed in range(n_fits)
    ]
    done = zip(tasks, in_processes(spread_of, tasks), strict=True)
    for setting, group in groupby(done, lambda pair: pair[0][0]):
        maps, variances = map(np.array, zip(*(result for _, result in group), strict=True))
        true = maps.var(axis=0, ddof=1).sum(axis=1)
        ratios = np.median(np.sqrt(np.nanmean(variances, axis=0) / true), axis=1)
        yield (
            setting.method, str(setting.n_objects), str(setting.n_components),
            f"{setting.factor:g}", *(f"{ratio:.2f}" for ratio in ratios),
        )


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="n = 30 and few data sets")
    quick = parser.parse_args().quick
    n_sets = {30: 4} if quick else {30: 20, 50: 10, 100: 4}
    replicates = 30 if quick else 100
    settings = [
        Setting(method, model, *size)
        for method, model in (("STE", "STE"), ("t-STE", "t-STE"), ("t-STE", "STE"))
        for size in product(n_sets, (1, 2), (2, 5, 20))
    ]
    print(machine())
    print(f"Coverage of 50, 80 and 95 % ellipses, in per cent; {replicates} replicates")
    print_table(
        ("method", "answers by", "n", "d", "answers / d n ln n", "wrong", "data sets", *COLUMNS),
        coverage_rows(settings, n_sets, replicates),
    )
    n_fits, n_bootstraps = (20, 2) if quick else (60, 4)
    settings = [
        Setting(method, method, 50, 2, factor) for method in METHODS for factor in (1.5, 5, 20)
    ]
    print(f"Standard deviation by the bootstrap / of {n_fits} independent data sets")
    print_table(
        ("method", "n", "d", "answers / d n ln n", *SCHEMES),
        spread_rows(settings, n_fits, n_bootstraps, replicates),
    )


if __name__ == "__main__":
    main()
