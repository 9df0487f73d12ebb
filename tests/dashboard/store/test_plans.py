"""Plans in a workspace, beside experiments and with data sets: once, whole, or refused."""

from __future__ import annotations

import os
import threading
from dataclasses import replace
from itertools import chain

import pytest

import tripletscope as ts
from tests.core.studies.preregistration.test_analysis_plan import NOON, plan
from tests.dashboard.archive.changed import TERMS, unzipped
from tests.dashboard.report.telling import text_of
from tests.pages.harness import crowd
from tripletscope.core.engine.method import make_method
from tripletscope.core.studies.quality import Cleaning, Exclusion
from tripletscope.dashboard.archive.archive import archive
from tripletscope.dashboard.report.document import Listed
from tripletscope.dashboard.report.material import Material
from tripletscope.dashboard.report.report import written
from tripletscope.dashboard.results.preregistration import plan_text, standing_text
from tripletscope.dashboard.store import plans
from tripletscope.dashboard.store.dataset import ALL_ANSWERS
from tripletscope.dashboard.store.description import DESIGN, FIRST_ANSWER, LOOKED_AT
from tripletscope.dashboard.upload import ingest
from tripletscope.pages.data.excluding import next_view

ANSWERS = crowd(12, 300, people=5)
PLANNED = plan(n_participants=5, n_answers=300, dimensions=(2,), questions={"clusters": ()})


@pytest.fixture
def workspace(services):
    return services.workspace


@pytest.fixture
def info(workspace):
    info = workspace.add_dataset(ANSWERS.renamed("Things"), origin="a.csv", report=["Read."])
    plans.follow(workspace, info, PLANNED.freeze(NOON))
    return workspace.dataset(info.id)


def test_two_tabs_that_freeze_one_plan_freeze_it_once(workspace):
    frozen = []

    def freeze() -> None:
        frozen.append(plans.keep_plan(workspace, PLANNED))

    tabs = [threading.Thread(target=freeze, daemon=True) for _ in range(4)]
    for tab in tabs:
        tab.start()
    for tab in tabs:
        tab.join()
    assert len({one.sha256 for one in frozen}) == 1
    assert [one.plan for one in plans.kept_plans(workspace)] == frozen[:1]


def test_a_file_brings_its_own_time_and_hash(workspace):
    ours = plans.keep_plan(workspace, PLANNED)
    theirs = plans.keep_plan(workspace, PLANNED.freeze(NOON))
    assert theirs.frozen != ours.frozen
    assert [one.plan for one in plans.kept_plans(workspace)] == [ours, theirs]
    plans.delete_plan(workspace, plans.kept_plans(workspace)[0].path)
    assert [one.plan for one in plans.kept_plans(workspace)] == [theirs]


@pytest.mark.parametrize("what", ["text", "pipe", "large"])
def test_what_is_no_plan_is_listed_with_its_problem(workspace, what):
    plans.keep_plan(workspace, PLANNED)
    path = workspace.folder / "plans" / "other.json"
    if what == "pipe":
        os.mkfifo(path)
    else:
        path.write_text("{" if what == "text" else " " * 2**21)
    good, bad = plans.kept_plans(workspace)
    assert good.plan
    assert "other.json" in bad.problem
    assert not workspace.datasets(), "the folder of plans is no data set"


def test_an_experiment_keeps_its_plan(workspace, tmp_path):
    assert plans.plan_of_experiment(tmp_path) is None
    plans.give_plan(workspace, tmp_path, PLANNED.freeze(NOON))
    assert plans.plan_of_experiment(tmp_path) == PLANNED.freeze(NOON)


def test_a_data_set_that_follows_none_has_no_standing(workspace):
    info = workspace.add_dataset(ANSWERS, origin="a.csv", report=[])
    assert plans.standing_of(workspace, info) is None


def computed(workspace, info) -> None:
    """Compute what was planned, in the view in use."""
    for step in PLANNED.steps_in(2):
        found = ts.run(step.task, make_method(step.method), workspace.answers(info), step.options)
        workspace.add_run(info, found, step.task)


def test_results_of_planned_exclusions_stay_beside_those_of_others(workspace, info):
    computed(workspace, info)
    first = plans.standing_of(workspace, info)
    assert first.deviations == []
    assert first.is_met("clusters") is not None
    cleaning = workspace.cleaning(info).excluding(Exclusion(participants=("person 0",)))
    other = workspace.update_dataset(info, cleaning)
    second = plans.standing_of(workspace, other)
    assert [one.code for one in second.deviations if one.code != "not computed"] == [
        "exclusion added"
    ]
    assert not any(second.done.values())
    assert {*second.as_planned.done} == {*first.done}
    assert all(second.as_planned.done.values())


def told(workspace, info) -> str:
    runs = tuple(workspace.run(info.id, run.key) for run in workspace.runs(info.id))
    sections = written(Material(
        info.name, workspace.cleaning(info), runs, standing=plans.standing_of(workspace, info),
    ))
    lists = [block.items for section in sections.values() for block in section.blocks
             if isinstance(block, Listed)]
    return " ".join([*map(text_of, sections.values()), *chain.from_iterable(lists)])


def test_report_and_archive_tell_planned_from_exploratory(workspace, info, services):
    computed(workspace, info)
    free = ts.run("compare_people", ts.people.WeightedEuclidean(n_init=1), ANSWERS,
                  {"most_groups": 1, "folds": 2})
    workspace.add_run(info, free, "people")
    text = told(workspace, info)
    assert "Exploratory results, which were not planned" in text
    assert "Are there groups of participants with different maps?" in text
    assert "they were uploaded on" in text
    files = unzipped(archive(workspace, info, replace(TERMS, pseudonyms=True)))
    beside = files["analysis/plan.txt"].decode()
    assert "criterion" in beside
    assert "Exploratory results" in beside
    assert ts.experiment.AnalysisPlan.from_json(files["analysis/plan.json"]) == PLANNED.freeze(NOON)
    assert b"analysis/plan" in files["README.md"]
    opened = ingest.open_archive("a.zip", archive(workspace, info, TERMS)).info
    assert plans.followed(opened) == PLANNED.freeze(NOON)


def test_a_plan_that_came_after_the_data_is_no_preregistration(workspace, info):
    plans.follow(workspace, info, PLANNED.freeze())
    text = told(workspace, workspace.dataset(info.id))
    assert "this plan is no preregistration" in text


def test_the_text_has_what_registries_ask_for_and_names_as_they_were_written():
    text = plan_text(plan(
        title="A*B @ noon", dimensions=(3,), questions={"conditions": ("day*night",)},
    ).freeze(NOON))
    for part in ("A*B @ noon", "day*night", "3 dimensions", "DESIGN AND SAMPLE SIZE", "SHA-256"):
        assert part in text
    assert ts.sentences(plan())[0] == "Cups."
    found = ts.experiment.standing(PLANNED.freeze(NOON), [], since="2026-02-01T00:00:00+00:00")
    assert "Planned and not computed: 4 results." in standing_text(found)


def standing(workspace, info):
    return plans.standing_of(workspace, workspace.dataset(info.id))


def codes(workspace, info) -> set[str]:
    return {one.code for one in standing(workspace, info).deviations}


def test_a_late_plan_stays_late_in_an_archive(workspace, info):
    plans.follow(workspace, info, PLANNED.freeze())
    assert standing(workspace, info).is_late
    kept = archive(workspace, workspace.dataset(info.id), TERMS)
    workspace.delete_dataset(info.id)
    assert standing(workspace, ingest.open_archive("a.zip", kept).info).is_late


def test_other_plans_and_results_of_other_exclusions_are_told(workspace, info):
    assert not {"followed before", "other exclusions"} & codes(workspace, info)
    other = replace(PLANNED, title="Another").freeze(NOON)
    plans.follow(workspace, workspace.dataset(info.id), other)
    (told,) = [one for one in standing(workspace, info).deviations if one.code == "followed before"]
    assert PLANNED.freeze(NOON).sha256[:12] in told.made[0]
    less = workspace.cleaning(info).excluding(Exclusion(participants=("person 1",)))
    less = workspace.update_dataset(workspace.dataset(info.id), less, view="less")
    run = ts.run("fit", ts.STE(n_init=1), workspace.triplets(less))
    workspace.add_run(less, run, "map")
    workspace.use_view(less, ALL_ANSWERS)
    (told,) = [one for one in standing(workspace, info).deviations
               if one.code == "other exclusions"]
    assert told.made == 1
    assert "1 result" in standing_text(standing(workspace, info))


def test_a_plan_that_is_followed_again_is_not_its_own_predecessor(workspace, info):
    own, other = PLANNED.freeze(NOON), replace(PLANNED, title="Another").freeze(NOON)
    for plan_of_now in (None, own):
        plans.follow(workspace, workspace.dataset(info.id), plan_of_now)
    assert "followed before" not in codes(workspace, info)
    for plan_of_now in (other, own):
        plans.follow(workspace, workspace.dataset(info.id), plan_of_now)
    (told,) = [one for one in standing(workspace, info).deviations if one.code == "followed before"]
    assert [other.sha256[:12] in one for one in told.made] == [True]


def test_checks_that_came_with_the_answers_are_told(workspace, info):
    rule = Exclusion("failed_checks", {"most": 0.4})
    plans.follow(workspace, info, replace(PLANNED, steps=(), exclusions=(rule,)).freeze(NOON))
    checked = workspace.cleaning(info).with_gold(ANSWERS.take(range(40)))
    workspace.update_dataset(workspace.dataset(info.id), checked.excluding(rule), view="checked")
    assert "checks chosen" in codes(workspace, info)
    assert "gold questions that the plan does not name" in standing_text(standing(workspace, info))
    plain = workspace.use_view(workspace.dataset(info.id), ALL_ANSWERS)
    assert "checks chosen" not in codes(workspace, plain)


def test_another_task_is_told(workspace, info):
    workspace.note(info.id, DESIGN, ["odd_one_out", PLANNED.source])
    assert codes(workspace, info) - {"not computed"} == {"task"}
    assert "Odd one out" in standing_text(standing(workspace, info))
    workspace.note(info.id, DESIGN, ["of a later version", "random"])
    assert codes(workspace, info) == {"not computed"}


def test_planned_tests_of_fewer_answers_are_told(workspace, info):
    assert plans.looked_at(workspace, info) == {}
    computed(workspace, info)
    noted = plans.looked_at(workspace, info)
    assert noted == {LOOKED_AT: ["300"]}
    more = crowd(12, 400, people=5).renamed("Things")
    now = workspace.renew_dataset(info, more, report=["Read."], extra=noted)
    assert "looked before" in codes(workspace, now)


def test_the_next_exclusion_leaves_the_planned_ones_alone(workspace, info):
    rule = Exclusion("few_answers", {"least": 2})
    plans.follow(workspace, info, replace(PLANNED, steps=(), exclusions=(rule,)).freeze(NOON))
    made = workspace.cleaning(info).excluding(rule)
    now = workspace.update_dataset(workspace.dataset(info.id), made, view="my own name")
    assert plans.is_as_planned(now)
    assert next_view(now) not in now.views
    assert not plans.is_as_planned(workspace.use_view(now, ALL_ANSWERS))


@pytest.mark.parametrize("moment", ["yesterday", "2026-01-01T10:00", "9999-12-31T23:59:59-14:00"])
def test_moments_of_others_are_checked(workspace, info, moment):
    workspace.note(info.id, FIRST_ANSWER, moment)
    assert FIRST_ANSWER not in workspace.dataset(info.id).extra
    assert standing(workspace, info) is not None


def test_results_of_a_column_as_it_was_are_not_those_of_now(workspace, info):
    planned = replace(PLANNED, steps=(), questions={"directions": ("size",)}).freeze(NOON)
    plans.follow(workspace, info, planned)
    (step,) = [one for one in planned.steps_in(2) if one.task == "directions"]
    run = ts.run(step.task, make_method(step.method), workspace.answers(info), step.options)
    workspace.add_run(info, run, "directions")
    assert standing(workspace, info).done["directions", "directions"] is not None
    turned = ANSWERS.objects.assign(size=ANSWERS.objects["size"].to_numpy()[::-1])
    cleaning = Cleaning(workspace.cleaning(info).raw.with_objects(turned))
    workspace.update_dataset(workspace.dataset(info.id), cleaning)
    assert standing(workspace, info).done["directions", "directions"] is None
