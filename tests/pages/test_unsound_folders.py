"""Folders of strangers: any file of a data set may be anything, and every page stays."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shutil
import socket
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

import tripletscope as ts
from tests.dashboard.upload.uploads import png
from tests.pages.harness import PAGES, crowd, start
from tripletscope.core.data.errors import DataError
from tripletscope.core.models.embedding import STE
from tripletscope.core.reading import FeatureTable, Pairs
from tripletscope.core.run import run
from tripletscope.core.studies.quality import Cleaning, Exclusion
from tripletscope.dashboard.files.contents import MOST_TEXT
from tripletscope.dashboard.files.errors import WorkspaceError
from tripletscope.dashboard.files.storage import sum_of
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.store import services as services_module
from tripletscope.dashboard.store.workspace import Workspace

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="it has no such files")
N = 12


@pytest.fixture(scope="module")
def sound(tmp_path_factory) -> Path:
    """A workspace with two data sets that have everything, and the open one's session."""
    workspace = Workspace(tmp_path_factory.mktemp("sound"))
    for letter in "ab":
        answers = crowd(N, 300, label=f"{letter}{{}}").renamed(f"Set {letter}")
        answers = answers.with_objects(answers.objects.assign(image=["a", *[None] * (N - 1)]))
        info = workspace.add_dataset(
            answers, origin="a.csv", report=[], pictures={"a": png(1)},
            catch_trials=pd.DataFrame({"row": [1, 7], "correct": [True, False]}),
            pairs=Pairs(np.array([[0, 1, 2, 3]], np.int32), pd.DataFrame(index=[0]),
                        np.array([2]), N),
        )
        gold = answers.take([1, 2]).with_objects(answers.objects[["id", "kind"]])
        cleaning = Cleaning(answers, workspace.cleaning(info).catch_trials, gold)
        info = workspace.update_dataset(info, cleaning.excluding(Exclusion(answers=(3,))))
        workspace.add_tables(info, answers, [FeatureTable(
            "sizes", np.arange(2.0 * N).reshape(N, 2), None, ["w", "h"])], "sizes.csv")
        for k in (2, 3):
            method = STE(n_components=k, n_init=1, max_iter=50)
            workspace.add_run(info, run("fit", method, workspace.triplets(info)), f"map {k}")
    workspace.close()
    return workspace.folder


def place_of(folder: Path, kind: str) -> Path:
    """The file of a kind in the first data set."""
    (dataset,) = folder.glob("Set-a-*")
    patterns = {"features": "features/*.npz", "picture": "pictures/*.png"}
    if kind in ("run", "arrays"):
        for path in sorted(dataset.glob("results/*/run.json")):
            if json.loads(path.read_text())["name"] == "map 3":
                return path if kind == "run" else path.with_name("arrays.npz")
    pattern = patterns.get(kind, "about.json" if kind == "about" else f"{kind}.parquet")
    return next(iter(sorted(dataset.glob(pattern))))


def mention(path: Path) -> None:
    """Let the folder say that this is the file's content, as a stranger would."""
    folder = path.parent if path.name == "arrays.npz" else next(
        one for one in path.parents if (one / "about.json").exists())
    file = folder / ("run.json" if path.name == "arrays.npz" else "about.json")
    said = json.loads(file.read_text())
    if path.name == "arrays.npz":
        said["sum"] = sum_of(path)
    else:
        said["sums"][path.relative_to(folder).as_posix()] = sum_of(path)
    file.write_text(json.dumps(said, indent=1))


# Ways to damage ------------------------------------------------------------------------------


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def text(path: Path) -> None:
    path.write_text('{\n "a": 1,\n oops}')


def huge(path: Path) -> None:
    """More than there is memory for, in a small file."""
    if path.suffix == ".parquet":
        column = pa.DictionaryArray.from_arrays(pa.array(np.zeros(3_000_000, np.int8)), ["x"])
        table = pa.table({"anchor": column})
        with pa.parquet.ParquetWriter(path, table.schema, compression="zstd") as out:
            for _ in range(20):
                out.write_table(table)
        assert path.stat().st_size < 10**6
    elif path.suffix == ".npz":
        head = io.BytesIO()
        np.lib.format.write_array_header_1_0(
            head, {"shape": (10**12,), "fortran_order": False, "descr": "<f8"})
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
            out.writestr("embedding_.npy", head.getvalue() + bytes(80))
    else:
        with path.open("wb") as file:
            file.truncate(MOST_TEXT + 1)


def deep(path: Path) -> None:
    path.write_text("[" * 200_000)


def replaced_by(make: Callable[[Path], None]) -> Callable[[Path], None]:
    def way(path: Path) -> None:
        path.unlink()
        make(path)

    return way


def bound(path: Path) -> None:
    here = Path.cwd()
    os.chdir(path.parent)  # the name of a socket is short
    try:
        socket.socket(socket.AF_UNIX).bind(path.name)
    finally:
        os.chdir(here)


def loop(path: Path) -> None:
    path.symlink_to(path.name)


def changed(path: Path, **values: object) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **values}, indent=1))


def in_run(**values: object) -> Callable[[Path], None]:
    def way(path: Path) -> None:
        said = json.loads(path.read_text())
        changed(path, run={**said["run"], **values})

    return way


def unknown_parameter(path: Path) -> None:
    said = json.loads(path.read_text())
    in_run(parameters={**said["run"]["parameters"], "warmth": 3})(path)


def rearranged(change: Callable[[dict], dict]) -> Callable[[Path], None]:
    """Other arrays, of which the folder says that they are right."""

    def way(path: Path) -> None:
        with np.load(path) as kept:
            arrays = change(dict(kept))
        np.savez_compressed(path, **arrays)
        mention(path)

    return way


def retabled(change: Callable[[pd.DataFrame], pd.DataFrame]) -> Callable[[Path], None]:
    def way(path: Path) -> None:
        change(pd.read_parquet(path)).to_parquet(path)
        mention(path)

    return way


def of_the_neighbour(path: Path) -> None:
    """The file of the same name in the other data set."""
    dataset = next(one for one in path.parents if one.name.startswith("Set-"))
    (other,) = dataset.parent.glob("Set-b-*")
    inside = path.relative_to(dataset)
    if path.name == "arrays.npz":
        there = next(one for one in sorted(other.glob("results/*/run.json"))
                     if json.loads(one.read_text())["name"] == "map 3").with_name("arrays.npz")
    else:
        there = other / inside
    path.write_bytes(there.read_bytes())
    mention(path)


def told(way: Callable[[Path], None]) -> Callable[[Path], None]:
    """The same, and the folder says that it is right."""

    def and_mention(path: Path) -> None:
        way(path)
        mention(path)

    return and_mention


NO_FILES = {"pipe": replaced_by(os.mkfifo), "folder": replaced_by(Path.mkdir),
            "socket": replaced_by(bound), "loop of links": replaced_by(loop)}
ANY = {"cut": cut, "text": text, **NO_FILES}
JSON = {**ANY, "huge": huge, "deep": deep, "other version": lambda path: changed(path, format=9),
        "list": lambda path: path.write_text("[]")}
TABLE = {
    **ANY, "text, told": told(text), "huge": told(huge), "neighbour's": of_the_neighbour,
    "no column": retabled(lambda table: table.iloc[:, 1:]),
    "other dtype": retabled(lambda table: table.assign(**{table.columns[0]: 0.5})),
    "no rows": retabled(lambda table: table.iloc[:0]),
    "beyond": retabled(lambda table: table.assign(**{table.columns[0]: 10**6})),
}
ARRAYS = {
    **ANY, "text, told": told(text), "huge": told(huge),
    "missing": rearranged(lambda arrays: dict([*arrays.items()][1:])),
    "other dtype": rearranged(lambda arrays: {name: a.astype("U9") for name, a in arrays.items()}),
    "other shape": rearranged(lambda arrays: {name: a[..., None] for name, a in arrays.items()}),
    "unknown": rearranged(lambda arrays: {**arrays, "warmth": np.zeros(3)}),
}


def without(ways: dict[str, Callable], k: int) -> dict[str, Callable]:
    """But for five of those that any file may have, each time another one."""
    left_out = {*ANY} - {[*ANY][k % len(ANY)]}
    return {name: way for name, way in ways.items() if name not in left_out}


WAYS = {
    "about": {
        **JSON, "exclusions": lambda path: changed(path, exclusions=[{"rule": 1}]),
        "files": lambda path: changed(path, files=[]),
    },
    "run": {
        **JSON, "unknown parameter": unknown_parameter, "no method": in_run(method="hunch"),
        "no task": in_run(task="guess"), "other kind": in_run(kind="kernel"),
        "other key": in_run(key="0" * 32), "numbers": in_run(numbers={"n_iter_": "many"}),
    },
    "arrays": ARRAYS | {"fewer": rearranged(lambda arrays: {
        name: a[:-1] if a.ndim == 2 else a for name, a in arrays.items()})},
    "answers": TABLE, "picture": ANY,
    # What is no file, or cannot be read, is met by what opens tables and arrays of any kind.
    "features": without(ARRAYS, 0),
    **{kind: without(TABLE, k) for k, kind in enumerate(
        ("objects", "gold", "gold_objects", "catch_trials", "pairs"))},
}


def everything_on(app) -> str:
    kinds = ("markdown", "caption", "error", "warning", "info", "title", "expander")
    return " ".join(str(getattr(one, "value", "") or getattr(one, "label", ""))
                    for kind in kinds for one in app.get(kind)).replace("\\", "")


def bytes_of(path: Path) -> bytes | os.stat_result:
    status = path.lstat()
    if path.is_file() and not path.is_symlink():
        return path.read_bytes()
    return status.st_mode, status.st_ino


@pytest.fixture
def folder(sound, services) -> Path:
    """The services' workspace with a copy of the sound data sets, one of which is open."""
    services.workspace.close()
    shutil.copytree(sound, services.workspace.folder, dirs_exist_ok=True)
    return services.workspace.folder


def opened_again(services) -> Workspace:
    """The workspace as after a start."""
    services_module._services.cache_clear()
    return services_module.services().workspace


def dataset_of(folder: Path) -> str:
    return next(folder.glob("Set-a-*")).name


def changes_of(workspace: Workspace, dataset: str) -> Iterator[Callable[[], object]]:
    """What may be done to a data set."""
    yield lambda: workspace.rename_dataset(dataset, "Another name")
    yield lambda: workspace.note(dataset, "asked", "triplets")
    info = workspace.dataset(dataset)
    if info is not None:
        yield lambda: workspace.update_dataset(
            info, workspace.cleaning(info).excluding(Exclusion(answers=(5,), reason="slow")))
        yield lambda: workspace.use_view(info, "All answers")


def looks_at(workspace: Workspace, dataset: str) -> Iterator[Callable[[], object]]:
    """Everything that pages ask of a data set."""
    info = workspace.dataset(dataset)
    if info is None:
        return
    for look in (workspace.triplets, workspace.answers, workspace.objects, workspace.pairs,
                 workspace.measured, workspace.about_the_same_objects):
        yield lambda look=look: look(info)
    yield from (lambda one=one: workspace.picture(one) for one in info.pictures.values())
    yield lambda: workspace.cleaning(info).triplets
    yield lambda: workspace.cleaning(info).catch_trials
    for kept in workspace.tables(info):
        yield lambda kept=kept: workspace.table(info, kept, workspace.triplets(info))
    for listed in workspace.runs(dataset, of_any_exclusions=True):
        yield lambda listed=listed: workspace.run(dataset, listed.key).fitted().embedding_


@pytest.mark.parametrize(("kind", "way"), [(kind, way) for kind in WAYS for way in WAYS[kind]])
def test_an_unsound_file_is_said_and_left_and_hides_nothing_else(folder, services, kind, way):
    path = place_of(folder, kind)
    WAYS[kind][way](path)
    before, dataset = bytes_of(path), dataset_of(folder)
    workspace = opened_again(services)
    said = [*workspace.notes]
    for do in [*looks_at(workspace, dataset), *changes_of(workspace, dataset)]:
        try:
            do()
        except (WorkspaceError, DataError) as error:
            said.append(str(error))
    said += [one.problem for one in workspace.unreadable(dataset)]
    if workspace.dataset(dataset) is not None:
        found = {one.name for one in workspace.runs(dataset, of_any_exclusions=True)}
        assert "map 2" in found, "one bad result hides no other"
        assert ("map 3" in found) == (kind not in ("run", "arrays"))
    assert bytes_of(path) == before
    assert not list(workspace.trash.folder.glob(f"*/{dataset}/{path.relative_to(folder/dataset)}"))
    if (kind, way) not in HARMLESS:
        places = [path.name, *SAID_OF.get(kind, ()), *["newer version"] * (way == "other version")]
        assert any(place in one for one in said for place in places), said
    if (kind, way) in {("about", "text"), ("run", "text")}:
        assert any("(line 3, column 2: " in one for one in said), said
    neighbour = next(folder.glob("Set-b-*")).name
    assert len(workspace.runs(neighbour)) == 2
    assert len(workspace.triplets(workspace.dataset(neighbour))) == 299
    if kind != "about":
        with contextlib.suppress(DataError):
            ts.open(folder / dataset)
    else:
        with pytest.raises(DataError, match=r"about\.json"):
            ts.open(folder / dataset)


#: What else an unsound file is called by, or is seen in: parts belong together.
SAID_OF = {
    "features": ["The table sizes"], "arrays": ["run.json"], "objects": ["answers.parquet"],
    "gold_objects": ["gold.parquet"],
}
#: What is as sound as before, or changes what nothing asks for.
HARMLESS = {
    ("answers", "neighbour's"), ("pairs", "neighbour's"), ("arrays", "neighbour's"),
    ("gold", "neighbour's"), ("features", "unknown"), ("pairs", "no rows"),
    *(("catch_trials", way) for way in (
        "neighbour's", "no column", "other dtype", "no rows", "beyond")),
}
#: Several of these at once for results; of other files one each, in which most goes wrong.
TOURS = [("run", way) for way in ("unknown parameter", "pipe")] + [
    ("arrays", "missing"), ("about", "text"), ("answers", "huge"), ("objects", "neighbour's"),
    ("gold_objects", "neighbour's"), ("catch_trials", "beyond"), ("features", "missing"),
    ("picture", "loop of links"),
]


@pytest.mark.parametrize(("kind", "way"), TOURS)
def test_every_page_stays_and_says_what_is_unsound(folder, services, holding, kind, way):
    path = place_of(folder, kind)
    WAYS[kind][way](path)
    before, dataset = bytes_of(path), dataset_of(folder)
    opened_again(services)
    session = Session("test-session")
    session._dataset = dataset
    session.save()
    with holding():
        for page in PAGES:
            app = start(page, session.id)
            seen = everything_on(app)
            assert seen
            if kind in ("run", "arrays"):
                assert "1 result of this data set cannot be read" in seen, page
                assert re.search(r"(map 3|[0-9a-f]{32}): The file ", seen)
                assert "left as it is" in seen
            elif kind == "about":
                assert f"The data set in {dataset} is not shown" in seen, page
        services.jobs.shutdown()
    assert bytes_of(path) == before
