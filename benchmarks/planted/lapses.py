"""Crowds some of whom guess, whose answers follow STE, t-STE, or log-normal noise."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from planted import Sentence
from tripletscope.core.data.triplets import Triplets, numbered_objects
from tripletscope.core.inference.uncertainty.calibration import Truth, simulated_answers
from tripletscope.core.models.embedding import STE, TSTE
from tripletscope.core.models.simulation.simulate import answer, random_questions
from tripletscope.core.people.careless import LapseFit, with_lapses

OBJECTS, PEOPLE, CARELESS, RATE, RUNS = 30, 30, 6, 0.4, 20
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
            told, known = (sum(fit.told for fit, _ in found[name]) for name in (kind, "STE"))
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
