"""Selectors name no two things alike."""

from __future__ import annotations

from tests.dashboard.views.harness import session_on, settled, start
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.models.embedding import STE
from tripletscope.core.run import run
from tripletscope.dashboard.wording import distinct


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
