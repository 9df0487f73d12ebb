"""The page Report in Streamlit's own test harness."""

from __future__ import annotations

from tests.pages.harness import session_on, start
from tripletscope.dashboard.report.document import Paragraph, Section
from tripletscope.dashboard.report.gathering import PAGE
from tripletscope.pages.report import writing


def test_a_part_stays_left_out_though_another_comes_meanwhile(services, planted, monkeypatch):
    """Results arrive while somebody chooses, and bring their parts."""
    sections = {
        name: Section(name, name.capitalize(), (Paragraph(f"Of {name}."),))
        for name in ("data", "quality", "map")
    }
    there = ["data", "quality"]
    monkeypatch.setattr(
        writing, "sections_of", lambda *_: {name: sections[name] for name in there}
    )
    app = start("report", session_on(services, planted))
    assert not app.exception
    parts = {box.label: box for box in app.checkbox}
    assert {name: parts[name].value for name in ("Data", "Quality")} == {
        "Data": True, "Quality": True
    }
    there.append("map")
    parts["Quality"].uncheck().run()
    assert not app.exception
    (info,) = services.workspace.datasets()
    assert info.extra[PAGE]["left_out"] == ["quality"]
    assert {box.label: box.value for box in app.checkbox if box.label in parts} == {
        "Data": True, "Quality": False
    }
    assert "Map" in {box.label for box in app.checkbox if box.value}
    next(box for box in app.checkbox if box.label == "Quality").check().run()
    (info,) = services.workspace.datasets()
    assert info.extra[PAGE]["left_out"] == []


def test_a_result_stays_left_out_though_another_comes_meanwhile(services, planted, monkeypatch):
    titles = {"a": "Map", "b": "Test errors"}
    monkeypatch.setattr(writing, "offered", lambda _: (dict(titles), list(titles)))
    monkeypatch.setattr(writing, "sections_of", lambda *_: {})
    app = start("report", session_on(services, planted))
    results = {box.label: box for box in app.checkbox}
    assert all(results[title].value for title in titles.values())
    titles["c"] = "Clusters"
    results["Test errors"].uncheck().run()
    assert not app.exception
    (info,) = services.workspace.datasets()
    assert info.extra[PAGE]["results_left_out"] == ["b"]
    results = {box.label: box.value for box in app.checkbox}
    assert {title: results[title] for title in titles.values()} == {
        "Map": True, "Test errors": False, "Clusters": True
    }
