"""The page Data."""

from __future__ import annotations

from tests.pages.harness import (
    figure,
    start,
    unfold,
    words,
)


def test_data_shows_what_is_there(services, opened):
    app = start("data", opened)
    assert app.title[0].value == "Things"
    assert "30 objects, 2,500 answers" in words(app).replace("\\", "")
    assert "All was read" in words(unfold(app, "About the data set"))
    counts = figure(app, "data.occurrence")["data"][0]["y"]
    assert counts


def test_a_data_set_is_renamed_and_deleted_after_asking(services, opened):
    app = start("data", opened)
    (info,) = services.workspace.datasets()
    app.text_input(key=f"name.{info.id}").set_value("Better").run()
    assert services.workspace.datasets()[0].name == "Better"
    app.button(key=f"delete.{info.id}").click().run()
    assert services.workspace.datasets(), "deleting asks first"
    app.button(key="delete for good").click().run()
    assert services.workspace.datasets() == []
