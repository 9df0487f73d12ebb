"""People about whom few answers say little, and people who attend to other things."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

import tripletscope as ts
from planted import Sentence
from tripletscope.core.people import WeightedEuclidean, compare_people
from tripletscope.core.people.floor import floor_of
from tripletscope.core.people.groups import groups_of
from tripletscope.dashboard.results.people import axes_said

PEOPLE, OBJECTS, RUNS = 12, 15, 20
#: Attention on the axes of half of the people, and of the others.
_DIFFER = np.sqrt([[1.7, 0.3], [0.3, 1.7]])


def sentences(runs: int | None) -> Iterator[Sentence]:
    runs = runs or RUNS
    line = [_axes(False, 40, seed) for seed in range(runs)]
    plane = [_axes(True, 100, seed) for seed in range(runs)]
    yield Sentence(
        place="People, Weights",
        before="fixes the rotation of the map … The axes may be named",
        now="The same, where weights predict held-out answers better than consistency",
        null=f"a bent line, {PEOPLE} people alike, 40 answers each",
        alarms_before=(sum(before for before, _ in line), runs),
        alarms=(sum(now for _, now in line), runs),
        planted=f"two kinds of {PEOPLE} people, 100 answers each (before: "
        f"{sum(before for before, _ in plane)} of {runs})",
        said=(sum(now for _, now in plane), runs),
    )
    thin, enough = (
        sum(_told(n_objects, each, seed) for seed in range(runs))
        for n_objects, each in ((300, 80), (12, 120))
    )
    yield Sentence(
        place="People, Who predicts whom",
        before="50 % from their own answers, 81 % from all others",
        now="Nothing is said of single participants: … and they gave 80",
        null="40 people, 80 answers each about 300 objects", alarms_before=(runs, runs),
        alarms=(thin, runs), planted="120 answers each about 12 objects", said=(enough, runs),
    )


def _axes(differ: bool, each: int, seed: int) -> tuple[bool, bool]:
    """Whether axes were to be named before, and are now."""
    rng = np.random.default_rng([seed, differ])
    along = rng.uniform(-1.0, 1.0, OBJECTS)
    positions = 1.4 * rng.standard_normal((OBJECTS, 2)) if differ else \
        np.column_stack([2.0 * along, along**2])
    parts = [
        ts.simulate(positions * (_DIFFER[k % 2] if differ else 1.0), each, noise="logistic",
                    seed=int(rng.integers(2**31)))
        for k in range(PEOPLE)
    ]
    answers = _joined(parts, each)
    method = WeightedEuclidean(n_init=2)
    fitted = method.fit(answers)
    found = compare_people(method, answers, most_groups=1)
    return fitted.axes_are_fixed, "they may be named" in axes_said(fitted, found)


def _told(n_objects: int, each: int, seed: int) -> bool:
    """Whether anything is said of single people."""
    rng = np.random.default_rng(seed)
    positions = rng.standard_normal((n_objects, 2))
    parts = [
        ts.simulate(positions, each, noise="logistic", seed=int(rng.integers(2**31)))
        for _ in range(40)
    ]
    answers = _joined(parts, each)
    return bool(floor_of(ts.STE(), answers, groups_of(answers, "participant")).reached.any())


def _joined(parts: list[ts.Triplets], each: int) -> ts.Triplets:
    who = np.repeat([f"p{k}" for k in range(len(parts))], each)
    rows = np.concatenate([part.rows for part in parts])
    return ts.Triplets(rows, parts[0].objects, pd.DataFrame({"participant": who}))
