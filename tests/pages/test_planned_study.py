"""A study: planned, collected, analysed as planned, then otherwise, and its report."""

from __future__ import annotations

import re

import numpy as np

import tripletscope as ts
from tests.dashboard.collect.participants import small
from tests.dashboard.collect.serving import Page as Participant
from tests.dashboard.collect.serving import serving
from tests.pages.harness import settled, start, words
from tripletscope.core.models.embedding import SOE
from tripletscope.core.run import run
from tripletscope.dashboard.report.material import Material
from tripletscope.dashboard.report.report import written
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.store import experiments, plans
from tripletscope.dashboard.store.dataset import ALL_ANSWERS
from tripletscope.pages.collect.start_server import open_answers

PEOPLE, EACH = 5, 60


def chooser(seed: int):
    """A participant who sees how far hues are apart, and errs now and then."""
    rng = np.random.default_rng(seed)

    def choose(asked: dict) -> int:
        anchor, *options = (int(one.removeprefix("c")) for one in asked["shown"])
        right = int(np.argmin([abs(anchor - option) for option in options]))
        return right if rng.random() < 0.9 else 1 - right

    return choose


def test_a_planned_study_from_plan_to_report(services):
    workspace = services.workspace
    folder = workspace.folder / experiments.NAME / "hues"
    experiment = small(folder, title="Hues", n_questions=EACH, most_people=PEOPLE)
    app = start("simulate", tab="plan")
    app.selectbox(key="simulate.analysis.of").set_value("hues").run()
    app.multiselect(key="simulate.analysis.rules").set_value(["few_answers"]).run()
    app.number_input(key="simulate.analysis.rule.few_answers.least").set_value(10).run()
    app.multiselect(key="simulate.analysis.dimensions").set_value([2]).run()
    app.button(key="simulate.analysis.freeze").click().run()
    (kept,) = plans.kept_plans(workspace)
    assert plans.plan_of_experiment(folder) == kept.plan

    with serving(folder) as port:
        for k in range(PEOPLE):
            person = Participant(port, f"person {k}")
            person.begin()
            assert person.answer_all(chooser(k)) == EACH
    info = open_answers(workspace, "hues", folder, experiment)
    session = Session("planned-study", workspace.session("planned-study"))
    session.open(info.id)
    session.save()
    app = start("data", session.id, "plan")
    app.button(key="data.plan.run").click().run()
    told = words(settled(app, services)).replace("\\", "")
    assert "The data came later: the first answer is of" in told
    assert "No deviation is seen in exclusions, numbers, map and tests." in told

    info = workspace.use_view(workspace.dataset(info.id), ALL_ANSWERS)
    answers = workspace.answers(info)
    workspace.add_run(info, run("fit", SOE(n_init=1), answers), "SOE")
    people = ts.people.WeightedEuclidean(n_init=1)
    groups = run("compare_people", people, answers, {"most_groups": 2, "folds": 2})
    workspace.add_run(info, groups, "groups")
    standing = plans.standing_of(workspace, info)
    runs = tuple(workspace.run(info.id, one.key) for one in workspace.runs(info.id))
    report = written(Material(info.titled, workspace.cleaning(info), runs, standing=standing))
    text = re.sub(r"\s+", " ", str([section.blocks for section in report.values()]))
    assert kept.plan.sha256 in text
    assert "Planned exclusion that was not made: Too few trials" in text
    assert "Are there groups of participants with different maps?" in text
    assert "SOE" in text
