"""What is said where the noise leaves nothing, and where all guess."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

import tripletscope as ts
from planted import Case
from tripletscope.core.inference.held_out.ceiling import people_differ
from tripletscope.core.inference.held_out.compare import is_chance, recommend_dimension
from tripletscope.core.people import WeightedEuclidean, compare_people

OBJECTS, PEOPLE, QUESTIONS = 15, 20, 60
#: Of coins: people, and answers of each.
FLIPPING, EACH = 12, 60
#: Share of their answers that follow a plane.
FOLLOW = {"a third": 1 / 3, "two fifths": 0.4}


def cases() -> Iterator[Case]:
    words = "people are seen to differ: nothing is said of an error that noise leaves"
    for data, role, neighbour in (
        ("alike", "null", ""), ("guessers", "neighbour", "people who guess"),
        ("few people", "neighbour", "few people"), ("two kinds", "planted", ""),
    ):
        yield Case(place="Noise ceiling", words=words, data=data, role=role, neighbour=neighbour,
                   says=lambda seed, data=data: people_differ(crowd(data, seed)))
    for words, says in (
        ("the map predicts better than guessing", lambda answers: not is_chance(
            ts.cross_validate(ts.STE(n_init=1), answers)
        )),
        ("a number of dimensions", _has_dimensions),
        ("one map for all, or another view of people", lambda answers: not compare_people(
            WeightedEuclidean(n_init=1), answers, most_groups=1
        ).is_chance),
    ):
        for data, role, neighbour in (
            ("coins", "null", ""), ("side", "neighbour", "people who press one side"),
            ("the same coins", "neighbour", "the same questions for all"),
            ("weighted coins", "neighbour", "weights of answers"),
            ("heavy coins", "neighbour", "a tenth of the answers weighs ten times as much"),
            ("a third", "planted", ""), ("two fifths", "planted", ""),
        ):
            yield Case(place="Guesses", words=words, data=data, role=role, neighbour=neighbour,
                       says=lambda seed, data=data, says=says: bool(says(coins(data, seed))))


def _has_dimensions(answers: ts.Triplets) -> bool:
    errors = {d: ts.cross_validate(ts.STE(n_components=d, n_init=1), answers) for d in (1, 2, 3)}
    return not recommend_dimension(errors, answers, 0.25).is_chance


def crowd(data: str, seed: int) -> ts.Triplets:
    """All questions to all people, who are alike, or of two kinds."""
    rng = np.random.default_rng([seed, len(data)])
    people = 6 if data == "few people" else PEOPLE
    positions = 1.2 * rng.normal(size=(OBJECTS, 2))
    asked = np.array([rng.choice(OBJECTS, 3, replace=False) for _ in range(QUESTIONS)])
    rows = []
    for person in range(people):
        kind = [[1.75, 0.25], [0.25, 1.75]][person % 2] if data == "two kinds" else [1.0, 1.0]
        lean = _lean(positions * np.sqrt(kind), asked)
        if data == "guessers" and person < PEOPLE // 4:
            lean = np.zeros(QUESTIONS)
        near = rng.random(QUESTIONS) < 1 / (1 + np.exp(-lean))
        rows.append(np.where(near[:, None], asked, asked[:, [0, 2, 1]]))
    return _by(np.concatenate(rows), np.repeat(np.arange(people), QUESTIONS))


def coins(data: str, seed: int) -> ts.Triplets:
    """Guesses of all; or of some of each person's answers, the others follow a plane."""
    rng = np.random.default_rng([seed, len(data), 1])
    number = FLIPPING * EACH
    asked = rng.random((number, OBJECTS)).argsort(axis=1)[:, :3]
    if data == "the same coins":
        asked = np.tile(asked[:EACH], (FLIPPING, 1))
    near = rng.random(number) < (0.9 if data == "side" else 0.5)
    if data in FOLLOW:
        follows = rng.random(number) < FOLLOW[data]
        near = np.where(follows, _lean(rng.normal(size=(OBJECTS, 2)), asked) > 0, near)
    if data == "side":  # which of the two is shown on that side is random
        asked = np.where((rng.random(number) < 0.5)[:, None], asked, asked[:, [0, 2, 1]])
    rows = np.where(near[:, None], asked, asked[:, [0, 2, 1]])
    answers = _by(rows, np.repeat(np.arange(FLIPPING), EACH))
    if data == "weighted coins":
        return answers.reweighted(rng.lognormal(size=number))
    if data == "heavy coins":
        return answers.reweighted(np.where(rng.random(number) < 0.1, 10.0, 1.0))
    return answers


def _lean(positions: np.ndarray, asked: np.ndarray) -> np.ndarray:
    near, far = (
        ((positions[asked[:, 0]] - positions[asked[:, k]]) ** 2).sum(axis=1) for k in (1, 2)
    )
    return far - near


def _by(rows: np.ndarray, who: np.ndarray) -> ts.Triplets:
    return ts.Triplets(
        rows, pd.DataFrame({"id": [f"o{k}" for k in range(OBJECTS)]}),
        pd.DataFrame({"participant": [f"p{k:02d}" for k in who]}),
    )
