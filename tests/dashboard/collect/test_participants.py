"""One row per person: what a server keeps of people, and what of it the answers get."""

from __future__ import annotations

import pandas as pd
import pytest

from tests.dashboard.collect.serving import Page, experiment_in, serving
from tripletscope.core.studies.experiment.experiment import Experiment
from tripletscope.core.studies.experiment.items import SurveyItem
from tripletscope.dashboard.collect import answer_log
from tripletscope.dashboard.collect.participants import conditions, participants_table
from tripletscope.dashboard.store.description import COLLECTED, DESIGN
from tripletscope.dashboard.store.experiments import experiment_folder, keep_experiment
from tripletscope.pages.collect.start_server import open_answers

DEVICE = {"width": 800, "height": 600, "touch": True, "agent": "test"}


def collected(folder):
    """Three who finish, one of them a failure at checks, and one who leaves at once."""
    experiment_in(folder, catch=0.3, fails=0, parameters=("PROLIFIC_PID", "condition", "SESSION"),
                  after=(SurveyItem("age", "number", "How old?", low=18, high=99),))
    with serving(folder) as port:
        for k, name in enumerate(["ann", "bob", "cat", "dan"]):
            page = Page(port, name)
            page.begin(device=DEVICE, parameters={
                "PROLIFIC_PID": name, "condition": "ab"[k % 2], "SESSION": f"s{k}"})
            if name == "dan":
                continue
            while questions := page.next():
                one = questions[0]
                page.answer(one["key"], (20 + k,) if one.get("item") else (0,))
            page.post("end")
    people = answer_log.people(folder)
    return people, participants_table(people, answer_log.records(folder))


def test_a_row_has_all_that_is_known(tmp_path):
    people, table = collected(tmp_path / "e")
    assert table["participant"].tolist() == ["ann", "bob", "cat", "dan"]
    assert table["state"].tolist() == ["finished"] * 3 + ["going on"]
    assert table["condition"].tolist() == ["a", "b", "a", "b"]
    assert table["window"].tolist() == ["800 × 600"] * 4
    assert table["touch"].all()
    assert table["age"].tolist()[:3] == [20, 21, 22]
    assert table["checks"].tolist()[:3] == [3, 3, 3]
    assert table["answered"].tolist() == [14, 14, 14, 0]
    assert pd.api.types.is_datetime64_any_dtype(table["began"])
    assert table["finished"].notna().tolist() == [True] * 3 + [False]
    assert table["code"].notna().tolist() == [True] * 3 + [False], "who is paid by it"
    shared = conditions(people, Experiment.load(tmp_path / "e"))
    assert shared.columns.tolist() == ["participant", "condition"], "no id of a session"


def test_parameters_of_an_address_replace_nothing(tmp_path):
    """Neither names of participants nor their states; an id that recurs is no condition."""
    folder = experiment_in(tmp_path / "e", parameters=("id", "participant", "state"))
    with serving(folder) as port:
        for k in range(3):
            page = Page(port, f"p{k}")
            page.begin(parameters={"id": "ab"[k % 2], "participant": "ab"[k % 2], "state": "x"})
            page.answer_all()
    people = answer_log.people(folder)
    table = participants_table(people, answer_log.records(folder))
    assert table["participant"].tolist() == ["p0", "p1", "p2"]
    assert table["participant (address)"].tolist() == ["a", "b", "a"]
    assert set(table["state"]) == {"going on"}
    shared = conditions(people, Experiment.load(folder))
    assert shared.columns.tolist() == ["participant", "participant (address)"]


def test_nobody_has_a_table(tmp_path):
    folder = experiment_in(tmp_path / "e")
    with serving(folder):
        assert len(participants_table(answer_log.people(folder), [])) == 0
        assert len(conditions(answer_log.people(folder), Experiment.load(folder))) == 0


@pytest.mark.parametrize("task", ["triplet", "rating"])
def test_a_condition_of_the_address_is_a_column_of_the_answers(services, tmp_path, task):
    is_rated = task == "rating"
    made = Experiment.load(experiment_in(tmp_path / "made", task=task))
    slug = keep_experiment(services.workspace, made, {"egg.png": b"\x89PNG egg"})
    folder = experiment_folder(services.workspace, slug)
    made.changed(parameters=("id", "condition")).save(folder)
    with serving(folder) as port:
        for k in range(4):
            page = Page(port, f"p{k}")
            page.begin(parameters={"id": f"p{k}", "condition": "ab"[k % 2]})
            page.answer_all(lambda asked: 1 + is_rated * (sum(map(ord, str(asked["shown"]))) % 6))
        Page(port, "who leaves").begin()
    info = services.workspace.dataset(
        open_answers(services.workspace, slug, folder, Experiment.load(folder)).id
    )
    # As it is read again: what is not of its kind is left out.
    assert info.extra[DESIGN] == [task, made.source, made.skip, made.time_limit]
    known = info.extra[COLLECTED]
    assert (known["began"], known["finished"], known["language"]) == (5, 0, "en")
    # What was asked, and not what the settings of other tasks say.
    assert (known["repeats"] > 0, known["checks"] > 0) == (made.repeated > 0, made.catch > 0)
    answers = services.workspace.answers(info).answers
    found = answers.groupby(answers["participant"].astype(str))["condition"].unique()
    assert {name: str(*values) for name, values in found.items()} == {
        "p0": "a", "p1": "b", "p2": "a", "p3": "b"}
