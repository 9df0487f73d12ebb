"""An archive holds a data set for everybody, and opens as what it was."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
import shutil
import zipfile
from dataclasses import replace

import nbformat
import numpy as np
import pandas as pd
import pytest
import yaml
from markdown_it import MarkdownIt
from scipy.spatial.distance import pdist

import tripletscope as ts
from tests.core.studies.quality.answers import people_data
from tests.dashboard.archive.changed import TERMS, signed, unzipped
from tests.pages.harness import crowd
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.progress import silent
from tripletscope.core.models.dimensions.known_dimensions import simulate_choices
from tripletscope.core.reading import FeatureTable, Pairs
from tripletscope.core.run import run
from tripletscope.core.scales import MLDS
from tripletscope.core.studies.quality import Exclusion
from tripletscope.dashboard.archive import showing
from tripletscope.dashboard.archive.archive import archive
from tripletscope.dashboard.archive.restoring import restore
from tripletscope.dashboard.archive.terms import Terms
from tripletscope.dashboard.files import export
from tripletscope.dashboard.files.storage import hash_of
from tripletscope.dashboard.sandbox.archive import ABOUT, MANIFEST, PackedFolder, is_archive
from tripletscope.dashboard.sandbox.questions import archive as unpacked_from
from tripletscope.dashboard.store.description import UPLOADED
from tripletscope.dashboard.store.dimension_names import NAMES_KEPT
from tripletscope.dashboard.store.workspace import Workspace
from tripletscope.dashboard.upload import ingest, waiting_upload


def zipped(files: dict[str, bytes]) -> bytes:
    return export.bundle(files)


def state(workspace, info):
    """All that is known of a data set and its results."""
    cleaning = workspace.cleaning(info)
    runs = [workspace.run(info.id, one.key) for one in workspace.runs(info.id)]
    return {
        "facts": [getattr(info, name) for name in (
            "name", "origin", "fingerprint", "imported", "n_objects", "n_answers",
            "n_participants", "report", "exclusions", "gold", "n_pairs", "state",
            "left_out", "views",
        )],
        "notes": {name: note for name, note in info.extra.items() if name != UPLOADED},
        "there since": info.extra.get(UPLOADED, info.created),
        "catch": None if cleaning.catch_trials is None else cleaning.catch_trials.to_dict(),
        "pictures": workspace.pictures(info),
        "names": [one.name for one in workspace.runs(info.id)],
        "runs": [{**vars(one), "arrays": {
            name: (array.dtype.str, array.tobytes()) for name, array in one.arrays.items()
        }} for one in runs],
    }


# Opening ----------------------------------------------------------------------------------------


def test_it_opens_as_what_it_was(made, services):
    workspace, info, content = made
    assert is_archive(content)
    other = services.workspace.add_dataset(people_data(), origin="mine", report=[])
    opened = ingest.open_archive("shapes.zip", content)
    assert opened.notes == []
    assert state(services.workspace, opened.info) == state(workspace, info)
    assert opened.info.id != info.id
    assert services.workspace.dataset(other.id) == other
    assert opened.settings == {
        f"map.colour@{opened.info.id}": "age",
        f"compare.maps@{opened.info.id}": [f"{opened.info.id}/f00"],
        "composer": {"width": 120.0},
    }


def test_what_is_there_already_only_gets_what_it_lacks(made, services):
    first = ingest.open_archive("shapes.zip", made[2]).info
    lost = services.workspace.runs(first.id)[0]
    services.workspace.delete_run(lost.id)
    again = ingest.open_archive("shapes.zip", made[2]).info
    assert again.id == first.id
    assert len(services.workspace.datasets()) == 1
    assert state(services.workspace, again)["facts"] == state(*made[:2])["facts"]
    assert lost.key in {run.key for run in services.workspace.runs(first.id)}


def test_it_may_have_been_packed_anew_and_read(made, services):
    files = {f"shapes-main/{name}": content for name, content in unzipped(made[2]).items()}
    files["shapes-main/README.md"] = b"Mine.\n"
    del files["shapes-main/LICENSE"]
    content = zipped(files)
    assert is_archive(content)
    opened = ingest.open_archive("shapes.zip", content)
    assert len(services.workspace.runs(opened.info.id)) == 4
    assert [note for note in opened.notes if "LICENSE, README.md" in note]


@pytest.mark.parametrize("change", ["cut", "other", "gone"])
@pytest.mark.parametrize("start", [
    ABOUT, "answers", "objects", "gold", "catch", "results/", "pictures/",
])
def test_a_damaged_file_is_named_and_nothing_is_kept(made, services, start, change):
    files = unzipped(made[2])
    name = next(name for name in files if name.startswith(start))
    assert name.endswith((".json", ".parquet", "arrays.npz", ".png"))
    if change == "gone":
        del files[name]
    else:
        files[name] = files[name][:-9] if change == "cut" else b"something else"
    with pytest.raises(DataError) as error:
        ingest.open_archive("shapes.zip", zipped(files))
    assert error.value.file == "shapes.zip"
    assert name in str(error.value) or (name == ABOUT and change == "gone")
    assert services.workspace.datasets() == []


@pytest.mark.parametrize(("what", "value"), [
    (("format",), 99), (("files",), None), (("exclusions",), [{"rule": "none"}]),
    (("imported",), "f00"), (("pictures",), {"a": "../../x"}), (("pictures",), {"a": 1}),
    (("files",), {"answers": "/etc/passwd"}), (("report",), 3), (("name",), []), (("gold",), "f00"),
    (("extra", "tables"), [{"file": "features/x.npz"}]), (("sums", "answers.parquet"), None),
])
def test_what_fits_together_nowhere_is_refused(made, services, what, value):
    def change(about):
        place = about
        for key in what[:-1]:
            place = place[key]
        place[what[-1]] = value
        if what == ("gold",):
            del about["files"]["gold"]

    with pytest.raises(DataError, match=r"a\.zip"):
        ingest.open_archive("a.zip", said(made[2], ABOUT, change))
    assert services.workspace.datasets() == []


def said(content: bytes, place: str, change) -> bytes:
    """An archive in which a file says something else, with its sum."""
    files = unzipped(content)
    about = json.loads(files[place])
    change(about)
    return signed({**files, place: json.dumps(about).encode()})


def result_in(content: bytes) -> str:
    """The place of what is said of a result of an archive."""
    return next(name for name in unzipped(content) if name.endswith("/run.json"))


def test_what_pages_could_not_read_of_a_data_set_is_left(made, services):
    extra = {
        "asked": 3, "reading": {"layout": []}, "columns": "ab", "trials": "many", "report": {"a": 1}
    }
    content = said(made[2], ABOUT, lambda about: about.update(extra=extra))
    opened = ingest.open_archive("a.zip", content)
    assert opened.info.extra == {
        "report": {"a": 1}, "reading": {"layout": []}, UPLOADED: made[1].created,
    }
    other = replace(opened.info, extra={**extra, "columns": ["a"]})
    assert waiting_upload.known_reading(other) is None
    assert opened.info.n_trials is None


@pytest.mark.parametrize("change", [
    lambda about: about["run"].update(key="../../x"),
    lambda about: about["run"].update(key="0" * 32),
    lambda about: about.pop("state"), lambda about: about.update(number="first"),
    lambda about: about.update(file="../arrays.npz"),
])
def test_a_result_that_is_none_takes_the_data_set_along(made, services, change):
    content = said(made[2], result_in(made[2]), change)
    with pytest.raises(DataError):
        ingest.open_archive("a.zip", content)
    assert services.workspace.datasets() == []


def test_methods_of_another_version_are_left_and_told(made, services):
    content = said(
        made[2], result_in(made[2]), lambda about: about["run"].update(method="OfTheFuture")
    )
    opened = ingest.open_archive("a.zip", content)
    assert "1 result unknown to this version" in opened.notes[0]
    assert len(services.workspace.runs(opened.info.id)) == 3


def test_what_is_said_otherwise_than_it_was_is_told(made, services):
    """As by somebody who gave it another name; what it says still fits together."""
    files = unzipped(made[2])
    files[ABOUT] = files[ABOUT].replace(b'"Shapes"', b'"Forms"')
    opened = ingest.open_archive("a.zip", zipped(files))
    assert (opened.info.name, opened.notes) == (
        "Forms", [f"Changed since the archive was made, or missing: {ABOUT}."],
    )


def test_bombs_and_paths_that_lead_outside_are_refused(made, services):
    files = unzipped(made[2])
    with pytest.raises(DataError, match="points outside"):
        ingest.open_archive("a.zip", zipped({**files, "../evil": b""}))
    buffer = io.BytesIO()
    np.savez_compressed(buffer, a=np.zeros(40_000_000))
    place, bomb = result_in(made[2]), buffer.getvalue()
    files[place.replace("run.json", "arrays.npz")] = bomb
    total = hashlib.blake2b(bomb, digest_size=16).hexdigest()
    content = said(signed(files), place, lambda about: about.update(sum=total))
    with pytest.raises(DataError, match="unpacks to more"):
        ingest.open_archive("a.zip", content)
    assert services.workspace.datasets() == []


# Putting it there -------------------------------------------------------------------------------


def test_what_was_unpacked_is_a_data_set_of_a_workspace_and_of_python(made, services):
    workspace, info, content = made
    folder = services.workspace.folder / "put there"
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        file.extractall(folder)
    (there,) = services.workspace.datasets()
    assert state(services.workspace, there) == state(workspace, info)
    assert there.created == info.created
    found = ts.open(folder)
    assert found.answers.fingerprint == info.fingerprint
    assert list(found.results) == [one.name for one in workspace.runs(info.id)]
    assert found.pictures.keys() == info.pictures.keys()
    # What is done there changes the folder as any other.
    services.workspace.rename_dataset("put there", "Forms")
    assert ts.open(folder).name == "Forms"
    assert (folder / "analysis" / "Shapes.py").exists()


def test_the_folder_of_a_workspace_opens_when_it_is_zipped(made, services):
    """Also with results that were computed while others were left out."""
    workspace, info, _ = made
    folder = workspace.folder / info.id
    files = {path.relative_to(workspace.folder).as_posix(): path.read_bytes()
             for path in folder.rglob("*") if path.is_file()}
    place = next(name for name in files if name.endswith("/run.json"))
    files[place] = json.dumps({**json.loads(files[place]), "state": "other"}).encode()
    content = zipped(files)
    assert is_archive(content)
    opened = ingest.open_archive("a.zip", content)
    assert opened.notes == []
    assert len(services.workspace.runs(opened.info.id)) == 3
    assert len(ts.open(services.workspace.folder / opened.info.id).results) == 4
    files |= {name.replace(info.id, "other"): content for name, content in files.items()}
    with pytest.raises(DataError, match="it holds 2 data sets"):
        ingest.open_archive("a.zip", zipped(files))


# What others read -------------------------------------------------------------------------------


def test_sums_are_those_of_sha256sum(made, tmp_path):
    files = unzipped(made[2])
    known = dict(line.split("  ")[::-1] for line in files.pop(MANIFEST).decode().splitlines())
    assert known == {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}


def test_the_codebook_follows_psych_ds(made):
    """The rules of https://psychds-docs.readthedocs.io, whose failure is an error there."""
    files = unzipped(made[2])
    about = json.loads(files["dataset_description.json"])
    assert about["@context"] == "https://schema.org/"
    assert about["@type"] == "Dataset"
    assert about["name"] == "Shapes, compared"
    assert about["description"]
    known = {variable["name"]: variable for variable in about["variableMeasured"]}
    assert all(v["@type"] == "PropertyValue" and v["description"] for v in known.values())
    tables = [name for name in files if name.startswith("data/") and name.endswith(".csv")]
    assert len(tables) == 4
    for name in tables:
        assert re.fullmatch(r"data/([a-z]+-[a-zA-Z0-9]+_)+data\.csv", name)
        head, *rows = csv.reader(io.StringIO(files[name].decode("utf-8")))
        assert rows
        assert {len(row) for row in rows} == {len(head)}
        assert set(head) <= set(known)
        own = json.loads(files[f"{name[:-4]}.json"])["variableMeasured"]
        assert [variable["name"] for variable in own] == head
    assert known["response_time"]["unitText"] == "s" if "response_time" in known else True


def test_participants_are_described(made):
    files = unzipped(made[2])
    table = pd.read_csv(io.BytesIO(files["participants.tsv"]), sep="\t")
    about = json.loads(files["participants.json"])
    assert list(table) == list(about)
    assert list(table["participant_id"][:2]) == ["p0", "p1"]
    assert {"age", "file", "n_answers", "n_excluded"} <= set(table)
    one = table.set_index("participant_id").loc["p1"]
    assert one["n_excluded"] == one["n_answers"] > 0


def test_results_are_tables_too(made):
    workspace, info, content = made
    files = unzipped(content)
    assert {"tables/map.csv"} < {name for name in files if name.startswith("tables/")}
    contents = pd.read_csv(io.BytesIO(files["tables/contents.csv"])).set_index("file")
    assert {f"tables/{name}" for name in [*contents.index, "contents.csv"]} == {
        name for name in files if name.startswith("tables/")
    }
    assert "objects" in contents.loc["map.csv", "caption"]
    table = pd.read_csv(io.BytesIO(files["tables/map.csv"]))
    fit = workspace.run(info.id, workspace.runs(info.id, "fit", "embedding")[0].key)
    assert len(table) == info.n_objects
    # However the map is turned.
    np.testing.assert_allclose(pdist(table[["x1", "x2"]]), pdist(fit.arrays["embedding_"]))


def test_terms_are_written_down(made):
    files = unzipped(made[2])
    assert "publicdomain/zero/1.0" in files["LICENSE"].decode()
    citation = yaml.safe_load(files["CITATION.cff"])
    assert citation["license"] == "CC0-1.0"
    assert [(a["family-names"], a["given-names"]) for a in citation["authors"]] == [
        ("Lovelace", "Ada"), ("Hopper", "Grace")
    ]
    readme = files["README.md"].decode()
    for place in ("data/", "products/", "pictures/", "about.json", "CITATION.cff", MANIFEST):
        assert f"`{place}" in readme
    assert files["products/report.html"] == b"<html></html>"


def test_the_script_and_the_notebook_compute_the_results(made, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(showing, "can_render", lambda: False)
    files = unzipped(made[2])
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    folder = tmp_path / "analysis"
    monkeypatch.chdir(folder)
    book = nbformat.reads(files["analysis/Shapes.ipynb"].decode(), as_version=4)
    nbformat.validate(book)
    code = [cell for cell in book.cells if cell.cell_type == "code"]
    space: dict[str, object] = {}
    for cell in code:
        exec(compile(cell.source, cell.id, "exec"), space)
    said = capsys.readouterr().out
    assert "numbers may differ" not in said
    assert "Figure: Map" in said
    assert "Figure: Tree" in said
    with np.load(folder / "Shapes-fit_ste.npz") as again:
        fit = next(one for one in made[0].runs(made[1].id, "fit", "embedding"))
        np.testing.assert_array_equal(
            again["embedding_"], made[0].run(made[1].id, fit.key).arrays["embedding_"]
        )
    # The script is the same, but for the figures.
    script = files["analysis/Shapes.py"].decode()
    assert ["show(ts.drawings(" in cell.source for cell in code if cell.source not in script] == [
        True
    ]


def test_numbers_that_cannot_be_unpacked_are_named(made):
    files = unzipped(made[2])
    place = next(name for name in files if name.endswith("arrays.npz"))
    whole = io.BytesIO()
    np.savez_compressed(whole, a=np.arange(99.0))
    broken = bytearray(whole.getvalue())
    start = 30 + len("a.npy") + broken[28] + 256 * broken[29]  # of the stream, after its header
    broken[start : start + 20] = b"\xff" * 20
    packed = PackedFolder(export.bundle({**files, place: bytes(broken)}), "a.zip")
    with pytest.raises(DataError, match=rf"a\.zip: its file {place} cannot be read"):
        packed.arrays(place, hash_of(bytes(broken)))


def test_what_is_damaged_in_the_workspace_is_left_out_and_told(made, tmp_path, services):
    """The rest is whole: also where a table that is mentioned is no longer there."""
    workspace = Workspace(tmp_path / "ws")
    shutil.copytree(made[0].folder / made[1].id, tmp_path / "ws" / "shapes")
    info = workspace.dataset("shapes")
    table = FeatureTable("layer", np.ones((info.n_objects, 1)), None)
    workspace.add_tables(info, workspace.triplets(info), [table], "layer.npy")
    for place in ("pictures/b-odd.png", "features/layer.npz"):
        (tmp_path / "ws" / "shapes" / place).write_bytes(b"")
    content = archive(workspace, workspace.dataset(info.id), TERMS)
    readme = unzipped(content)["README.md"].decode()
    for name in ("b: odd.png", "layer"):
        assert f"- {name}: its file in the workspace was damaged." in readme
    opened = ingest.open_archive("a.zip", content)
    assert "b: odd.png" not in opened.info.pictures
    assert services.workspace.tables(opened.info) == []
    assert len(services.workspace.runs(opened.info.id)) == 4
    workspace.close()


def test_names_are_neither_html_nor_links_in_texts(services):
    """The name of a data set was HTML in the README and in the notebook."""
    name = "<img src=x onerror=alert(1)> [a](http://b) `c`\n\n# Heading"
    answers = crowd(6, 40).renamed(name)
    info = services.workspace.add_dataset(answers, origin="a.csv", report=[f"Read {name}."])
    files = unzipped(archive(services.workspace, info, replace(TERMS, title=name)))
    (notebook,) = (content for file, content in files.items() if file.endswith(".ipynb"))
    cells = [cell.source for cell in nbformat.reads(notebook, 4).cells
             if cell.cell_type == "markdown"]
    for text in (files["README.md"].decode(), "\n\n".join(cells)):
        made = MarkdownIt().render(text)
        assert "&lt;img src=x onerror" in made, "the name is there"
        assert "<img" not in made
        assert "<a href=\"http://b\"" not in made
        assert "<h1>Heading" not in made


# Further data sets ------------------------------------------------------------------------------


@pytest.mark.parametrize("folder", ["2024", "e", "map", 'my "study" (1)', "Üben #1"])
def test_a_folder_may_have_any_name(made, tmp_path, services, folder):
    """What was set is found by its whole name, and is of no other data set."""
    workspace = Workspace(tmp_path / "ws")
    with zipfile.ZipFile(io.BytesIO(made[2])) as file:
        file.extractall(tmp_path / "ws" / folder)
    info = workspace.dataset(folder)
    chosen = {
        "map.labels@{}.f00": {"map": [0.5, 1.2024]}, "map.size@{}": 0.2024, "map.way@{}": "map",
        "compare.maps@{}": ["{}/e2024"],
    }

    def about(name):
        return {key.format(name): [one.format(name) for one in value]
                if isinstance(value, list) else value for key, value in chosen.items()}

    others = {f"map.view@other-{folder}": "secret", f"map.view@{folder}-2": 1, "map.2024e": 2}
    content = archive(workspace, info, Terms("x"), settings={**about(folder), **others})
    assert json.loads(unzipped(content)["pages.json"]) == about("{data set}")
    opened = ingest.open_archive("x.zip", content)
    assert opened.settings == about(opened.info.id)
    workspace.close()


def test_comparisons_of_pairs_alone(tmp_path, services):
    workspace = Workspace(tmp_path / "ws")
    rng = np.random.default_rng(0)
    rows = np.array([rng.choice(6, 4, replace=False) for _ in range(80)])
    objects = pd.DataFrame({"id": [f"level {i}" for i in range(6)], "level": np.arange(6.0)})
    pairs = Pairs(rows.astype(np.int32), pd.DataFrame({"participant": ["7", "8"] * 40}),
                  np.arange(80), 6)
    info = workspace.add_dataset(
        Triplets(np.zeros((0, 3)), objects, name="scale"), origin="a", report=[], pairs=pairs
    )
    cleaning = workspace.cleaning(info).excluding(Exclusion(participants=("7",)))
    info = workspace.update_dataset(info, cleaning)
    done = run("fit", MLDS(stimulus="level"), workspace.pairs(info))
    workspace.add_run(info, done, "MLDS")
    content = archive(workspace, info, Terms("Scale"))
    assert "CITATION.cff" not in unzipped(content)
    opened = ingest.open_archive("scale.zip", content)
    assert state(services.workspace, opened.info) == state(workspace, info)
    assert f"confirm(fit_mlds, {done.key!r}" in unzipped(content)["analysis/scale.py"].decode()
    workspace.close()


def test_names_of_dimensions_come_along(tmp_path):
    """In figures, tables and what is opened again, also of a fit that takes them over."""
    workspace = Workspace(tmp_path / "ws")
    weights = np.repeat(np.eye(3), 5, axis=0) * np.linspace(2.5, 1.5, 15)[:, None]
    trials = simulate_choices(weights, 500, seed=3, participants=6)
    info = workspace.add_dataset(trials.renamed("Things"), origin="a.csv", report=[])
    first, again = (
        run("fit", ts.dimensions.SPoSE(n_components=6, penalty=penalty), trials)
        for penalty in (2.0, 3.0)
    )
    workspace.add_run(info, first, "SPoSE")
    workspace.add_run(info, again, "Another")
    workspace.note(info.id, NAMES_KEPT, {first.key: {"1": "sour"}})
    for terms in (TERMS, Terms("Things", pseudonyms=True)):
        files = unzipped(archive(workspace, workspace.dataset(info.id), terms))
        (script,) = (text.decode() for name, text in files.items() if name.endswith(".ipynb"))
        assert f"{first.key!r}: {{1: 'sour'}}" in script
        assert script.count("'sour'") == 2
        assert any("dimension 2 sour" in text.decode() for name, text in files.items()
                   if name.startswith("tables/dimension-strips"))
    other = Workspace(tmp_path / "other")
    unpacked = unpacked_from(silent, "a.zip", zipped(files))
    found = restore(other, unpacked, "a.zip").info
    assert found.extra[NAMES_KEPT] == {first.key: {"1": "sour"}}
    workspace.close()
    other.close()
