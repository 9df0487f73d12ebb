"""What is said of methods and numbers of dimensions."""

from __future__ import annotations

import numpy as np

from tripletscope.core.inference.held_out.compare import Suggestion, is_chance
from tripletscope.core.inference.held_out.paired import PairedDifference
from tripletscope.core.inference.held_out.score import ErrorEstimate
from tripletscope.core.models.embedding import STE, TSTE
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.core.run import run
from tripletscope.core.scales import MLDS
from tripletscope.dashboard.results.comparison import (
    dimensions_of_each,
    dimensions_told,
    families_of,
    methods_said,
    suggestions_of,
)
from tripletscope.dashboard.results.presentation import Numbers, ShownResults
from tripletscope.dashboard.results.registry import presented


def test_what_cannot_be_decided_is_not_recommended():
    best = ErrorEstimate(0.29, 0.27, 0.31, 900, "5-fold", np.array([]), np.array([]))
    apart = PairedDifference(0.004, -0.002, 0.010, 0.003, 7.0, 0.18)
    clear = PairedDifference(0.018, 0.009, 0.027, 0.004, 7.0, 0.002)
    unsure = Suggestion(5, 5, {1: clear, 2: apart}, needed=1200.0, n_answers=900, n_questions=900)
    text = dimensions_told("STE", unsure, best)
    assert text.startswith("STE: from 1 to 5 dimensions, the held-out error was lowest with 5 "
                           "(2 not seen to be worse), .29")
    assert "900 answers cannot decide between these numbers of dimensions: 2, 5." in text
    assert "No more than 5 dimensions were tried" in text
    assert "Sufficient for a picture: 2; for prediction: 5. By the rule" in text
    assert text.endswith("take at least *d n* ln *n* = 1,200 different questions; there are 900.")
    sure = Suggestion(2, 2, {1: clear, 3: apart}, needed=100.0, n_answers=900, n_questions=900)
    text = dimensions_told("STE", sure, best)
    assert "cannot decide" not in text
    assert "With 1, the error was significantly higher, by +1.8 [+0.9, +2.7] points" in text
    assert "would lower the error by at most .002 (95% interval)." in text
    assert text.endswith(" Sufficient: 2 dimensions.")
    first, second = dimensions_of_each({"t-STE": (sure, best), "STE": (sure, best)})
    assert first.startswith("t-STE: from 1 to 3 dimensions")
    assert "5-fold" in first
    assert second.startswith("STE: lowest with 2, .290 [.270, .310]. With 1, the error was")
    assert second.endswith(text[text.index("With 1"):])
    *_, other = dimensions_of_each({"t-STE": (unsure, best), "STE": (sure, best)})
    assert other == text
    one = Suggestion(2, 2, {1: clear}, n_answers=900, n_questions=900)
    edge = dimensions_told("STE", one, best)
    assert "No more than 2 dimensions were tried; more might predict better." in edge
    assert edge.endswith(" Sufficient: 2 dimensions, the most that were tried.")
    beats, alike = methods_said("t-STE", {"STE": clear, "CKL": apart})
    assert beats.startswith(
        "t-STE predicts better than STE: the errors differ by +1.8 [+0.9, +2.7] points"
    )
    assert alike.startswith("t-STE and CKL cannot be told apart: they differ by +0.4 [")
    assert ", corrected *p* " in beats
    assert ", corrected *p* " in alike, "tables may correct for more pairs"


def test_few_answers():
    """200 answers about 12 objects of a plane: one dimension was recommended, as none differs."""
    undecided = 0
    for seed in range(3):
        positions = np.random.default_rng(seed).normal(size=(12, 2))
        answers = simulate(positions, 200, noise="logistic", seed=seed)
        ((suggestion, best),) = suggestions_of([
            run("cross_validate", STE(n_components=d, n_init=1), answers) for d in range(1, 6)
        ], answers).values()
        text = dimensions_told("STE", suggestion, best)
        # What is said of the map holds for its dimensions: this error may be that of guesses.
        undecided += "200 answers cannot decide between" in text
        assert suggestion.is_chance == is_chance(best) == ("no number of dimensions" in text)
        if suggestion.n_components != suggestion.best:
            assert suggestion.behind[suggestion.n_components].difference <= 0.01
    assert undecided >= 2
    guessed = simulate(positions, 200, noise="flip", level=0.5, seed=0)
    suggestions = suggestions_of([
        run("cross_validate", STE(n_components=d, n_init=1), guessed) for d in (1, 2)
    ], guessed)
    text = dimensions_told("STE", *suggestions["STE"])
    assert text.endswith("no number of dimensions is recommended.")


def test_tails_of_one_title_are_methods_of_their_own():
    """Errors of one and two dimensions were taken from maps of different tails."""
    answers = simulate(np.random.default_rng(0).normal(size=(10, 2)), 400, noise="logistic", seed=1)
    runs = [run("cross_validate", TSTE(n_components=d, alpha=alpha, n_init=1), answers)
            for alpha in (None, 30.0) for d in (1, 2)]
    assert [*families_of(runs).values()] == [
        "t-STE, restarts 1", "t-STE, restarts 1",
        "t-STE, restarts 1, degrees of freedom 30", "t-STE, restarts 1, degrees of freedom 30",
    ]
    suggestions = suggestions_of(runs, answers)
    assert len(suggestions) == 2
    for errors, (suggestion, best) in zip((runs[:2], runs[2:]), suggestions.values(), strict=True):
        assert best.error == errors[suggestion.best - 1].result().error
    assert [*families_of(runs[:2]).values()] == ["t-STE", "t-STE"]


def test_names_of_users_bring_no_markup_into_the_small_table():
    points = np.random.default_rng(0).normal(size=(8, 1))
    answers = simulate(points, 200, noise="logistic", seed=1)
    answers = answers.with_objects(answers.objects.assign(**{
        "a*b*": np.arange(8.0), "size": np.arange(8.0)[::-1]
    }))
    runs = [run("cross_validate", method, answers, {"folds": 2})
            for method in (MLDS(stimulus="size"), MLDS(stimulus="a*b*"))]
    shown = ShownResults(tuple(runs), answers, "Things")
    small = next(part for part in presented(shown, *runs)
                 if isinstance(part, Numbers) and part.is_small)
    named = small.table()[small.title].tolist()
    assert any("a" in name and "b" in name for name in named)
    assert not any("*" in name for name in named)
