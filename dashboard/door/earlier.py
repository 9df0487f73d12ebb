"""Turns archives of version 0.3 into folders of data sets."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tripletscope.dashboard.door.archive import PackedFolder

_INSIDE = "tripletscope/"
ABOUT = f"{_INSIDE}archive.json"
#: Former names of the folder's files.
_TABLES = {
    "answers": "imported-answers", "objects": "imported-objects", "gold": "gold-answers",
    "gold_objects": "gold-objects", "pairs": "pairs", "catch_trials": "catch-trials",
    "measured": "measured",
}


def folder_of(packed: PackedFolder) -> dict[str, bytes]:
    """The files of the data set's folder, whose sources all have the right sums."""
    kept = packed.json(ABOUT)
    dataset, files = kept["dataset"], {}
    about = {
        "format": 1, "created": datetime.now(UTC).isoformat(), "gold": None, "renewals": 0,
        **dict.fromkeys(("n_objects", "n_answers", "n_participants", "n_pairs"), 0),
        **{name: dataset[name] for name in ("name", "origin", "report", "exclusions", "imported")},
        "fingerprint": "", "files": {}, "pictures": {}, "sums": {}, "extra": {**dataset["extra"]},
    }
    for part, name in _TABLES.items():
        if f"{_INSIDE}{name}.parquet" in packed.sums:
            about["files"][part] = f"{part}.parquet"
            files[f"{part}.parquet"] = packed.read(f"{_INSIDE}{name}.parquet")
    for number, (name, place) in enumerate(dataset["pictures"].items()):
        about["pictures"][name] = f"pictures/{number}.png"
        files[f"pictures/{number}.png"] = packed.read(place)
    about["sums"] = {place: sum_of(content) for place, content in files.items()}
    about["gold"] = about["files"].get("gold")
    about["extra"].pop("tables", None)  # their files were not in it
    if "measured" in dataset:
        about["extra"]["measured"] = dataset["measured"]
    for number, one in enumerate(kept["runs"]):
        place, content = f"results/{one['record']['key']}", packed.read(one["file"])
        files[f"{place}/arrays.npz"] = content
        files[f"{place}/run.json"] = json.dumps({
            "format": 1, "name": one["name"], "number": number, "state": None, "renewals": 0,
            "file": "arrays.npz", "sum": sum_of(content), "run": one["record"],
        }).encode()
    if packed.changed:
        raise packed.problem(f"its file {packed.changed[0]} is not what was written")
    return {
        **files, "about.json": json.dumps(about).encode(),
        "pages.json": json.dumps(kept["settings"]).encode(),
    }


def sum_of(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()
