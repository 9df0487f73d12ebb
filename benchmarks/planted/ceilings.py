"""Noise ceilings of crowds whose best accuracy is known: how often intervals miss it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
import pandas as pd
from scipy.special import expit

import tripletscope as ts
from planted import Case
from tripletscope.core.inference.held_out.ceiling import Ceiling, noise_ceiling

OBJECTS, PEOPLE, FEW, QUESTIONS = 15, 12, 6, 60
#: Data sets for the expected share of answers that the majority of the others gives; for the best
#: accuracy, questions, and times that a hundred people are drawn.
MANY, ASKED, CROWDS = 2_000, 4_000, 50
#: Weights of the axes of two kinds of people, and standard deviation of positions of single ones.
KINDS, OWN = np.array([[1.75, 0.25], [0.25, 1.75]]), 0.5


def cases() -> Iterator[Case]:
    for bound in ("lower", "upper"):
        for data, role, neighbour in (
            ("alike", "null", ""), ("two kinds", "neighbour", "two kinds of people"),
            ("own maps", "neighbour", "people with maps of their own"),
            ("guessers", "neighbour", "people who guess"),
            ("few people", "neighbour", "six people"),
        ):
            yield Case(
                place="Noise ceiling", words=f"the 95 % interval of the {bound} bound misses it",
                data=data, role=role, neighbour=neighbour,
                says=lambda seed, data=data, bound=bound: _misses(data, seed, bound),
            )


def _misses(data: str, seed: int, bound: str) -> bool:
    share = getattr(_ceiling(data, seed), bound)
    return not share.low <= _truth(data)[bound] <= share.high


@cache
def _ceiling(data: str, seed: int) -> Ceiling:
    """Of one data set: other questions and other people each time, about the same objects."""
    rng = np.random.default_rng([seed, sum(map(ord, data))])
    asked = rng.random((QUESTIONS, OBJECTS)).argsort(axis=1)[:, :3]
    likely = _likely(data, asked, rng)
    near = rng.random(likely.shape) < likely
    rows = np.where(near[..., None], asked, asked[:, [0, 2, 1]]).reshape(-1, 3)
    who = np.repeat([f"p{k:02}" for k in range(len(likely))], QUESTIONS)
    objects = pd.DataFrame({"id": [f"o{k}" for k in range(OBJECTS)]})
    return noise_ceiling(ts.Triplets(rows, objects, pd.DataFrame({"participant": who})))


@cache
def _truth(data: str) -> dict[str, float]:
    """What the bounds estimate, for other people and questions about these objects."""
    rng = np.random.default_rng(len(data))
    asked = rng.random((ASKED, OBJECTS)).argsort(axis=1)[:, :3]
    mean = sum(_likely(data, asked, rng, 100).mean(axis=0) for _ in range(CROWDS)) / CROWDS
    best = 0.5 + np.abs(mean - 0.5).mean()
    right = []
    for _ in range(MANY):
        asked = rng.random((QUESTIONS, OBJECTS)).argsort(axis=1)[:, :3]
        likely = _likely(data, asked, rng)
        near = rng.random(likely.shape) < likely
        lead = 2 * near.sum(axis=0) - len(near)  # of all; without oneself by one less or more
        side = np.where(near, 1, -1)
        right.append(0.5 + np.mean(np.sign((lead - side) * side)) / 2)
    return {"lower": float(np.mean(right)), "upper": float(best)}


def _likely(
    data: str, asked: np.ndarray, rng: np.random.Generator, people: int | None = None
) -> np.ndarray:
    """(P, T) probability that each person answers that the first option is nearer."""
    people = people or (FEW if data == "few people" else PEOPLE)
    x = 1.2 * np.random.default_rng(11).normal(size=(OBJECTS, 2))
    maps = np.repeat(x[None], people, axis=0)
    if data == "two kinds":  # of people drawn at random
        maps = maps * np.sqrt(KINDS[rng.integers(2, size=people)])[:, None]
    if data == "own maps":
        maps = maps + OWN * rng.normal(size=maps.shape)
    seen = maps[:, asked]
    near, far = (((seen[:, :, 0] - seen[:, :, k]) ** 2).sum(axis=2) for k in (1, 2))
    likely = expit(far - near)
    if data == "guessers":
        likely[rng.random(people) < 0.25] = 0.5
    return likely
