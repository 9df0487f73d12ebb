"""Crowds that answer in trials, and what estimates of error say of them beside fresh answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd

from tripletscope.core.data.lazy import cached_property
from tripletscope.core.data.triplets import Triplets, numbered_objects
from tripletscope.core.engine.method import Method
from tripletscope.core.inference.held_out.compare import learning_curve, tune
from tripletscope.core.inference.held_out.paired import paired_difference
from tripletscope.core.inference.held_out.score import (
    cross_validate,
    split_error,
    triplet_error,
)
from tripletscope.core.models.embedding import STE
from tripletscope.core.models.simulation.simulate import personal_maps
from tripletscope.core.people.predictions import pooling_curve, who_predicts_whom
from tripletscope.core.people.treatments import compare_treatments
from tripletscope.core.reading import Table, load, propose
from tripletscope.core.similarity.kernels import K2
from tripletscope.core.studies.design.plan import plan
from tripletscope.core.studies.design.scenario import SampleSizes, Scenario
from tripletscope.core.studies.quality.direction import direction_test

TASKS = ("odd_one_out", "most_central")
_PAIRS = np.array([[0, 1, 2], [0, 2, 1], [1, 2, 0]])


def trials_of(
    positions: np.ndarray, task: str, people: int, each: int, tau: float,
    rng: np.random.Generator, guessing: int = 0,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(T, 3) objects shown, (T,) the place of the one chosen, and (T,) by whom.

    The last `guessing` of the people guess.
    """
    who = np.repeat(np.arange(people), each)
    maps = personal_maps(positions, people, tau, rng)
    shown = rng.random((len(who), len(positions))).argsort(axis=1)[:, :3]
    seen = maps[who[:, None], shown]
    apart = np.sum((seen[:, _PAIRS[:, 0]] - seen[:, _PAIRS[:, 1]]) ** 2, axis=2)
    # The pairs leave out the third, the second and the first; whom they leave out is the odd one.
    lean = -apart[:, ::-1]
    if task == "most_central":
        lean = (lean.sum(axis=1, keepdims=True) - lean) / 2
    lean[who >= people - guessing] = 0.0
    return shown, np.argmax(rng.gumbel(size=lean.shape) + lean, axis=1), who


def answers_of(
    shown: np.ndarray, chosen: np.ndarray, who: np.ndarray, n_objects: int, task: str
) -> Triplets:
    """Two answers of every trial."""
    place = np.arange(len(shown))
    one, two = (shown[place, (chosen + k) % 3] for k in (1, 2))
    it = shown[place, chosen]
    rows = ((one, two, it), (two, one, it))
    if task == "most_central":
        rows = ((one, it, two), (two, it, one))
    both = np.stack([np.stack(row, axis=1) for row in rows], axis=1).reshape(-1, 3)
    return Triplets(both, numbered_objects(n_objects), pd.DataFrame({
        "trial": np.repeat(place, 2), "participant": [f"p{k}" for k in np.repeat(who, 2)],
    }))


@dataclass(frozen=True)
class Crowd:
    """A data set of some people, and answers of many others of their kind.

    Seeds that differ by a multiple of `maps` are of the same objects.
    """

    n_objects: int
    people: int
    each: int
    tau: float
    task: str
    method: Method
    seed: int
    guessing: int = 0
    unit: str = "participants"
    folds: int = 5
    maps: int = 2**31

    @cached_property
    def drawn(self) -> tuple[tuple[np.ndarray, np.ndarray, np.ndarray], Triplets]:
        """Trials of the people, and answers of 200 others about the same objects."""
        rng = np.random.default_rng(self.seed % self.maps)
        positions = rng.normal(size=(self.n_objects, 2)) * 1.3
        rng = np.random.default_rng([self.seed, 1])
        own = trials_of(
            positions, self.task, self.people + self.guessing, self.each, self.tau, rng,
            self.guessing,
        )
        others = trials_of(positions, self.task, 200, 15, self.tau, rng)
        return own, answers_of(*others, self.n_objects, self.task)

    @cached_property
    def data(self) -> Triplets:
        return answers_of(*self.drawn[0], self.n_objects, self.task)

    @cached_property
    def table(self) -> Table:
        """The trials as a file has them."""
        shown, chosen, who = self.drawn[0]
        frame = pd.DataFrame(shown, columns=["image1", "image2", "image3"])
        frame = frame.assign(choice=chosen + 1)
        if self.unit == "participants":
            frame = frame.assign(participant=[f"p{k}" for k in who])
        return load(frame.to_csv(index=False).encode(), "answers.csv")

    def parts(self, folds: int | None = None) -> list[np.ndarray]:
        """Answers learned from when one fold of whole trials is held out."""
        rng = np.random.default_rng(self.seed)
        folds = folds or self.folds
        fold = rng.integers(folds, size=len(self.data) // 2).repeat(2)
        return [fold != k for k in range(folds)]

    def fresh_error(self, method: Method, which: np.ndarray | slice = slice(None)) -> float:
        """On answers of the other people, learned from some of the data."""
        rows = np.arange(len(self.data))[which]
        # Each seed is of one data set, whatever is made of it.
        asked = self, repr(method), rows.tobytes()
        if asked not in _errors:
            _errors[asked] = triplet_error(method.fit(self.data.take(rows)), self.drawn[1])
        return _errors[asked]

    def fresh(self, method: Method, kept: np.ndarray | None = None, folds: int | None = None):
        """(folds,) the same, without each part in turn."""
        kept = np.ones(len(self.data), bool) if kept is None else kept
        return np.array([self.fresh_error(method, part & kept) for part in self.parts(folds)])


_errors: dict[tuple[Crowd, str, bytes], float] = {}

#: What is said, with the ends of its interval, and what is true.
Found = tuple[float, float, float, float]


def cross_validated(crowd: Crowd) -> Found:
    found = cross_validate(crowd.method, crowd.data, folds=crowd.folds, unit=crowd.unit)
    return found.error, found.low, found.high, float(crowd.fresh(crowd.method).mean())


def of_a_kernel(crowd: Crowd) -> Found:
    found = cross_validate(K2(), crowd.data, folds=crowd.folds, unit=crowd.unit)
    return found.error, found.low, found.high, float(crowd.fresh(K2()).mean())


def end_of_the_curve(crowd: Crowd) -> Found:
    found = learning_curve(crowd.method, crowd.data, points=3, repeats=5, unit=crowd.unit)
    error, reach = float(found.mean[-1]), float(found.half_width[-1])
    return error, error - reach, error + reach, float(crowd.fresh(crowd.method, folds=5).mean())


def own_split(crowd: Crowd) -> Found:
    part = crowd.parts()[0]
    split = crowd.data.answers.assign(split=np.where(part, "train", "test"))
    data = Triplets(crowd.data.rows, crowd.data.objects, split)
    found = split_error(crowd.method, data, unit=crowd.unit)
    return found.error, found.low, found.high, crowd.fresh_error(crowd.method, part)


def paired(crowd: Crowd) -> Found:
    """By how much five dimensions err more than two."""
    methods = [STE(n_components=d, n_init=1) for d in (5, 2)]
    more, fewer = (
        cross_validate(method, crowd.data, folds=crowd.folds, unit=crowd.unit)
        for method in methods
    )
    found = paired_difference(more, fewer, crowd.data, 1 / (crowd.folds - 1))
    truth = np.subtract(*(crowd.fresh(method) for method in methods))
    return found.difference, found.low, found.high, float(truth.mean())


def effect(crowd: Crowd) -> Found:
    """By how much the exclusion of guessers raises accuracy."""
    people = range(crowd.people, crowd.people + crowd.guessing)
    gone = [f"p{k}" for k in people]
    stays = ~crowd.data.answers["participant"].isin(gone).to_numpy()
    found = compare_treatments(
        crowd.method, crowd.data.with_columns({"kept": stays}), weighted=False, folds=crowd.folds,
        unit=crowd.unit,
    )
    truth = crowd.fresh(crowd.method) - crowd.fresh(crowd.method, stays)
    return -found.difference[1], -found.high[1], -found.low[1], float(truth.mean())


def remaining(crowd: Crowd) -> Found:
    """Error on the answers that an exclusion keeps, which has no interval of its own."""
    stays = (crowd.data.answers["participant"] != "p0").to_numpy()
    marked = crowd.data.with_columns({"kept": stays})
    found = compare_treatments(crowd.method, marked, weighted=False, folds=crowd.folds)
    truth = float(crowd.fresh(crowd.method, stays).mean())
    return float(found.error[1]), np.nan, np.nan, truth


def tuned(crowd: Crowd) -> Found:
    """Error of the setting that is chosen, which has no interval."""
    found = tune(crowd.method, crowd.data, most=2, folds=crowd.folds)
    chosen = crowd.method.__class__(**{**crowd.method.get_params(), **found.setting()})
    error = float(found.errors.mean(axis=1).min())
    return error, np.nan, np.nan, float(crowd.fresh(chosen).mean())


def directed(crowd: Crowd) -> Found:
    """Accuracy of the right reading of a file."""
    reading = next(one for one in propose(crowd.table) if one.task == crowd.task)
    found = direction_test(crowd.table, reading)
    method = STE(n_components=2, n_init=1, max_iter=200)
    truth = 1.0 - float(crowd.fresh(method, folds=3).mean())
    return found.accuracy[0], found.low[0], found.high[0], truth


@lru_cache(maxsize=1_000)
def relations_of(crowd: Crowd) -> pd.DataFrame:
    """Accuracy by who predicts whom, by relation."""
    found = who_predicts_whom(crowd.method, crowd.data, folds=crowd.folds)
    return found.relations.set_index("relation")


def _relation(crowd: Crowd, name: str) -> Found:
    row = relations_of(crowd).loc[name]
    return row["accuracy"], row["low"], row["high"], np.nan


def oneself(crowd: Crowd) -> Found:
    """Accuracy of predicting a participant from the own other answers."""
    return _relation(crowd, "self")


def another(crowd: Crowd) -> Found:
    """Of predicting a participant from another one."""
    return _relation(crowd, "another")


def all_others(crowd: Crowd) -> Found:
    """Of predicting a participant from all others."""
    return _relation(crowd, "all others")


def pooled(crowd: Crowd) -> Found:
    """Of predicting a participant from four others."""
    table = pooling_curve(crowd.method, crowd.data, repeats=2 * crowd.people).table
    row = table.set_index("participants").loc[4]
    return row["accuracy"], row["low"], row["high"], np.nan


def planned(crowd: Crowd) -> Found:
    """Accuracy that a plan of an experiment says."""
    found = plan(
        crowd.method, scenario=Scenario(n_objects=crowd.n_objects, level=0.3),
        sizes=SampleSizes(most=200, points=2), repeats=8, seed=crowd.seed,
    ).band().iloc[-1]
    return found["mean"], found["low"], found["high"], np.nan


#: By what the pages call them. Those without a truth of their own estimate their expectation.
ESTIMATES: dict[str, Callable[[Crowd], Found]] = {
    "cross-validation": cross_validated, "cross-validation, kernel k2": of_a_kernel,
    "learning curve, last point": end_of_the_curve, "the data's own split": own_split,
    "Compare: d = 5 less d = 2": paired, "exclusion of guessers": effect,
    "error after an exclusion": remaining, "tuned setting": tuned, "direction test": directed,
    "participant from own answers": oneself, "participant from another": another,
    "participant from all others": all_others, "participant from four": pooled,
    "plan": planned,
}
