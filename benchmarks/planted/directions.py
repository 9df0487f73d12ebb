"""Columns on a map: which get an arrow, are said to be curved, and what wedges cover."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
import pandas as pd

import tripletscope as ts
from planted import Case
from tripletscope.core.data.geometry import procrustes
from tripletscope.core.features.directions import Directions, directions_on

PLACE, OBJECTS, PEOPLE, EACH, MANY = "Embedding, Directions", 30, 20, 60, 12
MAPS = 60
#: Standard deviation of what else is in a planted column, whose growth on the map has that of 1.
BESIDE = 0.7
ARROW, CURVED = "an arrow", "curved"
#: Angles that are planted, in degrees.
ANGLES = (20.0, 110.0)


def cases() -> Iterator[Case]:
    for data, neighbour in (
        ("normal", ""), ("heavy tails", "columns with heavy tails (t of 2)"),
        ("marks", "marks of three objects"), ("alike", "columns correlated at .8"),
        ("gaps", "a third of the values missing"), ("chance", "a map of coin flips"),
        ("clumps", "objects in three clumps"), ("bent", "a map of another method (SOE) of a ring"),
        ("outlier", "one object far out"), ("ranks", "of the ranks"),
    ):
        for words in (ARROW, CURVED):
            yield Case(
                place=PLACE, words=words, role="neighbour" if neighbour else "null",
                neighbour=neighbour, data=f"{MANY} random columns, {data}",
                says=lambda seed, data=data, words=words: _said(random(data, seed), words),
            )
    for number in (1, 2, 3):
        for words in (ARROW, CURVED):
            yield Case(
                place=PLACE, words=words, role="neighbour", neighbour=f"{number} objects far out",
                data=f"a column that marks the {number} objects far out",
                says=lambda seed, number=number, words=words: _said(nuisance(number, seed), words),
            )
    yield Case(
        place=PLACE, words=ARROW, role="neighbour", neighbour="best in the middle",
        data="quadratic columns", says=lambda seed: _said(quadratic(seed), ARROW),
    )
    yield Case(
        place=PLACE, words=CURVED, role="planted", data="quadratic columns",
        says=lambda seed: quadratic(seed).found[0] in ("peak", "curved"),
    )
    for kind in KINDS:
        yield Case(
            place=PLACE, words=ARROW, role="planted", data=f"two columns, {kind}",
            says=lambda seed, kind=kind: bool(planted(kind, seed)[0].drawn.any()),
        )
        yield Case(
            place=PLACE, words=CURVED, role="neighbour", data=f"two columns, {kind}",
            neighbour=f"columns that grow evenly, {kind}",
            says=lambda seed, kind=kind: _said(planted(kind, seed)[0], CURVED),
        )
        for k, angle in enumerate(ANGLES):
            yield Case(
                place=PLACE, words=f"a wedge without the direction ({angle:g}°)", role="null",
                data=f"two columns, {kind}", rate=0.08,
                says=lambda seed, kind=kind, k=k: bool(planted(kind, seed)[1][k]),
            )
        yield Case(
            place=PLACE, words="an angle between two that is not in its interval", role="null",
            data=f"two columns, {kind}", rate=0.08,
            says=lambda seed, kind=kind: bool(planted(kind, seed)[1][2]),
        )
    for words, apart in (("categories apart", 0.0), ("categories apart", 1.5)):
        yield Case(
            place=PLACE, words=words, role="planted" if apart else "null",
            data=f"three categories, {apart:g} apart", says=lambda seed, apart=apart: (
                categories(apart, seed).found == ["separated"]
            ),
        )


def _said(found: Directions, words: str) -> bool:
    shapes = ("arrow",) if words == ARROW else ("curved", "peak", "trough")
    return bool({*shapes} & {*found.found})


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
    return directions_on(places, _columns(values), form=form, replicates=MAPS, seed=seed)


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
def quadratic(seed: int) -> Directions:
    """A column that is best in the middle, half of it."""
    rng = np.random.default_rng([3, seed])
    places = rng.normal(size=(OBJECTS, 2))
    values = -np.sum(places**2, axis=1)
    values = values / values.std() + BESIDE * rng.normal(size=OBJECTS)
    return directions_on(places, _columns(values[:, None]), seed=seed)


#: Planted directions: objects, people, dimensions, and how much people differ.
KINDS = {
    "30 objects, 20 people": (30, 20, 2, 0.0), "30 objects, people who differ": (30, 20, 2, 0.3),
    "30 objects, one person": (30, 1, 2, 0.0), "60 objects, 20 people": (60, 20, 2, 0.0),
    "30 objects, three dimensions": (30, 20, 3, 0.0), "15 objects, 20 people": (15, 20, 2, 0.0),
    "30 objects, 8 people who differ": (30, 8, 2, 0.5),
}


@cache
def planted(kind: str, seed: int) -> tuple[Directions, np.ndarray]:
    """Columns that grow in two directions; whether wedges, and the angle between, miss these."""
    n, people, d, spread = KINDS[kind]
    rng = np.random.default_rng([4, seed])
    places = rng.normal(size=(n, d))
    true = np.zeros((2, d))
    true[:, :2] = [[np.cos(a), np.sin(a)] for a in np.radians(ANGLES)]
    values = places @ true.T + BESIDE * rng.normal(size=(n, 2))
    answers = _answers(places, rng, people=people, spread=spread)
    objects = answers.objects.assign(**_columns(values))
    method = ts.STE(n_components=d, n_init=2)
    found = ts.features.directions(
        method, answers.with_objects(objects), columns=["c0", "c1"], replicates=MAPS, seed=seed
    )
    # Directions turn with the map.
    turned = true @ procrustes(places, found.embedding).rotation
    off = np.degrees(np.arccos(np.clip(np.sum(found.direction * turned, axis=1), -1, 1)))
    low, high = found.between.low[0, 1], found.between.high[0, 1]
    apart = ANGLES[1] - ANGLES[0]
    return found, np.append(off > found.half_angle, not low <= apart <= high)


@cache
def categories(apart: float, seed: int) -> Directions:
    rng = np.random.default_rng([5, seed])
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
