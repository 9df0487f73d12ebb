"""Difference scaling and scales from maps, on the simulations of Haghiri's thesis in small.

    python benchmarks/scale.py

Figures 4.4 to 4.6 (a rising scale, a falling and rising one, the colour circle), 5.1 and 5.2
(repeated questions, landmarks), the alien eggs as a scale, and what a bootstrap of difference
scales costs beside fitting one model at a time.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
from report import machine, print_table
from sources import alien_eggs

from core.embedding import NMDS, SOE, STE, TSTE
from core.geometry import distances, procrustes_disparity
from core.method import Method
from core.scale import MLDS, bootstrap_scale, ordinal_scale, scale_error
from core.simulate import (
    answer,
    majority,
    questions_of,
    random_questions,
    scale_function,
)
from core.triplets import Triplets

EKMAN = Path(__file__).parent.parent / "sample_data" / "ekman_colors" / "similarity.csv"
N_STIMULI, SHARES, SIGMAS, REPEATS = 15, (0.2, 0.6, 1.0), (0.05, 0.1), 10


def embeddings(d: int) -> dict[str, Method]:
    """What the thesis compares, without priors, from ten starts."""
    common = {"n_components": d, "n_init": 10, "prior": 0.0}
    return {"STE": STE(**common), "t-STE": TSTE(**common, alpha=1.0), "SOE": SOE(**common)}


def triads(n: int, middle_only: bool) -> np.ndarray:
    """All different questions, or those with the middle of three stimuli as anchor."""
    rows = [
        (b, a, c) if turn == 0 else (a, b, c) if turn == 1 else (c, a, b)
        for a, b, c in combinations(range(n), 3) for turn in range(1 if middle_only else 3)
    ]
    return np.array(rows)


def error_of(fitted: Method, positions: np.ndarray) -> float:
    """Share of all different questions that the fit answers otherwise than the truth."""
    rows = answer(positions, triads(len(positions), False), np.random.default_rng(0))
    return 1.0 - fitted.score(Triplets.from_array(rows, len(positions)))


def compared(
    positions: np.ndarray, sigma: float, share: float, judge: Callable[[Method], tuple]
) -> dict[str, np.ndarray]:
    """What `judge` says of every method, on average over the repetitions."""
    n, d = positions.shape
    sets = {name: (method, triads(n, False)) for name, method in embeddings(d).items()}
    sets["MLDS"] = (MLDS(), triads(n, True))
    wanted = int(share * len(sets["MLDS"][1]))
    found: dict[str, list[tuple]] = {name: [] for name in [*sets, "NMDS"]}
    for repeat in range(REPEATS):
        rng = np.random.default_rng(repeat)
        for name, (method, questions) in sets.items():
            asked = questions[rng.permutation(len(questions))[:wanted]]
            rows = answer(positions, asked, rng, noise="positions", level=sigma)
            found[name].append(judge(method.fit(Triplets.from_array(rows, n))))
        if share == 1.0:
            seen = positions + sigma * rng.standard_normal(positions.shape)
            nmds = NMDS(n_components=d, seed=repeat).fit_dissimilarities(distances(seen))
            found["NMDS"].append(judge(nmds))
    return {name: np.mean(values, axis=0) for name, values in found.items() if values}


def known_scales() -> None:
    """Figures 4.4 and 4.5."""
    x = np.linspace(0, 1, N_STIMULI)
    for name in ("sigmoid", "polynomial"):
        truth = scale_function(name, x)

        def judge(fitted: Method, truth: np.ndarray = truth) -> tuple[float, float]:
            values = fitted.unconstrained_ if isinstance(fitted, MLDS) else fitted.embedding_[:, 0]
            return scale_error(values, truth), error_of(fitted, truth[:, None])

        rows = []
        for sigma in SIGMAS:
            for share in SHARES:
                found = compared(truth[:, None], sigma, share, judge)
                cells = (
                    f"{found[m][0]:.4f} / {found[m][1]:.3f}" if m in found else ""
                    for m in ("MLDS", "NMDS", "SOE", "STE", "t-STE")
                )
                rows.append((f"σ = {sigma}, r = {share}", *cells))
        print_table((f"{name}: MSE / triplet error", "MLDS", "NMDS", "SOE", "STE", "t-STE"), rows)


def colour_circle() -> None:
    """Figure 4.6."""
    similarity = pd.read_csv(EKMAN, index_col=0).to_numpy(dtype=float)
    truth = NMDS(n_components=2).fit_dissimilarities(similarity.max() - similarity).embedding_
    truth = truth / np.abs(truth).max()

    def judge(fitted: Method) -> tuple[float, float]:
        shape = np.nan if isinstance(fitted, MLDS) else procrustes_disparity(
            fitted.embedding_, truth
        )
        return shape, error_of(fitted, truth)

    rows = []
    for share in SHARES:
        for name, (shape, error) in compared(truth, 0.1, share, judge).items():
            rows.append((name, share, f"{error:.3f}", f"{shape:.3f}"))
    print_table(("colour circle, σ = 0.1", "r", "triplet error", "disparity"), rows)


def designs() -> None:
    """Figures 5.1 and 5.2."""

    def accuracy(n: int, m: int, design: str, p: float, repeat: int) -> float:
        rng = np.random.default_rng(repeat)
        positions = rng.random((n, 3))
        rows = answer(
            positions, questions_of(design, n, m, rng, repeats=3), rng, noise="flip", level=p
        )
        learned = majority(rows, 3) if design == "repeated" else rows
        fitted = SOE(n_components=3, n_init=2).fit(Triplets.from_array(learned, n))
        judged = answer(positions, random_questions(n, 5_000, rng), rng)
        return fitted.score(Triplets.from_array(judged, n))

    rows = []
    for n in (20, 100):
        for p in (0.1, 0.2, 0.3):
            cells = [
                f"{np.mean([accuracy(n, 6_000, design, p, r) for r in range(5)]):.3f}"
                for design in ("random", "repeated")
            ]
            rows.append((f"n = {n}, p = {p}", *cells))
    print_table(("6,000 answers", "random", "3-repeated"), rows)
    rows = []
    for k in (4, 8, 12, 16):
        m = k * (k - 1) // 2 * 98
        cells = [
            f"{np.mean([accuracy(100, m, design, 0.1, r) for r in range(5)]):.3f}"
            for design in ("random", "landmark")
        ]
        rows.append((k, f"{m:,}", *cells))
    print_table(("landmarks", "answers, n = 100", "random", "landmark"), rows)


def eggs() -> None:
    """The scale of the drawings against their spikiness."""
    data, rows = alien_eggs(), []
    sampler = data.answers["sampler"].astype(str).str.strip().str.lower()
    for name in sorted(sampler.unique()):
        own = data.take((sampler == name).to_numpy())
        if len(own) < 1_000:
            continue
        found = ordinal_scale(STE(), own, stimulus="spikiness", maps=40)
        correlation, low, high = found.rank_correlation
        rows.append((
            name, f"{len(own):,}", f"{correlation:.3f} ({low:.3f} to {high:.3f})",
            f"{np.median(2 * 1.96 * found.deviation):.3f}",
            "yes" if found.is_monotone() else "no",
        ))
    print_table(
        ("answers picked", "answers", "rank correlation", "median width of the band",
         "a rising curve fits"), rows,
    )


def cost() -> None:
    """Processor time of resampling."""
    truth = scale_function("sigmoid", np.linspace(0, 1, 11))
    rng = np.random.default_rng(0)
    rows = answer(
        truth[:, None], np.tile(triads(11, True), (2, 1)), rng, noise="positions", level=0.1
    )
    data = Triplets.from_array(rows, 11)
    bootstrap_scale(MLDS(), data, resamples=100)
    begun = time.process_time()
    bootstrap_scale(MLDS(), data, resamples=10_000)
    many = time.process_time() - begun
    begun = time.process_time()
    for _ in range(20):
        MLDS().fit(data)
    single = (time.process_time() - begun) / 20
    print(
        f"10,000 resamples of {len(data)} triads on 11 levels take {many:.1f} s of the processor; "
        f"fitted one at a time by statsmodels they would take {10_000 * single / many:.0f} times "
        "as long.\n"
    )


def main() -> None:
    """Print all tables."""
    print(machine())
    for part in (known_scales, colour_circle, designs, eggs, cost):
        part()


if __name__ == "__main__":
    main()
