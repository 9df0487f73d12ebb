"""Crowds that guess, people who differ: whom the accuracies and the quality report speak of."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

import tripletscope as ts
from planted import Sentence
from tripletscope.core.data.triplets import Triplets, numbered_objects
from tripletscope.core.inference.held_out.score import holdout
from tripletscope.core.models.simulation.simulate import personal_maps
from tripletscope.core.studies.quality import participants
from tripletscope.core.studies.quality.verdict import verdict

QUESTIONS, EACH, RUNS = 40, 60, 100
#: Standard deviation of a coordinate between people; what an estimate says when it is above.
DIFFER, FAR = 0.3, 0.15
#: At commit 8a2d077, of 30 runs: estimates above `FAR` of people who do not differ.
BEFORE = (1, 30)


def sentences(runs: int | None) -> Iterator[Sentence]:
    runs = runs or RUNS
    for people in (12, 100):
        guessing, answering = (
            sum(_guess(people, right, seed) is False for seed in range(runs))
            for right in (0.5, 0.65)
        )
        yield Sentence(
            place="Data, Quality", before="Nothing stands out among 12 participants.",
            now="the same; else: not told apart from guesses",
            null=f"{people} people guess {EACH} times about {QUESTIONS} questions",
            alarms=(guessing, runs), alarms_before=(runs, runs),
            planted="they are right in 65 %", said=(answering, runs),
        )
    few = max(runs // 4, 1)
    spoken = np.array([_choices(seed) for seed in range(few)])
    yield Sentence(
        place="Accuracy of choices", before="an interval that is about other people",
        now="about people whose other answers are learned from",
        null="accuracy for new people is outside; 12 people who differ by 0.5, 80 trials each",
        alarms=(int((spoken[:, 0] & ~spoken[:, 1]).sum()), few),
        alarms_before=(int(spoken[:, 0].sum()), few),
    )
    null, planted = (
        np.array([_differ(differ, seed) for seed in range(few)]) for differ in (0.0, DIFFER)
    )
    yield Sentence(
        place="heterogeneity", before=f"people differ by more than {FAR} of the map (resampled)",
        now="the same (left out)", null="12 people who do not differ, 80 answers each, STE",
        alarms=(int((null > FAR).sum()), few), alarms_before=BEFORE,
        planted=f"they differ by {DIFFER}", said=(int((planted > FAR).sum()), few),
    )


def _guess(people: int, right: float, seed: int) -> bool | None:
    """Whether a crowd is said not to be told apart from guesses."""
    rng = np.random.default_rng([people, seed])
    asked = np.array([rng.choice(12, 3, replace=False) for _ in range(QUESTIONS)])
    rows = asked[rng.integers(QUESTIONS, size=people * EACH)]
    wrong = rng.random(len(rows)) > right
    rows[wrong] = rows[wrong][:, [0, 2, 1]]
    who = np.repeat([f"p{k}" for k in range(people)], EACH)
    answers = Triplets(rows, numbered_objects(12), pd.DataFrame({"participant": who}))
    return verdict(participants(answers)).guessing


def _differ(differ: float, seed: int) -> float:
    rng = np.random.default_rng(seed)
    group = 1.3 * rng.normal(size=(20, 2))
    rows = [
        ts.simulate(own, 80, noise="logistic", seed=int(rng.integers(2**31))).rows
        for own in personal_maps(group, 12, differ, rng)
    ]
    who = pd.DataFrame({"participant": np.repeat([f"p{k}" for k in range(12)], 80)})
    answers = Triplets(np.concatenate(rows), numbered_objects(20), who)
    return ts.people.heterogeneity(ts.STE(n_init=1), answers).value


def _choices(seed: int) -> tuple[bool, bool]:
    """Whether the accuracy for new people is outside the interval, and said to be another one."""
    rng = np.random.default_rng([seed, 7])
    positions = 1.3 * rng.normal(size=(20, 2))
    own, new = (_odd_ones(positions, people, each, rng) for people, each in ((12, 80), (300, 15)))
    method = ts.STE(n_init=1)
    (found,) = ts.dimensions.choice_accuracies(own, ts.cross_validate(method, own))
    (other,) = ts.dimensions.choice_accuracies(new, holdout(method.fit(own), new))
    outside = not found.accuracy.low < other.accuracy.value < found.accuracy.high
    return outside, found.is_of_the_learned


def _odd_ones(
    positions: np.ndarray, people: int, each: int, rng: np.random.Generator
) -> Triplets:
    """Odd-one-out trials of people whose maps lie 0.5 of its size about that of the group."""
    n, who = len(positions), np.repeat(np.arange(people), each)
    shown = rng.random((len(who), n)).argsort(axis=1)[:, :3]
    seen = personal_maps(positions, people, 0.5, rng)[who[:, None], shown]
    lean = -((seen[:, [1, 0, 0]] - seen[:, [2, 2, 1]]) ** 2).sum(axis=2)
    odd = np.argmax(rng.gumbel(size=lean.shape) + lean, axis=1)
    place = np.arange(len(who))
    one, two = (shown[place, (odd + k) % 3] for k in (1, 2))
    it = shown[place, odd]
    rows = np.stack([np.stack([one, two, it], 1), np.stack([two, one, it], 1)], 1).reshape(-1, 3)
    return Triplets(rows, numbered_objects(n), pd.DataFrame({
        "trial": np.repeat(place, 2), "participant": [f"p{k}" for k in np.repeat(who, 2)],
    }))
