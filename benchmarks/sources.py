"""The data sets of the benchmarks, each cut into answers to learn from and answers to predict."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.inference.held_out.score import question_folds, split_of
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.core.reading import read_objects
from tripletscope.core.studies.quality.importing import read

ALIEN_EGGS = Path(__file__).parent.parent / "sample_data" / "alien_eggs"

#: Standard normal positions divided by this are noisy in about 8 % of the answers in the plane.
LEVEL = 0.7


@dataclass(frozen=True)
class Problem:
    """Answers to learn from and answers to predict, about the same objects."""

    name: str
    train: Triplets
    test: Triplets


def n_answers(factor: float, n_objects: int, n_components: int) -> int:
    """`factor` times d n ln n."""
    return int(factor * n_components * n_objects * np.log(n_objects))


def planted(n_objects: int, n_components: int = 2, factor: float = 5.0, seed: int = 0) -> Problem:
    """STE's answers about standard normal positions; 50,000 noise-free answers to predict."""
    positions = np.random.default_rng(seed).standard_normal((n_objects, n_components))
    train = simulate(
        positions, n_answers(factor, n_objects, n_components),
        noise="logistic", level=LEVEL, seed=seed + 1,
    )
    return Problem(f"planted {n_objects:,}", train, simulate(positions, 50_000, seed=seed + 2))


def alien_eggs() -> Triplets:
    """Human answers about 300 drawings, with the data's own column ``split``."""
    return read(ALIEN_EGGS / "responses.csv", objects=ALIEN_EGGS / "objects.csv")


def alien_eggs_problem() -> Problem:
    """The drawings, cut as the data themselves say."""
    triplets = alien_eggs()
    train, test = split_of(triplets)
    return Problem("alien eggs", triplets.take(train), triplets.take(test))


def spikiness() -> pd.Series:
    """Physical size of each drawing, in the order of the objects."""
    return read_objects(ALIEN_EGGS / "objects.csv")["spikiness"]


def music(folder: Path | None) -> Triplets | None:
    """Musician similarity, if `folder` holds ``music/triplets.csv``; says so where it does not.

    These data may not be passed on, so they are not part of the project.
    """
    path = folder / "music" / "triplets.csv" if folder else None
    if path is None or not path.exists():
        print("music is left out: give the folder that holds music/triplets.csv by --data.")
        return None
    return read(path, name="music")


def music_problem(folder: Path | None) -> Problem | None:
    """Musicians, a tenth of the questions to predict."""
    triplets = music(folder)
    if triplets is None:
        return None
    test = question_folds(triplets, 10, np.random.default_rng(0)) == 0
    return Problem("music", triplets.take(~test), triplets.take(test))
