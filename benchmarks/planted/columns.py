"""Random columns as features, alone and beside what is seen: which are said to count."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
import pandas as pd

import tripletscope as ts
from planted import Case

OBJECTS, PEOPLE = 25, 12
#: Of the columns that are seen.
WEIGHTS = (1.5, 0.8, 0.5)
#: Questions of the neighbour in which all are asked the same.
ASKED = 125
#: Correlation of columns with the one that is seen, and number of many random ones.
ALIKE, MANY = 0.5, 10


def cases() -> Iterator[Case]:
    place = "Features, Weights"
    for number in (1_500, 6_000):
        for seen, role in ((0, "null"), (1, "neighbour"), (3, "neighbour")):
            about = f"{number:,} answers"
            yield Case(
                place=place, words="a random column counts", role=role,
                data=f"{4 - seen} random columns, {about}",
                neighbour=f"beside {seen} that are seen, {about}" if seen else "",
                says=lambda seed, number=number, seen=seen: bool(
                    counted(number, seed, seen)[seen:].any()
                ),
            )
            if seen:
                yield Case(
                    place=place, words="all columns that are seen count", role="planted",
                    data=f"weights of {', '.join(map(str, WEIGHTS[:seen]))}; {about}",
                    says=lambda seed, number=number, seen=seen: bool(
                        counted(number, seed, seen)[:seen].all()
                    ),
                )
    for number in (1_500, 6_000):
        for data, neighbour in (
            ("correlated", f"beside one that is seen, correlated with it at {ALIKE}"),
            ("1 marked", "beside one that is seen, marks of one object"),
            ("2 marked", "beside one that is seen, marks of two objects"),
            ("3 marked", "beside one that is seen, marks of three objects"),
            ("heavy tails", "beside one that is seen, heavy tails (t of 2)"),
            ("many", f"beside one that is seen, {MANY} random columns"),
        ):
            yield Case(
                place=place, words="a random column counts", role="neighbour",
                data=f"{data}, {number:,} answers", neighbour=f"{neighbour}, {number:,} answers",
                says=lambda seed, number=number, data=data: bool(
                    counted(number, seed, 1, data)[1:].any()
                ),
            )
    for data, neighbour in (
        ("asked", "the same questions for all"), ("Cauchy", "another response"),
        ("guessers", "people who guess"), ("liked", "popularity"),
    ):
        yield Case(
            place=place, words="a random column counts", role="neighbour", neighbour=neighbour,
            data=f"4 random columns, 1,500 answers, {data}",
            says=lambda seed, data=data: bool(counted(1_500, seed, 0, data).any()),
        )


@cache
def counted(number: int, seed: int, seen: int, data: str = "") -> np.ndarray:
    """Which columns, by default four, are said to count; the first so many are seen."""
    rng = np.random.default_rng([number, seed, seen])
    truth = rng.normal(size=(OBJECTS, 3))
    columns = rng.normal(size=(OBJECTS, seen + MANY if data == "many" else 4))
    columns[:, :seen] = truth[:, :seen]
    if data == "correlated":
        columns[:, seen:] *= np.sqrt(1 - ALIKE**2)
        columns[:, seen:] += ALIKE * truth[:, :1]
    elif data == "heavy tails":
        columns[:, seen:] = rng.standard_t(2, size=columns[:, seen:].shape)
    elif "marked" in data:
        order = rng.random(columns[:, seen:].shape).argsort(axis=0)
        columns[:, seen:] = order < int(data.split()[0])
    answers = ts.simulate(
        truth * np.sqrt(WEIGHTS), number, noise="logistic", seed=int(rng.integers(2**31))
    )
    if not seen and data:
        answers = _next_door(truth * np.sqrt(WEIGHTS), answers, data, rng)
    space = ts.features.FeatureSpace(name="columns", values=columns)
    return ~ts.features.feature_weights(space, answers, replicates=60, seed=seed).is_zero


def _next_door(
    x: np.ndarray, answers: ts.Triplets, data: str, rng: np.random.Generator
) -> ts.Triplets:
    """Answers of people to the same questions, by the neighbouring model."""
    rows, who = answers.rows.copy(), np.arange(len(answers)) % PEOPLE
    if data == "asked":
        rows = rows[:ASKED][np.arange(len(rows)) // PEOPLE]
    near, far = (((x[rows[:, 0]] - x[rows[:, k]]) ** 2).sum(axis=1) for k in (1, 2))
    likely = 1 / (1 + np.exp(near - far))
    if data == "Cauchy":
        likely = (0.3 + far) / (0.6 + near + far)
    if data == "guessers":
        likely[who < PEOPLE // 4] = 0.5
    if data == "liked":
        worth = 1.2 * rng.normal(size=OBJECTS)[rows[:, 1:]]
        likely = 1 / (1 + np.exp(worth[:, 1] - worth[:, 0]))
    turned = rng.random(len(rows)) > likely
    rows[turned, 1:] = rows[turned, :0:-1]
    people = pd.DataFrame({"participant": [f"p{k:02}" for k in who]})
    return ts.Triplets(rows, answers.objects, people)
