"""Weights of people beside exclusions: shown, compared, set, and undone."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from tests.core.people.guessers import guessers, heavier
from tests.pages.harness import session_on, settled, start, unfold, words
from tripletscope.core.models.embedding import STE
from tripletscope.core.run import run as run_of
from tripletscope.dashboard.results.presentation import Advice, ShownResults, Statement
from tripletscope.dashboard.results.registry import presented
from tripletscope.dashboard.state import _KEY


def said(run, data) -> str:
    """All that a page says of rates."""
    shown = ShownResults((run,), data, "X", cautious=True)
    return " ".join(
        part.text for part in presented(shown) if isinstance(part, Statement | Advice)
    )


@pytest.fixture
def crowd():
    return guessers(1, people=20, careless=4, each=60)


def exclusions_page(services, data):
    session_on(services, data)
    app = start("data", "test-session", "exclusions")
    app.session_state[_KEY].drafts["exclusions.rule"] = "weights"
    app.run()
    assert not app.exception
    return app


def test_weights_are_estimated_compared_set_and_undone(services, crowd):
    app = exclusions_page(services, crowd.data)
    (info,) = services.workspace.datasets()
    app.button(key="exclusions.lapses.run").click().run()
    settled(app, services)
    shown = words(app).replace("\\", "")
    assert "Clearly more often, corrected for the number of participants" in shown
    assert "p19" in shown or "p18" in shown

    app.button(key="exclusions.treatments").click().run()
    settled(app, services)
    shown = words(app).replace("\\", "")
    assert "Tried, not made: " in shown
    assert "95 % interval over" in shown
    table = unfold(app, "Numbers").dataframe[-1].value
    assert table["answers"].tolist() == ["all answers alike", "exclusion", "weights"]

    app.button(key="exclusions.weights.go").click().run()
    assert not app.exception
    weighted = services.workspace.dataset(info.id)
    assert weighted.exclusions[0]["rule"] == "weights"
    assert weighted.n_answers == info.n_answers
    assert weighted.left_out.endswith("”: participants are weighted by their lapse rates.")
    assert "trials of equal weight" in words(app)
    assert "These answers are weighted" in app.info[0].value
    cleaning = services.workspace.cleaning(weighted)
    assert cleaning.kept.all()
    assert cleaning.effective < len(crowd.data)
    json.dumps(weighted.record)

    app.button(key="exclusions.undo").click().run()
    assert services.workspace.dataset(info.id).fingerprint == info.fingerprint


def test_nobody_is_accused_whose_interval_holds_a_low_rate(crowd):
    run = run_of("with_lapses", STE(n_init=1), crowd.data)
    found = run.result()
    text = said(run, crowd.data)
    for name, low in zip(found.participants, found.low, strict=True):
        assert name not in text or low > 0.1
    numbers = {**run.arrays, "at_least": np.zeros(len(found.at_least))}
    nobody = said(replace(run, arrays=numbers), crowd.data)
    assert "nobody clearly guessed more often" in nobody
    assert "Clearly more often" not in nobody


def test_rates_are_withheld():
    for steps, why in ((None, "do not confirm"), (1, "has not converged")):
        data = heavier(2)
        run = run_of("with_lapses", STE(n_init=1), data, {"steps": steps} if steps else {})
        text = said(run, data)
        assert text.startswith("Rates of answers like guesses are not reported: ")
        assert why in text
        assert ("Catch trials can" in text) is (steps is None)
        assert "p0" not in text
