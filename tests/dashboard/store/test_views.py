"""Views of the answers of a data set: each keeps its exclusions and its results."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

import tripletscope as ts
from tests.core.studies.quality.answers import people_data
from tripletscope.core.data.errors import DataError
from tripletscope.core.models.embedding import STE
from tripletscope.core.run import run
from tripletscope.core.studies.quality import Exclusion
from tripletscope.dashboard.store.dataset import ALL_ANSWERS, column_of_view
from tripletscope.dashboard.store.workspace import Workspace

SIZES = {ALL_ANSWERS: 720, "without p5": 600, "few": 360}


@pytest.fixture
def workspace(tmp_path) -> Workspace:
    return Workspace(tmp_path / "ws")


@pytest.fixture
def views(workspace):
    """A data set with two views beside all answers; the second is in use."""
    info = workspace.add_dataset(people_data(), origin="a.csv", report=["Read."])
    for view, out in (("without p5", ("p5",)), ("few", ("p0", "p1", "p2"))):
        info = workspace.use_view(info, ALL_ANSWERS)
        cleaning = workspace.cleaning(info).excluding(Exclusion(participants=out, reason=view))
        info = workspace.update_dataset(info, cleaning, view=view)
    return info


def test_columns_say_which_view_they_mark_whatever_views_are_called(workspace, views):
    """Also beside a column of the answers with the name of one of them."""
    names = ["x", "x (view)", "x (view) (view)", "free"]
    columns = [column_of_view(name, {"x"}) for name in names]
    assert len({*columns, "x"}) == 5
    assert columns[-1] == "free"
    steps = [log for log in views.views.values() if log]
    named = replace(views, views=dict.fromkeys(names, steps[0]))
    for k, name in enumerate(names):
        other = replace(named, views={**named.views, name: steps[1]})
        moved = [named.state_for({"views": [column]}) != other.state_for({"views": [column]})
                 for column in columns]
        assert moved == [one == k for one in range(4)]


def test_each_view_has_its_answers_and_results(workspace, views):
    kept, answers = {}, {}
    for view in views.views:
        views = workspace.use_view(views, view)
        answers[view] = workspace.triplets(views)
        result = run("fit", STE(n_init=1), answers[view])
        kept[view] = workspace.add_run(views, result, "map").key
    assert {view: len(data) for view, data in answers.items()} == SIZES
    of_distances = replace(run("fit", STE(n_init=2), answers["few"]), options={"distances": "d"})
    free = workspace.add_run(views, of_distances, "of given distances").key
    for view, key in kept.items():
        views = workspace.use_view(views, view)
        assert (views.view, views.n_answers) == (view, SIZES[view])
        assert [one.key for one in workspace.runs(views.id)] == [free, key]
        assert workspace.triplets(views).rows is answers[view].rows, "nothing is made again"
    every = workspace.runs(views.id, of_any_exclusions=True)
    assert [views.view_of(one) for one in every[:0:-1]] == [*kept]
    assert views.left_out == "View “few”: 360 of 720 answers excluded, 3 participants entirely."
    opened = ts.open(workspace.folder / views.id)
    assert {name: len(view.triplets) for name, view in opened.views.items()} == SIZES
    workspace.close()
    again = Workspace(workspace.folder).dataset(views.id)
    assert (again.view, again.views) == (views.view, views.views)


def test_the_same_answers_have_the_same_results_however_others_were_excluded(workspace, views):
    """Undone and excluded in another way, a report had lost all that pages still showed."""
    answers = workspace.triplets(views)
    keys = {workspace.add_run(views, run(task, STE(n_init=1), answers, options), task).key
            for task, options in (("fit", {}), ("cross_validate", {"folds": 2}))}
    whole = workspace.update_dataset(views, workspace.cleaning(views).undone())
    assert workspace.runs(whole.id) == []
    one_by_one = workspace.cleaning(whole)
    for who in ("p2", "p1", "p0"):
        one_by_one = one_by_one.excluding(Exclusion(participants=(who,)))
    again = workspace.update_dataset(whole, one_by_one)
    assert again.fingerprint == views.fingerprint
    assert again.state != views.state
    assert {one.key for one in workspace.runs(again.id)} == keys
    back = workspace.update_dataset(again, workspace.cleaning(views))
    assert {one.key for one in workspace.runs(back.id)} == keys, "they are still results of both"
    assert all(one.is_of(views.state) and one.is_of(again.state)
               for one in workspace.runs(back.id))
    result = run("fit", STE(n_init=1), answers)
    fit = workspace.add_run(again, result, "fit")  # computed anew in the other one
    assert fit.is_of(views.state)
    workspace.delete_run(fit.id)
    assert workspace.runs(again.id, of_any_exclusions=True) == [], "results of a fit go with it"
    workspace.add_run(back, result, "fit")
    other = workspace.use_view(back, "without p5")
    assert workspace.runs(other.id) == [], "other answers have results of their own"


def test_a_view_that_excludes_nothing_is_given_up(workspace, views):
    info = workspace.update_dataset(views, workspace.cleaning(views).undone())
    assert (info.view, [*info.views]) == (ALL_ANSWERS, [ALL_ANSWERS, "without p5"])


def test_folders_of_before_have_one_view(workspace, views):
    path = workspace.folder / views.id / "about.json"
    about = json.loads(path.read_bytes())
    del about["view"], about["views"]
    path.write_text(json.dumps(about))
    info = workspace.dataset(views.id)
    assert (info.view, [*info.views]) == ("After exclusions", [ALL_ANSWERS, "After exclusions"])
    assert info.state == views.state
    first = workspace.use_view(info, ALL_ANSWERS)
    assert (first.n_answers, [*first.views]) == (720, [ALL_ANSWERS, "After exclusions"])


def test_tabs_that_change_views_at_the_same_time(workspace, views):
    without = workspace.use_view(views, "without p5").views
    workspace.rename_view(views.id, "few", "three")  # in a tab that shows it still
    workspace.rename_view(views.id, "few", "gone meanwhile")
    workspace.rename_view(views.id, "three", "without p5")
    now = workspace.dataset(views.id)
    assert now.view == "without p5"
    assert now.views == {"three" if name == "few" else name: without[name] for name in without}
    further = {"few": without["few"], "three": [{**without["few"][0], "participants": ["p4"]}]}
    for _ in range(2):
        workspace.add_views(views.id, further)
        now = workspace.dataset(views.id)
        assert {*now.views} == {ALL_ANSWERS, "without p5", "three", "three (2)"}
        assert (now.view, now.n_answers) == ("without p5", 600)


def test_a_view_of_no_answer_is_not_used(workspace, views):
    step = {**views.exclusions[0], "rule": "other_values", "participants": [],
            "parameters": {"column": "participant", "values": ["nobody"]}}
    workspace.add_views(views.id, {"gone": [step]})
    with pytest.raises(DataError, match="has no answer"):
        workspace.use_view(workspace.dataset(views.id), "gone")
    assert workspace.dataset(views.id).view == "few"


@pytest.mark.parametrize("damaged", [
    {"views": []}, {"views": {"a": [{}]}}, {"view": 3}, {"views": {ALL_ANSWERS: []}},
])
def test_views_that_are_none_are_said_and_left(workspace, views, damaged):
    path = workspace.folder / views.id / "about.json"
    path.write_text(json.dumps({**json.loads(path.read_bytes()), **damaged}))
    content = path.read_bytes()
    workspace.close()
    again = Workspace(workspace.folder)
    assert again.dataset(views.id) is None
    assert f"the entry '{next(iter(damaged))}' is not" in again.notes[0]
    assert path.read_bytes() == content


def test_new_answers_reach_every_view(workspace, views):
    one = workspace.cleaning(views).excluding(Exclusion(answers=(719,)))
    views = workspace.update_dataset(views, one, view="few, and less")
    info = workspace.renew_dataset(views, people_data(each=150), report=["Read."])
    assert {view: len(steps) for view, steps in info.views.items()} == {
        ALL_ANSWERS: 0, "without p5": 1, "few": 1, "few, and less": 1,
    }
    assert (info.view, info.n_answers) == ("few, and less", 450)
    assert workspace.use_view(info, "without p5").n_answers == 750


def test_a_view_whose_rule_lacks_what_it_needs_says_so(workspace, views):
    first = workspace.use_view(views, ALL_ANSWERS)
    with_gold = workspace.cleaning(first).with_gold(people_data().take(range(40)))
    first = workspace.update_dataset(first, with_gold)
    strict = workspace.cleaning(first).excluding(Exclusion("failed_checks", {"most": 0.0}))
    first = workspace.use_view(workspace.update_dataset(first, strict, view="a"), ALL_ANSWERS)
    first = workspace.update_dataset(first, workspace.cleaning(first).with_gold(None))
    with pytest.raises(DataError, match="no catch or gold questions"):
        workspace.use_view(first, "a")
    assert workspace.dataset(first.id).view == ALL_ANSWERS
