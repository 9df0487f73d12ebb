"""Do probabilities hold for what people answer? Both of them, on held-out responses.

    python benchmarks/reliability.py --data FOLDER            ten minutes on two cores
    python benchmarks/reliability.py --data FOLDER --quick    fewer maps, methods and data sets

Alien eggs, music (where FOLDER holds music/triplets.csv and things/embedding.npy), and planted
data with which nothing was chosen: STE's and log-normal noise, with and without lapses, people who
differ, odd ones out of real objects. Five-fold cross-validation over questions; response
probabilities are calibrated on the other folds. Embeddings in the plane with the bootstrap, the
likelihoods with the normal approximation as well; kernels and forests by their margins. Columns:
what was said and given, in per cent, at probabilities of at least 0.9, and the responses there;
the expected calibration error in ten classes of equally many, with its 95 % interval over
participants or questions and what chance alone makes of exact probabilities; then the same of
order certainty; slope, power and lapse of the response model. Both bounds of the noise ceiling
stand above a table.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from report import machine, print_table
from sources import LEVEL, alien_eggs, music

from tripletscope.core.data.triplets import Triplets, numbered_objects
from tripletscope.core.engine.method import Method
from tripletscope.core.inference.held_out.ceiling import noise_ceiling
from tripletscope.core.inference.uncertainty import Reliability, margin_reliability
from tripletscope.core.inference.uncertainty.reliability import reliability
from tripletscope.core.models.embedding import CKL, GNMDS, GNMDSK, LORE, SOE, STE, TSTE
from tripletscope.core.models.simulation.simulate import personal_maps, simulate
from tripletscope.core.similarity.kernels.triplet import K1, K2
from tripletscope.core.trees.proximity import ForestProximity

#: A method that comes later joins here.
EMBEDDINGS = (STE, TSTE, CKL, SOE, GNMDS, LORE)
BY_MARGINS = (K1, K2, ForestProximity, GNMDSK)
HEADER = (
    "method", "source", "p ≥ 0.9: predicted/observed", "responses", "ECE (95 %; chance)",
    "certainty ≥ 0.9: predicted/observed", "ECE of certainty", "slope", "power", "lapse",
)


def with_lapses(triplets: Triplets, rate: float, seed: int) -> Triplets:
    """Answers of which some are guesses, half of them wrong."""
    rows = triplets.rows.copy()
    turned = np.random.default_rng(seed).random(len(rows)) < rate / 2
    rows[turned, 1:] = rows[turned, :0:-1]
    return Triplets.from_array(rows, triplets.n_objects, name=triplets.name)


def planted(noise: str, level: float, lapse: float) -> Triplets:
    """20,000 answers about 60 standard normal positions in the plane."""
    positions = np.random.default_rng(0).standard_normal((60, 2))
    answers = simulate(positions, 20_000, noise=noise, level=level, seed=1)
    return with_lapses(answers, lapse, 2)


def odd_ones_out(folder: Path, n_objects: int = 100, n_trials: int = 10_000) -> Triplets:
    """Choices by softmax over dot products of what VICE found for some THINGS."""
    rng = np.random.default_rng(3)
    known = np.load(folder / "things" / "embedding.npy")
    vectors = known[rng.choice(len(known), n_objects, replace=False)]
    shown = np.array([rng.choice(n_objects, 3, replace=False) for _ in range(n_trials)])
    # Of three objects, the pair that leaves out the first, the second or the third.
    left = np.stack([np.roll(shown, -k, axis=1) for k in range(3)], axis=1)
    alike = np.einsum("tkd,tkd->tk", vectors[left[..., 1]], vectors[left[..., 2]])
    chosen = left[np.arange(n_trials), np.argmax(alike + rng.gumbel(size=alike.shape), axis=1)]
    rows = np.concatenate([chosen[:, [1, 2, 0]], chosen[:, [2, 1, 0]]])
    trials = pd.DataFrame({"trial": np.tile(np.arange(n_trials), 2)})
    return Triplets(rows, numbered_objects(n_objects), trials)


def crowd(n_people: int = 24, each: int = 500) -> Triplets:
    """Answers of people who each have a map of their own, and guess now and then."""
    rng = np.random.default_rng(4)
    maps = personal_maps(rng.standard_normal((40, 3)), n_people, 0.5, rng)
    told = [
        with_lapses(simulate(own, each, noise="logistic", level=LEVEL, seed=number), 0.05, number)
        for number, own in enumerate(maps)
    ]
    people = pd.DataFrame({"participant": np.repeat([f"p{k:02}" for k in range(n_people)], each)})
    return Triplets(np.concatenate([t.rows for t in told]), told[0].objects, people)


def data_sets(folder: Path | None, quick: bool) -> Iterator[tuple[str, Triplets]]:
    """Names and answers."""
    yield "Alien eggs", alien_eggs()
    people = music(folder)
    if people is not None:
        yield "Music", people
    yield "Planted, STE's noise", planted("logistic", LEVEL, 0.0)
    yield "Planted, 24 people who differ, 3 dimensions, 5 % lapses", crowd()
    if folder is not None:
        yield "Planted, odd ones out of THINGS", odd_ones_out(folder)
    if not quick:
        yield "Planted, STE's noise, 10 % lapses", planted("logistic", LEVEL, 0.1)
        yield "Planted, log-normal noise 0.3, 10 % lapses", planted("lognormal", 0.3, 0.1)


def row(method: Method, source: str, found: Reliability) -> tuple[str, ...]:
    """Cells of a table."""

    def sure(which: str) -> str:
        known = found.sure(which)
        return f"{100 * known.said:.1f} / {100 * known.right:.1f}" if known.count else "–"

    low, high = found.error_interval()
    certain = np.isfinite(found.order).any()
    return (
        method.title, source, sure("response"), f"{found.sure().count:,}",
        f"{found.expected_error():.4f} ({low:.4f}–{high:.4f}; {found.error_by_chance():.4f})",
        sure("order") if certain else "–",
        f"{found.expected_error('order'):.4f}" if certain else "–",
        f"{found.slope:.2f}", f"{found.power:.2f}", f"{found.lapse:.3f}",
    )


def rows(triplets: Triplets, quick: bool) -> Iterator[tuple[str, ...]]:
    """A row for each method and source."""
    for kind in EMBEDDINGS[:: 3 if quick else 1]:
        method = kind()
        sources = ["bootstrap", "laplace"] if method.is_likelihood else ["bootstrap"]
        for source in sources:
            found = reliability(method, triplets, source=source, maps=10 if quick else 20)
            yield row(method, source, found)
    for kind in BY_MARGINS[:1] if quick else BY_MARGINS:
        method = kind()
        yield row(method, "margins", margin_reliability(method, triplets))


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="holds music and things")
    parser.add_argument("--quick", action="store_true", help="fewer methods, maps and data sets")
    options = parser.parse_args()
    print(machine())
    for name, triplets in data_sets(options.data, options.quick):
        limit = noise_ceiling(triplets)
        ceiling = f", noise ceiling {limit.lower} to {limit.upper}" if limit.upper else ""
        print(f"{name}: {len(triplets):,} responses on {triplets.n_objects} objects{ceiling}")
        print_table(HEADER, rows(triplets, options.quick))


if __name__ == "__main__":
    main()
