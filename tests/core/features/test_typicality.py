"""Typical and odd objects: depths by hand, on planted places, and where nobody is typical."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import tripletscope as ts
from tests.crowds import answers_of
from tripletscope.core.features.typicality import CHANCE, lens_depth, typicality_in

N = 12
ANGLE = 2 * np.pi * np.arange(N) / N
RING = 1.5 * np.column_stack([np.cos(ANGLE), np.sin(ANGLE)])
CLOUD = np.random.default_rng(2).normal(size=(N, 2))
FAR = np.vstack([[5.0, 5.0], CLOUD[1:]])
SETS = np.array([(i, j, k) for i in range(N) for j in range(i) for k in range(j)])
TASKS = {"not odd": "odd_one_out", "central": "most_central"}


def sets_of(number, rng, often=None):
    """(t, 3) objects of trials; drawn with chances (n,)."""
    often = np.full(N, 1 / N) if often is None else often / often.sum()
    return np.array([rng.choice(N, 3, replace=False, p=often) for _ in range(number)])


def asked(sets, where, rng, role="not odd", people=1, worth=0.0):
    """Answers of people in turn about objects at places (n, d).

    worth (n,): What keeps an object from being odd, beside its place.
    """
    apart = ((where[:, None] - where) ** 2).sum(axis=2)
    i, j, k = sets.T
    across = np.stack([apart[j, k], apart[i, k], apart[i, j]], axis=1)
    pull = (across if role == "central" else -across) - (np.zeros(N) + worth)[sets]
    if role == "nearer":
        pull = np.column_stack([np.full(len(sets), -np.inf), -across[:, 2], -across[:, 1]])
    chosen, who = np.argmax(pull + rng.gumbel(size=pull.shape), axis=1), np.arange(len(sets))
    if role in TASKS:
        return answers_of(sets, chosen, who % people, N, TASKS[role])
    rows = np.where(chosen[:, None] == 1, sets, sets[:, [0, 2, 1]])
    return triplets(rows, participant=[f"p{k}" for k in who % people])


def triplets(rows, **columns):
    return ts.Triplets(rows, pd.DataFrame({"id": [f"o{k}" for k in range(N)]}),
                       pd.DataFrame(columns))


@pytest.mark.parametrize("role", CHANCE)
def test_depth_is_the_plain_share_where_every_set_is_shown_once(role):
    sets = SETS
    if role == "nearer":
        sets = np.vstack([np.roll(sets, k, axis=1) for k in range(3)])
    answers = asked(sets, CLOUD, np.random.default_rng(0), role)
    found = typicality_in(answers)
    assert found.role == role
    if role == "nearer":
        shown, said = answers.rows[:, 1:], answers.rows[:, 1]
    else:
        shown, said = sets, answers.rows[::2, 2 if role == "not odd" else 1]
    shown = np.bincount(shown.ravel())
    share = np.bincount(said, minlength=N) / shown
    assert found.n_answers.tolist() == shown.tolist()
    np.testing.assert_allclose(
        found.depth.value, 1 - share if role == "not odd" else share, atol=1e-9
    )
    assert found.depth.value.mean() == pytest.approx(CHANCE[role])


def test_lens_depth_by_hand():
    """On a line, an object is in the lens of two if it is between them."""
    line = np.column_stack([[0.0, 1.0, 2.0, 3.0, np.nan], np.zeros(5)])
    np.testing.assert_allclose(lens_depth(line), [0, 2 / 3, 2 / 3, 0, np.nan])
    assert np.isnan(lens_depth(line[-3:])).all()
    many = np.random.default_rng(0).normal(size=(400, 2))
    assert np.corrcoef(lens_depth(many), np.linalg.norm(many, axis=1))[0, 1] < -0.9


@pytest.mark.parametrize("role", CHANCE)
def test_the_far_object_is_odd_and_ranks_hold(role):
    rng = np.random.default_rng(1)
    found = typicality_in(asked(sets_of(2500, rng), FAR, rng, role, people=20), FAR)
    assert (found.differs, found.side[0], found.lowest[0]) == (True, -1, N)
    assert found.depth.value[0] == found.depth.value.min()
    assert found.depth.low[0] == 0
    assert found.depth.over == ("participants", 20)
    assert (found.highest <= found.lowest).all()
    assert found.agreement > 0.6
    assert 0.4 < found.company < 0.6


def test_hard_company_does_not_make_an_object_odd():
    """Some are mostly shown with two typical ones: plain shares blame them for that."""
    rng = np.random.default_rng(3)
    hard = np.column_stack([rng.integers(2, 7, 3000), np.tile([0, 1], (3000, 1))])
    sets = np.vstack([sets_of(3000, rng), hard])
    answers = asked(sets, np.zeros((N, 2)), rng, worth=np.where(np.arange(N) < 2, 0.8, 0.0))
    odd = np.bincount(answers.rows[::2, 2], minlength=N)
    plain, found = 1 - odd / np.bincount(sets.ravel()), typicality_in(answers).depth.value
    blamed, left = (share[7:].mean() - share[2:7].mean() for share in (plain, found))
    assert blamed > 0.06
    assert abs(left) < 0.03


def test_a_few_trials_of_rare_objects_do_not_outweigh_all_others():
    rng = np.random.default_rng(4)
    sets = sets_of(2000, rng, np.where(np.arange(N) < 10, 1.0, 0.0))
    few = [[0, 10, 11], [0, 10, 1], [2, 10, 11], [3, 11, 0], [0, 10, 4], [5, 11, 0]]
    without, rare = (
        typicality_in(asked(some, CLOUD, rng)).depth for some in (sets, np.vstack([sets, few]))
    )
    shares = (one.value[0] - one.value[:10].mean() for one in (without, rare))
    assert abs(np.subtract(*shares)) < 0.08


@pytest.mark.parametrize("kind", ["ring", "coins", "same questions", "popular objects",
                                  "own thoughts", "few trials", "ratings"])
def test_nothing_is_found_where_no_object_is_more_typical(kind):
    """Rates: ``benchmarks/verdicts.py typicality``."""
    for seed in range(4):
        rng = np.random.default_rng([seed, 7])
        where = np.zeros((N, 2)) if kind in ("coins", "own thoughts") else RING
        sets = sets_of(60 if kind == "few trials" else 900, rng,
                       1 / (1 + rng.permutation(N)) if kind == "popular objects" else None)
        if kind == "same questions":
            sets = np.tile(sets[:60], (15, 1))
        if kind == "own thoughts":  # each person sees one object half as often: never as odd one
            own = rng.integers(N, size=15)[np.arange(900) % 15]
            sets = sets[(sets != own[:, None]).all(axis=1) | (rng.random(900) < 0.5)]
        role = "nearer" if seed % 2 else "not odd"
        answers = asked(sets, where, rng, role, people=1 if kind == "few trials" else 15)
        if kind == "ratings":
            answers = rated(rng.normal(size=(3, N, N)))
        found = typicality_in(answers)
        assert not found.differs
        assert not found.side.any()


def rated(ratings):
    """All comparisons of ratings of pairs by people (p, n, n)."""
    rows, who = [], []
    for k, one in enumerate(np.tril(ratings, -1)):
        near = one + one.T
        for turn in range(3):
            for a, b, c in np.roll(SETS, turn, axis=1):
                rows.append((a, b, c) if near[a, b] > near[a, c] else (a, c, b))
        who += [k] * 3 * len(SETS)
    return triplets(rows, held_together=who)


def test_neighbours_as_company_are_noticed():
    rng = np.random.default_rng(5)
    near = np.argsort(((RING[:, None] - RING) ** 2).sum(axis=2), axis=1)[:, 1:3]
    first = rng.integers(N, size=600)
    answers = asked(np.column_stack([first, near[first]]), RING, rng)
    assert typicality_in(answers, RING).are_alike
    assert not typicality_in(answers).are_alike
    assert not typicality_in(asked(sets_of(600, rng), RING, rng), RING).are_alike


def test_objects_that_nothing_compares_with_the_others_have_no_depth():
    rng = np.random.default_rng(6)
    sets = sets_of(300, rng)
    sets = np.vstack([sets[(sets < 9).all(axis=1)], np.tile([9, 10, 11], (5, 1))])
    found = typicality_in(asked(sets, CLOUD, rng))
    assert np.isfinite(found.depth.value).tolist() == [True] * 9 + [False] * 3
    assert (found.lowest[9:] == 0).all()
    assert sorted(found.order) == [*range(9)]


def test_each_choice_of_a_ranking_counts():
    rng = np.random.default_rng(7)
    rows = []
    for _ in range(300):
        anchor, *options = rng.choice(N, 5, replace=False)
        order = sorted(options, key=lambda i: np.sum((FAR[i] - FAR[anchor]) ** 2) + rng.gumbel())
        rows += [(anchor, order[a], order[b]) for a in range(4) for b in range(a + 1, 4)]
    found = typicality_in(triplets(rows, trial=np.repeat(np.arange(300), 6)))
    assert (found.role, found.order[-1], found.side[0]) == ("nearer", 0, -1)
    assert found.n_answers.sum() == 300 * (4 + 3 + 2)


def test_too_few_objects_and_pairs_of_pairs_are_refused():
    for rows in (np.zeros((0, 3), dtype=int), [[0, 1, 2]] * 4):
        with pytest.raises(ts.DataError, match="fewer than three objects"):
            typicality_in(triplets(rows))
    with pytest.raises(ts.DataError, match="not triplets"):
        typicality_in(ts.Quadruples([[0, 1, 2, 3]]))
