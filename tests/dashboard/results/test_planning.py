"""What is said and drawn of simulated experiments."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tripletscope.core.models.embedding import STE
from tripletscope.core.run import run
from tripletscope.core.similarity.kernels import K1
from tripletscope.core.studies.design.detection import Detection
from tripletscope.core.studies.design.plan import Plan
from tripletscope.core.studies.design.scenario import Scenario
from tripletscope.dashboard.results import drawings, planning, sentences
from tripletscope.dashboard.results.planning import (
    PlanLook,
    Simulation,
    answers_to_collect,
    detection_said,
    groups,
    names_of,
    plans_said,
)


def simulation(**options) -> Simulation:
    usual = {
        **vars(Scenario()), "design": "random", "repeated": 3, "most": 1000, "repeats": 8,
        "seed": 0,
    }
    return Simulation(STE(), {**usual, **options})


def test_plans_are_named_by_what_tells_them_apart():
    assert names_of([]) == []
    one = simulation()
    assert names_of([one]) == ["STE (random)"]
    assert names_of([one, simulation(design="landmark")]) == ["random", "landmarks"]
    assert names_of([one, simulation(most=500, seed=3)]) == [
        "up to 1,000 answers (seed 0)", "up to 500 answers (seed 3)",
    ]
    assert names_of([one, one]) == ["STE (random)", "(2) STE (random)"]
    plans = [one, simulation(level=0.2), simulation(most=500), simulation(seed=1)]
    assert groups(plans) == [[0, 2], [1], [3]]


def a_plan(n_answers, *means) -> Plan:
    each = np.array(means, dtype=float)
    return Plan(np.array(n_answers), each, np.full(len(each), 0.95), each, each)


@pytest.mark.parametrize(("one", "text"), [
    (a_plan([100, 1000], [0.5, 0.51], [0.5, 0.49]),
     "Not even with 1,000 answers is prediction distinguishable from guessing in 2 simulations: "
     "it reaches 50% of further answers."),
    (a_plan([100, 1000], [0.6, 0.8], [0.6, 0.8]),
     "Collect 1,000 answers or more: they predict 80% of further answers, and a doubling "
     "would still add 6.0 percentage points; knowing the truth would predict 95%."),
    (a_plan([100, 1000], [0.9, 0.9], [0.9, 0.9]),
     "Collect 100 answers, or fewer: they predict 90% of further answers; 1,000 predict 90%, and "
     "knowing the truth would predict 95%."),
    (a_plan([1000, 1233, 1234, 1235], [0.6, 0.61, 0.8, 0.8], [0.6, 0.61, 0.8, 0.8]),
     "Collect about 1,235 answers: they predict 78% of further answers; 1,235 predict 80%, and "
     "knowing the truth would predict 95%."),
    (a_plan([500], [0.8], [0.8]),
     "500 answers predict 80% of further answers, and knowing the truth would predict 95%. Only "
     "smaller numbers of answers can show whether fewer would suffice."),
])
def test_what_is_said_of_a_plan(one, text):
    assert list(plans_said({"one": one}, alone=True)) == [text]
    assert list(plans_said({"one": one}, alone=False)) == [f"With one: {text}"]


def test_answers_to_collect_are_those_that_are_advised():
    rising = a_plan([100, 1000], [0.6, 0.8], [0.6, 0.8])
    assert answers_to_collect(rising, {"accuracy": None, "ellipse": None}) == 1000
    assert answers_to_collect(rising, {"accuracy": 0.7}) == 320
    assert answers_to_collect(rising, {"accuracy": 0.9}) is None
    assert answers_to_collect(a_plan([100, 1000], [0.9, 0.9], [0.9, 0.9]), {}) == 100
    assert answers_to_collect(a_plan([100, 1000], [0.5, 0.51], [0.5, 0.49]), {}) is None


def test_the_table_of_plans_has_what_is_wanted_and_leaves_out_what_is_not_there():
    one = a_plan([100, 1000], [0.6, 0.8], [0.6, 0.8])
    without = replace(one, ellipse=np.full((2, 2), np.nan))
    wanted = [planning._ends({"map": one, "kernel": without}, {"accuracy": value})
              for value in (0.6, 0.7, 0.9)]
    assert [table.iloc[0, 1] for table in wanted] == [
        "at most 100 answers", "about 320 answers", "more than 1,000 answers, if ever",
    ]
    assert wanted[0]["radius of the ellipses"].tolist() == [".800 [.800, .800]", "—"]


def test_what_is_said_of_several_plans():
    longer = a_plan([500, 1000, 2000], [0.6, 0.7, 0.9], [0.6, 0.7, 0.9])
    better = a_plan([500, 1000], [0.6, 0.8], [0.6, 0.8])
    first, advice = plans_said({"longer": longer, "better": better}, alone=False)
    assert first == (
        "With 1,000 answers, better predicts best: 80.0% of further answers, longer 70.0%."
    )
    assert advice.startswith("With better: Collect 1,000 answers or more")
    first, _ = plans_said({"better": better, "alike": better}, alone=False)
    assert first.endswith("alike cannot be distinguished from it in 2 simulations.")
    elsewhere = a_plan([300], [0.8], [0.8])
    apart, advice = plans_said({"longer": longer, "there": elsewhere}, alone=False)
    assert apart == "These plans have no number of answers in common."
    assert advice.startswith("With longer: ")


@pytest.mark.parametrize(("suggested", "true", "text"), [
    ([[1, 2], [1, 2], [2, 2], [1, 3]], 2,
     "Even 200 answers reveal all 2 dimensions in only 75% of 4 simulations (95% interval 30% to "
     "95%)."),
    ([[2, 1], [1, 1], [1, 1]], 1, "200 answers reveal the single dimension in 100% of 3 "
     "simulations (95% interval 44% to 100%); 100 do so in 67%."),
    ([[1, 1], [1, 1]], 1, "100 answers reveal the single dimension in 100% of 2 simulations (95% "
     "interval 34% to 100%)."),
])
def test_what_is_said_of_dimensions(suggested, true, text):
    assert detection_said(Detection(np.array([100, 200]), np.array(suggested), true)) == text


def test_simulations_are_drawn_in_scripts():
    small = {"n_objects": 6, "most": 60, "points": 2, "repeats": 2}
    runs = [
        run("plan", K1(), None, small), run("plan", STE(n_init=1), None, small),
        run("plan", STE(n_init=1), None, {**small, "vary": "level", "steps": 2}),
        run("detect_dimension", STE(n_init=1), None, {**small, "folds": 2, "beyond": 1}),
    ]
    found = drawings(runs, None)
    assert [one.name for one in found] == [
        "plan-accuracy", "plan-ellipse", "plan-disparity", "noise-accuracy", "noise-ellipse",
        "noise-disparity", "plan-dimension",
    ]
    assert found[0].figure().layout.yaxis.title.text == "further answers predicted"
    drawn = ["upper limit" in one.figure().to_json() for one in found[:3]]
    assert drawn == [True, False, False]
    assert found[1].table()["plan"].unique().tolist() == ["STE, restarts 1"]
    assert all("2 simulations" in one.caption for one in found)


def test_a_number_that_is_given_is_not_advised():
    """An experiment has its number of answers: what they are worth is told, and nothing else."""
    one = run("plan", STE(n_init=1), None, {"n_objects": 8, "most": 200, "points": 3, "repeats": 2})
    advised = sentences(one, answers=None)
    given = sentences(one, answers=None, looks={"": PlanLook(is_fixed=True)})
    assert given[0].startswith("A map of all 200 answers would predict ")
    assert not any("Collect" in text for text in given)
    assert advised[0] not in given
