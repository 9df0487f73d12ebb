"""Crowds who attend alike, however they answer, and crowds who do not: the test of attention."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd

import tripletscope as ts
from planted import Case
from planted.crowds import crowd
from planted.raters import RATERS, rated
from tests.core.people.planted import weighing
from tripletscope.core.people import WeightedEuclidean

OBJECTS, PEOPLE, EACH = 15, 16, 100
#: Size of the two axes of a long map; largest share of guesses; standard deviations of log
#: precision, of noise about an object and of what makes an object liked.
LONG, LAPSES, PRECISION, NOISE, LIKED = (1.8, 0.65), 0.6, 0.6, 0.5, 0.8
#: People, answers of each, and dimensions of crowds with faint differences in attention.
FAINT = {
    "12 people, 100 answers": (12, 100, 2), "40 people, 60 answers": (40, 60, 2),
    "4 people, 200 answers": (4, 200, 2), "12 people, 150 answers, three axes": (12, 150, 3),
}
#: Standard deviation of log weights there, in both ways.
FAINTLY = 0.3


def cases() -> Iterator[Case]:
    for data, role, neighbour in (
        ("alike", "null", ""), ("precision", "neighbour", "people of unequal precision"),
        ("guessers", "neighbour", "people who guess"),
        ("side", "neighbour", "people who press one side"),
        ("same questions", "neighbour", "the same questions for all"),
        ("weights", "planted", ""), ("own directions", "planted", ""),
    ):
        yield _case(data, role, neighbour, lambda seed, data=data: crowd(data, seed))
    for data, neighbour in (
        ("long, lapses", "a long map, people lapse in 0 to 60 %"),
        ("long, lapses, same", "the same, the same questions for all"),
        ("long, precision", "a long map, people of unequal precision"),
        ("long, precision, Cauchy", "the same, another response"),
        ("precision, third", "people of unequal precision, one dimension more"),
        ("precision, noise", "people of unequal precision, unequal noise per object"),
        ("precision, liked", "people of unequal precision, popularity"),
    ):
        yield _case(data, "neighbour", neighbour, lambda seed, data=data: _crowd(data, seed))
    yield _case(
        "raters", "neighbour", f"comparisons of {RATERS} raters' ratings",
        lambda seed: rated(seed, RATERS),
    )
    for data, (people, each, d) in FAINT.items():
        for attention in (0.0, FAINTLY):
            yield _case(
                f"{data}, log weights differ by {attention}", "planted" if attention else
                "neighbour", "" if attention else data,
                lambda seed, who=people, each=each, d=d, attention=attention: weighing(
                    who, each, attention, FAINTLY, seed, d=d
                )[0], d,
            )


def _case(
    data: str, role: str, neighbour: str, answers: Callable[[int], ts.Triplets],
    n_components: int = 2,
) -> Case:
    method = WeightedEuclidean(n_components=n_components, n_init=2)
    return Case(
        place="WeightedEuclidean", words="p_attention_ < .05", data=data, role=role,
        neighbour=neighbour, says=lambda seed: method.fit(answers(seed)).p_attention_ < 0.05,
    )


def _crowd(data: str, seed: int) -> ts.Triplets:
    """Answers of people who attend alike, and differ as the name says."""
    rng, n = np.random.default_rng([seed, sum(map(ord, data))]), OBJECTS
    x = 1.3 * rng.normal(size=(n, 3 if "third" in data else 2))
    if "long" in data:
        x *= LONG
    who = np.repeat(np.arange(PEOPLE), EACH)
    asked = rng.random((len(who), n)).argsort(axis=1)[:, :3]
    if "same" in data:
        asked = np.tile(asked[:EACH], (PEOPLE, 1))
    seen = x[asked]
    if "noise" in data:
        noise = NOISE * np.exp(0.6 * rng.normal(size=n))[asked]
        seen = seen + noise[:, :, None] * rng.normal(size=seen.shape)
    lapses = LAPSES * rng.random(PEOPLE) if "lapses" in data else np.zeros(PEOPLE)
    precision = np.exp(PRECISION * rng.normal(size=PEOPLE) * ("precision" in data))[who]
    near, far = (((seen[:, 0] - seen[:, k]) ** 2).sum(axis=1) for k in (1, 2))
    lead = precision * (far - near)
    if "Cauchy" in data:
        lead = np.log((0.3 / precision + far) / (0.3 / precision + near))
    if "liked" in data:
        worth = LIKED * rng.normal(size=n)[asked[:, 1:]]
        lead += worth[:, 0] - worth[:, 1]
    likely = (1 - lapses[who]) / (1 + np.exp(-lead)) + lapses[who] / 2
    right = rng.random(len(who)) < likely
    rows = np.where(right[:, None], asked, asked[:, [0, 2, 1]])
    return ts.Triplets(
        rows, pd.DataFrame({"id": [f"o{k:02}" for k in range(n)]}),
        pd.DataFrame({"participant": [f"p{k:02}" for k in who]}),
    )
