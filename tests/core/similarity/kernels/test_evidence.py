"""What similarities from triplets rest on."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.core.similarity.kernels import K1, K2
from tripletscope.core.similarity.kernels.evidence import by_chance, common_comparisons, evidence
from tripletscope.core.similarity.kernels.spectrum import spectrum

N = 20


def answers(n_answers: int, seed: int = 0) -> Triplets:
    points = np.random.default_rng(5).normal(size=(N, 2))
    return simulate(points, n_answers, seed=seed)


def random_answers(questions: Triplets, seed: int) -> Triplets:
    rows = questions.rows.copy()
    turned = np.random.default_rng(seed).random(len(rows)) < 0.5
    rows[turned, 1:] = rows[turned, :0:-1]
    return Triplets(rows, questions.objects)


@pytest.mark.parametrize("kernel", [K1(), K2()], ids=["k1", "k2"])
def test_the_spread_is_that_of_the_kernel(kernel):
    given = answers(800)
    off = kernel.fit(given).kernel_[~np.eye(N, dtype=bool)]
    found = evidence(kernel, given)
    assert found.spread == pytest.approx(np.sqrt(np.mean(off**2)))
    assert found.shared >= np.mean(off != 0)


@pytest.mark.parametrize("kernel", [K1(), K2()], ids=["k1", "k2"])
def test_the_noise_is_the_spread_of_random_answers(kernel):
    questions = answers(600)
    first = np.unique(questions.questions, axis=0, return_index=True)[1]
    distinct = Triplets(questions.rows[first], questions.objects)
    spreads = [evidence(kernel, random_answers(distinct, seed)).spread for seed in range(60)]
    noise = evidence(kernel, distinct).noise
    assert np.sqrt(np.mean(np.square(spreads))) == pytest.approx(noise, rel=0.03)


def test_few_answers_are_noise_and_many_are_not():
    few, many = evidence(K1(), answers(150)), evidence(K1(), answers(15_000))
    assert few.is_noise
    assert few.shared < 0.6
    assert not many.is_noise
    assert many.shared == 1.0


def test_who_knows_is_no_noise():
    for kernel in (K1(), K2()):
        assert not any(evidence(kernel, answers(6_000, seed)).is_noise for seed in range(5))


def chosen_at_random(shown: int, chosen: int, n_trials: int, seed: int) -> Triplets:
    """Some of several options, most similar to an anchor, by coin."""
    rng, rows = np.random.default_rng(seed), []
    for trial in range(n_trials):
        anchor, *options = rng.choice(N, shown + 1, replace=False)
        rows += [(anchor, a, b, trial) for a in options[:chosen] for b in options[chosen:]]
    rows = np.array(rows)
    objects = Triplets.from_array(rows[:, :3], N).objects
    return Triplets(rows[:, :3], objects, pd.DataFrame({"trial": rows[:, 3]}))


@pytest.mark.parametrize(("shown", "chosen"), [(2, 1), (8, 2), (4, 1)])
def test_random_trials_are_noise(shown, chosen):
    """Votes of one trial go together: two of eight look like objects that people think alike."""
    for seed in range(5):
        coins = chosen_at_random(shown, chosen, 400, seed)
        for kernel in (K1(), K2()):
            found = evidence(kernel, coins)
            assert found.is_noise
            assert found.spread == pytest.approx(found.noise, rel=0.2)
    assert spectrum(K2(), coins).n_signal <= 1


def test_trials_by_chance_ask_the_same():
    """An anchor stays, options change places; of three objects each may be the odd one out."""
    given = chosen_at_random(4, 2, 300, 0)
    drawn = by_chance(given, np.random.default_rng(0))
    assert (drawn.rows[:, 0] == given.rows[:, 0]).all()
    for trial in range(300):
        own = given.trials == trial
        assert set(drawn.rows[own].ravel()) == set(given.rows[own].ravel())
    assert np.mean(drawn.rows[:, 1] == given.rows[:, 1]) == pytest.approx(0.25, abs=0.06)
    odd = pd.DataFrame({"trial": np.repeat(np.arange(300), 2)})
    three = Triplets(np.tile([[0, 1, 2], [1, 0, 2]], (300, 1)), given.objects, odd)
    odd_ones = by_chance(three, np.random.default_rng(0)).rows[::2, 2]
    assert np.bincount(odd_ones)[:3] == pytest.approx([100, 100, 100], abs=30)


def test_a_part_of_the_rows_says_about_the_same():
    given = answers(3_000)
    part, whole = evidence(K2(), given, most=12), evidence(K2(), given)
    assert part.noise == pytest.approx(whole.noise, rel=0.1)
    assert part.spread == pytest.approx(whole.spread, rel=0.3)


def test_without_common_comparisons_everything_is_noise():
    found = evidence(K1(), Triplets.from_array([[0, 1, 2], [1, 0, 2], [2, 1, 0]]))
    assert (found.shared, found.noise, found.spread) == (0.0, 0.0, 0.0)
    assert found.is_noise


@pytest.mark.parametrize("kernel", [K1(), K2()], ids=["k1", "k2"])
def test_common_comparisons_are_counted(kernel):
    given = answers(900)
    votes: dict[int, dict[tuple, int]] = {i: {} for i in range(N)}
    for anchor, near, far in given.rows.tolist():
        told = [(anchor, (min(near, far), max(near, far)), 1 if near < far else -1)]
        if isinstance(kernel, K2):
            told = [(near, (anchor, far), 1), (far, (anchor, near), -1)]
        for one, cell, vote in told:
            votes[one][cell] = votes[one].get(cell, 0) + vote
    for a, b in ((0, 1), (4, 17), (9, 9)):
        both = [c for c in votes[a] if votes[a][c] and votes[b].get(c)]
        same = [c for c in both if votes[a][c] * votes[b][c] > 0]
        assert common_comparisons(kernel, given, a, b) == (len(both), len(same))
