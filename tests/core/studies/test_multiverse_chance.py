"""One p for conclusions about people in all analyses: the same bits, and silent on chance."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import tripletscope as ts
from tests.core.studies.test_multiverse import crowd
from tripletscope.core.data.errors import DataError
from tripletscope.core.models.embedding import STE
from tripletscope.core.studies.multiverse import chance
from tripletscope.core.studies.multiverse.chance import _other_people, multiverse_chance
from tripletscope.core.studies.multiverse.multiverse import multiverse

MAIN = STE(n_init=1)
QUICK = {"fewest": 1, "most": 2, "permutations": 19}


def two_maps():
    """Two groups of people with maps of their own, named by a column."""
    data = crowd(1, groups=2, each=60)
    return data.with_columns({"map": np.where(np.arange(720) // 60 % 2, "a", "b")})


def test_planted_groups_and_conditions_stand_more_often_than_by_chance():
    found = multiverse_chance(MAIN, two_maps(), conditions=["map", "one"], **QUICK)
    assert found.people == ["", "map", "one"]
    assert found.told.all(axis=1).tolist() == [True, True, False]
    assert (found.ranks[:2, 0, 0] <= 0.05).all()
    assert found.p[:2].max() <= 0.1, "at most one exchange of each of the two is as large"
    assert np.isnan(found.p[2]), "of one condition"
    assert found.n_exchanges == 19
    tried = multiverse(MAIN, two_maps(), methods=["ste"], conditions=["map", "one"], fewest=1,
                       most=2, clusters=False, folds=2, replicates=10)
    some = tried.tests_of_people[tried.n_components[tried.tests_of_people] > 1]
    assert tried.differ[some, 0].tolist() == (found.ranks[0, :, 0] == 0).tolist(), "the same test"


def test_groups_and_conditions_of_chance_have_no_small_p():
    """Conditions over people, and within them, and people who are alike.

    Rates: ``benchmarks/verdicts.py plans``.
    """
    rng = np.random.default_rng(0)
    for seed in range(3):
        data = crowd(seed, each=40)
        within = np.where(rng.integers(0, 2, len(data)), "a", "b")
        data = data.with_columns({"within": within, "some": np.arange(len(data)) < 360})
        found = multiverse_chance(
            MAIN, data, fewest=2, most=2, groups=seed == 0, conditions=["light", "within"],
            views=["some"] if seed else None, permutations=39 if seed else 19,
        )
        assert np.isfinite(found.p).all()
        assert (found.p > 0.05).all()


def until(share: float):
    return lambda fraction, **_: fraction >= share


def test_what_was_stopped_goes_on_with_the_same_bits(monkeypatch):
    def seen(method, answers, **_):  # in some exchanges, at no cost
        return answers.answers["participant"].iloc[0] < "p3"

    monkeypatch.setattr(chance, "sees_groups", seen)
    given = (MAIN, crowd(3, each=20, n_people=8))
    options = {**QUICK, "conditions": ["light"]}
    whole, parts = multiverse_chance(*given, **options), None
    for share in (0.01, 0.3, 0.6, 2.0):
        parts = multiverse_chance(*given, **options, begun=parts, progress=until(share))
        assert 0 < parts.done.sum() <= whole.done.sum()
        assert np.isfinite(parts.p).all() == (parts.n_exchanges > 0)
    assert whole.done.all()
    assert 0 < whole.ranks[0].mean() < 1, "of groups"
    for name in ("ranks", "told", "done", "p"):
        assert np.array_equal(getattr(parts, name), getattr(whole, name)), name
    fewer = multiverse_chance(*given, **options | {"permutations": 19, "groups": False})
    assert np.array_equal(fewer.ranks[0], whole.ranks[1]), "whatever else is tested"
    with pytest.raises(ValueError, match="other analyses"):
        multiverse_chance(*given, **options | {"permutations": 39}, begun=whole)


def test_runs_go_on_too():
    data, options = crowd(3, each=40), {**QUICK, "groups": False, "conditions": ["light", "one"]}
    begun = ts.run("multiverse_chance", MAIN, data, options, progress=until(0.5))
    assert not begun.complete
    whole = ts.run("multiverse_chance", MAIN, data, options, begun=begun)
    assert whole.complete
    one = ts.run("multiverse_chance", MAIN, data, options).result()
    assert np.array_equal(whole.result().ranks, one.ranks)


def test_who_is_exchanged_keeps_the_number_of_answers_in_every_view():
    data = crowd(1, each=30).with_columns({"half": np.arange(360) % 2 == 0})
    data = data.with_columns({"trial": np.arange(360) // 2 * 7})  # with answers in both views
    masks = [np.ones(360, dtype=bool), np.arange(360) < 180, np.arange(360) % 5 < 2]
    other = _other_people(data, [(mask, 2) for mask in masks], np.random.default_rng(0))
    before, after = (one.answers["participant"].to_numpy() for one in (data, other))
    assert (before != after).any()
    assert Counter(before) == Counter(after)
    each = np.arange(360) // 2
    assert all(len({*after[each == k]}) == 1 for k in range(180)), "a trial is of one person"
    inside = masks[1]
    assert Counter(before[inside]) == Counter(after[inside])


def test_at_most_five_conclusions_are_tested():
    data = crowd(1, each=10)
    for groups, conditions in ((False, []), (True, ["light"] * 5)):
        with pytest.raises(DataError, match="1 to 5 can be"):
            multiverse_chance(MAIN, data, groups=groups, conditions=conditions, **QUICK)
