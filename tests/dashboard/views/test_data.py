"""The page Data."""

from __future__ import annotations

from tests.dashboard.views.harness import (
    figure,
    start,
    words,
)
from tripletscope.core.data.triplets import Triplets
from tripletscope.dashboard.state import Session


def test_data_shows_what_is_there(services, opened):
    app = start("data", opened)
    assert app.title[0].value == "Things"
    assert {metric.label: metric.value for metric in app.metric}["Answers"] == "2,500"
    assert "All was read" in words(app)
    counts = figure(app, "data.occurrence")["data"][0]["y"]
    assert counts


def test_rare_objects_are_warned_of(services):
    triplets = Triplets.from_array([[0, 1, 2]] * 5 + [[3, 1, 0]], 6)
    info = services.workspace.add_dataset(triplets, origin="x", report=[])
    session = Session("s")
    session.open(info.id)
    session.save()
    warnings = [warning.value for warning in start("data", "s").warning]
    assert any("1 object occurs in fewer than 3 answers" in text for text in warnings)
    assert any("2 objects were never asked about" in text for text in warnings)


def test_a_data_set_is_renamed_and_deleted_after_asking(services, opened):
    app = start("data", opened)
    (info,) = services.workspace.datasets()
    app.text_input(key=f"name.{info.id}").set_value("Better").run()
    assert services.workspace.datasets()[0].name == "Better"
    app.button(key=f"delete.{info.id}").click().run()
    assert services.workspace.datasets(), "deleting asks first"
    app.button(key="delete for good").click().run()
    assert services.workspace.datasets() == []
