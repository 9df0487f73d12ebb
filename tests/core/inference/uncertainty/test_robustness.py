"""What changes over views: planted differences are seen, random sets are left alone."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.inference.uncertainty.robustness import ALL, MANY, _Shuffle, robustness
from tripletscope.core.models.embedding import STE
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.core.studies.quality import Cleaning, Exclusion

QUICK = {"draws": 19, "folds": 2}


def people(seed: int, n_people=12, each=30, guessing=0, n_objects=8) -> Triplets:
    """Answers of people to one map, the last of whom guess."""
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(n_people), each)
    data = simulate(rng.normal(size=(n_objects, 2)), len(who), noise="logistic", seed=seed)
    rows = data.rows.copy()
    turned = (who >= n_people - guessing) & (rng.random(len(rows)) < 0.5)
    rows[turned] = rows[turned][:, [0, 2, 1]]
    return Triplets(rows, data.objects, pd.DataFrame({"participant": [f"p{k}" for k in who]}))


def compared(data: Triplets, **without: list[int]):
    """Views without some people."""
    every = Cleaning(data)
    marked = every.marked({
        view: every.excluding(Exclusion(participants=tuple(f"p{k}" for k in out)))
        for view, out in without.items()
    })
    return robustness(STE(n_init=1), marked, views=[*without], **QUICK)


def without_some(seed: int):
    """Two views, each without some people by chance."""
    one, other = np.split(np.random.default_rng(seed).permutation(12)[:8], [3])
    return compared(people(seed), one=one, other=other)


def test_random_views_change_nothing():
    """Rates: ``benchmarks/verdicts.py views``."""
    for seed in range(2):
        assert not without_some(seed).changed
    # Without those of many answers, fewer are left than in any random set of people.
    unequal = [10] * 6 + [60] * 6
    assert not compared(people(0, each=unequal), few=[*range(6, 12)]).changed


def test_sessions_with_other_questions():
    data, alarms = people(0, 10, each=40), []
    for seed in range(2):
        rng = np.random.default_rng(seed)
        lists = data.rows[rng.permutation(400)[:40]]
        position = rng.normal(size=(8, 2))
        near, far = (np.linalg.norm(position[lists[:, 0]] - position[lists[:, k]], axis=1) ** 2
                     for k in (1, 2))
        turned = rng.random((10, 40)) < 1 / (1 + np.exp(2 * (far - near)))
        rows = np.where(turned[..., None], lists[:, [0, 2, 1]], lists).reshape(400, 3)
        one = np.tile(np.arange(40) < 20, 10)
        marked = Triplets(rows, data.objects, data.answers.assign(one=one))
        found = robustness(STE(n_init=1), marked, views=["one"], **QUICK)
        alarms += found.changed
        assert found.other_questions == ["one"]
    assert not alarms


def test_without_those_who_guess_the_error_is_lower():
    found = compared(people(0, guessing=4), attentive=[8, 9, 10, 11], other=[0])
    assert ("error", 1) in found.changed
    assert {k for _, k in found.changed} == {1}, "the other view is a random set"
    assert found.value[0, 1] < found.chance_low[0, 1]
    assert found.views == [ALL, "attentive", "other"]
    assert found.sizes.tolist() == [360, 240, 330]
    assert np.isnan(found.value[2, 0]), "the map of all answers is what others are compared with"


def test_few_people_are_divided_in_few_ways():
    found = compared(people(0, 10, guessing=1), attentive=[9])
    assert (found.n_people, round(found.ways), found.changed) == (10, 10, [])


def test_random_sets_keep_sizes_and_overlaps():
    data, who = people(0), np.repeat(np.arange(12), 30)
    inside = np.transpose([who < 4, who < 8, np.arange(360) % 3 == 0])
    drawn = _Shuffle(data, inside).drawn(np.random.default_rng(0))
    assert (drawn.sum(axis=0) == inside.sum(axis=0)).all()
    assert not (drawn[:, 0] & ~drawn[:, 1]).any(), "the first stays within the second"
    of_people = drawn[:, :2].reshape(12, 30, 2)
    assert (of_people == of_people[:, :1]).all(), "people stay whole"
    assert (drawn[:, 2].reshape(12, 30).sum(axis=1) == 10).all(), "and as large a part of each"
    # Those with 25 % more trials swap, those with 30 % more do not.
    unequal = people(0, each=[20, 25] * 4 + [26, 32] * 2)
    some = np.isin(unequal.answers["participant"], ["p0", "p1", "p8"])[:, None]
    sizes = [_Shuffle(unequal, some).drawn(np.random.default_rng(k)).sum() for k in range(20)]
    assert (min(sizes), max(sizes)) == (66, 82)
    alone = _Shuffle(Triplets(data.rows, data.objects), inside)
    assert (alone.n_people, alone.ways) == (0, MANY)
    assert (alone.drawn(np.random.default_rng(0)).sum(axis=0) == inside.sum(axis=0)).all()


def test_what_cannot_be_measured_is_left_open():
    data = people(0, 6, each=20, n_objects=60)
    found = compared(data, most=[0], tiny=[1, 2, 3, 4, 5])
    assert np.isnan(found.value[1]).all(), "no question was asked twice"
    assert np.isnan(found.p[1]).all()
    texts = data.with_columns({"late": np.where(np.arange(120) % 20 < 10, "True", "no")})
    found = robustness(STE(n_init=1), texts, views=["late"], **QUICK)
    assert (found.sizes.tolist(), found.ways, found.changed) == ([120, 60], MANY, [])
    with pytest.raises(DataError, match="no answer"):
        robustness(STE(n_init=1), data.with_columns({"a": [False] * 120}), views=["a"], **QUICK)
