"""Pictures of the objects: read from a zip file, a folder or uploads, checked, and matched."""

from __future__ import annotations

import io
import os
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pandas as pd
from PIL import Image, ImageOps

from core.files.archive import MAX_BYTES, Archive, too_large
from core.files.matching import MatchReport
from core.files.names import file_name, stem, without_tags
from core.files.source import Source, fetch
from core.triplets import DataError, Triplets

FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP")
SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp")
#: Larger pictures are refused before they are decoded; this one would take 200 MB.
MAX_PIXELS = 50_000_000

#: What Pillow raises on damaged pictures.
_DAMAGED = (
    OSError, SyntaxError, ValueError, EOFError, struct.error, zlib.error, IndexError, KeyError,
    OverflowError, Image.DecompressionBombError,
)


class Pictures(Mapping[str, bytes]):
    """Pictures by file name.

    Parameters
    ----------
    files : iterable of (str, bytes)
        Names, with or without folders, and contents.

    Attributes
    ----------
    refused : dict of str to str
        Names of the files that were left out, and why.
    """

    def __init__(self, files: Iterable[tuple[str, bytes]]) -> None:
        self._files: dict[str, bytes] = {}
        self.refused: dict[str, str] = {}
        for path, data in files:
            name = file_name(path)
            if name in self._files:
                self.refused[path] = "another picture has the same name"
            elif problem := _problem(name, data):
                self.refused[path] = problem
            else:
                self._files[name] = data

    def __getitem__(self, name: str) -> bytes:
        return self._files[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)

    def thumbnail(self, name: str, size: int = 96) -> bytes:
        """The picture as PNG, not larger than `size` pixels in either direction.

        Raises
        ------
        DataError
            If the picture cannot be decoded, in spite of its being whole.
        """
        buffer = io.BytesIO()
        try:
            with Image.open(io.BytesIO(self[name]), formats=FORMATS) as image:
                image.draft("RGB", (2 * size, 2 * size))
                small = ImageOps.exif_transpose(image).convert("RGBA")
        except _DAMAGED as error:
            raise DataError(
                "the picture cannot be decoded", file=name, remedy="Save it again as PNG."
            ) from error
        small.thumbnail((size, size))
        small.save(buffer, "PNG")
        return buffer.getvalue()


def read_pictures(
    sources: Source | Iterable[tuple[str, bytes]], name: str | None = None
) -> Pictures:
    """Read pictures from a zip file, a folder, or pairs of name and bytes.

    Parameters
    ----------
    sources : path, bytes, binary file object, or iterable of (str, bytes)
        A zip file or a folder; a single picture will do.
    name : str, optional
        Name of the file, for messages.

    Raises
    ------
    DataError
        If the zip file is damaged or unsafe, or there is too much of it. Single files that are
        no pictures, or damaged ones, are listed in `Pictures.refused`.
    """
    if isinstance(sources, str | Path) and Path(sources).is_dir():
        return Pictures(_in_folder(Path(sources)))
    if isinstance(sources, str | bytes | Path) or hasattr(sources, "read"):
        data, name = fetch(sources, name)
        return Pictures(Archive(data, name) if data.startswith(b"PK") else [(name, data)])
    return Pictures(sources)


def attach_pictures(triplets: Triplets, pictures: Pictures) -> tuple[Triplets, MatchReport]:
    """Give each object its picture: column ``image`` names it.

    Pictures are found by name without folder, extension and case: that of the object's column
    ``image`` if there is one (a path or an HTML tag will do), or its id, or its label.
    """
    objects = triplets.objects
    by_stem: dict[str, str] = {}
    for picture in pictures:
        by_stem.setdefault(stem(picture).casefold(), picture)
    found = pd.Series([None] * len(objects), dtype=object)
    for column in ("image", "id", "label"):
        if column in objects:
            texts = objects[column].astype("str").fillna("")
            guess = texts.map(lambda text: by_stem.get(stem(without_tags(text)).casefold()))
            found = found.where(found.notna(), guess)
    given = objects.get("image", found)
    objects["image"] = found.where(found.notna(), given).astype("str")
    used = set(found.dropna())
    report = MatchReport(
        "Pictures were found by their names, without folder, extension and case.",
        n_matched=int(found.notna().sum()),
        missing=objects["id"][found.isna()].tolist(),
        unused=[picture for picture in pictures if picture not in used],
        added=[],
    )
    return triplets.with_objects(objects), report


def _in_folder(folder: Path) -> Iterator[tuple[str, bytes]]:
    total = 0
    for path in sorted(folder.rglob("*")):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if hidden or not path.is_file():
            continue
        total += os.path.getsize(path)
        if total > MAX_BYTES:
            raise too_large(folder.name)
        yield str(path.relative_to(folder)), path.read_bytes()


def _problem(name: str, data: bytes) -> str | None:
    """Why these bytes are no usable picture, or None."""
    if name.lower().endswith((".svg", ".svgz")):
        return "SVG drawings are not shown; export it as PNG"
    if not name.lower().endswith(SUFFIXES):
        return "not a picture (PNG, JPEG, GIF, WebP or BMP)"
    try:
        with Image.open(io.BytesIO(data), formats=FORMATS) as image:
            if image.width * image.height > MAX_PIXELS:
                return f"larger than {MAX_PIXELS / 1e6:g} megapixels"
            if image.format == "PNG":
                image.verify()  # checks the sums of all parts, without decoding them
            else:
                image.draft("RGB", (64, 64))
                image.load()
    except Image.UnidentifiedImageError:
        return "not a picture, whatever its name says"
    except _DAMAGED:
        return "damaged or incomplete"
    return None
