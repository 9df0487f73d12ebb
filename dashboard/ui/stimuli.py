"""The objects of an experiment: of the open data set, typed, of files, or those it has already."""

from __future__ import annotations

import base64
import mimetypes
import re
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import pandas as pd
import streamlit as st

from tripletscope.core.data.errors import DataError
from tripletscope.core.reading.names import file_name
from tripletscope.core.studies.experiment.experiment import STIMULI, Experiment, Stimulus
from tripletscope.dashboard.files.errors import DamagedPicture
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.store.dataset import DatasetInfo
from tripletscope.dashboard.store.experiments import plain_file_name
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.chart import address
from tripletscope.dashboard.ui.controls import number, pick, text
from tripletscope.dashboard.ui.pictures import picture_address
from tripletscope.dashboard.ui.reading import read_file, read_pictures

_PICTURES = ("png", "jpg", "jpeg", "gif", "webp", "bmp", "zip")
_SOUNDS = ("mp3", "wav", "ogg", "m4a", "flac")
_VIDEOS = ("mp4", "webm")
_COLOUR = re.compile("#[0-9a-fA-F]{6}")
_NAMED_COLOUR = re.compile(r"(?:(.*\S)\s*[:=]\s*)?(#[0-9a-fA-F]{6})")
_TYPED = "apple\npear\nplum\ncherry\nlemon\nbanana"
#: Bytes of an uploaded file that is shown before it is kept.
_SHOWN = 2**20


@dataclass(frozen=True)
class GivenObjects:
    """Objects, and where their files are.

    files: By the names of files; none of those that are where they belong.
    address: Where the browser finds the file of a stimulus; empty where it does not.
    """

    stimuli: tuple[Stimulus, ...]
    files: Mapping[str, bytes | Path] = field(default_factory=dict)
    address: Callable[[str], str] = lambda name: ""


def ask_for_objects(
    current: Session, place: str, kept: Experiment | None = None, slug: str = "", *,
    numbered: int | None = None,
) -> GivenObjects:
    """Ask what is shown.

    numbered: How many objects to begin with, where numbers and names of files will do, since others
        show the objects.
    """
    info = current.dataset
    sources = {"kept": f"As they are: {len(kept.objects):,}"} if kept else {}
    if info is not None:
        sources["open"] = "Those of the open data set"
    if numbered is not None:
        sources |= {"numbers": "Numbered", "table": "From a table"}
    sources |= {"typed": "Names or colours typed here", "files": "Files: pictures, sound, video"}
    source = pick(current, f"{place}.objects", "Objects", sources, help="What is compared.")
    if source == "kept":
        return GivenObjects(kept.objects, address=partial(_kept_address, slug))
    if source == "open":
        return _of_dataset(current, place, info)
    if source == "typed":
        lines = text(
            current, f"{place}.typed", "One per line", _TYPED, height=140,
            help="Words, colours such as #1f77b4, or named colours such as blue: #1f77b4.",
        )
        return GivenObjects(typed_stimuli(lines))
    if source == "numbers":
        n = number(current, f"{place}.n", "Number of objects", 3, 5_000, numbered) or 3
        return GivenObjects(typed_stimuli("\n".join(map(str, range(1, n + 1)))))
    return _tabled(current, place) if source == "table" else _uploaded(current, place)


def _kept_address(slug: str, name: str) -> str:
    """Where the browser finds a stimulus of a kept experiment."""
    return address(f"experiments/{slug}/{name}")


def _of_dataset(current: Session, place: str, info: DatasetInfo) -> GivenObjects:
    objects = services().workspace.answers(info).objects
    ways, n_pictured = {}, 0
    if "image" in objects:
        n_pictured = int(objects["image"].isin(list(info.pictures)).sum())
    if n_pictured:
        some = f", of {n_pictured:,} of {len(objects):,}" if n_pictured < len(objects) else ""
        ways["picture"] = f"Pictures{some}"
    ways |= {f"colour {name}": f"Colours: {name}" for name in colour_columns(objects)}
    ways["text"] = "Labels"
    way = next(iter(ways))
    if len(ways) > 1:
        way = pick(current, f"{place}.way@{info.id}", "Shown as", ways)
    if way == "picture":
        return _pictures(info, objects)
    return GivenObjects(worded(objects, way.removeprefix("colour ") if way != "text" else None))


def colour_columns(objects: pd.DataFrame) -> list[str]:
    """Columns in which every object has a colour."""
    return [
        name for name in objects.columns
        if name != "id" and all(_COLOUR.fullmatch(str(value)) for value in objects[name])
    ]


def _labels(objects: pd.DataFrame) -> list[str]:
    return [str(value) for value in objects["label" if "label" in objects else "id"]]


def worded(objects: pd.DataFrame, column: str | None = None) -> tuple[Stimulus, ...]:
    """Objects of a data set by their labels, or by colours in a column."""
    labels = _labels(objects)
    medium, contents = "text", labels
    if column is not None:
        medium, contents = "colour", [str(colour).lower() for colour in objects[column]]
    return tuple(
        Stimulus(name, medium, content, label)
        for name, content, label in zip(objects["id"].astype(str), contents, labels, strict=True)
    )


def _pictures(info: DatasetInfo, objects: pd.DataFrame) -> GivenObjects:
    """The objects that have a picture: a word among pictures would stand out."""
    stimuli: list[Stimulus] = []
    files: dict[str, Path] = {}
    addresses: dict[str, str] = {}
    taken: set[str] = set()
    for name, label, picture in zip(
        objects["id"].astype(str), _labels(objects), objects["image"], strict=True
    ):
        stored = info.pictures.get(picture) if isinstance(picture, str) else None
        with suppress(DamagedPicture):
            if stored is None:
                continue
            path = services().workspace.picture(stored)
            file = plain_file_name(f"{Path(picture).stem}{Path(stored).suffix}", taken)
            stimuli.append(Stimulus(name, "picture", file, label))
            files[file], addresses[file] = path, picture_address(stored, 320)
    return GivenObjects(tuple(stimuli), files, lambda file: addresses.get(file, ""))


def typed_stimuli(lines: str) -> tuple[Stimulus, ...]:
    """A word or a colour of each line; a line that is there twice counts once."""
    stimuli: dict[str, Stimulus] = {}
    for row, line in enumerate(map(str.strip, lines.splitlines()), 1):
        if not line:
            continue
        if len(line) > 200:
            raise DataError(
                "a name has at most 200 characters", file="the typed names", row=row,
                remedy="Use pictures or files for longer texts.",
            )
        medium, name, content = "text", line, line
        if colour := _NAMED_COLOUR.fullmatch(line):
            medium, content = "colour", colour[2].lower()
            name = colour[1] or content
        stimuli.setdefault(name, Stimulus(name, medium, content, name))
    return tuple(stimuli.values())


def _tabled(current: Session, place: str) -> GivenObjects:
    """Objects of a table of stimuli; their pictures are where the questions will be asked."""
    file = st.file_uploader(
        "Stimulus metadata", key=f"{place}.table",
        help="CSV, Excel or similar, with one row per object. A column of pictures names files "
        "that are uploaded with the list.",
    )
    if file is None:
        raise DataError("no table has been chosen yet", remedy="Choose one with a row per object.")
    objects = read_file(current, f"{place}.table", file, "objects")
    pictures = objects["image"] if "image" in objects else [None] * len(objects)
    return GivenObjects(tuple(
        replace(stimulus, medium="picture", content=picture)
        if isinstance(picture, str) and picture else stimulus
        for stimulus, picture in zip(worded(objects), pictures, strict=True)
    ))


def _uploaded(current: Session, place: str) -> GivenObjects:
    files = st.file_uploader(
        "Pictures, sounds or videos", key=f"{place}.files", accept_multiple_files=True,
        type=[*_PICTURES, *_SOUNDS, *_VIDEOS],
        help="PNG, JPEG, GIF, WebP, BMP or a ZIP of them; MP3, WAV, OGG, M4A, FLAC; MP4, WebM. "
        "Each file is an object with the file's name.",
    )
    if not files:
        raise DataError("no file has been chosen yet", remedy="Choose at least three files.")
    pictures = [file for file in files if _ending(file.name) in _PICTURES]
    contents: dict[str, bytes] = {}
    if pictures:
        contents, notes = read_pictures(current, f"{place}.files", pictures)
        for note in notes:
            st.caption(panels.plain(note))
    return material_of_files(contents | {
        file.name: file.getvalue() for file in files if _ending(file.name) not in _PICTURES
    })


def material_of_files(contents: Mapping[str, bytes]) -> GivenObjects:
    """An object of every file, called like the file: with its ending where two would be alike."""
    stems = [file_name(name).rpartition(".")[0] or name for name in contents]
    numbers = Counter(stems)
    stimuli, files = [], {}
    taken: set[str] = set()
    for (name, content), stem in zip(contents.items(), stems, strict=True):
        label = (stem if numbers[stem] == 1 else name)[:200]
        file = plain_file_name(file_name(name), taken)
        ending = _ending(name)
        medium = "sound" if ending in _SOUNDS else "video" if ending in _VIDEOS else "picture"
        stimuli.append(Stimulus(label, medium, file, label))
        files[file] = content
    return GivenObjects(tuple(stimuli), files, partial(_embedded, files))


def _embedded(files: Mapping[str, bytes], file: str) -> str:
    """The address of a picture that is its content."""
    content, kind = files.get(file, b""), mimetypes.guess_type(file)[0] or ""
    if not kind.startswith("image/") or len(content) > _SHOWN:
        return ""
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


def with_pictures(
    current: Session, place: str, material: GivenObjects, kept: Experiment | None
) -> GivenObjects:
    """The files of an experiment with pictures for its texts."""
    uploaded = st.file_uploader(
        "Pictures for texts", key=f"{place}.pictures", accept_multiple_files=True,
        type=[*_PICTURES], help="To replace one, give it another name.",
    )
    if not uploaded:
        return material
    pictures, notes = read_pictures(current, f"{place}.pictures", uploaded)
    taken = {name.lower() for name in material.files}
    added = {plain_file_name(file_name(name), taken): file for name, file in pictures.items()}
    addresses = [panels.plain(f"![]({STIMULI}/{name})") for name in added]
    st.caption(f"Write into a text: {', '.join(addresses)}")
    for note in notes:
        st.caption(panels.plain(note))
    new = {name: content for name, content in added.items() if not kept or name not in kept.files}
    return replace(
        material, files={**material.files, **new},
        address=lambda name: _embedded(new, name) if name in new else material.address(name),
    )


def _ending(name: str) -> str:
    return name.rpartition(".")[2].lower()
