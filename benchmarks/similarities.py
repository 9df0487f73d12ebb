"""Dimensions of similarities: those that were planted, those of things, and none in noise.

    python benchmarks/similarities.py planted
    python benchmarks/similarities.py random
    python benchmarks/similarities.py things ../shared/data/things/embedding.npy

Planted weights are above zero in a fifth of the objects; noise is normal, in standard deviations of
the similarities. Of things, the similarity of a pair is the share of so many judgements that put it
together, with a probability in proportion to the dot product of VICE's dimensions.

A dimension exceeds the noise if its part that no other dimension and no level explains has a larger
variance over objects than the error of a weight whose partners are known: then r would be .71.
"""

from __future__ import annotations

import sys
import time

import numpy as np
import pandas as pd
from report import machine, print_table

from tripletscope.core.models.dimensions.factors import Similarities
from tripletscope.core.models.dimensions.reproducibility import best_matches
from tripletscope.core.models.dimensions.symmetric import SymmetricNMF
from tripletscope.core.ratings import Piles

_PLANTED = (
    (100, 5, 0.5, 1.0), (100, 5, 1.0, 0.5), (100, 10, 0.5, 1.0), (200, 10, 1.0, 0.5),
    (200, 20, 0.5, 1.0), (200, 20, 1.0, 1.0), (300, 20, 1.0, 0.5),
)
_SIZES = (10, 14, 20, 40, 100)
_SORTED, _SORTINGS = ((30, 3), (30, 10)), 40
_JUDGEMENTS, _SHARES = (10, 30, 100), (0.05, 0.2, 1.0)


def gaps(values: np.ndarray, share: float, rng: np.random.Generator) -> Similarities:
    """Symmetric similarities of the upper triangle, of which a share is known."""
    known = np.triu(rng.random(values.shape) < share, 1)
    values = np.triu(values, 1)
    return Similarities.of(
        np.where(known | known.T, values + values.T, np.nan), np.ones_like(values)
    )


def planted(runs: int = 10) -> None:
    rows = []
    for n, d, noise, share in _PLANTED:
        numbers, found, seconds = [], [], []
        for seed in range(runs):
            rng = np.random.default_rng(seed)
            truth = (rng.random((n, d)) < 0.2) * rng.gamma(3, 1 / 3, (n, d))
            similar = truth @ truth.T
            spread = similar[np.triu_indices(n, 1)].std()
            given = gaps(similar + noise * spread * rng.normal(size=(n, n)), share, rng)
            begun = time.perf_counter()
            fitted = SymmetricNMF().fit_similarities(given)
            seconds.append(time.perf_counter() - begun)
            numbers.append(fitted.n_dimensions_)
            found.append((best_matches(truth, fitted.embedding_) > 0.8).sum())
        close = np.mean(np.abs(np.array(numbers) - d) <= 0.1 * d)
        rows.append([f"{n}", f"{d}", f"{noise:g}", f"{100 * share:.0f}", f"{np.mean(numbers):.1f}",
                     f"{100 * close:.0f}", f"{np.mean(found):.1f}", f"{np.median(seconds):.1f}"])
    print_table(["objects", "planted", "noise", "pairs, %", "number", "within 10 %, %",
                 "r > .8", "seconds"], rows)


def random(runs: int = 100) -> None:
    rows = []
    for n in _SIZES:
        some = 0
        for seed in range(runs):
            rng = np.random.default_rng(seed)
            some += SymmetricNMF().fit_similarities(
                gaps(rng.normal(size=(n, n)), 1.0, rng)
            ).n_dimensions_ > 0
        rows.append(["normal noise", f"{n}", f"{some} of {runs}"])
    runs = min(runs, _SORTINGS)
    for n, people in _SORTED:
        some = 0
        for seed in range(runs):
            rng = np.random.default_rng(seed)
            some += SymmetricNMF(seed=seed).fit(Piles(pd.DataFrame([
                {"participant": f"{who}", "item": f"{item}", "pile": f"{pile}"}
                for who in range(people) for item, pile in enumerate(rng.integers(3, size=n))
            ]))).n_dimensions_ > 0
        rows.append([f"piles at random of {people} people", f"{n}", f"{some} of {runs}"])
    print_table(["similarities", "objects", "any dimension"], rows)


def exceeding(truth: np.ndarray, noise: float, share: float) -> np.ndarray:
    """(d,) bool: dimensions whose own variance is above that of the errors of weights."""
    own = np.empty(truth.shape[1])
    for k in range(len(own)):
        others = np.column_stack([np.ones(len(truth)), np.delete(truth, k, axis=1)])
        own[k] = ((truth[:, k] - others @ np.linalg.lstsq(others, truth[:, k])[0]) ** 2).sum()
    return own / len(truth) > noise / (share * own)


def things(path: str) -> None:
    weights = np.load(path).astype(float)
    upper = np.triu_indices(len(weights), 1)
    weights /= np.sqrt((weights @ weights.T)[upper].max())
    likely, rows = np.clip(weights @ weights.T, 0.0, 1.0), []
    noise = (likely * (1 - likely))[upper].mean()
    for judgements in _JUDGEMENTS:
        for share in _SHARES:
            rng = np.random.default_rng(0)
            given = gaps(rng.binomial(judgements, likely) / judgements, share, rng)
            begun = time.perf_counter()
            fitted = SymmetricNMF().fit_similarities(given)
            seconds = time.perf_counter() - begun
            strong = exceeding(weights, noise / judgements, share)
            found = best_matches(weights, fitted.embedding_) > 0.8
            right = (best_matches(fitted.embedding_, weights) > 0.8).sum()
            rows.append([
                f"{judgements}", f"{100 * share:.0f}", f"{strong.sum()}", f"{found[strong].sum()}",
                f"{found.sum()}", f"{fitted.n_dimensions_}", f"{right}", f"{seconds:.0f}",
            ])
    print_table(["judgements", "pairs, %", "exceed the noise", "of them r > .8", "of all r > .8",
                 "number", "of it right", "seconds"], rows)


if __name__ == "__main__":
    print(machine())
    {"planted": planted, "random": random, "things": things}[sys.argv[1]](*sys.argv[2:])
