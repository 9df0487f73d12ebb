"""Selectors name no two things alike, and buttons that are disabled say why."""

from __future__ import annotations

import ast

from streamlit.testing.v1 import AppTest

from tests.pages.harness import session_on, settled, start
from tests.paths import ROOT
from tests.sources import files_of, tree_of
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.models.embedding import STE
from tripletscope.core.run import run
from tripletscope.dashboard.words import distinct


def test_equal_names_are_numbered_in_front_where_boxes_do_not_cut():
    assert distinct(["a", "b", "a", "a"]) == ["a", "b", "(2) a", "(3) a"]


def test_two_maps_of_one_name_are_two_in_every_selector(services):
    answers = Triplets.from_array([[0, 1, 2], [1, 0, 2], [2, 1, 0], [2, 1, 0]])
    session = session_on(services, answers)
    (info,) = services.workspace.datasets()
    for d in (1, 2):
        services.workspace.add_run(info, run("fit", STE(n_components=d), answers), "Mine")
    for page, tab, label in (
        ("embedding", "", "Shown"), ("embedding", "positions", "Map"),
        ("trees", "", "Map, kernel or features"),
    ):
        app = settled(start(page, session, tab), services)
        (box,) = [box for box in app.selectbox if box.label == label]
        assert {"Mine", "(2) Mine"} <= set(box.options)


def test_a_button_that_is_disabled_says_why_beside_it():
    def page():
        from tripletscope.dashboard.ui.controls import button

        button("Fit", key="fit", why="No *file*, no fit")
        button("Go", key="go")

    app = AppTest.from_function(page).run()
    assert [one.disabled for one in app.button] == [True, False]
    assert [one.value for one in app.caption] == ["No \\*file\\*, no fit"]
    assert app.main.children[1] == app.caption[0], "a screen reader reads it next"


#: Disabled without a reason beside them: buttons that are replaced once a figure is drawn, one
#: that says "Stopping", and columns of a table.
DISABLED = {"dashboard/ui/controls.py": 1, "dashboard/ui/composer.py": 1,
            "dashboard/ui/watching.py": 1, "pages/dimensions/overview.py": 1}


def test_nothing_is_disabled_otherwise():
    found = {}
    for path in files_of("dashboard", "pages"):
        calls = [node for node in ast.walk(tree_of(path)) if isinstance(node, ast.Call)]
        number = sum(word.arg == "disabled" for call in calls for word in call.keywords)
        found |= {str(path.relative_to(ROOT)): number} if number else {}
    assert found == DISABLED
