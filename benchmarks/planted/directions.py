"""Columns on a map: which get an arrow, are said to be curved, and what wedges cover."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

import tripletscope as ts
from planted import Sentence
from tripletscope.core.data.geometry import procrustes
from tripletscope.core.features.directions import Directions, directions_on

PLACE, OBJECTS, PEOPLE, EACH, MANY = "Embedding, Directions", 30, 20, 60, 12
MAPS, RUNS = 60, 200
#: Standard deviation of what else is in a planted column, whose growth on the map has that of 1.
BESIDE = 0.7
ARROW, CURVED, APART = "an arrow", "curved", "categories apart"
FOUND = {ARROW: {"arrow"}, CURVED: {"peak", "trough", "curved"}, APART: {"separated"}}
#: Angles that are planted, in degrees.
ANGLES = (20.0, 110.0)
MISSED = (*(f"a wedge without the direction ({angle:g}°)" for angle in ANGLES),
          "an angle between two that is not in its interval")
#: Random columns, and what is different next door.
RANDOM = {
    "normal": "", "heavy tails": "columns with heavy tails (t of 2)",
    "marks": "marks of three objects", "alike": "columns correlated at .8",
    "gaps": "a third of the values missing", "chance": "a map of coin flips",
    "clumps": "objects in three clumps", "bent": "a map of another method (SOE) of a ring",
    "outlier": "one object far out", "ranks": "of the ranks",
}


def sentences(runs: int | None) -> Iterator[Sentence]:
    def counted(
        words: str, role: str, data: str, says: Callable, *parts: Any, neighbour: str = "",
        rate: float = 0.05,
    ) -> Sentence:
        each = range(runs or RUNS)
        said = sum(bool(says(*parts, seed)) for seed in each), len(each)
        is_null = role == "null"
        return Sentence(
            place=PLACE, before="", now=words, null=data, alarms=said if is_null else None,
            planted=data, said=None if is_null else said, neighbour=neighbour, rate=rate,
        )

    for data, neighbour in RANDOM.items():
        for words in (ARROW, CURVED):
            yield counted(words, "null", f"{MANY} random columns, {data}", _said, words, random,
                          data, neighbour=neighbour)
    for number in (1, 2, 3):
        for words in (ARROW, CURVED):
            yield counted(words, "null", f"a column that marks the {number} objects far out",
                          _said, words, nuisance, number, neighbour=f"{number} objects far out")
    yield counted(ARROW, "null", "quadratic columns", _said, ARROW, quadratic, OBJECTS,
                  neighbour="best in the middle")
    yield counted(CURVED, "planted", "quadratic columns", _said, CURVED, quadratic, OBJECTS)
    for kind in KINDS:
        data = f"two columns, {kind}"
        yield counted(ARROW, "planted", data, _said, ARROW, planted, kind)
        yield counted(CURVED, "null", data, _said, CURVED, planted, kind,
                      neighbour=f"columns that grow evenly, {kind}")
        for k, words in enumerate(MISSED):
            yield counted(words, "null", data, _missed, k, kind, rate=0.08)
    for apart in (0.0, 1.5):
        yield counted(APART, "planted" if apart else "null",
                      f"three categories, {apart:g} apart", _said, APART, categories, apart)


def _said(words: str, made: Callable, what: Any, seed: int) -> bool:
    return bool(FOUND[words] & {*made(what, seed).found})


def _missed(k: int, kind: str, seed: int) -> bool:
    """Whether a wedge, or the interval of the angle between, leaves out what is planted."""
    found, true = planted(kind, seed), _true(kind)
    if k == len(ANGLES):
        low, high = found.between.low[0, 1], found.between.high[0, 1]
        return not low <= ANGLES[1] - ANGLES[0] <= high
    # Directions turn with the map.
    turned = true[k] @ procrustes(_places(kind, seed), found.embedding).rotation
    off = np.degrees(np.arccos(np.clip(found.direction[k] @ turned, -1, 1)))
    return off > found.half_angle[k]


def _columns(values: np.ndarray) -> dict[str, pd.Series]:
    return {f"c{k}": pd.Series(column) for k, column in enumerate(values.T)}


@cache
def random(data: str, seed: int) -> Directions:
    """Random columns on a map; its answers, too, are random for ``chance``."""
    rng = np.random.default_rng([1, seed])
    places = rng.normal(size=(OBJECTS, 2))
    if data == "clumps":
        places = 0.2 * places + rng.normal(size=(3, 2))[np.arange(OBJECTS) % 3]
    if data == "outlier":
        places[0] = (9.0, 0.0)
    if data == "bent":
        angle = rng.uniform(0, 2 * np.pi, OBJECTS)
        places = 1.5 * np.column_stack([np.cos(angle), np.sin(angle)])
    if data in ("chance", "bent"):
        answers = _answers(places, rng, how="flip" if data == "chance" else "logistic")
        places = (ts.SOE if data == "bent" else ts.STE)(n_init=1).fit(answers).embedding_
    values = rng.normal(size=(OBJECTS, MANY))
    if data == "heavy tails":
        values = rng.standard_t(2, size=values.shape)
    if data == "marks":
        values = np.argsort(values, axis=0).argsort(axis=0) < 3.0
        values = values.astype(float)
    if data == "alike":
        values = 0.8**0.5 * rng.normal(size=(OBJECTS, 1)) + 0.2**0.5 * values
    if data == "gaps":
        values[rng.random(values.shape) < 1 / 3] = np.nan
    form = "rank" if data == "ranks" else "linear"
    return directions_on(places, _columns(values), form=form, seed=seed)


@cache
def nuisance(number: int, seed: int) -> Directions:
    """A column, noisy, that marks objects which lie far out together."""
    rng = np.random.default_rng([2, seed])
    places = rng.normal(size=(OBJECTS, 2))
    places[:number] = 6.0 + 0.3 * rng.normal(size=(number, 2))
    values = 0.05 * rng.normal(size=(OBJECTS, 1))
    values[:number] += 1.0
    return directions_on(places, _columns(values), seed=seed)


@cache
def quadratic(n: int, seed: int) -> Directions:
    """A column that is best in the middle, half of it."""
    rng = np.random.default_rng([3, seed])
    places = rng.normal(size=(n, 2))
    values = -np.sum(places**2, axis=1)
    values = values / values.std() + BESIDE * rng.normal(size=n)
    return directions_on(places, _columns(values[:, None]), seed=seed)


#: Planted directions: objects, people, dimensions, and how much people differ.
KINDS = {
    "30 objects, 20 people": (30, 20, 2, 0.0), "30 objects, people who differ": (30, 20, 2, 0.3),
    "30 objects, one person": (30, 1, 2, 0.0), "60 objects, 20 people": (60, 20, 2, 0.0),
    "30 objects, three dimensions": (30, 20, 3, 0.0), "15 objects, 20 people": (15, 20, 2, 0.0),
    "30 objects, 8 people who differ": (30, 8, 2, 0.5),
}


def _true(kind: str) -> np.ndarray:
    """(2, d) directions."""
    true = np.zeros((2, KINDS[kind][2]))
    true[:, :2] = [[np.cos(a), np.sin(a)] for a in np.radians(ANGLES)]
    return true


def _rng(kind: str, seed: int, of: int = 0) -> np.random.Generator:
    return np.random.default_rng([4, [*KINDS].index(kind), of, seed])


def _places(kind: str, seed: int) -> np.ndarray:
    n, _, d, _ = KINDS[kind]
    return _rng(kind, seed).normal(size=(n, d))


@cache
def planted(kind: str, seed: int) -> Directions:
    """Columns that grow in two directions, on maps of people's answers."""
    (n, people, d, spread), places = KINDS[kind], _places(kind, seed)
    rng = _rng(kind, seed, 1)
    values = places @ _true(kind).T + BESIDE * rng.normal(size=(n, 2))
    answers = _answers(places, rng, people=people, spread=spread)
    return ts.features.directions(
        ts.STE(n_components=d, n_init=2),
        answers.with_objects(answers.objects.assign(**_columns(values))), columns=["c0", "c1"],
        replicates=MAPS, seed=seed,
    )


@cache
def categories(apart: float, seed: int) -> Directions:
    rng = np.random.default_rng([6, seed])
    kind = np.arange(OBJECTS) % 3
    angle = 2 * np.pi * kind / 3
    places = rng.normal(size=(OBJECTS, 2)) + apart * np.column_stack(
        [np.cos(angle), np.sin(angle)]
    )
    names = pd.Series(kind).map({0: "a", 1: "b", 2: "c"})
    return directions_on(places, {"kind": names}, seed=seed)


def _answers(
    places: np.ndarray, rng: np.random.Generator, *, people: int = PEOPLE, spread: float = 0.0,
    how: str = "logistic",
) -> ts.Triplets:
    """What people say of the places, each of the own map."""
    each = max(EACH * len(places) * PEOPLE // (people * 30), 1)
    parts = [
        ts.simulate(
            places + spread * rng.normal(size=places.shape), each, noise=how,
            level=0.5 if how == "flip" else 0.7, seed=int(rng.integers(2**31)),
        ) for _ in range(people)
    ]
    return ts.Triplets(
        np.concatenate([part.rows for part in parts]), parts[0].objects,
        pd.DataFrame({"participant": np.repeat([f"p{k}" for k in range(people)], each)}),
    )
