"""A change of a data set's folder, which is complete at once or not at all."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Triplets
from tripletscope.dashboard.files.contents import content_of, json_of
from tripletscope.dashboard.files.storage import (
    Compared,
    partial_of,
    put_beside,
    slug,
    synced,
    whole_file,
    write_json,
)

if TYPE_CHECKING:  # lists of data sets load nothing that computes
    from tripletscope.core.reading import Pairs
    from tripletscope.core.studies.quality import Cleaning

ABOUT, BEFORE = "about.json", "about.before.json"
PICTURES = "pictures"
#: Key in ``extra`` of the tables of features.
TABLES = "tables"
ROLES, PAIR_ROLES = ["anchor", "near", "far"], ["i", "j", "k", "l"]

#: First bytes of the kinds of picture.
_BEGINNINGS = {
    b"\x89PNG": "png", b"\xff\xd8": "jpeg", b"GIF8": "gif", b"RIFF": "webp", b"BM": "bmp",
}


class WrittenFile(NamedTuple):
    """A whole file that no data set mentions yet.

    stem, ending: Of its place in the folder, which a change decides.
    total: Its sum.
    """

    path: Path
    stem: str
    ending: str
    total: str


class Draft:
    """What a change will keep, computed and written before anybody has to wait for it.

    facts, extra: Entries of ``about.json``; None removes one of `extra`.
    files: Tables by part; None removes one.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.facts: dict[str, Any] = {}
        self.extra: dict[str, Any] = {}
        self.files: dict[str, WrittenFile | None] = {}
        self.pictures: dict[str, WrittenFile] = {}
        self._unfinished: list[Path] = []

    def keep_answers(self, cleaning: Cleaning, pairs: Pairs | Quadruples | None = None) -> None:
        """Replace answers, checks and exclusions; `pairs` are comparisons beside triplets."""
        raw = cleaning.raw
        self.keep_triplets("answers", triplets_of(raw))
        self.keep_cleaning(cleaning, pairs)
        self.keep_table("catch_trials", cleaning.catch_trials)
        compared = raw if isinstance(raw, Quadruples) else pairs
        if compared is not None:
            rows = pd.DataFrame(compared.rows, columns=PAIR_ROLES)
            compared = pd.concat([rows, compared.answers.reset_index(drop=True)], axis=1)
        self.keep_table("pairs", compared)

    def keep_cleaning(self, cleaning: Cleaning, pairs: Pairs | Quadruples | None = None) -> None:
        raw, left, gold = cleaning.raw, cleaning.triplets, cleaning.gold
        if isinstance(raw, Quadruples):
            left, pairs = triplets_of(raw), left
        self.facts.update(
            imported=triplets_of(raw).fingerprint, exclusions=cleaning.log(),
            **facts(left, pairs), gold=gold.fingerprint if gold is not None else None,
        )
        # Trials are noted where their number differs from that of answers.
        self.extra["trials"] = left.n_trials if left.trials is not None else None
        self.extra["recur"] = None if left.objects_recur else False
        if gold is None:
            self.keep_table("gold", None)
            self.keep_table("gold_objects", None)
        else:
            self.keep_triplets("gold", gold)

    def keep_triplets(self, part: str, triplets: Triplets) -> None:
        answers = pd.DataFrame(triplets.rows, columns=ROLES)
        self.keep_table(part, pd.concat([answers, triplets.answers], axis=1), empty=True)
        name = "objects" if part == "answers" else f"{part}_objects"
        self.keep_table(name, triplets.objects, empty=True)

    def keep_table(self, part: str, table: pd.DataFrame | None, *, empty: bool = False) -> None:
        """Replace a table; None, or one without rows, removes it."""
        is_kept = table is not None and (empty or not table.empty)
        self.files[part] = self.write(part, "parquet", table.to_parquet) if is_kept else None

    def keep_pictures(self, pictures: Mapping[str, bytes]) -> None:
        for name, content in pictures.items():
            self.pictures[name] = self.write(
                picture_place(name), _ending(content),
                lambda path, content=content: path.write_bytes(content),
            )

    def write(self, stem: str, ending: str, write: Callable[[Path], Any]) -> WrittenFile:
        place = self._path / f"{stem}.{ending}"
        place.parent.mkdir(exist_ok=True)
        partial = partial_of(place)
        self._unfinished.append(partial)
        total = write(partial)
        return WrittenFile(
            partial, stem, ending, total if isinstance(total, str) else synced(partial)
        )

    def tidy(self) -> None:
        """Remove what no change has taken."""
        for partial in self._unfinished:
            with suppress(OSError):
                partial.unlink(missing_ok=True)


class FolderChange:
    """A change of ``about.json``; `complete` fills `released`, the files no longer mentioned."""

    def __init__(self, path: Path, about: Mapping[str, Any], compared: Compared) -> None:
        self._path, self._before, self._compared = path, about, compared
        self.about = copy.deepcopy(dict(about))
        self.released: list[Path] = []
        self._new: list[str] = []

    def keep(self, draft: Draft) -> None:
        """Mention what was written beforehand."""
        self.about.update(draft.facts)
        places = {part: file and self.place(file) for part, file in draft.files.items()}
        for entries, new in ((self.about["extra"], draft.extra), (self.about["files"], places)):
            for name, value in new.items():
                if value is None:
                    entries.pop(name, None)
                else:
                    entries[name] = value
        self.about["pictures"].update(
            (name, self.place(file)) for name, file in draft.pictures.items()
        )

    def place(self, file: WrittenFile) -> str:
        """Put a file to the others, unless its content is there already; its place."""
        folder, _, name = file.stem.rpartition("/")
        there = {
            total: place.rpartition("/")[2] for place, total in self.about["sums"].items()
            if place.rpartition("/")[0] == folder and place.endswith(f".{file.ending}")
        }
        placed, new = put_beside(
            file.path, self._path / folder, name, file.ending, file.total, there, self._compared
        )
        place = f"{folder}/{placed}".lstrip("/")
        self.about["sums"][place] = file.total
        if new:
            self._new.append(place)
        return place

    def complete(self) -> None:
        mentioned = files_of(self.about)
        self.about["sums"] = {
            place: total for place, total in self.about["sums"].items() if place in mentioned
        }
        path = self._path / ABOUT
        there = path.exists()
        if there and self.about != self._before:
            with whole_file(self._path / BEFORE, sync=False) as file:
                file.write(content_of(path))
        if not there or self.about != self._before:
            write_json(path, self.about)
        unneeded = {*self._before["sums"], *self._new}
        self.released = [self._path / place for place in sorted(unneeded - mentioned)]

    def undo(self) -> None:
        """Remove new files, unless ``about.json`` mentions them already."""
        with suppress(OSError, ValueError):
            if self.about["sums"] == json_of(content_of(self._path / ABOUT))["sums"]:
                return
        for place in self._new:
            with suppress(OSError):
                (self._path / place).unlink(missing_ok=True)


def picture_place(name: str) -> str:
    """Place of a picture without number and ending, in small letters."""
    return f"{PICTURES}/{slug(Path(name).stem).lower()}"


def files_of(about: Mapping[str, Any]) -> set[str]:
    """Files that a data set mentions, without those of its results."""
    tables = about["extra"].get(TABLES, ())
    return {
        *about["files"].values(), *about["pictures"].values(), *(table["file"] for table in tables),
    }


def triplets_of(answers: Triplets | Quadruples) -> Triplets:
    """Triplets among answers; comparisons of pairs are kept beside them."""
    if isinstance(answers, Triplets):
        return answers
    return Triplets(np.zeros((0, 3)), answers.objects, name=answers.name)


def facts(triplets: Triplets, pairs: Pairs | Quadruples | None) -> dict[str, Any]:
    """The entries of ``about.json`` that follow from the answers."""
    # Comparisons of pairs include the triplets.
    answers = triplets.answers if pairs is None else pairs.answers
    participants = answers.get("participant", pd.Series(dtype=str))
    return {
        "fingerprint": triplets.fingerprint,
        "n_objects": triplets.n_objects,
        "n_answers": len(triplets),
        "n_participants": int(participants.nunique()),
        "n_pairs": len(pairs or ()),
    }


def _ending(picture: bytes) -> str:
    """Ending of a picture's file name, by its first bytes."""
    return next((kind for start, kind in _BEGINNINGS.items() if picture.startswith(start)), "png")
