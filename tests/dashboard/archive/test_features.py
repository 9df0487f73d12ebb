"""Scripts make feature spaces of columns and kept tables, and say of others that they cannot."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest

import tripletscope as ts
from tests.core.studies.quality.answers import people_data
from tests.dashboard.archive.changed import ran, signed, unzipped
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.progress import silent
from tripletscope.core.reading import FeatureTable
from tripletscope.dashboard.archive.archive import archive
from tripletscope.dashboard.archive.features import space_sources, table_file
from tripletscope.dashboard.archive.restoring import restore
from tripletscope.dashboard.archive.terms import Terms
from tripletscope.dashboard.files import export
from tripletscope.dashboard.files.storage import hash_of
from tripletscope.dashboard.sandbox.questions import archive as unpacked_from
from tripletscope.dashboard.store.workspace import Workspace

TERMS = Terms("Shapes")
N = people_data().n_objects


@pytest.fixture
def data():
    given, rng = people_data(), np.random.default_rng(0)
    objects = given.objects.assign(size=rng.random(N), edges=rng.integers(3, 9, N))
    return Triplets(given.rows, objects, given.answers, "Shapes")


@pytest.fixture
def layer():
    values = np.random.default_rng(1).random((N, 4))
    values[2] = np.nan
    return FeatureTable("layer", values, None, [], [], [people_data().ids[2]])


@pytest.fixture
def workspace(tmp_path):
    made = Workspace(tmp_path / "ws")
    yield made
    made.close()


def spaces_of(data, layer):
    columns = data.objects[["size", "edges"]].to_numpy(dtype=float)
    return [
        ts.features.FeatureSpace(
            name="All: columns", values=columns, feature_names=["size", "edges"], standardise=True
        ),
        ts.features.FeatureSpace(name="edges", values=columns[:, 1:], feature_names=["edges"]),
        ts.features.FeatureSpace(name="layer", values=layer.values, metric="cosine"),
    ]


def test_the_script_computes_what_columns_and_tables_explain(tmp_path, workspace, data, layer):
    info = workspace.add_dataset(data, origin="a.csv", report=[])
    workspace.add_tables(info, data, [layer], "layer.npy")
    info, answers = workspace.dataset(info.id), workspace.triplets(info)
    spaces = spaces_of(data, layer)
    for k, some in enumerate((spaces, spaces[1:2])):
        found = ts.run("fit", ts.features.FeatureModel.of(some), answers)
        workspace.add_run(info, found, f"Features {k}")
    files = unzipped(archive(workspace, info, TERMS))
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    assert [name for name in files if name.startswith("analysis/features")] == [
        "analysis/features-1.npz"
    ]
    assert "the script does not compute it" not in files["README.md"].decode()
    assert "numbers may differ" not in ran(tmp_path / "analysis", "Shapes.py")
    assert files["analysis/Shapes.py"].decode().count("confirm(fit_feature_spaces") == 2


def test_tables_come_along_with_how_they_are_compared(tmp_path, workspace, data, layer):
    info = workspace.add_dataset(data, origin="a.csv", report=[])
    apart = FeatureTable("apart", None, np.abs(np.subtract.outer(np.arange(N), np.arange(N))) / 2)
    workspace.add_tables(info, data, [layer, apart], "layer.npy")
    workspace.change_table(info, "layer", settings={"metric": "cosine", "standardise": True})
    other, info = Workspace(tmp_path / "other"), workspace.dataset(info.id)
    for terms in (TERMS, Terms("Shapes", pseudonyms=True)):
        content = archive(workspace, info, terms)
        again = restore(other, unpacked_from(silent, "a.zip", content), "a.zip").info
        assert other.tables(again) == workspace.tables(info)
        np.testing.assert_array_equal(
            other.table(again, other.tables(again)[0], data).values, layer.values
        )
        assert restore(other, unpacked_from(silent, "a.zip", content), "a.zip").info == again
        other.delete_dataset(again.id)
    other.close()


@pytest.mark.parametrize("change", [
    lambda entry, arrays: arrays.update(values=arrays["values"][:-1]),
    lambda entry, arrays: arrays.update(values=arrays["values"].astype(str)),
    lambda entry, arrays: arrays.update(ids=np.arange(N)),
    lambda entry, arrays: arrays.update(columns=np.array(["a"])),
    lambda entry, arrays: arrays.pop("values"),
    lambda entry, arrays: entry.update(notes=[3]), lambda entry, arrays: entry.update(file=3),
    lambda entry, arrays: entry.update(settings={"metric": []}),
])
def test_a_table_that_is_none_takes_the_data_set_along(tmp_path, workspace, data, layer, change):
    info = workspace.add_dataset(data, origin="a.csv", report=[])
    workspace.add_tables(info, data, [layer], "layer.npy")
    files = unzipped(archive(workspace, workspace.dataset(info.id), TERMS))
    about, file = json.loads(files["about.json"]), "features/layer.npz"
    with np.load(io.BytesIO(files[file])) as kept:
        arrays = dict(kept)
    change(about["extra"]["tables"][0], arrays)
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    about["sums"][file] = hash_of(buffer.getvalue())
    content = signed({**files, file: buffer.getvalue(), "about.json": json.dumps(about).encode()})
    other = Workspace(tmp_path / "other")
    with pytest.raises(ts.DataError):
        restore(other, unpacked_from(silent, "a.zip", content), "a.zip")
    assert other.datasets() == []
    other.close()


def test_what_other_features_explain_is_kept_and_the_script_says_nothing_of_it(
    tmp_path, workspace, data
):
    info = workspace.add_dataset(data, origin="a.csv", report=[])
    space = ts.features.FeatureSpace(name="far", values=np.arange(N, dtype=float)[:, None])
    found = ts.run("explain", ts.features.FeatureModel.of(space), workspace.triplets(info))
    workspace.add_run(info, found, "What it explains")
    files = unzipped(archive(workspace, info, TERMS))
    readme = files["README.md"].decode()
    assert "What it explains: its features are neither columns of the objects" in readme
    assert not any(b"feature_spaces" in text or b"FeatureModel" in text
                   for name, text in files.items() if name.endswith((".py", ".ipynb")))
    other = Workspace(tmp_path / "other")
    unpacked = unpacked_from(silent, "a.zip", export.bundle(files))
    again = restore(other, unpacked, "a.zip").info
    assert other.run(again.id, found.key).result().table.equals(found.result().table)
    other.close()


def test_every_way_to_compare_a_table_is_found_again(data, layer):
    """Also distances, of which some objects are missing."""
    apart = np.abs(np.subtract.outer(np.arange(N), np.arange(N))).astype(float)
    apart[4], apart[:, 4] = np.nan, np.nan
    distances = FeatureTable("apart", None, apart, [], [], [data.ids[4]])
    named = FeatureTable("named", np.random.default_rng(2).random((N, 2)), None, ["a", "b"])
    spaces = [
        ts.features.FeatureSpace(name="x", values=layer.values, metric="correlation"),
        ts.features.FeatureSpace(name="y", distances=apart),
        ts.features.FeatureSpace(name="z", values=named.values, feature_names=["a", "b"],
                        metric="cityblock", standardise=True),
    ]
    wanted = {space.fingerprint for space in spaces}
    found = space_sources(data, [layer, distances, named], {*wanted, "unknown"})
    assert found.keys() == wanted
    assert [found[space.fingerprint].table.name for space in spaces] == ["layer", "apart", "named"]
    told = found[spaces[2].fingerprint].settings
    assert told == {"feature_names": ["a", "b"], "metric": "cityblock", "standardise": True}


def test_files_of_tables_are_read_as_they_were(data, layer):
    (again,) = ts.features.read_feature_tables(table_file(layer, data), data, "a.npz")
    np.testing.assert_array_equal(again.values, layer.values)


def test_a_table_that_would_be_read_as_another_is_not_promised(data):
    """Features that look like distances: as many as objects, symmetric, zero on the diagonal."""
    square = np.abs(np.subtract.outer(np.arange(N), np.arange(N))).astype(float)
    table = FeatureTable("square", square, None)
    space = ts.features.FeatureSpace(name="square", values=square)
    assert space_sources(data, [table], {space.fingerprint}) == {}
