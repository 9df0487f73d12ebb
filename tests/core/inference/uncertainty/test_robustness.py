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

QUICK = {"draws": 19, "folds": 2, "replicates": 10}
#: Data sets of which so many may be taken for what they are not: the level is 5 %.
NULL, ALARMS = 12, 2


def people(
    seed: int, n_people: int = 12, each: int = 30, guessing: int = 0, n_objects: int = 8
) -> Triplets:
    """Answers of people to one map, the last of whom guess."""
    rng = np.random.default_rng(seed)
    data = simulate(rng.normal(size=(n_objects, 2)), n_people * each, noise="logistic", seed=seed)
    rows, who = data.rows.copy(), np.repeat(np.arange(n_people), each)
    turned = (who >= n_people - guessing) & (rng.random(len(rows)) < 0.5)
    rows[turned] = rows[turned][:, [0, 2, 1]]
    return Triplets(rows, data.objects, pd.DataFrame({"participant": [f"p{k}" for k in who]}))


def without(*numbers: int) -> tuple[Exclusion]:
    return (Exclusion(participants=tuple(f"p{k}" for k in numbers)),)


def compared(data: Triplets, **views: tuple[Exclusion]):
    return robustness(
        STE(n_init=1), Cleaning(data).marked(views), views=[*views], **QUICK
    )


def test_random_views_change_nothing():
    alarms = 0
    for seed in range(NULL):
        one, other = np.split(np.random.default_rng(seed).permutation(12)[:8], [3])
        alarms += bool(compared(people(seed), one=without(*one), other=without(*other)).changed)
    assert alarms <= ALARMS


def test_without_those_who_guess_the_error_is_lower():
    found = compared(people(0, guessing=4), attentive=without(8, 9, 10, 11), other=without(0))
    assert ("error", 1) in found.changed
    assert {k for _, k in found.changed} == {1}, "the other view is a random set"
    assert found.value[0, 1] < found.chance_low[0, 1]
    assert found.views == [ALL, "attentive", "other"]
    assert found.sizes.tolist() == [360, 240, 330]
    assert (found.low[0] <= found.value[0]).all()
    assert np.isnan(found.value[2, 0]), "the map of all answers is what others are compared with"


def test_few_people_are_divided_in_few_ways():
    found = compared(people(0, 10, guessing=1), attentive=without(9))
    assert (found.n_people, round(found.ways)) == (10, 10)
    assert found.changed == []


def test_views_of_single_answers_divide_trials():
    data = people(1)
    late = np.arange(len(data)) % 30 >= 15
    found = robustness(
        STE(n_init=1), data.with_columns({"late": late}), views=["late"], **QUICK
    )
    assert found.ways == MANY
    assert found.changed == []


def test_random_sets_keep_sizes_and_overlaps():
    data = people(0)
    who = np.repeat(np.arange(12), 30)
    inside = np.transpose([who < 4, who < 8, np.arange(360) % 3 == 0])
    drawn = _Shuffle(data, inside).drawn(np.random.default_rng(0))
    assert (drawn.sum(axis=0) == inside.sum(axis=0)).all()
    assert not (drawn[:, 0] & ~drawn[:, 1]).any(), "the first stays within the second"
    of_people = drawn[:, :2].reshape(12, 30, 2)
    assert (of_people == of_people[:, :1]).all(), "people stay whole"
    assert (drawn[:, 2].reshape(12, 30).sum(axis=1) == 10).all(), "and as large a part of each"
    nobody = Triplets(data.rows, data.objects)
    alone = _Shuffle(nobody, inside)
    assert (alone.n_people, alone.ways) == (0, MANY)
    assert (alone.drawn(np.random.default_rng(0)).sum(axis=0) == inside.sum(axis=0)).all()


def test_texts_of_files_mark_views_and_empty_ones_are_refused():
    data = people(0, 4)
    texts = np.where(np.arange(120) < 60, "True", "false")
    marked = data.with_columns({"first": texts, "none": texts == "x"})
    found = robustness(STE(n_init=1), marked, views=["first"], **QUICK)
    assert found.sizes.tolist() == [120, 60]
    with pytest.raises(DataError, match="no answer"):
        robustness(STE(n_init=1), marked, views=["first", "none"], **QUICK)


def test_what_cannot_be_measured_is_left_open():
    data = people(0, 6, each=20, n_objects=60)
    found = compared(data, most=without(0), tiny=without(1, 2, 3, 4, 5))
    assert np.isnan(found.value[1]).all(), "no question was asked twice"
    assert np.isnan(found.p[1]).all()
    assert np.isfinite(found.p[2, 1:]).all()
