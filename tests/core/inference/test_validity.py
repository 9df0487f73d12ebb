"""What is in doubt is known, and nothing is of sound answers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import pdist, squareform
from scipy.stats import rankdata

import tripletscope as ts
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.inference import validity
from tripletscope.core.inference.validity import (
    Doubt,
    by_gravity,
    copies,
    degenerate,
    doubts,
    parts_of,
    tied_cut,
    weak_links,
)
from tripletscope.core.models.simulation.simulate import answer, random_questions, simulate
from tripletscope.core.similarity.clusters.dendrogram import Dendrogram


def codes(*given, **further) -> list[str]:
    return [doubt.code for doubt in doubts(*given, **further)]


def of_people(rows: list[np.ndarray], n_objects: int = 12) -> Triplets:
    who = np.repeat([f"p{k}" for k in range(len(rows))], [len(each) for each in rows])
    objects = pd.DataFrame({"id": [f"o{k}" for k in range(n_objects)]})
    return Triplets(np.concatenate(rows), objects, pd.DataFrame({"participant": who}))


def asked(seed: int, number: int = 60, *, flips: float = 0.1, order: int | None = None):
    rng = np.random.default_rng(seed)
    truth = np.random.default_rng(0).normal(size=(12, 2))
    questions = random_questions(12, number, np.random.default_rng(order or seed))
    return answer(truth, questions, rng, noise="flip", level=flips)


def test_sound_answers_and_their_map_leave_no_doubt():
    answers = of_people([asked(k) for k in range(6)])
    fitted = ts.STE().fit(answers)
    error = ts.cross_validate(ts.STE(), answers)
    assert codes(answers, fitted, error=error) == []


def test_answers_are_looked_through_once(monkeypatch):
    answers = of_people([asked(k) for k in range(3)])
    assert codes(answers) == []
    monkeypatch.setattr(validity, "copies", lambda answers: pytest.fail("looked again"))
    assert codes(answers, ts.STE(n_init=1).fit(answers)) == []


def test_coins_are_guesses():
    rng = np.random.default_rng(1)
    coins = of_people([rng.random((100, 12)).argsort(axis=1)[:, :3] for _ in range(4)])
    assert codes(coins, error=ts.cross_validate(ts.STE(), coins)) == ["guessing"]


def apart_by_clusters() -> Triplets:
    """Clusters far apart, whose answers have no heavy tails."""
    corners = np.repeat([[1.0, 1.0], [-1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]], 6, axis=0)
    truth = 3 * corners + 0.6 * np.random.default_rng(0).normal(size=corners.shape)
    return simulate(truth, 8000, noise="logistic", seed=1)


def test_another_method_that_predicts_better_is_named_and_one_that_does_not_is_not():
    answers = apart_by_clusters()
    errors = {
        "t-STE": ts.cross_validate(ts.TSTE(alpha=1.0, n_init=2), answers),
        "STE": ts.cross_validate(ts.STE(n_init=2), answers),
    }
    (doubt,) = doubts(answers, error=errors["t-STE"], others=errors)
    assert (doubt.code, doubt.values["best"]) == ("another method", "STE")
    much, low, high = doubt.values["much"]
    assert 0 < low < much < high
    assert much == pytest.approx(errors["t-STE"].error - errors["STE"].error)
    given = doubts(answers, error=errors["t-STE"], others=errors, ratio=0.25)
    assert given[0].values == doubt.values
    assert doubts(answers, error=errors["STE"], others=errors) == []


def chosen(seed: int, strength: float) -> Triplets:
    """Answers by liking, whatever the anchor, or by a map whose objects have unequal noise."""
    rng = np.random.default_rng(seed)
    rows, n = random_questions(14, 1500, rng), 1500
    if strength:
        worth = strength * rng.normal(size=14)[rows[:, 1:]]
        turned = rng.random(n) > 1 / (1 + np.exp(worth[:, 1] - worth[:, 0]))
    else:
        noise = 0.5 * np.exp(0.6 * rng.normal(size=14))[rows][:, :, None]
        seen = rng.normal(size=(14, 2))[rows] + noise * rng.normal(size=(n, 3, 2))
        near, far = (np.linalg.norm(seen[:, 0] - seen[:, k], axis=1) for k in (1, 2))
        turned = near > far
    rows[turned, 1:] = rows[turned, :0:-1]
    return Triplets.from_array(rows, 14)


@pytest.mark.parametrize("seed", [0, 1])
def test_popularity_is_told_of_likings_and_not_of_central_objects(seed):
    method = ts.STE(n_init=1)
    for answers, has in ((chosen(seed, 1.2), True), (chosen(seed, 0.0), False)):
        error = ts.cross_validate(method, answers)
        found = {doubt.code for doubt in doubts(answers, error=error)}
        assert ("popularity" in found) == ("popularity" in error.doubted) == has
        halves = answers.with_columns({"split": np.where(np.arange(1500) % 3, "train", "test")})
        assert ("popularity" in ts.run("split_error", method, halves).doubted) == has


@pytest.mark.parametrize("seed", [0, 1])
def test_popularity_is_told_of_one_set_of_ratings(seed):
    """Errors that go to preferred responses, whatever the stimulus; the interval is over folds."""
    rng = np.random.default_rng(seed)
    share = np.exp(1.2 * rng.normal(size=(1, 14)) + np.zeros((14, 1))) * ~np.eye(14, dtype=bool)
    share *= 0.4 / share.sum(axis=1, keepdims=True)
    share[np.diag_indices(14)] = 0.6
    counts = np.stack([rng.multinomial(200, row) for row in share])
    answers = ts.ratings.Confusions.from_matrix(counts).triplets()
    assert answers.is_one_rating
    error = ts.cross_validate(ts.STE(n_init=1), answers)
    assert np.isfinite(error.popularity).all()
    assert error.doubted


def test_among_guesses_nobody_is_better():
    guesses, other = Doubt("guessing"), Doubt("another method")
    assert by_gravity([Doubt("copies"), other, None, guesses])[0] is guesses
    assert [one.code for one in by_gravity([Doubt("copies"), other, guesses])] == [
        "guessing", "copies",
    ]
    assert [one.code for one in by_gravity([Doubt("copies"), other])] == [
        "another method", "copies",
    ]


def test_groups_that_no_answer_connects_are_parts():
    two = simulate(np.random.default_rng(0).normal(size=(6, 2)), 100, seed=1).rows
    answers = of_people([two, two[::-1] + 6])
    (parts,) = doubts(answers)
    assert parts.code == "parts"
    assert parts.values == {"number": 2}
    assert set(parts.objects) in ({*range(6)}, {*range(6, 12)})
    joined = of_people([two, two[::-1] + 6, np.array([[0, 6, 7]])])
    assert codes(joined) == ["weak links"]
    joined = of_people([two, two[::-1] + 6, np.array([[0, 6, 7], [1, 8, 9], [2, 10, 11]])])
    assert codes(joined) == []


def random_triplets(n: int, number: int, seed: int) -> Triplets:
    return Triplets.from_array(np.random.default_rng(seed).random((number, n)).argsort(1)[:, :3], n)


def large(parts: np.ndarray) -> int:
    return int((np.bincount(parts[parts >= 0]) >= 3).sum())


def test_weak_links_are_those_without_which_there_are_more_parts():
    rng, found = np.random.default_rng(0), 0
    for seed in range(400):
        n = int(rng.integers(6, 14))
        answers = random_triplets(n, int(rng.integers(3, 2 * n)), seed)
        whole, groups = large(parts_of(answers)), answers.groups
        expected = [
            (groups == one).sum() <= 2 and large(parts_of(answers, groups != one)) > whole
            for one in groups
        ]
        assert weak_links(answers).tolist() == expected
        found += any(expected)
    assert found > 10


@pytest.mark.parametrize(("n", "number"), [(12, 24), (20, 50), (40, 110), (100, 300)])
def test_sparse_random_designs_have_no_weak_links(n, number):
    """Where every object is in three answers or more: of 1,600 such designs none had any."""
    designs = (random_triplets(n, number, seed) for seed in range(100))
    enough = [one for one in designs if one.answers_per_object.min() >= 3]
    assert len(enough) > 20
    assert sum(weak_links(one).any() for one in enough) <= 0.05 * len(enough)


def test_halves_that_one_trial_joins_are_linked_weakly():
    half = random_triplets(12, 200, 0).rows
    link = np.array([[0, 12, 13], [0, 14, 13]])
    answers = Triplets.from_array(np.concatenate([half, half + 12, link[:1]]), 24)
    (weak,) = doubts(answers)
    assert (weak.code, weak.values["number"]) == ("weak links", 2)
    assert set(weak.objects) in ({*range(12)}, {*range(12, 24)})
    assert weak_links(answers).nonzero()[0].tolist() == [400]
    two = Triplets.from_array(np.concatenate([half, half + 12, link]), 24)
    assert codes(two) == []
    trials = np.array([*range(400), 400, 400])
    of_one = Triplets(two.rows, two.objects, pd.DataFrame({"trial": trials}))
    assert codes(of_one) == ["weak links"]


def test_a_part_of_many_answers_shows_that_nothing_hangs_on_one(monkeypatch):
    answers = random_triplets(12, 3000, 0)
    monkeypatch.setattr(validity, "parts_of", lambda *_: pytest.fail("looked at all"))
    assert not weak_links(answers).any()


def test_answers_of_no_weight_connect_nothing():
    rows = np.array([[0, 1, 2], [3, 4, 5], [0, 3, 4]] * 5)
    weight = np.tile([1.0, 1.0, 0.0], 5)
    answers = Triplets(rows, pd.DataFrame({"id": list("abcdef")}), pd.DataFrame({"weight": weight}))
    assert parts_of(answers).tolist() == [0, 0, 0, 1, 1, 1]


def test_objects_in_few_answers_are_named():
    rows = np.concatenate([asked(0), [[12, 0, 1], [13, 2, 3], [13, 4, 5]]])
    answers = of_people([rows], 15)
    (few,) = doubts(answers)
    assert few.code == "few answers"
    assert few.objects.tolist() == [12, 13]


@pytest.mark.parametrize("twice", [
    lambda rows: np.concatenate([rows, rows]), lambda rows: np.repeat(rows, 2, axis=0),
])
def test_an_export_that_holds_everything_twice_is_half_copies(twice):
    people = [twice(asked(k)) for k in range(5)]
    assert copies(of_people(people)).mean() == 0.5
    unnamed = Triplets.from_array(twice(asked(0)))
    assert copies(unnamed).mean() == 0.5


def test_people_who_are_in_the_data_under_two_names_are_copies():
    people = [asked(k) for k in range(5)]
    found = copies(of_people([*people, *people]))
    assert not found[: 5 * 60].any()
    assert found[5 * 60 :].all()


@pytest.mark.parametrize("number", [12, 60])
def test_a_list_for_all_makes_no_copies(number):
    """People who agree on a list in one order, and those who answer it again, copy nobody."""
    people = [asked(k, number, flips=0.02, order=99) for k in range(12)]
    assert not copies(of_people(people)).any()
    again = [asked(k, number) for k in range(12)]
    retested = [np.concatenate([rows, asked(100 + k, number, order=k)])
                for k, rows in enumerate(again, 1)]
    assert not copies(of_people([again[0], *retested])).any()


def recorded(rows: np.ndarray, *who: str, **columns) -> Triplets:
    """The same answers of some people, with other columns."""
    answers = Triplets.from_array(np.tile(rows, (len(who), 1)))
    return answers.with_columns({"participant": np.repeat(who, len(rows)), **columns})


def test_people_who_agree_on_easy_lists_are_no_copies():
    easy, other = asked(0, 14), asked(1, 14)
    assert not copies(of_people([easy] * 2)).any()
    assert not copies(of_people([*[easy] * 4, *[other] * 3])).any()


def test_times_tell_copies_from_people_who_agree():
    rows, rng = asked(0, 14), np.random.default_rng(0)
    times = rng.integers(300, 3000, (3, 14))
    twice = recorded(rows, "a", "a", response_time=times[:2].ravel())
    assert not copies(twice).any()
    assert copies(recorded(rows, "a", "a", response_time=np.tile(times[0], 2))).mean() == 0.5
    agreed = recorded(rows, "a", "b", "c", response_time=times.ravel())
    assert not copies(agreed).any()
    renamed = recorded(rows, "a", "b", "c", response_time=times[[0, 1, 0]].ravel())
    assert np.flatnonzero(copies(renamed)).tolist() == [*range(28, 42)]


def test_one_ranking_that_is_given_twice_is_no_copy():
    """A ranking of six objects is fifteen comparisons, which agree as soon as it does."""
    ranking = np.array([[0, i, j] for i in range(1, 7) for j in range(i + 1, 7)])
    others = [asked(k, 30) for k in range(3)]
    people = of_people([ranking, ranking, *others])
    trials = np.concatenate([np.repeat([0, 1], 15), 2 + np.arange(90)])
    answers = people.with_columns({"trial": trials})
    assert copies(people).any()
    assert not copies(answers).any()


def test_a_fit_that_was_stopped_or_has_not_converged_is_unfinished():
    answers = of_people([asked(0)])
    (doubt,) = doubts(answers, ts.STE(max_iter=1).fit(answers))
    assert doubt.code == "unfinished"
    assert doubt.values == {"stopped": False}
    stopped = ts.STE().fit(answers, progress=lambda *_, **__: True)
    assert doubts(answers, stopped)[0].values == {"stopped": True}


def test_a_cut_through_ties_is_arbitrary_and_others_are_not():
    merges = np.array([[0, 1, 1.0, 2], [2, 3, 2.0, 2], [4, 5, 2.0, 2], [6, 7, 2.0, 4],
                       [8, 9, 3.0, 6]])
    tree = Dendrogram(merges, np.arange(6), 6)
    assert [tied_cut(tree, number) is None for number in range(1, 7)] == [
        True, True, False, False, True, True
    ]
    assert tied_cut(tree, 3).values == {"number": 3, "fewer": 2, "more": 5}
    rounded = merges.copy()
    rounded[1, 2] -= 1e-15
    assert tied_cut(Dendrogram(rounded, np.arange(6), 6), 4).values == {
        "number": 4, "fewer": 2, "more": 5
    }
    assert tree.n_clusters_at(2.0) == 2
    assert tree.n_clusters_at(1.99) == 5


def layout(kind: str, number: int, rng: np.random.Generator) -> np.ndarray:
    """(number, 2) objects in a cloud, on a circle or a grid, or in three groups."""
    if kind == "circle":
        angles = 2 * np.pi * np.arange(number) / number
        return np.column_stack([np.cos(angles), np.sin(angles)])
    if kind == "grid":
        return np.argwhere(np.ones((2, number // 2))).astype(float)
    spread = rng.normal(size=(number, 2))
    return spread if kind == "cloud" else 0.2 * spread + 2 * spread[np.arange(number) % 3]


@pytest.mark.parametrize("kind", ["cloud", "circle", "grid"])
@pytest.mark.parametrize("number", [8, 14])
def test_true_maps_without_stress_are_not_degenerate(kind, number):
    """A regular circle has seven different distances of 91, and is no less true."""
    n_true = 0
    for seed in range(3):
        rng = np.random.default_rng(seed)
        truth = pdist(layout(kind, number, rng))
        noisy = np.abs(truth + 0.01 * rng.normal(size=truth.shape))
        for given in (truth, truth**0.5, truth**3, noisy):
            fitted = ts.ratings.NMDS(n_init=3).fit_dissimilarities(squareform(given))
            apart = pdist(fitted.embedding_)
            if np.corrcoef(apart, truth)[0, 1] > 0.95:  # a distant object makes one of a cloud
                n_true += 1
                assert degenerate(apart, given, 1e-9) is None
    assert n_true >= 8


def at_the_limit() -> tuple[np.ndarray, np.ndarray]:
    """True distances and mean dissimilarities, of which 20 of 45 are the highest there are."""
    rng = np.random.default_rng(3)
    truth = pdist(rng.normal(size=(10, 2)))
    noisy = truth + 0.35 * rng.normal(size=(8, len(truth)))
    return truth, np.clip(np.round(2 * noisy), 0, 6).mean(axis=0)


def with_a_distant_object() -> tuple[np.ndarray, np.ndarray]:
    """True distances, twice."""
    truth = pdist(layout("cloud", 14, np.random.default_rng(1)))
    return truth, truth


@pytest.mark.parametrize("world", [at_the_limit, with_a_distant_object])
def test_false_maps_without_stress_are_degenerate(world):
    """One object was far from a clump of the others, and nothing was said of it."""
    truth, given = world()
    fitted = ts.ratings.NMDS().fit_dissimilarities(squareform(given))
    apart = pdist(fitted.embedding_)
    assert fitted.loss_ < 0.01
    assert np.corrcoef(apart, truth)[0, 1] < 0.9
    assert degenerate(apart, given, fitted.loss_).values["together"] > 0.5
    assert degenerate(apart, given, 0.2) is None


@pytest.mark.parametrize("change", [np.array, np.exp, lambda d: d**3, rankdata])
def test_only_the_order_of_dissimilarities_decides(change):
    """One dissimilarity of 40 had hidden that three groups had become points."""
    rng = np.random.default_rng(2)
    is_within = squareform(pdist(np.arange(15)[:, None] % 3) == 0)
    square = np.where(is_within, rng.uniform(1, 4, (15, 15)), rng.uniform(5, 9, (15, 15)))
    given = squareform(square, checks=False)
    given[np.argmax(given)] = 40.0
    fitted = ts.ratings.NMDS(n_init=4).fit_dissimilarities(squareform(given))
    doubt = degenerate(pdist(fitted.embedding_), change(given), fitted.loss_)
    assert 0.2 < doubt.values["together"] < 0.4


@pytest.mark.parametrize("number", [50, 100])
def test_objects_on_one_another_that_are_alike_do_not(number):
    apart = pdist(np.resize([[0.0, 0.0], [1.0, 0.0], [0.3, 0.8]], (number, 2)))
    assert degenerate(apart, apart, 1e-9) is None
    assert degenerate(apart, np.arange(len(apart)), 1e-9).values["together"] > 0.3
