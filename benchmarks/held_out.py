"""How well answers that people gave are predicted from others that people gave.

    python benchmarks/held_out.py --data FOLDER

Alien eggs: learned from the data's own training answers, error on its test answers with a 95 %
interval, and the rank correlation of the one-dimensional scale with the drawings' spikiness.
Music (where FOLDER holds music/triplets.csv): error by five-fold cross-validation over questions,
for two to ten dimensions. All methods with their defaults. Then, with ``--tuned``, on a fifth of
the questions that took no part: the setting that
`tripletscope.core.inference.held_out.compare.tune` recommends.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from report import machine, print_table
from scipy.stats import spearmanr
from sources import alien_eggs, music, spikiness

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.inference.held_out.compare import tune
from tripletscope.core.inference.held_out.score import (
    ErrorEstimate,
    cross_validate,
    holdout,
    question_folds,
    split_error,
    split_of,
)
from tripletscope.core.models.embedding import CKL, GNMDS, GNMDSK, LORE, SOE, STE, TSTE
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding

#: A method that comes later joins here.
METHODS: tuple[type[OrdinalEmbedding], ...] = (
    STE, TSTE, CKL, GNMDS, SOE, LORE, GNMDSK,
)


def in_words(estimate: ErrorEstimate) -> str:
    """Error and interval."""
    return f"{estimate.error:.3f} ({estimate.low:.3f}–{estimate.high:.3f})"


def rank_correlation(method: OrdinalEmbedding, train: Triplets) -> float:
    """Between the one-dimensional map of the training answers and spikiness, without its sign."""
    fitted = method.fit(train)
    placed = fitted.placed_
    return abs(spearmanr(fitted.embedding_[placed, 0], spikiness()[placed]).statistic)


def egg_rows(triplets: Triplets) -> Iterator[tuple[str, ...]]:
    """A row for each method and dimension."""
    train = triplets.take(split_of(triplets)[0])
    for method in METHODS:
        for d in (1, 2):
            error = in_words(split_error(method(n_components=d), triplets))
            scale = f"{rank_correlation(method(n_components=1), train):.4f}" if d == 1 else "–"
            yield method.title, str(d), error, scale


def music_rows(triplets: Triplets, dimensions: range) -> Iterator[tuple[str, ...]]:
    """A row for each dimension."""
    for d in dimensions:
        errors = (in_words(cross_validate(method(n_components=d), triplets)) for method in METHODS)
        yield str(d), *errors


def tuned_rows(triplets: Triplets) -> Iterator[tuple[str, ...]]:
    """A row for each method: tuned on four fifths of the questions, tested on the others."""
    test = question_folds(triplets, 5, np.random.default_rng(0)) == 0
    train, unseen = triplets.take(~test), triplets.take(test)
    for method in (STE, TSTE, SOE):
        setting = tune(method(), train, most=12).setting()
        plain = in_words(holdout(method(n_components=2).fit(train), unseen))
        best = in_words(holdout(method(**setting).fit(train), unseen))
        yield method.title, str(setting["n_components"]), f"{setting['prior']:g}", best, plain


def averaged_rows(triplets: Triplets) -> Iterator[tuple[str, ...]]:
    """A row for each prior: ten-fold error of an average of maps in ten dimensions."""
    for prior in (0.03, 0.1, 0.3, 1.0):
        method = TSTE(n_components=10, n_init=8, average=True, prior=prior)
        yield f"{prior:g}", in_words(cross_validate(method, triplets, folds=10))


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="holds music/triplets.csv")
    parser.add_argument("--tuned", action="store_true", help="takes ten minutes more")
    options = parser.parse_args()
    print(machine())
    eggs = alien_eggs()
    print(f"Alien eggs: {len(eggs):,} answers on {eggs.n_objects} drawings")
    print_table(
        ("method", "d", "test error (95 %)", "rank correlation with spikiness"), egg_rows(eggs)
    )
    triplets = music(options.data)
    if triplets is not None:
        print(f"Music: {len(triplets):,} answers on {triplets.n_objects} musicians")
        header = ("d", *(f"{method.title} error (95 %)" for method in METHODS))
        print_table(header, music_rows(triplets, range(2, 11)))
    if options.tuned:
        for data in filter(None, (eggs, triplets)):
            print(f"Tuned on four fifths of {data.name}")
            header = ("method", "d", "prior", "error (95 %)", "error of the defaults, d = 2")
            print_table(header, tuned_rows(data))
        if triplets is not None:
            print("Music, t-STE, 10 dimensions, average of 8 starts, ten-fold")
            print_table(("prior", "error (95 %)"), averaged_rows(triplets))


if __name__ == "__main__":
    main()
