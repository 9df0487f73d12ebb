"""Views of the answers in the app: made under a name, chosen in the sidebar, shown everywhere."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tests.core.studies.quality.answers import people_data
from tests.dashboard.views.harness import (
    figure,
    on_tab,
    session_on,
    settled,
    start,
    words,
)
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.models.embedding import STE
from tripletscope.core.run import run
from tripletscope.core.studies.quality import Exclusion
from tripletscope.dashboard.keeping.dataset import ALL_ANSWERS
from tripletscope.dashboard.state import _KEY


@pytest.fixture
def opened(services):
    data = people_data()
    group = pd.Categorical(np.where(np.arange(720) < 360, "expert", "novice"))
    answers = data.answers.astype({"participant": "str"}).assign(group=group)
    return session_on(services, Triplets(data.rows, data.objects, answers, "People"))


def switch(app, view: str):
    (choice,) = [box for box in app.sidebar.selectbox if box.label == "View"]
    choice.set_value(view).run()
    assert not app.exception
    return app


def test_a_view_is_made_chosen_and_shown(services, opened):
    app = start("data", opened, "exclusions")
    assert not app.sidebar.selectbox, "all answers alone need no choice"
    app.session_state[_KEY].drafts["exclusions.rule"] = "other_values"
    app.run()
    app.selectbox(key="exclusions.column").set_value("group").run()
    app.multiselect(key="exclusions.values.group").set_value(["expert"]).run()
    app.text_input(key=f"exclusions.view@{ALL_ANSWERS}").set_value(ALL_ANSWERS).run()
    assert "There is a view with this name" in app.warning[0].value
    app.text_input(key=f"exclusions.view@{ALL_ANSWERS}").set_value("experts").run()
    app.button(key="exclusions.go").click().run()
    assert not app.exception
    (info,) = services.workspace.datasets()
    assert (info.view, info.n_answers) == ("experts", 360)
    assert "360 of 720 answers excluded" in words(app).replace("\\", "")

    workspace = services.workspace
    for view in (ALL_ANSWERS, "experts"):
        info = workspace.use_view(info, view)
        map_of = run("fit", STE(n_init=1), workspace.triplets(info))
        workspace.add_run(info, map_of, f"map of {view}")
    app = start("embedding", opened)
    assert "View “experts”" in " ".join(one.value for one in app.main.caption)
    switch(app, ALL_ANSWERS)
    assert workspace.dataset(info.id).n_answers == 720
    assert "experts" not in " ".join(one.value for one in app.main.caption)
    switch(app, "experts")
    assert not services.jobs.of(app.session_state[_KEY].id), "nothing is asked again"
    assert "View “experts”" in " ".join(one.value for one in app.main.caption)
    listed, *_ = workspace.runs(info.id, "fit")
    app.toggle(key=f"run.pin.{listed.id}").set_value(True).run()
    app.text_input(key=f"run.group.{listed.id}").set_value("pilot").run()
    assert workspace.runs(info.id, "fit")[0].listed_name == "★ pilot: map of experts"
    app = on_tab(app, "embedding", "maps")
    listed = next(box for box in app.multiselect if box.label == "Maps").options
    assert any(name.endswith("(All answers)") for name in listed)

    app = start("data", opened, "exclusions")
    app.text_input(key="view.name@experts").set_value("three experts").run()
    assert services.workspace.dataset(info.id).view == "three experts"
    app.button(key="exclusions.delete").click().run()
    app.button(key="delete for good").click().run()
    assert [*services.workspace.dataset(info.id).views] == [ALL_ANSWERS]


def test_further_exclusions_extend_a_view_or_begin_another(services, opened):
    app = start("data", opened, "exclusions")
    app.session_state[_KEY].drafts["exclusions.rule"] = "fast_participants"
    for name in ("attentive", "attentive", "slow too"):
        app.run()
        (info,) = services.workspace.datasets()
        rule = "slow_answers" if len(info.exclusions) else "fast_participants"
        app.session_state[_KEY].drafts["exclusions.rule"] = rule
        app.run()
        if rule == "slow_answers":
            limit = app.number_input(key="exclusions.slow_answers.most")
            limit.set_value(2.5 - 0.4 * len(info.exclusions)).run()
        app.text_input(key=f"exclusions.view@{info.view}").set_value(name).run()
        app.button(key="exclusions.go").click().run()
        assert not app.exception
    (info,) = services.workspace.datasets()
    assert {view: len(steps) for view, steps in info.views.items()} == {
        ALL_ANSWERS: 0, "attentive": 2, "slow too": 3,
    }


def test_robustness_compares_the_views(services, opened):
    app = start("compare", opened, "geometry")
    assert "Robustness" not in app.segmented_control(key="compare.view").options
    workspace, (info,) = services.workspace, services.workspace.datasets()
    for view, out in (("without p5", ("p5",)), ("group", ("p0", "p1", "p2"))):
        info = workspace.use_view(info, ALL_ANSWERS)
        less = workspace.cleaning(info).excluding(Exclusion(participants=out))
        info = workspace.update_dataset(info, less, view=view)
    workspace.add_run(info, run("fit", STE(n_init=1), workspace.triplets(info)), "STE")
    app = start("compare", opened, "robustness")
    app.number_input(key="compare.robustness.draws").set_value(19).run()
    app.number_input(key="compare.robustness.folds").set_value(2).run()
    app.button(key="compare.robustness.run").click().run()
    settled(app, services)
    (kept,) = workspace.runs(info.id, "robustness")
    result = workspace.run(info.id, kept.key).result()
    # One of the columns of the answers is called as a view is.
    assert result.views == ["all answers", "without p5", "group (view)"]
    assert result.sizes.tolist() == [720, 600, 360]
    drawn = figure(app, "robustness")
    assert len([trace for trace in drawn["data"] if trace["type"] == "scatter"]) == 3
    assert "View “group”" not in " ".join(one.value for one in app.main.caption), "it is of all"
    for view in (ALL_ANSWERS, "without p5"):
        info = workspace.use_view(info, view)
        assert workspace.runs(info.id, "robustness") == [kept], "it is of every view"
    more = workspace.triplets(workspace.use_view(info, ALL_ANSWERS))
    workspace.renew_dataset(workspace.dataset(info.id), more, report=["Read."])
    assert not workspace.runs(info.id, "robustness"), "it was of the earlier answers"
