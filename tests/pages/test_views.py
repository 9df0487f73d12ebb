"""Views of the answers in the app: made under a name, chosen in the sidebar, shown everywhere."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tests.core.studies.quality.answers import people_data
from tests.pages.harness import on_tab, session_on, start, words
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.models.embedding import STE
from tripletscope.core.run import run
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
