"""A data set as a folder: what is in it, how it is read, and how it is changed.

``about.json`` says what the data set is called, where it comes from, what is left out of it, and
which files it has, with a sum of each. Files are whole before they are mentioned there, and one
with another content gets another name: a change is complete when ``about.json`` is replaced, and a
crash at any moment leaves what was before. The version before is kept beside it. Results have
folders of their own, each with a ``run.json`` that is to its arrays what ``about.json`` is to the
others.

Every file is compared with its sum when a process first reads it.
"""

from __future__ import annotations

import copy
import json
import re
import unicodedata
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from tripletscope.core.data.triplets import Triplets
from tripletscope.dashboard.keeping.dataset import DamagedFile, DatasetInfo, RunInfo, WorkspaceError
from tripletscope.dashboard.keeping.files import (
    HeldArrays,
    put,
    sum_of,
    synced,
    unfinished,
    whole_file,
    write_arrays,
)

ABOUT, BEFORE = "about.json", "about.before.json"
RESULTS, RUN = "results", "run.json"
#: In a workspace: results that belong to no data set, the states of browser sessions, when each
#: data set was last opened, and pictures that were made small, which can be made again.
SIMULATIONS, SESSIONS, OPENED, SMALL = (
    "simulations", "sessions", "opened.json", "small pictures",
)
PICTURES, FEATURES = "pictures", "features"
#: Of ``about.json`` and ``run.json``. A higher one is of a later version of the program.
FORMAT = 1
#: Where the plain values list tables of features, each with its file.
TABLES = "tables"
#: Under which name a data set notes what was measured of it: ratings, piles and so on.
MEASURED = "measured"
ROLES, PAIR_ROLES = ["anchor", "near", "far"], ["i", "j", "k", "l"]

#: How the sessions of browsers may be called.
SESSION = re.compile(r"[\w-]{1,64}", re.ASCII)

_STEP = {"rule", "parameters", "participants", "answers", "removed_answers", "removed_participants"}
_RUN = {"kind", "method", "parameters", "options"}
#: What ``about.json`` and ``run.json`` say, and of which kind it is.
_ABOUT_KINDS = {
    "name": str, "origin": str, "created": str, "report": list, "fingerprint": str,
    "imported": str, "n_objects": int, "n_answers": int, "n_participants": int, "n_pairs": int,
    "exclusions": list, "gold": str | None, "files": dict, "pictures": dict, "sums": dict,
    "extra": dict,
}
_RUN_KINDS = {
    "name": str, "number": int, "state": str | None, "file": str, "sum": str, "run": dict,
}
#: How the kinds of picture begin that uploads may hold.
_BEGINNINGS = {
    b"\x89PNG": "png", b"\xff\xd8": "jpeg", b"GIF8": "gif", b"RIFF": "webp", b"BM": "bmp",
}
#: What reading a damaged file raises, whatever kind of file it is.
_UNREADABLE = (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile)


class DataFolder:
    """The folder of a data set, or of simulations, which have results alone.

    compared: Paths of files that are known to be as they were written; others are added.
    """

    def __init__(self, path: Path, compared: set[Path] | None = None) -> None:
        self.path = path
        self._compared = set() if compared is None else compared

    def about(self) -> dict[str, Any]:
        """What ``about.json`` says; `DamagedFile` if it is none of ours."""
        return _described(self.path / ABOUT, _ABOUT_KINDS, _is_sound)

    def info(self, opened: str | None = None) -> DatasetInfo:
        """The data set; `opened` is when it was looked at last."""
        return info_of(self.path.name, self.about(), opened)

    # Reading -------------------------------------------------------------------------------

    def triplets(self, about: Mapping[str, Any], part: str = "answers") -> Triplets:
        """Answers with their objects."""
        files = about["files"]
        answers = self.table(about, files[part])
        objects = self.table(about, files.get(f"{part}_objects", files["objects"]))
        with _reading(self.path / files[part]):
            return Triplets(answers[ROLES].to_numpy(), objects, answers.drop(columns=ROLES))

    def table(self, about: Mapping[str, Any], place: str | None) -> pd.DataFrame | None:
        """A table; None for none."""
        if place is None:
            return None
        path = self.checked(about, place)
        with _reading(path):
            return pd.read_parquet(path)

    def arrays(self, place: str, total: str) -> dict[str, np.ndarray]:
        """What a file of arrays holds."""
        path = _checked(self.path / place, total, self._compared)
        with _reading(path), np.load(path) as kept:
            return dict(kept)

    def checked(self, about: Mapping[str, Any], place: str) -> Path:
        """The path of a file that is as it was written."""
        return _checked(self.path / place, about["sums"].get(place), self._compared)

    # Results -------------------------------------------------------------------------------

    def result_keys(self) -> list[str]:
        """Keys of all results that have a folder."""
        try:
            return sorted(path.name for path in (self.path / RESULTS).iterdir())
        except FileNotFoundError:
            return []

    def result(self, key: str) -> dict[str, Any]:
        """What ``run.json`` says of a result; `DamagedFile` if there is none."""
        return _described(self.path / RESULTS / key / RUN, _RUN_KINDS, _is_sound_run)

    def write_result(
        self, key: str, arrays: Mapping[str, np.ndarray] | HeldArrays
    ) -> tuple[str, str]:
        """Write the arrays of a result beside those that it has: name and sum of the file."""
        folder = self.path / RESULTS / key
        with suppress(FileExistsError):
            folder.parent.mkdir()
        with suppress(FileExistsError):
            folder.mkdir()  # not its parents: the data set may be gone
        name, total, _ = _written(folder, "arrays", "npz", _writer_of(arrays), {}, self._compared)
        return name, total

    def keep_result(self, key: str, described: Mapping[str, Any]) -> None:
        """Let a result be what its files and this say."""
        _write_json(self.path / RESULTS / key / RUN, described)

    # Changing ------------------------------------------------------------------------------

    @contextmanager
    def changing(self, about: Mapping[str, Any]) -> Iterator[FolderChange]:
        """A change, complete at the end; what fails leaves nothing."""
        change = FolderChange(self.path, about, self._compared)
        try:
            yield change
            change.complete()
        except BaseException:
            change.undo()
            raise


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
        return self.keep_file(f"{FEATURES}/{slug(stem)}", "npz", _writer_of(arrays))

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
        file, total, new = _written(
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
            _write_json(path, self.about)
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


def new_about(**values: Any) -> dict[str, Any]:
    """What is said of a data set before anything is kept of it."""
    return {
        "format": FORMAT, "name": "", "origin": "", "created": "", "report": [],
        "fingerprint": "", "imported": "", "n_objects": 0, "n_answers": 0, "n_participants": 0,
        "n_pairs": 0, "exclusions": [], "gold": None, "files": {}, "pictures": {}, "extra": {},
        "sums": {}, **values,
    }


def info_of(name: str, about: Mapping[str, Any], opened: str | None) -> DatasetInfo:
    """A data set in a folder of this name."""
    values = {
        field: about[field] for field in DatasetInfo.__annotations__ if field in about
    }
    for part in ("catch_trials", "pairs"):
        values[part] = about["sums"].get(about["files"].get(part))
    values["pictures"] = {
        picture: f"{name}/{place.partition('/')[2]}"
        for picture, place in about["pictures"].items()
    }
    return DatasetInfo(**{**values, "id": name, "opened": opened or about["created"]})


def run_info_of(dataset: str | None, key: str, said: Mapping[str, Any]) -> RunInfo:
    """A result of a data set."""
    run = said["run"]
    return RunInfo(
        f"{dataset or ''}/{key}", dataset, key, said["name"], run["task"], run["complete"],
        run["created"], run, said["number"], said["state"],
    )


def mended(path: Path) -> dict[str, Any]:
    """What can be said of a data set whose ``about.json`` is damaged, from its other files.

    Raises `DamagedFile` where these do not tell either.
    """
    with suppress(DamagedFile):
        return _described(path / BEFORE, _ABOUT_KINDS, _is_sound)
    about = new_about(
        name=path.name, origin=path.name, created=datetime.fromtimestamp(
            path.stat().st_mtime).astimezone().isoformat(),
        report=["Its description was damaged: what was left out, its gold questions and its tables "
                "of features are not known."],
    )
    for part in ("answers", "objects", "pairs", "catch_trials", MEASURED):
        there = sorted(path.glob(f"{part}.parquet")) + sorted(
            path.glob(f"{part}-*.parquet"), key=lambda file: (len(file.name), file.name)
        )
        if there and part != MEASURED:  # of which nobody knows how it was asked
            about["files"][part] = there[-1].name
            about["sums"][there[-1].name] = sum_of(there[-1])
    if not {"answers", "objects"} <= set(about["files"]):
        raise damaged(path / ABOUT)
    folder = DataFolder(path)
    triplets = folder.triplets(about)
    if "image" in triplets.objects:
        for name in triplets.objects["image"].dropna().astype(str):
            for file in sorted((path / PICTURES).glob(f"{slug(Path(name).stem)}.*")):
                about["pictures"][name] = f"{PICTURES}/{file.name}"
                about["sums"][f"{PICTURES}/{file.name}"] = sum_of(file)
    pairs = folder.table(about, about["files"].get("pairs"))
    people = triplets.answers.get("participant", pd.Series(dtype=str))
    return about | {
        "fingerprint": triplets.fingerprint, "imported": triplets.fingerprint,
        "n_objects": triplets.n_objects, "n_answers": len(triplets),
        "n_participants": int(people.nunique()), "n_pairs": 0 if pairs is None else len(pairs),
    }


def slug(name: str, most: int = 40) -> str:
    """A name as files and folders can be called everywhere."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9_]+", "-", plain)[:most].strip("-") or "data"


def damaged(path: Path) -> DamagedFile:
    """What is said of a file that is missing, or not what was written."""
    how = "is not what was written: it is damaged" if path.is_file() else "is missing"
    return DamagedFile(
        f"The file {path.parent.name}/{path.name} of the workspace {how}. Put it back from a "
        "backup, or import or compute again what it holds. Everything else can be used."
    )


# Files ---------------------------------------------------------------------------------------

def _checked(path: Path, total: str | None, compared: set[Path]) -> Path:
    """A path whose file has this sum; each is compared once."""
    if path not in compared or not path.exists():
        with _reading(path):
            found = sum_of(path)
        if found != total:
            raise damaged(path)
        compared.add(path)
    return path


def _written(
    folder: Path, stem: str, ending: str, write: Callable[[Path], Any], there: Mapping[str, str],
    compared: set[Path],
) -> tuple[str, str, bool]:
    """Write a file that is whole when it appears: its name, its sum, and whether it is new.

    there: Names of files of this ending by their sums. One with the same content is taken instead.
    """
    with unfinished(folder / f"{stem}.{ending}") as partial:
        total = write(partial)
        if not isinstance(total, str):
            total = synced(partial)
        if total in there:
            with suppress(DamagedFile):
                _checked(folder / there[total], total, compared)
                return there[total], total, False
        path = _reserved(folder, stem, ending)
        try:
            put(partial, path)
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        compared.add(path)
    return path.name, total, True


def _reserved(folder: Path, stem: str, ending: str) -> Path:
    """A name that no other file has, nor will have."""
    for number in count(1):
        path = folder / (f"{stem}-{number}.{ending}" if number > 1 else f"{stem}.{ending}")
        with suppress(FileExistsError):
            path.open("xb").close()
            return path
    raise AssertionError


def _writer_of(arrays: Mapping[str, np.ndarray] | HeldArrays) -> Callable[[Path], str]:
    if isinstance(arrays, HeldArrays):
        return arrays.write
    return lambda path: write_arrays(path, arrays)


def _write_json(path: Path, content: Mapping[str, Any]) -> None:
    with whole_file(path) as file:
        file.write(json.dumps(content, indent=1, ensure_ascii=False).encode())


def _described(
    path: Path, kinds: Mapping[str, Any], is_sound: Callable[[Mapping[str, Any]], bool]
) -> dict[str, Any]:
    """What a file of plain values says, if it is of these kinds."""
    with _reading(path):
        content = json.loads(path.read_bytes())
        newer = content["format"] > FORMAT
    if newer:
        raise WorkspaceError(
            f"{path.parent.name} was made by a newer version of TripletScope and is not shown. "
            "Update the program."
        )
    with _reading(path):
        whole = all(isinstance(content[name], kind) for name, kind in kinds.items())
        if not whole or not is_sound(content):
            raise ValueError("not what was written")
    return content


def _is_sound(about: Mapping[str, Any]) -> bool:
    datetime.fromisoformat(about["created"])
    return (
        all(isinstance(line, str) for line in about["report"])
        and all(isinstance(step, dict) and set(step) >= _STEP for step in about["exclusions"])
        and {"answers", "objects"} <= set(about["files"])
        and all(isinstance(file, str) and _is_inside(file) for file in files_of(about))
        and all(isinstance(total, str) for total in about["sums"].values())
    )


def _is_inside(place: str) -> bool:
    return not place.startswith(("/", "\\")) and ".." not in re.split(r"[/\\]", place)


def _is_sound_run(said: Mapping[str, Any]) -> bool:
    run = said["run"]
    datetime.fromisoformat(run["created"])
    return (
        set(run) >= _RUN and isinstance(run["task"], str) and isinstance(run["complete"], bool)
        and isinstance(run["options"], dict) and "/" not in said["file"]
    )


def _ending(picture: bytes) -> str:
    """How the name of a picture ends, by its first bytes."""
    found = (kind for start, kind in _BEGINNINGS.items() if picture.startswith(start))
    return next(found, "png")


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Say which file cannot be read."""
    try:
        yield
    except _UNREADABLE as error:
        raise damaged(path) from error
