"""Questions to ask: valid, different, spread out; in layouts that experiments read."""

from __future__ import annotations

import joblib
import numpy as np
import pytest

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.progress import Stopped
from tripletscope.core.inference.uncertainty import bootstrap
from tripletscope.core.models.embedding import SOE, STE
from tripletscope.core.studies.design import active
from tripletscope.core.studies.design.active import (
    STRATEGIES,
    ActiveComparison,
    compare_active,
    propose,
)


@pytest.fixture(scope="module")
def few(planted) -> Triplets:
    return planted.take(np.arange(500))


def as_questions(rows: np.ndarray) -> list[tuple[int, int, int]]:
    return [(a, *sorted((int(b), int(c)))) for a, b, c in rows]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_questions_are_different_and_repeat_themselves(strategy, few):
    asked = propose(STE(), few, 40, strategy=strategy, seed=3)
    assert asked.shape == (40, 3)
    assert len(set(as_questions(asked))) == 40
    Triplets.from_array(asked, 30)  # refuses unknown and repeated objects
    assert np.array_equal(asked, propose(STE(), few, 40, strategy=strategy, seed=3))
    assert not np.array_equal(asked, propose(STE(), few, 40, strategy=strategy, seed=4))
    turned = np.mean(asked[:, 1] < asked[:, 2])
    assert 0.15 < turned < 0.85  # by lot: outside of it is a 1-in-100,000 accident


def test_repeats_were_asked_before(few):
    asked = propose(STE(), few, 40, strategy="repeat")
    assert set(as_questions(asked)) <= set(as_questions(few.rows))


def test_landmarks_are_few(few):
    asked = propose(STE(), few, 200, strategy="landmark", landmarks=5)
    assert len(np.unique(asked[:, 1:])) == 5
    assert len(np.unique(asked[:, 0])) > 20


def test_uncertain_questions_are_uncertain_and_spread_out(few):
    samples = bootstrap(STE(), few, replicates=30)
    asked = propose(STE(), few, 60, strategy="uncertain", samples=samples)
    probability = samples.probability(Triplets.from_array(asked, 30), spread="independent")
    chance = samples.probability(
        Triplets.from_array(propose(STE(), few, 60), 30), spread="independent"
    )
    assert np.abs(probability - 0.5).max() < np.median(np.abs(chance - 0.5))
    pairs = [(a, other) for a, b, c in asked.tolist() for other in (b, c)]
    assert len(set(pairs)) == len(pairs)
    assert np.bincount(asked.ravel(), minlength=30).max() <= 12  # twice the share


@pytest.mark.parametrize("strategy", ["uncertain", "gain"])
def test_a_batch_as_published_goes_by_rank_alone(strategy, few):
    samples = bootstrap(STE(), few, replicates=30)
    top, spread = (
        propose(STE(), few, 60, strategy=strategy, samples=samples, batch=batch)
        for batch in ("top", "spread")
    )
    assert len(set(as_questions(top))) == 60
    pairs = [(a, other) for a, b, c in top.tolist() for other in (b, c)]
    assert len(set(pairs)) < len(pairs)
    if strategy == "uncertain":
        rows, _ = samples.most_uncertain(60, spread="published")
        assert set(as_questions(top)) == set(as_questions(rows))
        doubt = [
            np.abs(samples.probability(Triplets.from_array(rows, 30)) - 0.5).max()
            for rows in (top, spread)
        ]
        assert doubt[0] < doubt[1]


def test_information_gain_prefers_what_is_open(few):
    """An anchor about which nothing is known tells more than one that is asked about a lot."""
    only = few.take(few.rows[:, 0] != 7)
    asked = propose(STE(), only, 20, strategy="gain")
    rest = propose(STE(), few, 20, strategy="gain")
    share = np.mean(asked[:, 0] == 7)
    assert share >= np.mean(rest[:, 0] == 7)
    assert share > 1 / 30
    with pytest.raises(ValueError, match="no model of answers"):
        propose(SOE(), few, 5, strategy="gain")


def test_many_landmarks_of_many_objects_are_not_all_listed(few, monkeypatch):
    monkeypatch.setattr(active, "_MOST_LISTED", 1000)
    asked = propose(STE(), few, 200, strategy="landmark", landmarks=20)
    assert len(set(as_questions(asked))) == 200
    assert 10 < len(np.unique(asked[:, 1:])) <= 20
    Triplets.from_array(asked, 30)


def test_information_gain_goes_by_the_weights_of_answers(few):
    samples = bootstrap(STE(), few, replicates=20)
    chosen = np.arange(len(few)) % 2
    weighted = Triplets.from_array(few.rows, 30, weight=chosen)
    asked = [
        propose(STE(), answers, 40, strategy="gain", samples=samples)
        for answers in (weighted, few.take(chosen == 1), few)
    ]
    assert np.array_equal(asked[0], asked[1])
    assert not np.array_equal(asked[0], asked[2])


def test_an_answer_of_weight_three_is_three_answers_to_the_information_gain(few):
    samples = bootstrap(STE(), few, replicates=20)
    times = np.where(np.arange(len(few)) % 2, 3, 1)
    asked = [
        propose(STE(), answers, 40, strategy="gain", samples=samples)
        for answers in (
            Triplets.from_array(few.rows, 30, weight=times),
            few.take(np.repeat(np.arange(len(few)), times)),
            few,
        )
    ]
    weighted, repeated, once = (set(as_questions(rows)) for rows in asked)
    assert len(weighted & repeated) >= 36, "all, but for what rounding puts in another order"
    assert len(weighted & once) < 30


def test_no_more_questions_than_there_are():
    tiny = Triplets.from_array([[0, 1, 2], [1, 2, 3]])
    assert len(propose(STE(), tiny, 100)) == 12
    assert len(propose(STE(), tiny, 100, strategy="repeat")) == 2
    with pytest.raises(DataError, match="three objects"):
        propose(STE(), Triplets.from_array(np.empty((0, 3)), 2), 1)
    with pytest.raises(DataError, match="no answered questions to repeat"):
        propose(STE(), Triplets.from_array(np.empty((0, 3)), 5), 1, strategy="repeat")


def test_simulation_of_active_against_random(few):
    found = compare_active(STE(), few, more=400, batches=2, repeats=3)
    assert found.n_answers.tolist() == [500, 700, 900]
    assert found.chosen.shape == found.by_chance_disparity.shape == (3, 3)
    assert np.array_equal(found.chosen[:, 0], found.by_chance[:, 0])
    assert (found.by_chance[:, -1] < found.by_chance[:, 0]).mean() > 0.5


def test_simulations_of_few_objects_ask_again_to_have_as_many_answers(monkeypatch):
    fitted = []
    fit = STE.fit
    monkeypatch.setattr(
        STE, "fit", lambda self, given, **more: (fitted.append(len(given)),
                                                 fit(self, given, **more))[1],
    )
    four = Triplets.from_array([[0, 1, 2], [1, 0, 3], [2, 3, 0], [3, 2, 1]], 4)
    with joblib.parallel_config("threading", n_jobs=1):
        found = compare_active(
            STE(n_init=1), four, strategy="landmark", more=100, batches=1, repeats=2
        )
    assert found.n_answers.tolist() == [4, 104]
    assert fitted[-4:] == [4, 104, 4, 104]


def test_judgements_of_simulations():
    same = np.full((4, 2), 0.1) + np.array([[0], [1e-3], [-1e-3], [0]])
    n = np.array([10, 20])

    def judged(chosen: np.ndarray) -> str:
        return ActiveComparison(n, chosen, same[::-1], same, same).judgement

    assert judged(same) == "no difference"
    assert judged(same - 0.05) == "helps"
    assert judged(same + 0.05) == "harms"


def test_a_stop_keeps_the_simulations_there_are(few):
    found = compare_active(
        STE(), few, more=20, batches=1, repeats=10, progress=lambda f, **_: f > 0.25
    )
    assert 2 <= len(found.chosen) < 10
    with pytest.raises(Stopped):
        compare_active(STE(), few, more=20, progress=lambda *_, **__: True)
