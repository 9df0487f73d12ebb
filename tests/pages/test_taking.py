"""Taking a data set away from the page Data, and opening what was taken on Start."""

from __future__ import annotations

import io
import zipfile
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from tests.pages.harness import settled, start
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.models.embedding import STE
from tripletscope.core.ratings import Arrangements
from tripletscope.core.reading import Pairs
from tripletscope.core.run import run
from tripletscope.dashboard.archive.archive import archive
from tripletscope.dashboard.archive.pseudonyms import are_traceable
from tripletscope.dashboard.archive.terms import Terms
from tripletscope.dashboard.sandbox.archive import is_archive
from tripletscope.dashboard.state import _KEY, Session
from tripletscope.dashboard.store.workspace import Workspace
from tripletscope.pages.data.archive_form import _content


@pytest.fixture
def people(services, planted):
    """Id of a saved session with answers of people whose files are named after them."""
    who = pd.Series([f"p{k % 5}" for k in range(len(planted))])
    answers = planted.answers.assign(participant=who, file=who + ".csv")
    info = services.workspace.add_dataset(
        Triplets(planted.rows, planted.objects, answers, "Things"), origin="x.csv", report=[]
    )
    session = Session("s")
    session.open(info.id)
    session.save()
    return info


def test_the_dialog_asks_for_terms_and_remembers_them(services, people):
    app = start("data", "s")
    assert app.text_input(key=f"away.title@{people.id}").value == "Things"
    app.text_input(key="away.authors").set_value("Ada Lovelace; Grace Hopper").run()
    app.selectbox(key="away.licence").select("CC0-1.0").run()
    assert not app.exception
    again = start("data", "s")
    assert again.text_input(key="away.authors").value == "Ada Lovelace; Grace Hopper"
    assert again.selectbox(key="away.licence").value == "CC0-1.0"


@pytest.mark.parametrize(("names", "told"), [
    (["5f0c8e2ab1d34c0a9b7e6d21", "60aa8e2ab1d34c0a9b7e6d2f"], True),
    (["A1B2C3D4E5F6G7", "A3ROYR3H2VPT9X"], True), (["ann@lab.org", "bob@uni.example.de"], True),
    (["lab1", "lab2", "lab3", "60aa8e2ab1d34c0a9b7e6d2f"], True),
    (["prolific_60AA8E2AB1D34C0A9B7E6D2F", "b"], True), (["A3ROYR3H2VPT9X (no. 1)", "b"], True),
    (["p01", "p02"], False), (["ann", "ANNA", "Al"], False), ([], False),
    (["ALEXANDERSMITH", "sub-001", "A1"], False),
])
def test_accounts_are_replaced_unless_somebody_says_otherwise(services, names, told):
    """An archive for everybody named people by what Prolific knows them by."""
    assert are_traceable(names) is told
    answers = pd.DataFrame({"participant": np.repeat(names, 3)}) if names else None
    rows = np.tile([[0, 1, 2], [1, 2, 0], [2, 0, 1]], (max(len(names), 1), 1))
    info = services.workspace.add_dataset(
        Triplets(rows, pd.DataFrame({"id": list("abc")}), answers, "Things"), origin="x.csv",
        report=[],
    )
    Session("s", {"dataset": info.id}).save()
    app = start("data", "s")
    switches = [toggle for toggle in app.toggle if toggle.key == f"away.pseudonyms@{info.id}"]
    assert [toggle.value for toggle in switches] == ([told] if names else [])
    if told:
        switches[0].set_value(False).run()
        assert any("can trace" in warning.value for warning in app.warning)


def test_columns_that_tell_participants_apart_are_named(services, people):
    app = start("data", "s")
    assert not [w for w in app.warning if "tell participants apart" in w.value]
    app.toggle(key=f"away.pseudonyms@{people.id}").set_value(True).run()
    assert not app.exception
    (warning,) = [w.value for w in app.warning if "tell participants apart" in w.value]
    assert "file" in warning


def test_columns_of_every_table_in_the_file_are_named(services, planted):
    """Also where the answers themselves tell nobody apart."""
    who = ["p0", "p0", "p1", "p1"]
    pairs = Pairs(
        np.array([[0, 1, 2, 3], [1, 2, 3, 4]] * 2),
        pd.DataFrame({"participant": who, "sheet": who}), np.arange(4), planted.n_objects,
    )
    placed = pd.DataFrame({
        "participant": np.repeat(["p0", "p1"], 3), "trial": np.repeat(["ann's", "bob's"], 3),
        "item": planted.ids[:3] * 2, "x": [0.0, 1.0, 3.0] * 2, "y": 0.0,
    })
    answers = planted.answers.assign(participant=[f"p{k % 2}" for k in range(len(planted))])
    info = services.workspace.add_dataset(
        Triplets(planted.rows, planted.objects, answers), origin="x.csv", report=[], pairs=pairs,
        catch_trials=pd.DataFrame({"participant": who, "row": 7, "correct": True, "file": who}),
        measured=Arrangements(placed),
    )
    cleaning = services.workspace.cleaning(info).with_gold(Triplets(
        planted.rows[:4], planted.objects, pd.DataFrame({"participant": who, "machine": who})
    ))
    info = services.workspace.update_dataset(info, cleaning)
    session = Session("s")
    session.open(info.id)
    session.remember(f"away.pseudonyms@{info.id}", True)
    session.save()
    (warning,) = [w.value for w in start("data", "s").warning if "participants apart" in w.value]
    assert "file, sheet, machine, trial" in warning


def test_the_file_is_what_opens_again(services, people):
    session = Session("s", {"dataset": people.id})
    terms = Terms("Things", ("Ada Lovelace",))
    content = _content(session, people, terms)()
    assert is_archive(content)
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        assert {"products/report.html", "CITATION.cff"} <= set(file.namelist())
    hidden = _content(session, people, replace(terms, pseudonyms=True))()
    with zipfile.ZipFile(io.BytesIO(hidden)) as file:
        assert not any(name.startswith("products/") for name in file.namelist())


def test_without_participants_nothing_is_asked_of_them(services, opened):
    app = start("data", opened)
    (info,) = services.workspace.datasets()
    assert not [toggle for toggle in app.toggle if toggle.key == f"away.pseudonyms@{info.id}"]


def test_what_was_taken_opens_on_start(services, tmp_path, planted):
    other = Workspace(tmp_path / "other")
    info = other.add_dataset(planted.renamed("Elsewhere"), origin="x.csv", report=["Read."])
    found = run("fit", STE(n_init=1), planted)
    other.add_run(info, found, "The map")
    content = archive(
        other, info, Terms("Elsewhere"), settings={f"embedding.shown@{info.id}": found.key}
    )
    other.close()
    app = start()
    app.file_uploader(key="upload").set_value([("e.zip", content, "application/zip")]).run()
    settled(app, services)
    (info,) = services.workspace.datasets()
    assert (info.name, info.origin, info.report) == ("Elsewhere", "x.csv", ["Read."])
    names = {listed.key: listed.name for listed in services.workspace.runs(info.id)}
    assert names[found.key] == "The map"
    np.testing.assert_array_equal(
        services.workspace.run(info.id, found.key).arrays["embedding_"],
        found.arrays["embedding_"],
    )
    assert app.title[0].value == "Elsewhere"
    session = app.session_state[_KEY]
    assert session.drafts[f"embedding.shown@{info.id}"] == found.key


def test_a_damaged_one_is_told_and_nothing_is_kept(services, tmp_path, planted):
    other = Workspace(tmp_path / "other")
    info = other.add_dataset(planted, origin="x.csv", report=[])
    content = archive(other, info, Terms("Elsewhere"))
    other.close()
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        files = {name: file.read(name) for name in file.namelist()}
    files["answers.parquet"] += b"!"
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        for name, inner in files.items():
            file.writestr(name, inner)
    app = start()
    app.file_uploader(key="upload").set_value([("e.zip", buffer.getvalue(), "application/zip")])
    app.run()
    assert not app.exception
    assert "answers.parquet" in app.error[0].value.replace("\\", "")
    assert services.workspace.datasets() == []
