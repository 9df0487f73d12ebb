"""Archives of chance through the door: what is refused leaves nothing, what is kept is drawn.

    python benchmarks/fuzz_archives.py [--archives 600] [--seed 0] [--first 0]

An archive of a data set with maps, their uncertainty, clusters and settings is changed at one to
three places, in what it says of itself, its arrays or its tables, and its sums are made anew. It is
read and kept as an upload is. Looked at is whether anything but a `DataError` is raised, whether a
refused one leaves a file or an entry, and whether the pages Start, Embedding and Features are
drawn, and the data set can be deleted, where it was kept. `--first` is the number of the first: a
finding again.
"""

from __future__ import annotations

import argparse
import io
import json
import logging
import os
import random
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.report import machine, print_table
from tests.dashboard.archive.changed import signed, unzipped
from tests.dashboard.upload.uploads import png
from tests.pages.harness import APP, PAGES
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.progress import silent
from tripletscope.core.models.embedding import STE
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.core.reading import FeatureTable
from tripletscope.core.run import run
from tripletscope.core.similarity.clusters import AgglomerativeClustering
from tripletscope.core.studies.quality import Exclusion
from tripletscope.dashboard.archive.archive import archive
from tripletscope.dashboard.archive.restoring import restore
from tripletscope.dashboard.archive.terms import Terms
from tripletscope.dashboard.files.storage import hash_of
from tripletscope.dashboard.sandbox import archive as door
from tripletscope.dashboard.sandbox.questions import archive as unpacked_from
from tripletscope.dashboard.sandbox.wire import pack, unpack
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.store import services as services_module
from tripletscope.dashboard.store.change import ABOUT, ROLES
from tripletscope.dashboard.store.services import WORKSPACE_VARIABLE
from tripletscope.dashboard.store.workspace import Workspace

_VALUES: list[Any] = [
    None, True, False, 0, 1, -1, 2, 10**6, 2**63, 10**400, 0.5, -0.0, float("nan"), float("inf"),
    "", "x", "a" * 300, "\0", "\ud800", "1", "\u202e", "<b>", [], [None], [[]], [1, 2], ["a"], {},
    {"x": 1}, {"file": 3}, [{"file": "../x"}], {"1": {"2": [3]}},
]


def made(folder: Path) -> bytes:
    """The archive that is changed."""
    workspace = Workspace(folder)
    n = 12
    points = np.random.default_rng(0).normal(size=(n, 2))
    rows = simulate(points, 400, noise="logistic", seed=1).rows
    objects = pd.DataFrame({
        "id": [f"o{k}" for k in range(n)], "size": np.arange(float(n)),
        "kind": ["a", "b", "c"] * (n // 3), "image": [f"{k}.png" for k in range(n)],
    })
    answers = pd.DataFrame({"participant": [f"p{k}" for k in range(5)] * 80,
                            "response_time": np.linspace(0.2, 3, 400)})
    info = workspace.add_dataset(
        Triplets(rows, objects, answers, "Things"), origin="things.csv", report=["All was read."],
        pictures={name: png(k) for k, name in enumerate(objects["image"])},
        catch_trials=pd.DataFrame({"row": [2], "participant": ["p0"], "correct": [True]}),
        extra={"asked": "triplets", "columns": ["a"], "report": {"title": "T"}},
    )
    cleaning = workspace.cleaning(info).with_gold(Triplets(rows[:3], objects))
    info = workspace.update_dataset(info, cleaning.excluding(Exclusion(participants=("p1",))))
    triplets, numbers = workspace.triplets(info), np.random.default_rng(1).random((n, 3))
    workspace.add_tables(info, triplets, [
        FeatureTable("layer", numbers, None, ["a", "b", "c"]),
        FeatureTable("apart", None, np.abs(np.subtract.outer(numbers[:, 0], numbers[:, 0]))),
    ], "layers.npz")
    workspace.change_table(info, "layer", settings={"metric": "cosine"})
    info, keys = workspace.dataset(info.id), []
    for task, method, options in (
        ("fit", STE(n_init=1), {}), ("bootstrap", STE(n_init=1), {"replicates": 5}),
        ("cross_validate", STE(n_init=1), {"folds": 3}), ("fit", AgglomerativeClustering(), {}),
    ):
        done = run(task, method, triplets, options)
        keys.append(done.key)
        workspace.add_run(info, done, f"{task} {method.title}")
    content = archive(workspace, info, Terms("Things"), settings={
        f"map.colour@{info.id}": "kind", f"embedding.shown@{info.id}": keys[0],
        f"map.labels@{info.id}.{keys[0]}": {"o1": [3.0, 4.0]}, f"clusters.cut@{keys[3]}": [3, None],
        "composer": {"width": 120.0},
    })
    workspace.close()
    return content


def changed(files: dict[str, bytes], rng: random.Random) -> tuple[dict[str, bytes], list[str]]:
    """The files of an archive with one to three changes, and what these are."""
    files, done = dict(files), []
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        kind = rng.choices((_said, _array, _table), (6, 4, 2))[0]
        done.append(kind(files, rng))
    return files, done


def _said(files: dict[str, bytes], rng: random.Random) -> str:
    """Another value somewhere in what the archive says of itself, of a result or of pages."""
    file = rng.choices(
        [ABOUT, door.PAGES, rng.choice([name for name in files if name.endswith("/run.json")])],
        (4, 2, 3),
    )[0]
    about = json.loads(files[file])
    holder, path = about, []
    while True:
        names = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        if not names:
            break
        name = rng.choice(names)
        path.append(name)
        inner = holder[name]
        if not isinstance(inner, dict | list) or not inner or rng.random() < 0.2:
            break
        holder = inner
    way = rng.random()
    if way < 0.15 and isinstance(holder, dict):
        new = rng.choice(["trials", "tables", "measured", "fit", "x", "distances", "features"])
        holder[new] = value = rng.choice(_VALUES)
        path[-1:] = [new]
    elif way < 0.3:
        del holder[path[-1]]
        value = "deleted"
    else:
        value = rng.choice(_VALUES)
        holder[path[-1]] = value
    files[file] = json.dumps(about).encode()
    return f"{file[-20:]} {path} = {str(value)[:40]!r}"


def _array(files: dict[str, bytes], rng: random.Random) -> str:
    """Another array in a result."""
    file = rng.choice([name for name in files if name.endswith(".npz")])
    with np.load(io.BytesIO(files[file])) as kept:
        arrays = dict(kept)
    name = rng.choice(list(arrays))
    array = arrays[name]
    way, do = rng.choice(list(_OF_ARRAYS.items()))
    arrays.pop(name)
    new = do(array, rng)
    if new is not None:
        arrays[name] = new
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    _put(files, file, buffer.getvalue())
    return f"{file[-45:]} {name}: {way}"


_OF_ARRAYS: dict[str, Callable[[np.ndarray, random.Random], np.ndarray | None]] = {
    "gone": lambda a, rng: None,
    "one more axis": lambda a, rng: a[None],
    "flat": lambda a, rng: a.ravel(),
    "one row less": lambda a, rng: a[:-1] if a.ndim else a,
    "no columns": lambda a, rng: a[..., :0] if a.ndim else a,
    "one column more": lambda a, rng: np.concatenate([a, a[..., :1]], axis=-1) if a.ndim else a,
    "turned": lambda a, rng: a.T,
    "texts": lambda a, rng: a.astype(str),
    "complex": lambda a, rng: np.zeros(a.shape, complex),
    "times": lambda a, rng: np.zeros(a.shape, "datetime64[s]"),
    "NaN": lambda a, rng: np.full(a.shape, np.nan),
    "infinite": lambda a, rng: np.full(a.shape, np.inf),
    "huge": lambda a, rng: np.full(a.shape, 1e308),
    "negative": lambda a, rng: np.full(a.shape, -7, a.dtype if a.dtype.kind in "if" else int),
    "equal": lambda a, rng: np.zeros(a.shape, a.dtype),
    "a number": lambda a, rng: np.float64(3),
    "a record": lambda a, rng: np.zeros(a.shape, [("a", "i4"), ("b", "f4")]),
}


def _table(files: dict[str, bytes], rng: random.Random) -> str:
    """Another column in a table."""
    file = rng.choice([name for name in files if name.endswith(".parquet")])
    table = pd.read_parquet(io.BytesIO(files[file]))
    name = rng.choice(list(table.columns))
    way = rng.randrange(9)
    if way == 0:
        table = table.drop(columns=name)
    elif way == 1:
        table = table.iloc[:-1]
    elif way == 2:
        table = table.iloc[:0]
    else:
        table[name] = [
            np.nan, -1, "x", "", True, 1e300,
        ][way - 3]
    buffer = io.BytesIO()
    table.to_parquet(buffer)
    _put(files, file, buffer.getvalue())
    try:
        answers, objects = (pd.read_parquet(io.BytesIO(files[f"{part}.parquet"]))
                            for part in ("answers", "objects"))
        made = Triplets(answers[ROLES].to_numpy(), objects, answers.drop(columns=ROLES))
        about = json.loads(files[ABOUT])  # or nothing would be left to check
        about["imported"] = made.fingerprint
        files[ABOUT] = json.dumps(about).encode()
    except Exception:
        return f"{file} {name}: {way}, no answers"
    return f"{file} {name}: {way}"


def _put(files: dict[str, bytes], place: str, content: bytes) -> None:
    """Another content of a file, with its sum wherever that is said."""
    said = place.replace("arrays.npz", "run.json") if place.startswith("results/") else ABOUT
    before = hash_of(files[place]).encode()
    files[said] = files[said].replace(before, hash_of(content).encode())
    files[place] = content


class Campaign:
    """One archive after the other, through the door of a workspace."""

    def __init__(self, folder: Path) -> None:
        os.environ[WORKSPACE_VARIABLE] = str(folder / "workspace")
        self.files = unzipped(made(folder / "first"))
        self.services = services_module.services()
        self.workspace = self.services.workspace
        self.outcomes: Counter[str] = Counter()
        self.findings: list[str] = []

    def step(self, number: int, seed: int) -> None:
        """Change the archive, upload it, and look at what is there."""
        files, done = changed(self.files, random.Random(f"{seed} {number}"))
        before = self._there()
        found = None
        try:
            # As the process answers that reads it.
            unpacked = unpacked_from(silent, "a.zip", signed(files))
            unpacked = unpack(pack(unpacked))
        except DataError:
            self.outcomes["refused"] += 1
        except Exception:  # the process says that it could not
            self.outcomes["refused, by an error in the reader"] += 1
        else:
            try:
                found = restore(self.workspace, unpacked, "a.zip")
                self.outcomes["kept"] += 1
            except DataError:
                self.outcomes["refused"] += 1
            except BaseException:
                self._note(number, done, "raised", traceback.format_exc(limit=-3))
        if found is None:
            if self._there() != before:
                self._note(number, done, "left something", "")
            return
        self._look(number, done, found)
        try:
            self.workspace.delete_dataset(found.info.id)
            if self.workspace.datasets():
                self._note(number, done, "cannot be deleted", "")
        except BaseException:
            self._note(number, done, "cannot be deleted", traceback.format_exc(limit=-3))

    def _there(self) -> set[str]:
        folder = self.workspace.folder
        files = {str(path.relative_to(folder)) for path in folder.rglob("*")
                 if path.is_file() and path.parent != folder and path.parent.name != "sessions"}
        return files | {info.id for info in self.workspace.datasets()}

    def _look(self, number: int, done: list[str], found: Any) -> None:
        # Imported late: Streamlit sets up logging when this is.
        from streamlit.testing.v1 import AppTest

        session = Session(f"session-{number}")
        session.take_up(found.settings)
        session.open(found.info.id)
        session.save()
        app = AppTest.from_file(APP, default_timeout=180)
        app.query_params["session"] = session.id
        app.run()
        for page in ("start", "embedding", "features"):
            if page != "start":
                app.switch_page(PAGES[page]).run()
            for error in app.exception:
                self._note(number, done, f"page {page}", "\n".join(
                    [error.message, *error.stack_trace[-3:]]))

    def _note(self, number: int, done: list[str], what: str, more: str) -> None:
        self.findings.append(f"{number}: {what}: {'; '.join(done)}")
        print(f"{self.findings[-1]}\n{more}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--archives", type=int, default=600)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0)
    options = parser.parse_args()
    logging.disable(logging.CRITICAL)
    print(machine(), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        campaign = Campaign(Path(folder))
        for number in range(options.first, options.first + options.archives):
            campaign.step(number, options.seed)
        campaign.services.close()
    print_table(["outcome", "archives"], [
        *((kind, f"{count:,}") for kind, count in sorted(campaign.outcomes.items())),
        ("findings", f"{len(campaign.findings):,}"),
    ])
    sys.exit(bool(campaign.findings))


if __name__ == "__main__":
    main()
