"""The report tells of dimensions what is known of them, and what they are called."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import tripletscope as ts
from tests.dashboard.report.telling import text_of
from tripletscope.core.inference.held_out.choice_accuracy import choice_accuracies
from tripletscope.core.models.dimensions.known_dimensions import simulate_choices
from tripletscope.core.models.dimensions.penalties import PenaltyCurve
from tripletscope.dashboard.report.document import TextTable
from tripletscope.dashboard.report.material import Material
from tripletscope.dashboard.report.report import written
from tripletscope.dashboard.results import Drawing
from tripletscope.dashboard.results.dimensions import penalty_of
from tripletscope.dashboard.words import words


@pytest.fixture(scope="module")
def choices():
    weights = np.repeat(np.eye(3), 6, axis=0) * np.linspace(2.5, 1.5, 18)[:, None]
    names = [f"{kind} {k}" for kind in ("cat", "pear", "saw") for k in range(6)]
    return simulate_choices(weights, 600, objects=pd.DataFrame({"id": names}), seed=3,
                            participants=10)


@pytest.fixture(scope="module")
def runs(choices):
    method = ts.dimensions.SPoSE(n_components=8, penalty=3.0)
    return tuple(ts.run(task, method, choices, options) for task, options in (
        ("fit", {}), ("cross_validate", {"folds": 3}),
        ("dimension_reproducibility", {"runs": 2}), ("penalty_curve", {"folds": 2, "points": 2}),
    ))


@pytest.fixture
def material(choices, runs):
    return Material(
        "Things", ts.Cleaning(choices), runs,
        dimension_names={runs[0].key: {0: "alive *thing*"}},
    )


def section(material):
    return written(material)["interpretable"]


def test_numbers_are_those_of_the_results(material, choices, runs):
    text = text_of(section(material))
    assert words.count(3, "dimension") in text
    (found,) = choice_accuracies(choices, runs[1].result())
    share = found.accuracy
    assert share.low > 1 / 3
    assert words.share(share.value) in text
    assert words.interval(share.low, share.high) in text
    assert words.count(10, "participant") in text
    assert words.share(found.ceiling.lower.value) in text
    assert words.share(found.ceiling.upper.value) in text
    assert "333" in text, "chance"
    assert words.share(runs[2].result().overall) in text
    assert {"zheng2019", "hebart2020", "muttenthaler2022"} == {
        name for name in ("zheng2019", "hebart2020", "muttenthaler2022") if f"@{name}" in text
    }


def test_names_stand_in_the_table_and_in_the_figure(material, runs):
    blocks = section(material).blocks
    (table,) = (block for block in blocks if isinstance(block, TextTable))
    assert [row[0] for row in table.rows] == ["1", "2", "3"]
    assert table.rows[0][1] == "alive ∗thing∗"
    assert [row[1] for row in table.rows[1:]] == ["", ""]
    first = material.answers.labels[int(np.argmax(runs[0].arrays["embedding_"][:, 0]))]
    assert table.rows[0][2].split(", ")[0] == first
    figures = [block for block in blocks if isinstance(block, Drawing)]
    assert [drawing.name for drawing in figures] == [
        "dimension-strips", "dimension-reproducibility", "penalty",
    ]
    assert all(f"@fig-{drawing.name}" in text_of(section(material)) for drawing in figures)
    assert "dimension 1 alive *thing*" in figures[0].table().columns


def test_the_penalty_is_told_by_the_rule_that_chose_it(material, runs):
    """The caption named the largest that reaches the best, which is no longer the rule."""
    told = {}
    for chosen in (True, False):
        curve = PenaltyCurve(
            np.array([1.0, 2.0]), np.array([-0.5, -1.1]), np.full(2, 0.01),
            np.array([0.0, 0.6 if chosen else 0.001]), np.full(2, 0.01), np.array([2, 0]), 100,
        )
        run = SimpleNamespace(result=lambda curve=curve: curve, fresh=runs[0].fresh, key="a",
                              complete=True)
        (drawing,) = penalty_of(material.shown(), run)
        told[chosen] = drawing.caption
    assert words("predicts best") in told[True]
    assert words("none is left") in told[False]


def test_what_is_not_known_is_said(material, runs):
    alone = replace(material, runs=runs[:1], dimension_names={}, names=set())
    text = text_of(section(alone))
    for key in ("dimensions not tested", "dimensions not repeated"):
        assert words(key) in text
    (table,) = (block for block in section(alone).blocks if isinstance(block, TextTable))
    assert len(table.columns) == 3, "neither names nor correlations"


def test_only_noise_must_not_be_interpreted(material):
    assert words("dimensions guess") not in text_of(section(material))
    trials = simulate_choices(np.zeros((12, 1)), 300, seed=1)
    method = ts.dimensions.SPoSE(n_components=4, penalty=0.5)
    made = written(Material("Noise", ts.Cleaning(trials), tuple(
        ts.run(task, method, trials, options)
        for task, options in (("fit", {}), ("cross_validate", {"folds": 2}))
    )))["interpretable"]
    assert "must not be interpreted" in text_of(made)


def test_a_penalty_that_leaves_nothing_is_said():
    trials = simulate_choices(np.zeros((12, 1)), 60, seed=1)
    run = ts.run("fit", ts.dimensions.SPoSE(n_components=2, penalty=200.0), trials)
    assert run.arrays["embedding_"].shape[1] == 0
    (block,) = written(Material("Noise", ts.Cleaning(trials), (run,)))["interpretable"].blocks
    assert "no dimension" in block.text
