"""An archive has the views of the answers, and the results of each."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.core.studies.quality.answers import people_data
from tests.dashboard.archive.changed import TERMS, unzipped
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.models.embedding import STE
from tripletscope.core.run import key as key_of
from tripletscope.core.run import run
from tripletscope.core.studies.quality import Exclusion
from tripletscope.dashboard.archive.archive import archive
from tripletscope.dashboard.store.dataset import ALL_ANSWERS, state_of
from tripletscope.dashboard.store.workspace import Workspace
from tripletscope.dashboard.upload import ingest


@pytest.mark.parametrize("hidden", [False, True])
def test_views_come_along_with_their_results(tmp_path, services, hidden):
    workspace = Workspace(tmp_path / "views")
    info = workspace.add_dataset(people_data().renamed("People"), origin="a.csv", report=["Read."])
    kept = {}
    only = {"column": "participant", "values": ["p2", "p3", "p4", "p5"]}
    for view, step in (("without p5", Exclusion(participants=("p5",))),
                       ("few", Exclusion("other_values", only))):
        info = workspace.use_view(info, ALL_ANSWERS)
        cleaning = workspace.cleaning(info).excluding(step)
        info = workspace.update_dataset(info, cleaning, view=view)
        for task in ("fit", "cross_validate"):
            result = run(task, STE(n_init=1), workspace.triplets(info), {"unit": "participants"}
                         if task != "fit" else {})
            kept[view, task] = workspace.add_run(info, result, task)
    workspace.describe_run(kept["few", "fit"].id, group="pilot", pinned=True)
    marked = workspace.cleaning(info).marked({"few": workspace.cleaning(info)})
    quick = {"views": ["few"], "draws": 19, "folds": 2}
    workspace.add_run(info, run("robustness", STE(n_init=1), marked, quick), "both views")
    content = archive(workspace, info, replace(TERMS, pseudonyms=hidden))
    script = next(text for path, text in unzipped(content).items() if path.endswith(".py"))
    assert b"marked = collected.with_columns({'few': marks[:, 0]})" in script
    opened = ingest.open_archive("a.zip", content)
    assert opened.notes == []
    first = "without sub-006" if hidden else "without p5"
    back = opened.info
    assert (back.view, [*back.views]) == ("few", [ALL_ANSWERS, first, "few"])
    assert ("p5" in json.dumps(back.views)) != hidden
    for view, n in (("few", 480), (first, 600)):
        back = services.workspace.use_view(back, view)
        assert back.n_answers == n
        runs = services.workspace.runs(back.id)
        assert ("★ pilot: fit" in [one.listed_name for one in runs]) == (view == "few")
        assert {one.task for one in runs} >= {"fit"}
        assert ("robustness" in {one.task for one in runs}) != hidden
        for one in runs:
            if one.task == "robustness":
                continue
            mine = services.workspace.triplets(back)
            assert one.key == key_of(one.task, STE(n_init=1), mine, one.record["options"])


def test_other_names_of_people_leave_views_apart(tmp_path, services):
    workspace = Workspace(tmp_path / "views")
    data = people_data()
    who = data.answers["participant"].astype("str").replace({"p0": "answers", "p5": "ann"})
    data = Triplets(data.rows, data.objects, data.answers.assign(participant=who))
    info = workspace.add_dataset(data, origin="a.csv", report=["Read."])
    for view, out in (("sub-001", "p1"), ("ann", "p2"), ("sub-003", "p3")):
        info = workspace.use_view(info, ALL_ANSWERS)
        cleaning = workspace.cleaning(info).excluding(Exclusion(participants=(out,)))
        info = workspace.update_dataset(info, cleaning, view=view)
    gone = {**info.exclusions[0], "rule": "other_values", "participants": [],
            "parameters": {"column": "none such", "values": ["a"]}}
    workspace.add_views(info.id, {"of ann": [gone]})
    content = archive(workspace, info, replace(TERMS, pseudonyms=True))
    readme = unzipped(content)["README.md"].decode()
    assert "none such" in readme
    assert "ann" not in readme.split()
    back = ingest.open_archive("a.zip", content).info
    assert sorted(back.views) == [ALL_ANSWERS, "sub-001", "sub-001 (2)", "sub-003"]
    assert back.n_answers == 600


def test_views_of_an_archive_join_those_that_are_here(tmp_path, services):
    def made(workspace: Workspace, out: str):
        info = workspace.add_dataset(people_data(), origin="a.csv", report=["Read."])
        cleaning = workspace.cleaning(info).excluding(Exclusion(participants=(out,)))
        return workspace.use_view(workspace.update_dataset(info, cleaning), ALL_ANSWERS)

    mine, other = made(services.workspace, "p1"), Workspace(tmp_path / "other")
    for _ in range(2):
        back = ingest.open_archive("a.zip", archive(other, made(other, "p2"), TERMS)).info
        assert back.id == mine.id
        assert [*back.views] == [ALL_ANSWERS, "After exclusions", "After exclusions (2)"]


@pytest.mark.parametrize("in_use", ["again", ALL_ANSWERS])
@pytest.mark.parametrize("hidden", [False, True])
def test_a_result_of_equal_answers_is_of_their_view_alone(tmp_path, services, hidden, in_use):
    """Undone and excluded in another way, 360 answers' map was one of all 720 in an archive."""
    workspace = Workspace(tmp_path / "views")
    info = workspace.add_dataset(people_data().renamed("People"), origin="a.csv", report=["Read."])
    out = ("p0", "p1", "p2")
    together = workspace.cleaning(info).excluding(Exclusion(participants=out))
    info = workspace.update_dataset(info, together)
    workspace.add_run(info, run("fit", STE(n_init=1), workspace.triplets(info)), "map")
    info = workspace.use_view(info, ALL_ANSWERS)
    one_by_one = workspace.cleaning(info)
    for who in out:
        one_by_one = one_by_one.excluding(Exclusion(participants=(who,)))
    info = workspace.update_dataset(info, one_by_one, view="again")
    info = workspace.use_view(info, in_use)
    content = archive(workspace, info, replace(TERMS, pseudonyms=hidden))
    kept = [json.loads(text) for path, text in unzipped(content).items() if "run.json" in path]
    known = {state_of(steps, None) for steps in info.views.values()}
    assert not hidden or not any(known & {one["state"], *one.get("also", [])} for one in kept)
    back = ingest.open_archive("a.zip", content).info
    for view in [*back.views, back.view]:
        back = services.workspace.use_view(back, view)
        assert len(services.workspace.runs(back.id)) == (view != ALL_ANSWERS)
