"""Figures on pages: drawn once for what they show."""

from __future__ import annotations

import ast
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
from streamlit.testing.v1 import AppTest

from tests.pages.harness import crowd, figure, session_on, settled, start, unfold
from tests.sources import files_of
from tripletscope.core.models.embedding import STE
from tripletscope.core.run import run
from tripletscope.dashboard.figures.theme import SCREEN, note_hidden
from tripletscope.dashboard.results import maps
from tripletscope.dashboard.ui import looks, panels
from tripletscope.dashboard.ui.turning import Turn


def test_what_was_drawn_of_the_same_is_not_drawn_anew():
    calls = []

    def draw(canvas):
        calls.append(canvas)
        drawn = go.Figure(go.Scatter(y=[1, 2]))
        note_hidden(drawn, 1, 2)
        return drawn

    first = panels._drawn_once("a content of this test", draw, SCREEN)
    assert panels._drawn_once("a content of this test", draw, SCREEN) == first
    assert len(calls) == 1
    assert first[1] == "1 of 2 labels hidden."
    panels._drawn_once("another content", draw, replace(SCREEN, width=10.0))
    assert len(calls) == 2


def folded_page():
    import streamlit as st

    from tripletscope.dashboard.state import session
    from tripletscope.dashboard.ui import controls, panels

    if box := panels.folded("Numbers", "numbers"):
        with box:
            st.dataframe({"number": [1]}, key="numbers")
            controls.pick(session(), "sorted", "Sorted by", {"": "None", "size": "Size"})


def test_what_is_folded_is_not_drawn_and_what_was_chosen_in_it_is_kept(services):
    app = AppTest.from_function(folded_page).run()
    assert not app.dataframe
    assert len(unfold(app, "Numbers").dataframe) == 1
    app.selectbox(key="sorted").select("size").run()
    assert len(app.dataframe) == 1, "it stays unfolded"
    app.session_state["numbers.fold"] = False
    assert not app.run().dataframe
    assert unfold(app, "Numbers").selectbox(key="sorted").value == "size"


def test_a_map_is_drawn_anew_when_what_it_shows_changes(services, monkeypatch):
    answers = crowd(9, 200)
    session = session_on(services, answers)
    (info,) = services.workspace.datasets()
    services.workspace.add_run(info, run("fit", STE(n_init=1), answers), "STE")
    drawn = []
    original = maps.embedding_map
    monkeypatch.setattr(maps, "embedding_map",
                        lambda *given, **more: drawn.append(1) or original(*given, **more))
    app = settled(start("embedding", session), services)
    app.run()
    seen, before = len(drawn), figure(app, "map")
    app.run()
    assert len(drawn) == seen, "nothing has changed"
    assert figure(app, "map") == before
    colour = app.selectbox(key=f"map.colour@{info.id}")
    colour.select(next(option for option in ("size", "kind") if option != colour.value)).run()
    assert len(drawn) == seen + 1
    assert figure(app, "map")["data"] != before["data"]
    app.selectbox(key=f"map.colour@{info.id}").select(colour.value).run()
    assert len(drawn) == seen + 1, "as at first"


def test_a_table_of_a_stopped_map_is_not_shown_of_the_whole_one(monkeypatch):
    """Both have the same key."""
    answers = crowd(9, 200)
    whole = run("fit", STE(n_init=1), answers)
    stopped = replace(whole, complete=False)
    calls = []
    looks._inspected_once.clear()  # of the same map in the same second, by another test
    monkeypatch.setattr(looks, "turn_of", lambda info, fit: Turn(np.eye(2), ""))
    monkeypatch.setattr(looks, "inspect_objects",
                        lambda *given, **more: calls.append(1) or answers.objects)
    for fit in (stopped, stopped, whole, whole):
        looks.inspected(looks.Result(None, answers, fit, None, None), 0.95)
    assert len(calls) == 2


def test_every_fold_has_a_key_by_which_it_stays_open():
    """Without one it is known by its place, and closes when anything comes above it."""
    folds = [
        (path.name, call) for path in files_of("dashboard", "pages")
        for call in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(call, ast.Call) and getattr(call.func, "attr", "") == "expander"
    ]
    assert len(folds) > 15
    assert not [(name, call.lineno) for name, call in folds
                if "key" not in {given.arg for given in call.keywords}]
