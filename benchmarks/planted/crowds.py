"""Kinds of people, people who guess, and people who stretch a map along directions of their own."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
import pandas as pd

import tripletscope as ts
from planted import Case
from tripletscope.core.people import PeopleComparison, WeightedEuclidean, compare_people
from tripletscope.dashboard.results.people import axes_said

OBJECTS, PEOPLE, EACH = 15, 16, 100
#: Of the people who guess.
GUESS = 0.25
#: Standard deviation of the log weights of people along common axes, and along their own.
ATTENTION, OWN = 0.7, 1.4

GROUPS = "2 groups predict held-out answers better than fewer"
AXES = "the axes agree between halves of the people"
DIFFER = "held-out answers are predicted best by something else than one map"


def cases() -> Iterator[Case]:
    place = "People, Groups"
    for data, role, neighbour in (
        ("alike", "null", ""), ("guessers", "neighbour", "people who guess"),
        ("side", "neighbour", "people who press one side"),
        ("precision", "neighbour", "people of unequal precision"),
        ("same questions", "neighbour", "the same questions for all"),
        ("weights", "neighbour", "continuous attention"),
        ("two kinds", "planted", ""), ("two kinds and guessers", "planted", ""),
    ):
        yield Case(place=place, words=GROUPS, data=data, role=role, neighbour=neighbour,
                   says=lambda seed, data=data: compared(data, seed)[0].n_groups > 1)
    place = "People"
    for data, role, neighbour in (
        ("alike", "null", ""), ("same questions", "neighbour", "the same questions for all"),
        ("two kinds", "planted", ""),
    ):
        yield Case(place=place, words=DIFFER, data=data, role=role, neighbour=neighbour,
                   says=lambda seed, data=data: compared(data, seed)[0].chosen != "one map")
    words = "people answer like guesses"
    for data, role, neighbour in (
        ("alike", "null", ""), ("two kinds", "neighbour", "two kinds of people"),
        ("own directions", "neighbour", "directions of their own"),
        ("guessers", "planted", ""),
    ):
        yield Case(place=place, words=words, data=data, role=role, neighbour=neighbour,
                   says=lambda seed, data=data: bool(compared(data, seed)[0].guessers.any()))
    place = "People, Weights"
    for data, role, neighbour in (
        ("alike", "null", ""), ("own directions", "neighbour", "directions of their own"),
        ("guessers", "neighbour", "people who guess"), ("weights", "planted", ""),
    ):
        yield Case(place=place, words=AXES, data=data, role=role, neighbour=neighbour,
                   says=lambda seed, data=data: _named(data, seed))


@cache
def compared(data: str, seed: int) -> tuple[PeopleComparison, ts.Triplets]:
    answers = crowd(data, seed)
    return compare_people(WeightedEuclidean(n_init=2), answers, most_groups=2), answers


def _named(data: str, seed: int) -> bool:
    found, answers = compared(data, seed)
    return "they may be named" in axes_said(WeightedEuclidean(n_init=2).fit(answers), found)


def crowd(data: str, seed: int) -> ts.Triplets:
    """Answers of people who see a plane as the name says."""
    rng = np.random.default_rng([seed, sum(map(ord, data))])
    n, people = OBJECTS, PEOPLE
    maps = np.repeat(1.3 * rng.normal(size=(1, n, 2)), people, axis=0)
    guess, side = np.zeros(people), np.zeros(people)
    if "two kinds" in data:
        weights = np.where(np.arange(people)[:, None] % 2, [0.35, 1.65], [1.65, 0.35])
        maps *= np.sqrt(weights)[:, None, :]
    if "guessers" in data:
        guess[: int(GUESS * people)] = 1.0
    if data == "side":
        guess[: int(GUESS * people)], side[: int(GUESS * people)] = 1.0, 1.0
    if data == "precision":
        maps *= np.exp(0.3 * rng.normal(size=people))[:, None, None]
    if data in ("own directions", "weights"):
        turn = rng.uniform(0, np.pi, people) if data == "own directions" else np.zeros(people)
        turned = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        turned = turned.transpose(2, 0, 1)
        spread = OWN if data == "own directions" else ATTENTION
        size = np.exp(0.5 * spread / np.sqrt(2) * rng.normal(size=people))
        scaled = np.stack([turned[:, :, 0] * size[:, None], turned[:, :, 1] / size[:, None]], 2)
        maps = maps @ scaled @ turned.transpose(0, 2, 1)
    who = np.repeat(np.arange(people), EACH)
    asked = rng.random((len(who), n)).argsort(axis=1)[:, :3]
    if data == "same questions":
        asked = np.tile(asked[:EACH], (people, 1))
    seen = maps[who[:, None], asked]
    first, second = (((seen[:, 0] - seen[:, k]) ** 2).sum(axis=1) for k in (1, 2))
    near = rng.random(len(who)) < 1 / (1 + np.exp(first - second))
    guessed = rng.random(len(who)) < guess[who]
    near = np.where(guessed, rng.random(len(who)) < np.where(side[who] > 0, 0.95, 0.5), near)
    rows = np.where(near[:, None], asked, asked[:, [0, 2, 1]])
    table = pd.DataFrame({
        "participant": [f"p{k:02d}" for k in who], "side": np.where(near, "left", "right"),
    })
    return ts.Triplets(rows, pd.DataFrame({"id": [f"o{k}" for k in range(n)]}), table)
