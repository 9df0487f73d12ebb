"""Of whom something is said: who gave answers enough."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.models.embedding import STE
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.core.people.floor import answers_needed, floor_of
from tripletscope.core.people.groups import errors_by_group, groups_of
from tripletscope.core.people.maps import observer_maps
from tripletscope.core.people.predictions import pooling_curve, who_predicts_whom
from tripletscope.core.scales import MLDS

METHOD = STE(n_components=2, n_init=1)


def crowd(people: int, each: int, n_objects: int) -> Triplets:
    positions = np.random.default_rng(0).normal(size=(n_objects, 2))
    data = simulate(positions, people * each, noise="logistic", seed=1)
    who = np.repeat([f"p{k}" for k in range(people)], each)
    return Triplets(data.rows, data.objects, pd.DataFrame({"participant": who}))


def test_floor():
    data = crowd(3, 200, 12)
    floor = floor_of(METHOD, data, groups_of(data, "participant"))
    assert floor.needed.tolist() == [answers_needed(12, 24)] * 3 == [87] * 3
    assert floor.reached.all()
    few = data.take(np.arange(240))
    some = floor_of(METHOD, few, groups_of(few, "participant"))
    assert some.reached.tolist() == [True, False]


def test_of_a_map_repeats_of_a_question_count_less():
    data = crowd(1, 120, 12)
    data = data.take(np.unique(data.questions, return_index=True)[1])
    data, n = data.take(np.arange(96)), 96
    for answers, counted in (
        (data, n), (data.take(np.arange(n) // 4), n // 4 * 2), (data.take([0] * n), 4),
    ):
        some = floor_of(METHOD, answers, groups_of(answers, "participant"))
        assert some.n_answers.tolist() == [counted]
        assert some.reached.all() == (counted == n)


def test_of_a_scale_all_answers_count():
    triads = simulate(np.linspace(0, 1, 5)[:, None], 8, noise="logistic", seed=0)
    data = Triplets(
        np.sort(triads.rows, axis=1)[:, [1, 0, 2]][np.arange(80) // 10], triads.objects,
        pd.DataFrame({"participant": ["p"] * 80}),
    )
    floor = floor_of(MLDS(), data, groups_of(data, "participant"))
    assert floor.n_answers.tolist() == [80]


def test_nothing_is_said_of_people_on_thin_data():
    """80 answers about 100 objects: half of them were said to be predicted from their own."""
    data = crowd(4, 80, 100)
    floor = floor_of(METHOD, data, groups_of(data, "participant"))
    assert not floor.reached.any()
    found = who_predicts_whom(METHOD, data, folds=2)
    assert np.isnan(found.accuracy).all()
    assert found.relations.dropna().relation.tolist() == ["all others"]
    assert np.isnan(pooling_curve(METHOD, data, repeats=2).accuracy[:, 0]).all()
    assert np.isnan(errors_by_group(METHOD, data, folds=2).table.error[1:]).all()
    with pytest.raises(DataError, match=r"enough answers.*A map takes .* and they gave 80"):
        observer_maps(METHOD, data)


def test_who_gave_enough_is_spoken_of():
    data = crowd(3, 200, 12)
    assert np.isfinite(who_predicts_whom(METHOD, data, folds=2).accuracy).all()
    assert len(observer_maps(METHOD, data).maps) == 3
