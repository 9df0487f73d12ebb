"""Confusions and piles at random: whether their answers, and their dissimilarities, make a map."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
import pandas as pd

import tripletscope as ts
from planted import Case
from tests.core.reading.test_all_pairs import guessed
from tripletscope.core.inference.held_out.compare import is_chance
from tripletscope.core.ratings.dissimilarities import RatedDissimilarities

OBJECTS, PEOPLE, FEW, PILES = 12, 20, 3, 4
#: Presentations of a stimulus, and errors among them.
SHOWN, WRONG = 100, 0.4
#: Standard deviation of noise about the plane by whose quarters people sort.
SEEN = 0.5
#: Standard deviation of what makes a response, or an error, likely, in log-odds.
BIASED = 1.0

CONFUSED = (
    ("random errors", "null", ""), ("liked", "neighbour", "some responses are preferred"),
    ("unequal", "neighbour", "some stimuli are harder"),
    ("liked, people", "neighbour", f"some responses are preferred, by {PEOPLE} people"),
    ("plane", "planted", ""),
)
SORTED = (
    ("random piles", "null", ""), ("few people", "neighbour", f"{FEW} people"),
    ("large pile", "neighbour", "one pile takes half of the objects"),
    ("sorted twice", "neighbour", "everybody sorts twice, the same way"),
    ("plane", "planted", ""),
)


def cases() -> Iterator[Case]:
    for place, kinds, made in (("Confusions", CONFUSED, confusions), ("Piles", SORTED, piles)):
        for data, role, neighbour in kinds:
            for words, says in (
                ("a map without warning", _mapped), ("stress is below that of chance", _fits),
            ):
                yield Case(
                    place=place, words=words, data=data, role=role, neighbour=neighbour,
                    says=lambda seed, data=data, made=made, says=says: says(made(data, seed)),
                )
    for noise, people in ((0.5, 1), (0.5, 5), (0.2, 5)):
        yield Case(
            place="Ratings", words="the wrong direction is taken for that of the ratings",
            data=f"a plane, {people} raters, noise of {noise} of the longest distance",
            role="null", says=lambda seed, given=(noise, people): guessed(seed, *given) is False,
        )


def _mapped(measured: RatedDissimilarities) -> bool:
    """Whether a map of the answers is shown without the warnings that end all else."""
    answers = measured.triplets(seed=0)
    folds = 5 if answers.is_one_rating else min(5, answers.n_trials)
    error = ts.cross_validate(ts.STE(n_init=1), answers, folds=folds)
    return not is_chance(error) and "popularity" not in error.doubted


def _fits(measured: RatedDissimilarities) -> bool:
    method = ts.ratings.NMDS(n_init=2)
    return not ts.ratings.permuted_stress(method, measured, permutations=19).is_chance


@cache
def confusions(data: str, seed: int) -> RatedDissimilarities:
    rng = np.random.default_rng([seed, len(data), 5])
    wrong = np.full(OBJECTS, WRONG)
    lean = np.zeros((OBJECTS, OBJECTS))
    if "liked" in data:
        lean += BIASED * rng.normal(size=OBJECTS)
    if data == "unequal":
        wrong = 1 / (1 + np.exp(0.4 - BIASED * rng.normal(size=OBJECTS)))
    if data == "plane":
        x = rng.normal(size=(OBJECTS, 2))
        lean -= ((x[:, None] - x) ** 2).sum(axis=2)
    share = np.exp(lean) * ~np.eye(OBJECTS, dtype=bool)
    share = share / share.sum(axis=1, keepdims=True) * wrong[:, None]
    share[np.diag_indices(OBJECTS)] = 1 - wrong
    ids = [f"o{k:02}" for k in range(OBJECTS)]
    people = PEOPLE if "people" in data else 1
    counts = {
        f"p{k:02}": np.stack([rng.multinomial(SHOWN // people, row) for row in share])
        for k in range(people)
    }
    return ts.ratings.Confusions.from_matrix(counts if people > 1 else counts["p00"], ids)


@cache
def piles(data: str, seed: int) -> RatedDissimilarities:
    rng = np.random.default_rng([seed, len(data), 6])
    x, parts = rng.normal(size=(OBJECTS, 2)), []
    for person in range(FEW if data == "few people" else PEOPLE):
        pile = rng.integers(PILES, size=OBJECTS)
        if data == "large pile":
            pile[rng.permutation(OBJECTS)[: OBJECTS // 2]] = 0
        if data == "plane":
            seen = x + SEEN * rng.normal(size=x.shape)
            pile = 2 * (seen[:, 0] > 0) + (seen[:, 1] > 0)
        for trial in range(1 + (data == "sorted twice")):
            parts.append(pd.DataFrame({
                "participant": f"p{person:02}", "trial": trial,
                "item": [f"o{k:02}" for k in range(OBJECTS)], "pile": pile,
            }))
    return ts.ratings.Piles(pd.concat(parts, ignore_index=True))
