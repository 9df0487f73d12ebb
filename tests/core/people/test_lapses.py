"""Lapses with the map: planted rates, sides and weights are found again."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tests.core.people.guessers import guessers, heavier
from tests.core.people.planted import weighing
from tests.crowds import answers_of, trials_of
from tests.paths import SAMPLES
from tripletscope.core.data.geometry import procrustes_disparity
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.progress import Stopped
from tripletscope.core.models.embedding import CKL, SOE, STE, TSTE
from tripletscope.core.people.lapses import LOW, with_lapses
from tripletscope.core.studies.quality.importing import read


@pytest.fixture(scope="module")
def crowd():
    return guessers(1)


@pytest.fixture(scope="module")
def found(crowd):
    return with_lapses(STE(n_init=2), crowd.data)


def test_planted_rates_are_in_their_intervals():
    inside, right = [], []
    for seed in range(4):
        crowd = guessers(seed)
        found = with_lapses(STE(n_init=1), crowd.data)
        inside.append((found.low <= crowd.lapse) & (crowd.lapse <= found.high))
        right.append(np.corrcoef(found.lapse, crowd.lapse)[0, 1])
    assert 0.9 <= np.mean(inside) <= 0.99
    assert min(right) > 0.94


def test_who_stands_out_guesses(crowd, found):
    assert crowd.lapse[found.stand_out].min() > LOW
    assert found.stand_out[crowd.lapse > 0.6].all()
    assert (found.low[found.stand_out] > LOW).all()


def test_preferred_sides_are_found(crowd, found):
    bad = crowd.lapse > 0.5
    inside = (found.first_low <= crowd.left) & (crowd.left <= found.first_high)
    assert inside[bad].mean() > 0.8
    one_sided = bad & (crowd.left > 0.5)
    assert found.first[one_sided].min() > found.first[bad & ~one_sided].max()


def test_sides_matter_only_if_asked(crowd, found):
    without = with_lapses(STE(n_init=2), crowd.data, sides=False)
    assert np.isnan(without.first).all()
    assert without.log_likelihood[-1] < found.log_likelihood[-1] - 20


@pytest.mark.parametrize("method", [STE(n_init=1), TSTE(n_init=1), CKL(n_init=1)])
def test_the_likelihood_never_falls(crowd, method):
    path = with_lapses(method, crowd.data).log_likelihood
    assert (np.diff(path) > -1e-7 * abs(path[0])).all()
    assert path[-1] > path[0]


def test_the_map_is_nearer_to_the_truth(crowd, found):
    plain = STE(n_init=2).fit(crowd.data).embedding_
    better, before = (
        procrustes_disparity(positions, crowd.positions) for positions in (found.embedding, plain)
    )
    assert better < before / 2


def test_guesses_weigh_less_than_answers(crowd, found):
    weight = found.weight.reshape(-1, 80).mean(axis=1)
    assert np.corrcoef(weight, 1.0 - crowd.lapse)[0, 1] > 0.9
    assert np.corrcoef(found.person_weight, 1.0 - crowd.lapse)[0, 1] > 0.9
    assert (found.person_weight <= 1.0 - found.lapse + 1e-12).all()


def test_nobody_is_named():
    found = with_lapses(STE(n_init=1), guessers(3, careless=0).data)
    assert found.rates_are_trustworthy
    assert not found.stand_out.any()
    assert found.usual < 0.05


def test_rates_need_ste():
    """Errors of t-STE in clear cases were taken for guesses of everybody."""
    crowd = heavier(2)
    found = with_lapses(STE(n_init=1), crowd)
    assert found.usual > 0.1  # and nobody guessed
    assert not found.rates_are_trustworthy
    assert not found.stand_out.any()
    assert not with_lapses(TSTE(n_init=1), crowd).rates_are_trustworthy


def test_guessers_are_named_where_rates_are_told(crowd, found):
    assert found.rates_are_trustworthy
    assert found.stand_out[crowd.lapse > 0.6].all()


@pytest.mark.parametrize("method", [TSTE(n_init=1), CKL(n_init=1)])
def test_other_methods_tell_no_rates(crowd, method):
    """By t-STE, intervals held a sixth of the rates of people who guess in 40 %."""
    assert not with_lapses(method, crowd.data, steps=3).rates_are_trustworthy


def test_an_odd_one_out_is_one_answer():
    rng = np.random.default_rng(5)
    positions = 1.3 * rng.standard_normal((20, 2))
    drawn = trials_of(positions, "odd_one_out", 30, 60, 0.0, rng, guessing=5)
    data = answers_of(*drawn, 20, "odd_one_out")
    found = with_lapses(STE(n_init=1), data)
    guess = np.isin(found.participants, [f"p{k}" for k in range(25, 30)])
    assert (found.n_answers == 60).all()
    assert found.lapse[guess].min() > 0.6
    assert found.lapse[~guess].mean() < 0.1
    assert np.array_equal(found.weight[::2], found.weight[1::2])


def test_two_ways_of_seeing_are_no_guesses():
    """Whoever sees the objects otherwise errs where the common map is clear."""
    found = with_lapses(STE(), read(SAMPLES / "crowd" / "answers.csv"))
    assert not found.rates_are_trustworthy
    assert set(found.participants[np.argsort(-found.lapse)[:3]]) == {"p07", "p22", "p35"}


def test_without_participants_all_are_one_person(crowd):
    data = crowd.data
    nameless = type(data)(data.rows, data.objects)
    found = with_lapses(STE(n_init=1), nameless)
    assert found.participants.tolist() == ["all"]
    assert 0.05 < found.lapse[0] < 0.5


def test_answers_of_nobody_keep_their_weight(crowd):
    data, known = crowd.data, crowd.data.answers
    nobody = known.assign(participant=known["participant"].where(known["participant"] != "p39"))
    found = with_lapses(STE(n_init=1), type(data)(data.rows, data.objects, nobody))
    assert "p39" not in found.participants
    assert (found.weight[known["participant"].to_numpy() == "p39"] == 1.0).all()


def test_refusals(crowd):
    with pytest.raises(ValueError, match="does not say how probable"):
        with_lapses(SOE(), crowd.data)
    with pytest.raises(Stopped):
        with_lapses(STE(), crowd.data, progress=lambda *_, **__: True)


@pytest.mark.parametrize("begun", [0.3, 0.7, 0.95])
def test_nobody_stands_out_of_a_stopped_fit(crowd, begun):
    stopped = with_lapses(STE(), crowd.data, progress=lambda done, **_: done >= begun)
    assert not stopped.stand_out.any()


def test_whoever_guesses_guesses_a_whole_ranking():
    """Else the weight of a ranking would be that of its last stage, and the likelihood fall."""
    rng = np.random.default_rng(3)
    truth, rows, trial, who = rng.normal(size=(12, 2)), [], [], []
    for number in range(12 * 25):
        person = number // 25
        anchor, *shown = rng.choice(12, 5, replace=False).tolist()
        apart = np.sum((truth[shown] - truth[anchor]) ** 2, axis=1) + rng.gumbel(0, 0.3, 4)
        order = rng.permutation(4) if person < 3 else np.argsort(apart)
        ranked = [shown[k] for k in order]
        rows += [(anchor, a, b) for k, a in enumerate(ranked) for b in ranked[k + 1:]]
        trial += [number] * 6
        who += [f"p{person:02}"] * 6
    data = Triplets(rows, pd.DataFrame({"id": [f"o{k}" for k in range(12)]}),
                    pd.DataFrame({"participant": who, "trial": trial}))
    found = with_lapses(STE(n_init=1), data)
    assert found.n_answers.tolist() == [25] * 12
    assert (np.diff(found.log_likelihood) > -1e-7 * abs(found.log_likelihood[0])).all()
    assert found.lapse[:3].min() > 0.6 > 0.3 > found.lapse[3:].max()
    assert (np.ptp(found.weight.reshape(-1, 6), axis=1) == 0).all()


@pytest.mark.parametrize("seed", [0, 1, 2, 3])
def test_people_who_are_imprecise_do_not_guess(seed):
    """Log precisions differ by .6; before, somebody was named in 12 of 40 such crowds."""
    data, _, _ = weighing(16, 100, 0.0, 0.85, seed, n=15)
    assert not with_lapses(STE(n_init=1), data).stand_out.any()
