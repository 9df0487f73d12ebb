"""Views of the answers in the app: made under a name, chosen in the sidebar, shown everywhere."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tests.core.studies.quality.answers import people_data
from tests.pages.harness import figure, on_tab, session_on, settled, start, unfold, words
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.models.embedding import STE
from tripletscope.core.run import run
from tripletscope.core.studies.quality import Exclusion
from tripletscope.dashboard.state import _KEY
from tripletscope.dashboard.store.dataset import ALL_ANSWERS


@pytest.fixture
def opened(services):
    data = people_data()
    group = pd.Categorical(np.where(np.arange(720) < 360, "expert", "novice"))
    answers = data.answers.astype({"participant": "str"}).assign(group=group)
    return session_on(services, Triplets(data.rows, data.objects, answers, "People"))


def excluding(session: str, rule: str):
    app = start("data", session, "exclusions")
    app.session_state[_KEY].drafts["exclusions.rule"] = rule
    return app.run()


def captions(app) -> str:
    return " ".join(one.value for one in app.main.caption)


def test_a_view_is_made_chosen_and_shown(services, opened):
    workspace, (info,) = services.workspace, services.workspace.datasets()
    app = excluding(opened, "other_values")
    assert not app.sidebar.selectbox, "all answers alone need no choice"
    app.selectbox(key="exclusions.column").set_value("group").run()
    app.multiselect(key="exclusions.values.group").set_value(["expert"]).run()
    for name in (ALL_ANSWERS, "experts"):
        app.text_input(key=f"exclusions.view@{ALL_ANSWERS}").set_value(name).run()
        assert bool(app.warning) == (name == ALL_ANSWERS), "there is a view with this name"
    app.button(key="exclusions.go").click().run()
    assert "360 of 720 answers excluded" in words(app).replace("\\", "")
    for view in (ALL_ANSWERS, "experts"):
        info = workspace.use_view(workspace.dataset(info.id), view)
        map_of = run("fit", STE(n_init=1), workspace.triplets(info))
        workspace.add_run(info, map_of, f"map of {view}")

    app = start("embedding", opened)
    for view in (ALL_ANSWERS, "experts"):
        (choice,) = [box for box in app.sidebar.selectbox if box.label == "View"]
        choice.set_value(view).run()
        assert workspace.dataset(info.id).n_answers == (360 if view == "experts" else 720)
        assert ("View “experts”" in captions(app)) == (view == "experts"), "below the figure"
    assert not services.jobs.of(app.session_state[_KEY].id), "nothing is asked again"
    listed, *_ = workspace.runs(info.id, "fit")
    app.toggle(key=f"run.pin.{listed.id}").set_value(True).run()
    app.text_input(key=f"run.group.{listed.id}").set_value("pilot").run()
    app = on_tab(app, "embedding", "maps")
    names = next(box for box in app.multiselect if box.label == "Maps").options
    assert {*names} == {"★ pilot: map of experts", f"map of {ALL_ANSWERS} ({ALL_ANSWERS})"}

    app = start("data", opened, "exclusions")
    app.text_input(key="view.name@experts").set_value("three experts").run()
    assert workspace.dataset(info.id).view == "three experts"
    app.button(key="exclusions.delete").click().run()
    app.button(key="delete for good").click().run()
    assert [*workspace.dataset(info.id).views] == [ALL_ANSWERS]


def test_further_exclusions_extend_a_view_or_begin_another(services, opened):
    for name, rule, limit in (("attentive", "fast_participants", {}),
                              ("attentive", "slow_answers", {"exclusions.slow_answers.most": 2.5}),
                              ("slow too", "slow_answers", {"exclusions.slow_answers.most": 2.1})):
        app = excluding(opened, rule)
        for key, value in limit.items():
            app.number_input(key=key).set_value(value).run()
        (info,) = services.workspace.datasets()
        app.text_input(key=f"exclusions.view@{info.view}").set_value(name).run()
        app.button(key="exclusions.go").click().run()
        assert not app.exception
    (info,) = services.workspace.datasets()
    assert {view: len(steps) for view, steps in info.views.items()} == {
        ALL_ANSWERS: 0, "attentive": 2, "slow too": 3,
    }


def test_robustness_compares_the_views(services, opened):
    app = start("compare", opened, "multiverse")
    assert "Views beside random sets" not in [box.label for box in app.expander]
    workspace, (info,) = services.workspace, services.workspace.datasets()
    for view, out in (("all answers", ("p5",)), ("group", ("p0", "p1", "p2"))):
        info = workspace.use_view(info, ALL_ANSWERS)
        less = workspace.cleaning(info).excluding(Exclusion(participants=out))
        info = workspace.update_dataset(info, less, view=view)
    workspace.add_run(info, run("fit", STE(n_init=1), workspace.triplets(info)), "STE")
    app = unfold(start("compare", opened, "multiverse"), "Views beside random sets")
    for option, value in (("draws", 19), ("folds", 2)):
        app.number_input(key=f"compare.robustness.{option}").set_value(value).run()
    app.button(key="compare.robustness.run").click().run()
    settled(app, services)
    (kept,) = workspace.runs(info.id, "robustness")
    result = workspace.run(info.id, kept.key).result()
    # One of the columns of the answers is called as a view is.
    assert result.views == ["all answers", "all answers (view)", "group (view)"]
    assert result.sizes.tolist() == [720, 600, 360]
    drawn = figure(app, "robustness")["data"]
    assert len([trace for trace in drawn if trace["type"] == "scatter"]) == 3
    assert "View “group”" not in captions(app), "it is of all"
    info = workspace.use_view(info, ALL_ANSWERS)
    assert workspace.runs(info.id, "robustness") == [kept], "it is of every view"
    for name in ("others", "group"):
        workspace.rename_view(info.id, "group" if name == "others" else "others", name)
        listed = workspace.runs(info.id, "robustness")
        assert listed == ([kept] if name == "group" else []), "it is of the views that there are"
    workspace.renew_dataset(info, workspace.triplets(info), report=["Read."])
    assert not workspace.runs(info.id, "robustness"), "it was of the earlier answers"
