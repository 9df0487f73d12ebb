"""Archives that somebody has changed: nothing of them stays, and no page breaks."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.dashboard.archive.changed import signed, unzipped
from tests.pages.harness import start, words
from tripletscope.core.data.errors import DataError
from tripletscope.core.models.embedding import STE
from tripletscope.core.run import run
from tripletscope.dashboard.files.errors import WorkspaceError
from tripletscope.dashboard.files.storage import hash_of
from tripletscope.dashboard.sandbox.archive import ABOUT, PAGES
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.store.workspace import Workspace
from tripletscope.dashboard.upload import ingest
from tripletscope.pages.start import recent


def altered(content: bytes, change) -> bytes:
    """An archive after a change of what it says, of its first map and of the arrays of this."""
    files = unzipped(content)
    about = json.loads(files[ABOUT])
    places = [name for name in files if name.endswith("/run.json")]
    results = {place: json.loads(files[place]) for place in places}
    place = next(place for place, said in results.items() if said["run"]["task"] == "fit"
                 and said["run"]["kind"] == "embedding")
    numbers, said = place.replace("run.json", "arrays.npz"), results[place]
    with np.load(io.BytesIO(files[numbers])) as kept:
        arrays = dict(kept)
    change(about, said["run"], arrays)
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    said["sum"] = hash_of(buffer.getvalue())
    return signed({
        **files, ABOUT: json.dumps(about).encode(), place: json.dumps(said).encode(),
        numbers: buffer.getvalue(),
    })


def files_in(folder: Path) -> set[str]:
    """Every file of data sets and results that a workspace shows."""
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")
            if path.is_file() and "trash" not in path.parts and path.name != "opened.json"}


REFUSED = {
    "a format that is none": lambda about, run, arrays: about.update(format=None),
    "a format in words": lambda about, run, arrays: about.update(format="1"),
    "a format before the first": lambda about, run, arrays: about.update(format=0),
    "a format that is true": lambda about, run, arrays: about.update(format=True),
    "a parameter out of bounds": lambda about, run, arrays: run["parameters"].update(
        n_components=0),
    "a parameter of another kind": lambda about, run, arrays: run["parameters"].update(
        n_components={"x": 1}),
    "an option there is not": lambda about, run, arrays: run["options"].update(replicates=3),
    "an array of another shape": lambda about, run, arrays: arrays.update(
        embedding_=arrays["embedding_"][:-1]),
    "an array with an axis less": lambda about, run, arrays: arrays.update(
        embedding_=arrays["embedding_"].ravel()),
    "an array of another kind": lambda about, run, arrays: arrays.update(
        placed_=arrays["placed_"].astype(str)),
    "an array there is not": lambda about, run, arrays: arrays.update(other=np.zeros(3)),
    "an array missing": lambda about, run, arrays: arrays.pop("embedding_"),
    "a number of another kind": lambda about, run, arrays: run["numbers"].update(loss_="small"),
    "a number for a method": lambda about, run, arrays: run["numbers"].update(distances=1),
    "a time that is none": lambda about, run, arrays: run.update(created="yesterday"),
    "a mapping for a time": lambda about, run, arrays: run.update(created={"x": 1}),
    "seconds beyond all numbers": lambda about, run, arrays: run.update(seconds={}),
    "half a character": lambda about, run, arrays: about.update(origin="\ud800"),
    "a report that is none": lambda about, run, arrays: about.update(report="abc"),
    "a reason that is none": lambda about, run, arrays: about["exclusions"][0].update(
        reason=[1]),
    "a table that is none": lambda about, run, arrays: about["extra"].update(tables={"x": 1}),
    "a measure that is none": lambda about, run, arrays: about["extra"].update(measured=[1]),
}


@pytest.mark.parametrize("change", REFUSED.values(), ids=REFUSED)
def test_nothing_stays_of_what_is_refused(made, services, change):
    before = files_in(services.workspace.folder)
    with pytest.raises(DataError, match=r"a\.zip: .* Download it again"):
        ingest.open_archive("a.zip", altered(made[2], change))
    assert files_in(services.workspace.folder) == before
    assert services.workspace.datasets() == []


def test_nothing_stays_where_keeping_fails(made, services, monkeypatch):
    """Of a new data set; of one that was there, none of the results that came."""
    workspace, kept = services.workspace, Workspace.add_run
    files = {name: content for name, content in unzipped(made[2]).items()
             if not name.startswith("results/")}
    ingest.open_archive("a.zip", signed(files))
    (there,) = workspace.datasets()

    def fails(self, info, run, name, **further):
        if run.task == "cross_validate":
            raise WorkspaceError("The disk is full.")
        return kept(self, info, run, name, **further)

    monkeypatch.setattr(Workspace, "add_run", fails)
    for change in (lambda *_: None, lambda about, *_: about.update(name="Other")):
        with pytest.raises(WorkspaceError):
            ingest.open_archive("a.zip", altered(made[2], change))
        assert [info.id for info in workspace.datasets()] == [there.id]
        assert workspace.runs(there.id) == []


LEFT = {"trials": {"x": 1}, "features": {"x": 1}, "asked": 3}


def test_what_pages_cannot_read_of_a_data_set_breaks_none(made, services):
    """Neither of the archive's notes, nor of what was set on pages."""
    files = unzipped(altered(made[2], lambda about, *_: about["extra"].update(LEFT)))
    pages = json.loads(files[PAGES])
    places = ("embedding.shown@{data set}", "map.labels@{data set}.x", "map.colour@{data set}",
              "map.coverage@{data set}", "clusters.shown@{data set}")
    pages |= {key: {"x": [1]} for key in places}
    opened = ingest.open_archive("a.zip", signed({**files, PAGES: json.dumps(pages).encode()}))
    assert not set(LEFT) & set(opened.info.extra)
    session = Session("a")
    session.take_up(opened.settings)
    session.open(opened.info.id)
    session.save()
    start("start", "a")
    start("embedding", "a")


def test_a_card_that_cannot_be_drawn_says_so_and_can_be_deleted(services, planted, monkeypatch):
    """However it came there; the others are drawn, and pages beside it."""
    workspace = services.workspace
    sound, broken = (workspace.add_dataset(planted.renamed(name), origin="a", report=[])
                     for name in ("Sound", "Broken"))
    found = run("fit", STE(n_init=1), planted)
    workspace.add_run(broken, replace(found, arrays={"embedding_": np.zeros(3)}), "STE")
    maps_of = recent.maps_of
    monkeypatch.setattr(recent, "maps_of", lambda info: (
        maps_of(info) if info.id != broken.id else {}["a fault of ours"]))
    for name, value in LEFT.items():
        workspace.note(broken.id, name, value)
    app = start()
    text = words(app)
    assert "Sound" in text
    assert "Damaged: it cannot be shown" in text
    app.button(key=f"delete.{broken.id}").click().run()
    workspace.delete_dataset(broken.id)
    assert [info.id for info in workspace.datasets()] == [sound.id]


def test_notes_of_another_kind_are_not_shown(services, planted):
    """Columns that are none would break the reading of every further upload."""
    workspace = services.workspace
    info = workspace.add_dataset(planted, origin="a", report=[], extra={"asked": "triplets"})
    for name, value in {"columns": 3, "features": [1], "report": "x", "dimension names": 1,
                        "reading": []}.items():
        workspace.note(info.id, name, value)
    assert workspace.dataset(info.id).extra == {"asked": "triplets"}


def test_a_description_of_another_kind_hides_its_data_set_alone_and_is_said(services, planted):
    workspace = services.workspace
    for name in ("Sound", "Broken"):
        broken = workspace.add_dataset(planted.renamed(name), origin="a", report=[])
    file = workspace.folder / broken.id / "about.json"
    about = json.loads(file.read_text())
    file.write_text(json.dumps({**about, "extra": {"tables": 5}}))
    app = start()
    assert "Sound" in words(app)
    assert f"{broken.id}/about.json" in app.warning[0].value.replace("\\", "")
