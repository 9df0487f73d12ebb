"""A change of a data set's folder, which is complete at once or not at all."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from tripletscope.core.data.triplets import Triplets
from tripletscope.dashboard.keeping.files import slug, whole_file, write_json, writer_of, written

ABOUT, BEFORE = "about.json", "about.before.json"
PICTURES, FEATURES = "pictures", "features"
#: Where the plain values list tables of features, each with its file.
TABLES = "tables"
ROLES = ["anchor", "near", "far"]

#: How the kinds of picture begin that uploads may hold.
_BEGINNINGS = {
    b"\x89PNG": "png", b"\xff\xd8": "jpeg", b"GIF8": "gif", b"RIFF": "webp", b"BM": "bmp",
}


class FolderChange:
    """A change of a data set.

    about: What ``about.json`` is to say.
    released: Files that it mentioned before, and no longer does; known when it is complete.
    """

    def __init__(self, path: Path, about: Mapping[str, Any], compared: set[Path]) -> None:
        self._path, self._before, self._compared = path, about, compared
        self.about = copy.deepcopy(dict(about))
        self.released: list[Path] = []
        self._new: list[Path] = []

    def keep_triplets(self, part: str, triplets: Triplets, objects: bool = True) -> None:
        """Let a part be these answers."""
        answers = pd.DataFrame(triplets.rows, columns=ROLES)
        self.keep_table(part, pd.concat([answers, triplets.answers], axis=1), empty=True)
        if objects:
            name = "objects" if part == "answers" else f"{part}_objects"
            self.keep_table(name, triplets.objects, empty=True)

    def keep_table(self, part: str, table: pd.DataFrame | None, *, empty: bool = False) -> None:
        """Let a part be this table; none, or one without rows, takes it away."""
        if table is None or (table.empty and not empty):
            self.about["files"].pop(part, None)
        else:
            self.about["files"][part] = self.keep_file(part, "parquet", table.to_parquet)

    def keep_arrays(self, stem: str, arrays: Mapping[str, np.ndarray]) -> str:
        """Where in the folder arrays are kept."""
        return self.keep_file(f"{FEATURES}/{slug(stem)}", "npz", writer_of(arrays))

    def keep_pictures(self, pictures: Mapping[str, bytes]) -> None:
        """Add pictures by their names."""
        for name, content in pictures.items():
            place = f"{PICTURES}/{slug(Path(name).stem)}"
            self.about["pictures"][name] = self.keep_file(
                place, _ending(content), lambda path, content=content: path.write_bytes(content)
            )

    def keep_file(self, stem: str, ending: str, write: Callable[[Path], Any]) -> str:
        """Where in the folder a file is kept; what is there already is not written again."""
        folder, _, name = stem.rpartition("/")
        (self._path / folder).mkdir(exist_ok=True)
        there = {
            total: place.rpartition("/")[2] for place, total in self.about["sums"].items()
            if place.rpartition("/")[0] == folder and place.endswith(f".{ending}")
        }
        file, total, new = written(
            self._path / folder, name, ending, write, there, self._compared
        )
        place = f"{folder}/{file}".lstrip("/")
        self.about["sums"][place] = total
        if new:
            self._new.append(self._path / place)
        return place

    def complete(self) -> None:
        """Let the folder say what it now is."""
        mentioned = files_of(self.about)
        self.about["sums"] = {
            place: total for place, total in self.about["sums"].items() if place in mentioned
        }
        path = self._path / ABOUT
        there = path.exists()
        if there and self.about != self._before:
            with whole_file(self._path / BEFORE, sync=False) as file:
                file.write(path.read_bytes())
        if not there or self.about != self._before:
            write_json(path, self.about)
        unneeded = {*self._before["sums"], *(self._place_of(path) for path in self._new)}
        self.released = [self._path / place for place in sorted(unneeded - mentioned)]

    def undo(self) -> None:
        """Remove what was written."""
        for path in self._new:
            with suppress(OSError):
                path.unlink(missing_ok=True)

    def _place_of(self, path: Path) -> str:
        return path.relative_to(self._path).as_posix()


def files_of(about: Mapping[str, Any]) -> set[str]:
    """The files that a data set mentions, without those of its results."""
    tables = about["extra"].get(TABLES)
    return {
        *about["files"].values(), *about["pictures"].values(),
        *(entry["file"] for entry in (tables if isinstance(tables, list) else ())
          if isinstance(entry, dict) and isinstance(entry.get("file"), str)),
    }


def _ending(picture: bytes) -> str:
    """How the name of a picture ends, by its first bytes."""
    found = (kind for start, kind in _BEGINNINGS.items() if picture.startswith(start))
    return next(found, "png")
