"""Arcs, lines and clouds along a stimulus: which are said to close into a circle."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

import tripletscope as ts
from planted import Case
from tripletscope.core.inference.held_out.paired import paired_difference
from tripletscope.core.models.simulation.simulate import random_questions

OBJECTS, ANSWERS, PEOPLE = 14, 2_500, 20
#: Share of a full turn.
ARCS = {"half a circle": 0.5, "two thirds of a circle": 2 / 3, "circle": 0.9}


def cases() -> Iterator[Case]:
    for data, neighbour in (
        ("straight cloud", ""), ("half a circle", "half a circle"),
        ("two thirds of a circle", "two thirds of a circle"),
        ("cloud in no order", "a cloud in no order"), ("Cauchy", "half a circle, another response"),
        ("unequal noise", "half a circle, unequal noise per object"),
        ("guessers", "half a circle, people who guess"),
        ("same questions", "half a circle, the same questions for all"),
        ("liked", "a line, popularity"),
    ):
        yield Case(
            place="Scale, Circle or helix", words="the stimulus closes on itself", data=data,
            role="neighbour" if neighbour else "null", neighbour=neighbour,
            says=lambda seed, data=data: closes(data, seed),
        )
    for data in ("circle", "circle of guessers"):
        yield Case(
            place="Scale, Circle or helix", words="the stimulus closes on itself", data=data,
            role="planted", says=lambda seed, data=data: closes(data, seed),
        )


def closes(data: str, seed: int) -> bool:
    """Whether the map is said to be a circle, tested against a line."""
    answers = _answers(data, np.random.default_rng([seed, sum(map(ord, data))]))
    found = ts.ordinal_scale(ts.STE(n_init=1), answers, n_components=2, maps=20, seed=seed)
    line, plane = (
        ts.cross_validate(ts.STE(n_components=d, n_init=1), answers, seed=seed) for d in (1, 2)
    )
    above = paired_difference(line, plane, answers, 0.25)
    return above.p_above < 0.05 and not found.not_round()


def _answers(data: str, rng: np.random.Generator) -> ts.Triplets:
    along = np.linspace(0, 1, OBJECTS)
    if data in ("straight cloud", "liked"):
        x = np.c_[3 * along, 0.3 * rng.normal(size=OBJECTS)]
    elif data == "cloud in no order":
        x = rng.normal(size=(OBJECTS, 2))
    else:
        arc = ARCS["circle"] if "circle of" in data else ARCS.get(data, 0.5)
        x = np.c_[np.cos(2 * np.pi * arc * along), np.sin(2 * np.pi * arc * along)]
    who, rows = np.arange(ANSWERS) % PEOPLE, random_questions(OBJECTS, ANSWERS, rng)
    if data == "same questions":
        rows = rows[: ANSWERS // PEOPLE][np.arange(ANSWERS) // PEOPLE]
    seen = x[rows]
    if data == "unequal noise":
        noise = 0.15 * np.exp(0.6 * rng.normal(size=OBJECTS))[rows]
        seen = seen + noise[:, :, None] * rng.normal(size=seen.shape)
    near, far = (((seen[:, 0] - seen[:, k]) ** 2).sum(axis=1) for k in (1, 2))
    likely = np.where(near < far, 0.95, 0.05)
    if data == "Cauchy":
        likely = (0.1 + far) / (0.2 + near + far)
    if data == "liked":
        worth = 0.8 * rng.normal(size=OBJECTS)[rows[:, 1:]]
        likely = 1 / (1 + np.exp(near - far + worth[:, 1] - worth[:, 0]))
    if "guessers" in data:
        likely[who < PEOPLE // 4] = 0.5
    turned = rng.random(ANSWERS) > likely
    rows[turned, 1:] = rows[turned, :0:-1]
    return ts.Triplets(
        rows, pd.DataFrame({"id": [f"o{k:02}" for k in range(OBJECTS)]}),
        pd.DataFrame({"participant": [f"p{k:02}" for k in who]}),
    )
