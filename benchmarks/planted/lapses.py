"""Crowds some of whom guess, whose answers follow STE, t-STE, or log-normal noise."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from planted import Case, Sentence
from tripletscope.core.data.triplets import Triplets, numbered_objects
from tripletscope.core.inference.uncertainty.calibration import Truth, simulated_answers
from tripletscope.core.models.embedding import STE, TSTE
from tripletscope.core.models.simulation.simulate import answer, random_questions
from tripletscope.core.people.lapses import LapseFit, with_lapses

OBJECTS, PEOPLE, CARELESS, RATE, RUNS = 30, 30, 6, 0.4, 20
#: Objects, people, and answers of each, of the crowds next door.
FEW = (15, 16, 100)
#: Methods by whose response function people answer, with the size of the map; the last row of
#: log-normal noise is of distances.
KINDS = {
    "STE": (STE(), 1.2), "t-STE": (TSTE(), 3.0), "log-normal noise of 0.3": (None, 0.3),
}
#: At commit 8a2d077 by STE, of 10 crowds with 80 or 150 answers each: intervals of careful people.
BEFORE = {"t-STE": "0 to 17 %", "log-normal noise of 0.3": "0 %"}


def crowd(kind: str, careless: int, each: int, seed: int) -> tuple[Triplets, np.ndarray]:
    """Answers, and rates of guessing of people in order: the last ones are careless."""
    rng = np.random.default_rng([seed, len(kind), careless])
    method, size = KINDS[kind]
    positions = (size if method else 1.0) * rng.standard_normal((OBJECTS, 2))
    rates = rng.uniform(0.0, 0.05, PEOPLE)
    rates[PEOPLE - careless:] = RATE
    asked = random_questions(OBJECTS, PEOPLE * each, rng)
    rows = (
        simulated_answers(method, Truth(positions, 0.0, 0.0), asked, rng) if method
        else answer(positions, asked, rng, noise="lognormal", level=size)
    )
    who = np.repeat(np.arange(PEOPLE), each)
    turned = (rng.random(len(who)) < rates[who]) & (rng.random(len(who)) < 0.5)
    rows[turned, 1:] = rows[turned, :0:-1]
    names = pd.DataFrame({"participant": [f"p{k:02}" for k in who]})
    return Triplets(rows, numbered_objects(OBJECTS), names), rates


def cases() -> Iterator[Case]:
    words = "somebody clearly guesses more often"
    for data, role, neighbour in (
        ("careful", "null", ""), ("CKL", "neighbour", "another response (CKL)"),
        ("Cauchy", "neighbour", "another response (Cauchy)"),
        ("third", "neighbour", "one dimension more"),
        ("noise", "neighbour", "unequal noise per object"),
        ("precision", "neighbour", "people of unequal precision"),
        ("two kinds", "neighbour", "two kinds of people"),
        ("same questions", "neighbour", "the same questions for all"),
        ("liked", "neighbour", "popularity"), ("guessers", "planted", ""),
    ):
        yield Case(
            place="Data, Exclusions", words=words, data=data, role=role, neighbour=neighbour,
            says=lambda seed, data=data: bool(
                with_lapses(STE(n_init=1), next_door(data, seed)).stand_out.any()
            ),
        )


def next_door(data: str, seed: int) -> Triplets:
    """Answers of a few people who are careful, by the neighbouring model."""
    n, people, each = FEW
    rng = np.random.default_rng([seed, sum(map(ord, data))])
    who = np.repeat(np.arange(people), each)
    x = 1.3 * rng.normal(size=(n, 3 if data == "third" else 2))
    maps = np.repeat(x[None], people, axis=0)
    if data == "two kinds":
        maps *= np.sqrt(np.where(np.arange(people)[:, None] % 2, [0.35, 1.65], [1.65, 0.35]))[
            :, None
        ]
    if data == "precision":
        maps *= np.exp(0.3 * rng.normal(size=people))[:, None, None]
    asked = random_questions(n, people * each, rng)
    if data == "same questions":
        asked = np.tile(asked[:each], (people, 1))
    seen = maps[who[:, None], asked]
    if data == "noise":
        noise = 0.5 * np.exp(0.6 * rng.normal(size=n))[asked]
        seen = seen + noise[:, :, None] * rng.normal(size=seen.shape)
    near, far = (((seen[:, 0] - seen[:, k]) ** 2).sum(axis=1) for k in (1, 2))
    lead = far - near
    if data in ("CKL", "Cauchy"):
        least = {"CKL": 0.1, "Cauchy": 1.0}[data]
        lead = np.log((least + far) / (least + near))
    if data == "liked":
        worth = 0.8 * rng.normal(size=n)[asked[:, 1:]]
        lead += worth[:, 0] - worth[:, 1]
    rates = rng.uniform(0.0, 0.05, people)
    if data == "guessers":
        rates[:3] = RATE
    likely = (1.0 - rates[who]) / (1.0 + np.exp(-lead)) + rates[who] / 2.0
    turned = rng.random(len(who)) > likely
    asked[turned, 1:] = asked[turned, :0:-1]
    names = pd.DataFrame({"participant": [f"p{k:02}" for k in who]})
    return Triplets(asked, numbered_objects(n), names)


def sentences(runs: int | None) -> Iterator[Sentence]:
    runs = runs or RUNS
    for each in (100, 200):
        found = {kind: _found(kind, CARELESS, each, runs) for kind in KINDS}
        nobody = _found("STE", 0, each, runs)
        named = sum(int(fit.stand_out[-CARELESS:].sum()) for fit, _ in found["STE"])
        wrong = sum(bool(fit.stand_out.any()) for fit, _ in nobody)
        yield Sentence(
            place="Data, Exclusions", before="Clearly more often: p07 in 40 %",
            now="The same, by STE, where rates are told",
            null=f"{PEOPLE} people guess in 0 to 5 % of {each} answers", alarms=(wrong, runs),
            planted=f"{CARELESS} guess in 40 %; the share that is named; intervals hold "
            f"{_held(found['STE']):.0%} (of the {CARELESS}: {_held(found['STE'], CARELESS):.0%}), "
            f"{_held(nobody):.0%} where nobody is careless", said=(named, CARELESS * runs),
        )
        for kind in list(KINDS)[1:]:
            told, known = (
                sum(fit.rates_are_trustworthy for fit, _ in found[name]) for name in (kind, "STE")
            )
            yield Sentence(
                place="Data, Exclusions", before="The median person answers like guessing in 30 %, "
                f"of {kind}: intervals by STE hold {BEFORE[kind]}",
                now="Lapse rates are withheld", null=f"the same {each} answers with {kind}",
                alarms_before=(runs, runs), alarms=(told, runs),
                planted="STE; rates are told", said=(known, runs),
            )


def _found(kind: str, careless: int, each: int, runs: int) -> list[tuple[LapseFit, np.ndarray]]:
    crowds = [crowd(kind, careless, each, seed) for seed in range(runs)]
    return [(with_lapses(STE(n_init=1), answers), rates) for answers, rates in crowds]


def _held(found: list[tuple[LapseFit, np.ndarray]], last: int = PEOPLE) -> float:
    """Share of the 95 % intervals that hold, of the last people."""
    return float(np.mean([
        ((fit.low <= rates) & (rates <= fit.high))[-last:] for fit, rates in found
    ]))
