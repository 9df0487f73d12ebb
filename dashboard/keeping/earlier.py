"""Takes over workspaces of versions 0.2 and 0.3: a SQLite catalogue and its files.

Records of 0.3 and the newest sound backup replace a lost catalogue. The old files are kept aside,
as links where the disk has them.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
from collections.abc import Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from tripletscope.dashboard.door.contents import content_of, json_of
from tripletscope.dashboard.keeping.change import TABLES, Draft, FolderChange
from tripletscope.dashboard.keeping.dataset import WorkspaceError
from tripletscope.dashboard.keeping.description import FORMAT, MEASURED, new_about
from tripletscope.dashboard.keeping.files import partial_of, slug, whole_file
from tripletscope.dashboard.keeping.folder import SESSION, DataFolder

CATALOGUE = "catalogue.sqlite"
#: Folder of the old files.
ASIDE = "before 0.4"
_NEWEST = 2
_PARTS = ("data", "runs", "pictures", "records", "backups")
#: File names in `_PARTS`.
_FILES = re.compile(
    r"[0-9a-f]{32}\.((answers|objects|table)\.parquet|sums\.json|npz)"
    r"|[0-9a-f]{32}\.(\d+px\.png|png|jpe?g|gif|webp|bmp|mpo|tiff)"
    r"|([0-9a-f]{16}|none)(\.[0-9a-f]{32})?\.json|catalogue-\d{6}-\d{4}-\d\d-\d\d\.sqlite"
)
#: Columns that the first version did not have.
_FIRST = {"exclusions": [], "gold": None, "catch_trials": None, "pairs": None, "n_pairs": 0,
          "extra": {}}
_TEXTS = ("report", "pictures", "exclusions", "extra", "record", "state")
_DATASET = ("id", "name", "origin", "created", "opened", "fingerprint", "n_objects", "n_answers",
            "n_participants", "report", "pictures", "imported")
_RUN = ("id", "key", "name", "file", "record")

Rows = dict[str, dict[str, Any]]


def take_over(folder: Path) -> list[str]:
    """Make data sets of an earlier version's files; notes for the user. It can follow a crash."""
    if not is_earlier(folder):
        return []
    datasets, runs, sessions = _listed(folder)
    names, taken, missing = {None: "simulations"}, 0, []
    for row in datasets.values():
        names[row["id"]] = f"{slug(row['name'])}-{row['id'][:6]}"
        if not (folder / names[row["id"]]).exists() and not _take(folder, row, names[row["id"]]):
            missing.append(row["name"])
            del names[row["id"]]
    for row in sorted(runs.values(), key=lambda row: row["id"]):
        if row["dataset"] in names:
            taken += _take_run(folder, row, folder / names[row["dataset"]])
    _take_sessions(folder, datasets, sessions, names)
    _put_aside(folder)
    if not datasets and not runs:
        return []
    return [
        f"This workspace comes from an earlier version. {len(names) - 1:,} data sets and {taken:,} "
        f"results were taken over. You can delete the old files, which are in {folder / ASIDE}."
        + (f" Not taken over, because files are missing: {', '.join(missing)}." if missing else "")
    ]


def is_earlier(folder: Path) -> bool:
    return any((folder / name).exists() for name in (CATALOGUE, f"{CATALOGUE}-wal")) or any(
        _FILES.fullmatch(path.name)
        for part in ("data", "records") for path in folder.glob(f"{part}/*")
    )


def _listed(folder: Path) -> tuple[Rows, Rows, Rows]:
    copies = sorted((folder / "backups").glob("catalogue-*.sqlite"), reverse=True)
    catalogue = next(filter(None, map(_read, [folder / CATALOGUE, *copies])), None)
    records = list((folder / "records").glob("*.json"))
    if catalogue is None and not records:
        raise WorkspaceError(
            f"The workspace {folder} comes from an earlier version and has lost its catalogue: "
            f"{CATALOGUE} is missing or damaged, without a sound copy. Nothing was changed or "
            "deleted. Restore it from a backup, or name an empty folder with --workspace."
        )
    datasets, runs, sessions = catalogue or ({}, {}, {})
    incomplete = catalogue is None or not datasets
    for row in filter(None, map(_record, records)):
        if "key" in row:
            runs[f"{row['dataset'] or 'none'}.{row['key']}"] = row
        elif row["id"] in datasets or incomplete or _has_files(folder, row):
            # Only the catalogue knows when it was opened.
            datasets[row["id"]] = {**row, "opened": datasets.get(row["id"], row)["opened"]}
    return datasets, runs, sessions


def _record(path: Path) -> dict[str, Any] | None:
    """None for a damaged record, or somebody else's."""
    with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
        row = json_of(content_of(path))
        named = (row["dataset"] or "none", row["key"]) if "key" in row else (row["id"],)
        sound = _is_sound(row, (_RUN if "key" in row else _DATASET))
        return row if sound and path.name == f"{'.'.join(named)}.json" else None
    return None


def _read(path: Path) -> tuple[Rows, Rows, Rows] | None:
    try:
        if not path.is_file() or not path.stat().st_size:
            return None
        with closing(sqlite3.connect(path)) as database:
            database.row_factory = sqlite3.Row
            (version,) = database.execute("PRAGMA user_version").fetchone()
            if version > _NEWEST:
                raise WorkspaceError(
                    f"The workspace {path.parent} was made by a newer version of TripletScope. "
                    "Update the program, or choose another folder with --workspace."
                )
            (verdict,) = database.execute("PRAGMA integrity_check(1)").fetchone()
            tables = [list(map(_plain, database.execute(f"SELECT * FROM {table}")))
                      for table in ("datasets", "runs", "sessions")]
    except sqlite3.Error:
        return None
    if verdict != "ok":
        return None
    datasets, runs, sessions = tables
    return (
        {row["id"]: row for row in datasets if _is_sound(row, _DATASET)},
        {f"{row['dataset'] or 'none'}.{row['key']}": row for row in runs if _is_sound(row, _RUN)},
        {row["id"]: row for row in sessions if isinstance(row["state"], dict)},
    )


def _plain(row: sqlite3.Row) -> dict[str, Any]:
    """A row with its JSON decoded; damaged values are left out."""
    values = dict(row)
    for name in set(values) & set(_TEXTS):
        try:
            values[name] = json.loads(values[name])
        except (ValueError, TypeError):
            del values[name]
    if "fingerprint" in values:
        values.setdefault("imported", values["fingerprint"])
    return values


def _is_sound(row: Mapping[str, Any], needed: tuple[str, ...]) -> bool:
    return all(row.get(name) is not None for name in needed)


def _has_files(folder: Path, row: Mapping[str, Any]) -> bool:
    return all(
        (folder / "data" / f"{row['imported']}.{table}.parquet").is_file()
        for table in ("answers", "objects")
    )


def _take(folder: Path, row: Mapping[str, Any], name: str) -> bool:
    """False where files are missing."""
    row = {**_FIRST, **row}
    if not _has_files(folder, row):
        return False
    partial = partial_of(folder / name)
    partial.mkdir()
    taken = DataFolder(partial)
    with taken.draft() as draft, taken.changing(new_about()) as change:
        about, data = change.about, folder / "data"
        about.update({field: row[field] for field in about if field in row})
        about.update(files={}, pictures={}, extra=dict(row["extra"]))
        measured = dict(about["extra"].pop(MEASURED, None) or {})
        answers = [
            ("answers", row["imported"], "answers"), ("objects", row["imported"], "objects"),
            ("gold", row["gold"], "answers"), ("gold_objects", row["gold"], "objects"),
        ]
        tables = [("catch_trials", row["catch_trials"]), ("pairs", row["pairs"]),
                  (MEASURED, measured.pop("file", None))]
        for part, file, total in (
            *((part, f"{stem}.{kind}.parquet", _sum(data, stem, kind))
              for part, stem, kind in answers if stem),
            *((part, f"{stem}.table.parquet", stem) for part, stem in tables if stem),
        ):
            if place := _linked(change, draft, data / file, part, total):
                about["files"][part] = place
        if MEASURED in about["files"]:
            about["extra"][MEASURED] = measured
        if "gold" not in about["files"]:
            about["gold"] = None
        for picture, file in row["pictures"].items():
            stem = f"pictures/{slug(Path(picture).stem)}"
            source = folder / "pictures" / file
            if place := _linked(change, draft, source, stem, source.stem):
                about["pictures"][picture] = place
        features = []
        for entry in about["extra"].pop(TABLES, ()):
            file, stem = folder / "runs" / entry["file"], f"features/{slug(entry['name'])}"
            if place := _linked(change, draft, file, stem, file.stem):
                features.append({"named": False, **entry, "file": place})
        if features:
            about["extra"][TABLES] = features
    partial.replace(folder / name)
    return True


def _take_run(folder: Path, row: Mapping[str, Any], target: Path) -> bool:
    """False where its file is missing."""
    source, place = folder / "runs" / row["file"], target / "results" / row["key"]
    if not source.is_file():
        return (place / "run.json").exists()
    if not (place / "run.json").exists():
        place.mkdir(parents=True, exist_ok=True)
        (place / "arrays.npz").unlink(missing_ok=True)
        _link(source, place / "arrays.npz")
        DataFolder(target).keep_result(row["key"], {
            "format": FORMAT, "name": row["name"], "number": row["id"],
            "state": row.get("exclusions", ""), "renewals": 0, "file": "arrays.npz",
            "sum": source.stem, "run": row["record"],
        })
    return True


def _take_sessions(folder: Path, datasets: Rows, sessions: Rows, names: Mapping) -> None:
    (folder / "sessions").mkdir(exist_ok=True)
    for row in sessions.values():
        if not SESSION.fullmatch(row["id"]):
            continue
        text = json.dumps(row["state"])
        for old, new in names.items():
            text = text.replace(old, new) if old else text
        with whole_file(folder / "sessions" / f"{row['id']}.json", sync=False) as file:
            file.write(text.encode())
    with whole_file(folder / "opened.json", sync=False) as file:
        file.write(json.dumps({
            names[name]: row["opened"] for name, row in datasets.items() if name in names
        }).encode())


def _linked(
    change: FolderChange, draft: Draft, source: Path, stem: str, total: str | None
) -> str | None:
    """Place of a linked file, with the sum of its first writing; None where it is missing."""
    if not source.is_file():
        return None
    place = change.place(
        draft.write(stem, source.suffix.lstrip("."), lambda path: _link(source, path))
    )
    change.about["sums"][place] = total or change.about["sums"][place]
    return place


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:  # not every disk has links
        shutil.copyfile(source, target)


def _sum(data: Path, stem: str, kind: str) -> str | None:
    """Sum at the first writing; version 0.2 kept none."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        return json_of(content_of(data / f"{stem}.sums.json"))[kind]
    return None


def _put_aside(folder: Path) -> None:
    for part in _PARTS:
        for path in folder.glob(f"{part}/*"):
            if _FILES.fullmatch(path.name):
                (folder / ASIDE / part).mkdir(parents=True, exist_ok=True)
                path.replace(folder / ASIDE / part / path.name)
        with suppress(OSError):  # something else is in it
            (folder / part).rmdir()
    (folder / ASIDE).mkdir(exist_ok=True)
    for name in (f"{CATALOGUE}-wal", f"{CATALOGUE}-shm", CATALOGUE):
        if (folder / name).exists():
            (folder / name).replace(folder / ASIDE / name)
    shutil.rmtree(folder / "reserve", ignore_errors=True)
