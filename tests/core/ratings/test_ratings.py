"""Ratings, piles and arrangements: dissimilarities, their errors, and comparisons."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tests.core.ratings.planted import arranged, names, points, rated, sorted_into_piles
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.geometry import distances, procrustes_disparity
from tripletscope.core.inference.held_out.score import cross_validate, question_folds
from tripletscope.core.models.embedding import MDS, NMDS, STE
from tripletscope.core.ratings import Arrangements, Piles, Ratings
from tripletscope.core.ratings.dissimilarities import compared, pair_number
from tripletscope.core.ratings.kinds import measured

UPPER = np.triu_indices(15, 1)


@pytest.fixture(scope="module")
def truth() -> np.ndarray:
    return points(15)


def test_pairs_are_numbered_as_numpy_does():
    first, second = UPPER
    assert np.array_equal(pair_number(second, first, 15), np.arange(105))


def test_means_and_errors_are_those_over_raters(truth):
    table = rated(truth, 12)
    found = Ratings(table).dissimilarities()
    wide = table.pivot_table(index=["item1", "item2"], columns="participant", values="rating")
    apart = table["rating"].max() - wide.to_numpy()
    assert np.allclose(found.mean[UPPER], apart.mean(axis=1))
    assert np.allclose(found.standard_error[UPPER], apart.std(axis=1, ddof=1) / np.sqrt(12))
    assert np.allclose(found.replicates.std(axis=0)[UPPER], found.standard_error[UPPER], rtol=0.3)
    ratio = found.replicates.std(axis=0)[UPPER].sum() / found.standard_error[UPPER].sum()
    assert ratio == pytest.approx(1, abs=0.05)
    assert (found.count[UPPER] == 12).all()
    assert (found.n_raters, found.unit) == (12, "raters")
    assert procrustes_disparity(NMDS(n_init=2).fit_dissimilarities(found.mean).embedding_,
                                truth) < 0.03
    assert found.weights[UPPER].mean() == pytest.approx(1)


def test_direction_and_standards(truth):
    table = rated(truth, 4)
    turned = table.assign(rating=7 - table["rating"])
    same = Ratings(turned, direction="dissimilar").dissimilarities(0)
    assert np.allclose(same.mean, Ratings(table).dissimilarities(0).mean)
    # A rater who uses half of the scale counts as much as the others.
    half = table["participant"] == "p1"
    cramped = table.assign(rating=np.where(half, 3 + table["rating"] / 3, table["rating"]))
    for how in ("z", "range"):
        plain = Ratings(table, standardise=how).dissimilarities(0).mean
        assert np.corrcoef(plain[UPPER], Ratings(
            cramped, standardise=how).dissimilarities(0).mean[UPPER])[0, 1] > 1 - 1e-9
    with pytest.raises(DataError, match="P1 gave all pairs the same rating"):
        Ratings(table.assign(rating=np.where(half, 3, table["rating"])), standardise="z")
    with pytest.raises(DataError, match="below zero: -1"):
        Ratings(table.assign(rating=-1.0), direction="dissimilar")
    with pytest.raises(DataError, match="row 2: 'often'"):
        Ratings(pd.DataFrame({"item1": list("abc"), "item2": list("bca"),
                              "rating": ["1", "2", "often"]}))


def test_one_rater_has_errors_where_pairs_are_repeated(truth):
    once = rated(truth, 1).drop(columns="participant")
    alone = Ratings(once).dissimilarities()
    assert np.isnan(alone.standard_error[UPPER]).all()
    assert len(alone.replicates) == 0
    assert set(alone.weights[UPPER]) == {1.0}
    thrice = rated(truth, 3).drop(columns="participant")
    found = Ratings(thrice).dissimilarities()
    assert (found.unit, found.n_raters) == ("trials", 0)
    assert len(set(found.standard_error[UPPER])) == 1
    assert found.replicates.std(axis=0)[UPPER].mean() == pytest.approx(
        found.standard_error[0, 1], rel=0.05
    )


def test_pairs_that_nobody_rated_are_unknown_and_have_no_weight(truth):
    table = rated(truth, 8, share=0.3)
    found = Ratings(table).dissimilarities()
    unknown = np.isnan(found.mean[UPPER])
    assert unknown.any()
    assert not found.weights[UPPER][unknown].any()
    fitted = MDS(n_init=4).fit_dissimilarities(found.mean, weights=found.weights)
    assert procrustes_disparity(fitted.embedding_, truth) < 0.15


def test_a_raters_comparisons_are_his_own_and_have_no_ties(truth):
    table = rated(truth, 3)
    answers = Ratings(table).triplets()
    place = {name: i for i, name in enumerate(names(15))}
    for rater, own in table.groupby("participant"):
        square = np.zeros((15, 15))
        first, second = own["item1"].map(place), own["item2"].map(place)
        square[first, second] = square[second, first] = 7 - own["rating"]
        given = answers.rows[answers.answers["participant"] == rater]
        assert (square[given[:, 0], given[:, 1]] < square[given[:, 0], given[:, 2]]).all()
        untied = sum(
            square[a, b] != square[a, c] for a in range(15) for b in range(15) for c in range(b)
            if a not in (b, c)
        )
        assert len(given) == untied
    each = answers.answers.groupby("participant", observed=True)["weight"].sum()
    assert np.allclose(each, 52.5)
    assert procrustes_disparity(STE().fit(answers).embedding_, truth) < 0.12


def test_what_a_rater_said_is_held_out_together(truth):
    answers = Ratings(rated(truth, 6)).triplets(most=6_000)
    fold = question_folds(answers, 3, np.random.default_rng(0))
    told = answers.answers.assign(fold=fold).groupby("participant", observed=True)["fold"]
    assert set(told.nunique()) == {1}
    assert answers.grouped_by == "trial"
    assert cross_validate(STE(n_init=1), answers, folds=3).error < 0.3


def test_of_many_comparisons_some_are_drawn(truth):
    answers = Ratings(rated(truth, 8)).triplets(most=320)
    assert len(answers) == 320
    assert answers.weight.max() == 1.0
    again = Ratings(rated(truth, 8)).triplets(most=320)
    assert np.array_equal(again.rows, answers.rows)
    square = distances(points(170))
    drawn = compared(square, 0.0, 1000, np.random.default_rng(0))
    assert len(np.unique(drawn, axis=0)) == 1000
    assert (square[drawn[:, 0], drawn[:, 1]] < square[drawn[:, 0], drawn[:, 2]]).all()


def test_matrices_are_ratings(truth):
    table = rated(truth, 2)
    rows = {}
    for rater, own in table.groupby("participant"):
        square = np.full((15, 15), np.nan)
        square[UPPER] = own["rating"]
        rows[rater] = np.where(np.isnan(square), square.T, square)
    found = Ratings.from_matrices(rows, list(names(15)))
    assert np.array_equal(found.dissimilarities(0).mean, Ratings(table).dissimilarities(0).mean)
    assert len(found.table) == 2 * 105  # the two halves are one judgement
    alone = Ratings.from_matrices([rows["p0"]]).dissimilarities()
    assert len(alone.replicates) == 0
    uneven = Ratings.from_matrices([np.array([[0, 1, 2], [2, 0, 3], [2, 4, 0.0]])])
    assert uneven.dissimilarities().count[0, 1] == 2
    with pytest.raises(DataError, match="has shape"):
        Ratings.from_matrices([np.ones((3, 4))])


def test_piles(truth):
    table = sorted_into_piles(truth, 20)
    piles = Piles(table)
    found = piles.dissimilarities()
    wide = table.pivot_table(index="item", columns="participant", values="pile").to_numpy()
    together = (wide[:, None] == wide[None]).mean(axis=2)
    assert np.allclose(found.mean, 1 - together)
    spread = np.sqrt(together * (1 - together) / 19)
    assert np.allclose(found.standard_error[UPPER], spread[UPPER])
    assert found.weights.max() < 10  # pairs on which all agree are not infinitely certain
    answers = piles.triplets()
    assert answers.weight.sum() == pytest.approx(20 * 15 / 3)
    who = answers.answers["participant"].cat.codes.to_numpy()
    order = list(piles.raters)
    of = table.pivot_table(index="item", columns="participant", values="pile")[order].to_numpy()
    anchor, near, far = answers.rows.T
    assert (of[anchor, who] == of[near, who]).all()
    assert (of[anchor, who] != of[far, who]).all()
    assert procrustes_disparity(STE().fit(answers).embedding_, truth) < 0.12


def test_objects_in_several_piles_are_together_by_what_piles_they_share():
    table = pd.DataFrame({"participant": "ann", "item": list("aabbc"), "pile": list("12232")})
    found = Piles(table).dissimilarities()
    assert np.allclose(found.mean[0], [0, 1 - 1 / 3, 0.5])
    assert len(found.replicates) == 0


def test_arrangements_are_brought_to_one_size(truth):
    """Of sets that fill the screen, however far apart their objects are."""
    apart = distances(truth)[UPPER]
    exact = Arrangements(arranged(truth, 1, 20, 6, noise=0.0)).dissimilarities()
    known = np.isfinite(exact.mean[UPPER])
    assert np.corrcoef(exact.mean[UPPER][known], apart[known])[0, 1] > 1 - 1e-6
    assert exact.unit == "trials"
    table = arranged(truth, 6, 6, 8)
    found = Arrangements(table).dissimilarities()
    assert (found.unit, found.n_raters) == ("raters", 6)
    scale = found.mean[UPPER] @ apart / (apart @ apart)
    missed = (found.mean[UPPER] - scale * apart) / found.standard_error[UPPER]
    assert 0.7 < np.sqrt(np.nanmean(missed**2)) < 2.0
    with pytest.raises(DataError, match="twice in one arrangement"):
        Arrangements(table.drop(columns="trial"))


def test_comparisons_within_arrangements_leave_out_what_is_close(truth):
    table = arranged(truth, 3, 4, 8)
    few, many = Arrangements(table, margin=0.3).triplets(), Arrangements(table, margin=0).triplets()
    assert len(many) == 12 * 8 * 21
    assert len(few) < 0.8 * len(many)
    assert many.weight.sum() == pytest.approx(12 * (8 - 2))
    assert many.n_trials == 3
    right = distances(truth)

    def share(answers):
        anchor, near, far = answers.rows.T
        return np.mean(right[anchor, near] < right[anchor, far])

    assert share(few) > share(many) + 0.02


@pytest.mark.parametrize("given", [
    Ratings(rated(points(6), 3), standardise="z"), Piles(sorted_into_piles(points(6), 3)),
    Arrangements(arranged(points(6), 2, 2, 5), margin=0.2),
])
def test_table_and_options_make_the_same_again(given):
    again = measured(given.kind, given.table, given.options)
    assert np.array_equal(again.dissimilarities().replicates, given.dissimilarities().replicates,
                          equal_nan=True)
    assert np.array_equal(again.triplets().rows, given.triplets().rows)


def test_intervals_hold_the_truth():
    """Of dissimilarities over raters, in 150 experiments with eight raters."""
    truth = distances(points(6))[np.triu_indices(6, 1)]
    held, number = 0, 0
    for seed in range(150):
        rng = np.random.default_rng(seed)
        seen = truth + rng.normal(0, 0.5, (8, 15))
        first, second = np.triu_indices(6, 1)
        table = pd.concat([pd.DataFrame({
            "participant": str(k), "item1": names(6)[first], "item2": names(6)[second],
            "rating": seen[k] + 5,
        }) for k in range(8)])
        found = Ratings(table, direction="dissimilar").dissimilarities(0)
        off = np.abs(found.mean[first, second] - truth - 5) / found.standard_error[first, second]
        held, number = held + np.count_nonzero(off < 2.365), number + 15  # Student's of 7 degrees
    assert 0.93 < held / number < 0.97


def test_objects_in_no_pile_are_not_in_one_together():
    table = pd.DataFrame({
        "participant": ["x"] * 4 + ["y"] * 4, "item": list("abcd") * 2,
        "pile": ["1", "1", None, " ", "1", "1", "2", "3"],
    })
    piles = Piles(table)
    assert "2 rows without a pile are omitted" in piles.notes[0]
    assert piles.dissimilarities().mean[2, 3] == 1
    assert piles.dissimilarities().count[2, 3] == 1
    with pytest.raises(DataError, match="no object in column item"):
        Piles(table.assign(item=["a", "b", None, "d"] * 2))


# Further columns ----------------------------------------------------------------------------------


def test_comparisons_have_what_both_ratings_share(truth):
    """A group of people, and a condition where it is the same; a time is of one rating alone."""
    table = rated(truth, 6)
    rng = np.random.default_rng(0)
    table["group"] = np.where(table["participant"] < "p3", "old", "young")
    table["light"] = rng.choice(["dim", "bright"], len(table))
    table["seconds"] = rng.random(len(table))
    own = table.assign(item2=table["item1"], rating=7.0).drop_duplicates(["participant", "item1"])
    data = Ratings(pd.concat([own.assign(light="dark"), table], ignore_index=True))
    answers = data.triplets().answers
    assert "seconds" not in answers
    assert (answers["group"] == np.where(answers["participant"].astype(str) < "p3", "old", "young")
            ).all()
    light = {(row.participant, frozenset((row.item1, row.item2))): row.light
             for row in table.itertuples()}
    for (anchor, near, far), who, found in zip(
        np.array(data.ids)[data.triplets().rows], answers["participant"], answers["light"],
        strict=True,
    ):
        one, other = light[who, frozenset((anchor, near))], light[who, frozenset((anchor, far))]
        assert found == one if one == other else pd.isna(found)
    again = measured(data.kind, data.table, data.options)
    assert again.fingerprint == data.fingerprint != Ratings(data.table[[*data.columns]]).fingerprint


def test_a_mark_in_some_rows_says_nothing_of_the_others(truth):
    table = rated(truth, 3).assign(again="")
    table.loc[table.index % 2 == 0, "again"] = "yes"
    answers = Ratings(table).triplets().answers
    assert 0.1 < answers["again"].notna().mean() < 0.5


@pytest.mark.parametrize(("kind", "make"), [
    (Piles, sorted_into_piles), (Arrangements, lambda truth, n: arranged(truth, n, 2, 10)),
])
def test_what_is_known_of_people_is_known_of_their_comparisons(truth, kind, make):
    table = make(truth, 4)
    people = sorted(table["participant"].unique())
    sex = dict(zip(people, "fmfm", strict=True))
    table = table.assign(sex=table["participant"].map(sex), place=np.arange(len(table)))
    answers = kind(table).triplets().answers
    assert answers["sex"].tolist() == [sex[who] for who in answers["participant"]]
    assert "place" not in answers
