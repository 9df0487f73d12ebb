"""Typical and odd objects: depths by hand, on planted places, and where nobody is typical."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import tripletscope as ts
from tripletscope.core.features.typicality import CHANCE, lens_depth, typicality_in

N = 12
ANGLE = 2 * np.pi * np.arange(N) / N
RING = 1.5 * np.column_stack([np.cos(ANGLE), np.sin(ANGLE)])
CLOUD = np.random.default_rng(2).normal(size=(N, 2))
FAR = np.vstack([[5.0, 5.0], CLOUD[1:]])


def sets_of(number, rng, often=None):
    """(t, 3) objects of trials; drawn with chances (n,)."""
    often = np.full(N, 1 / N) if often is None else often / often.sum()
    return np.array([rng.choice(N, 3, replace=False, p=often) for _ in range(number)])


def asked(sets, where, rng, role="not odd", people=0, worth=0.0):
    """Answers, of people in turn if there are any, about objects at places (n, d).

    worth (n,): What keeps an object from being odd, beside its place.
    """
    apart = ((where[:, None] - where) ** 2).sum(axis=2)
    i, j, k = sets.T
    across = np.stack([apart[j, k], apart[i, k], apart[i, j]], axis=1)
    pull = {"not odd": -across, "central": across}.get(role)
    if pull is None:
        pull = np.column_stack([np.full(len(sets), -np.inf), -across[:, 2], -across[:, 1]])
    pull = pull - (np.zeros(N) + worth)[sets]
    chosen = np.argmax(pull + rng.gumbel(size=pull.shape), axis=1)
    a, b, c = np.take_along_axis(sets, (chosen[:, None] + [1, 2, 3]) % 3, axis=1).T
    who, trial = np.arange(len(sets)) % max(people, 1), np.arange(len(sets))
    if role == "nearer":
        rows = np.column_stack([sets[:, 0], c, np.where(chosen == 1, sets[:, 2], sets[:, 1])])
    else:
        rows = np.vstack([np.column_stack(one) for one in (
            ((a, b, c), (b, a, c)) if role == "not odd" else ((a, c, b), (b, c, a))
        )])
        who, trial = np.tile(who, 2), np.tile(trial, 2)
    table = {"trial": trial} | ({"participant": [f"p{k}" for k in who]} if people else {})
    objects = pd.DataFrame({"id": [f"o{k}" for k in range(N)]})
    return ts.Triplets(rows, objects, pd.DataFrame(table))


def rated(ratings):
    """All comparisons of ratings of pairs by people (p, n, n)."""
    rows, who = [], []
    for k, one in enumerate(ratings):
        near = np.tril(one, -1) + np.tril(one, -1).T
        for i, j, m in every_set():
            for a, b, c in ((i, j, m), (j, i, m), (m, i, j)):
                rows.append((a, b, c) if near[a, b] > near[a, c] else (a, c, b))
                who.append(k)
    objects = pd.DataFrame({"id": [f"o{k}" for k in range(N)]})
    return ts.Triplets(rows, objects, pd.DataFrame({"held_together": who}))


def every_set():
    return np.array([(i, j, k) for i in range(N) for j in range(i) for k in range(j)])


@pytest.mark.parametrize("role", CHANCE)
def test_depth_is_the_plain_share_where_every_set_is_shown_once(role):
    rng = np.random.default_rng(0)
    sets = every_set()
    if role == "nearer":
        sets = np.vstack([np.roll(sets, k, axis=1) for k in range(3)])
    answers = asked(sets, CLOUD, rng, role)
    found = typicality_in(answers)
    assert found.role == role
    if role == "nearer":
        shown = np.bincount(answers.rows[:, 1:].ravel())
        share = np.bincount(answers.rows[:, 1], minlength=N) / shown
    else:
        shown = np.bincount(sets.ravel())
        share = np.bincount(answers.rows[: len(sets), 2 if role == "not odd" else 1],
                            minlength=N) / shown
        share = 1 - share if role == "not odd" else share
    assert found.n_answers.tolist() == shown.tolist()
    np.testing.assert_allclose(found.depth.value, share, atol=1e-9)
    assert found.depth.value.mean() == pytest.approx(CHANCE[role])


def test_lens_depth_by_hand():
    """On a line, an object is in the lens of two if it is between them."""
    line = np.column_stack([[0.0, 1.0, 2.0, 3.0, np.nan], np.zeros(5)])
    np.testing.assert_allclose(lens_depth(line), [0, 2 / 3, 2 / 3, 0, np.nan])
    assert np.isnan(lens_depth(line[-3:])).all()
    many = np.random.default_rng(0).normal(size=(400, 2))
    some, far = lens_depth(many), np.linalg.norm(many, axis=1)
    assert np.corrcoef(some, far)[0, 1] < -0.9


@pytest.mark.parametrize("role", CHANCE)
def test_the_far_object_is_odd_and_ranks_hold(role):
    found = typicality_in(asked(sets_of(2500, np.random.default_rng(1)), FAR,
                                np.random.default_rng(2), role, people=20), FAR)
    assert (found.differs, found.side[0], found.lowest[0]) == (True, -1, N)
    assert found.depth.value[0] == found.depth.value.min()
    assert found.depth.over == ("participants", 20)
    assert (found.highest <= found.lowest).all()
    assert found.agreement > 0.6
    assert 0.4 < found.company < 0.6
    assert (found.depth.low[1:] <= found.depth.value[1:]).all()


def test_hard_company_does_not_make_an_object_odd():
    """Half of all are mostly shown with two typical ones: plain shares blame them for that."""
    rng = np.random.default_rng(3)
    sets = sets_of(3000, rng)
    hard = np.column_stack([rng.integers(2, 7, 3000), np.tile([0, 1], (3000, 1))])
    sets = np.vstack([sets, hard])
    answers = asked(sets, np.zeros((N, 2)), rng, worth=np.where(np.arange(N) < 2, 0.8, 0.0))
    odd = np.bincount(answers.rows[: len(sets), 2], minlength=N)
    plain, found = 1 - odd / np.bincount(sets.ravel()), typicality_in(answers).depth.value

    def behind(share):
        return share[7:].mean() - share[2:7].mean()

    assert behind(plain) > 0.06
    assert abs(behind(found)) < 0.03


@pytest.mark.parametrize("kind", ["ring", "coins", "same questions", "popular objects",
                                  "own thoughts", "few trials", "ratings"])
def test_nothing_is_found_where_no_object_is_more_typical(kind):
    """At most 3 of 20 at a rate of 5 %; with more, p < .02."""
    alarms = 0
    for seed in range(20):
        rng = np.random.default_rng([seed, 7])
        where = np.zeros((N, 2)) if kind in ("coins", "own thoughts") else RING
        sets = sets_of(60 if kind == "few trials" else 900, rng,
                       1 / (1 + rng.permutation(N)) if kind == "popular objects" else None)
        if kind == "same questions":
            sets = np.tile(sets[:60], (15, 1))
        role = "nearer" if seed % 2 else "not odd"
        answers = asked(sets, where, rng, role, people=0 if kind == "few trials" else 15)
        if kind == "own thoughts":  # of one object each: always, or never, the odd one
            who = np.arange(900) % 15
            own = rng.integers(N, size=15)[who]
            keep = (sets != own[:, None]).all(axis=1) | (rng.random(900) < 0.5)
            answers = asked(sets[keep], where, rng, role, people=15)
        if kind == "ratings":
            answers = rated(rng.normal(size=(3, N, N)))
        found = typicality_in(answers)
        alarms += found.differs
        if not found.differs:
            assert not found.side.any()
    assert alarms <= 3


def test_neighbours_as_company_are_noticed():
    rng = np.random.default_rng(5)
    near = np.argsort(((RING[:, None] - RING) ** 2).sum(axis=2), axis=1)[:, 1:4]
    first = rng.integers(N, size=600)
    sets = np.column_stack([first, *(near[first, k] for k in (0, 1))])
    assert typicality_in(asked(sets, RING, rng), RING).are_alike
    assert not typicality_in(asked(sets_of(600, rng), RING, rng), RING).are_alike
    assert not typicality_in(asked(sets, RING, rng)).are_alike


def test_objects_that_nothing_compares_with_the_others_have_no_depth():
    rng = np.random.default_rng(6)
    sets = sets_of(300, rng)
    sets = sets[(sets < 9).all(axis=1)]
    apart = np.tile([9, 10, 11], (5, 1))
    found = typicality_in(asked(np.vstack([sets, apart]), CLOUD, rng))
    assert np.isfinite(found.depth.value).tolist() == [True] * 9 + [False] * 3
    assert (found.lowest[9:] == 0).all()
    assert sorted(found.order) == [*range(9)]


def test_each_choice_of_a_ranking_counts():
    rng = np.random.default_rng(7)
    rows, trial = [], []
    for t in range(300):
        anchor, *options = rng.choice(N, 5, replace=False)
        order = sorted(options, key=lambda i: np.sum((FAR[i] - FAR[anchor]) ** 2) + rng.gumbel())
        pairs = [(anchor, order[a], order[b]) for a in range(4) for b in range(a + 1, 4)]
        rows += pairs
        trial += [t] * len(pairs)
    objects = pd.DataFrame({"id": [f"o{k}" for k in range(N)]})
    found = typicality_in(ts.Triplets(rows, objects, pd.DataFrame({"trial": trial})))
    assert (found.role, found.order[-1], found.side[0]) == ("nearer", 0, -1)
    assert found.n_answers.sum() == 300 * (4 + 3 + 2)


def test_too_few_objects_and_pairs_of_pairs_are_refused():
    with pytest.raises(ts.DataError, match="fewer than three objects"):
        typicality_in(ts.Triplets([[0, 1, 2]] * 4, pd.DataFrame({"id": list("abc")})))
    with pytest.raises(ts.DataError, match="not triplets"):
        typicality_in(ts.Quadruples([[0, 1, 2, 3]]))
