"""Pictures of the objects: read from a zip file, a folder or uploads, checked, and matched."""

from __future__ import annotations

import contextlib
import io
import os
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pandas as pd
from PIL import Image, ImageOps

from tripletscope.core.data.errors import DataError
from tripletscope.core.reading.formats.archive import MAX_BYTES, Archive, too_large
from tripletscope.core.reading.formats.source import Source, fetch
from tripletscope.core.reading.names import counted, file_name, stem_key, without_tags
from tripletscope.core.reading.objects.matching import Answers, MatchReport

FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP")
SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp")
#: Larger pictures are refused before decoding; this one would take 200 MB.
MAX_PIXELS = 50_000_000
#: Longest side of a stored picture; larger ones are shrunk. A point of a map on a full page at
#: 600 pixels per inch has about 500.
MAX_SIDE = 1_600

#: What Pillow raises on damaged pictures.
_DAMAGED = (
    OSError, SyntaxError, ValueError, EOFError, struct.error, zlib.error, IndexError, KeyError,
    OverflowError, Image.DecompressionBombError,
)


class Pictures(Mapping[str, bytes]):
    """Pictures by file name; large ones are shrunk on first access.

    refused: Names of the files that were left out, and why.
    shrunk: Names of pictures larger than `MAX_SIDE`, with original width and height.
    """

    def __init__(self, files: Iterable[tuple[str, bytes]]) -> None:
        self._files: dict[str, bytes] = {}
        self._thumbnails: dict[tuple[str, int], bytes] = {}
        self._large: set[str] = set()
        self.refused: dict[str, str] = {}
        self.shrunk: dict[str, tuple[int, int]] = {}
        for path, data in files:
            name = file_name(path)
            if name in self._files:
                self.refused[path] = "another picture has the same name"
                continue
            try:
                size = _size(name, data)
            except _DAMAGED:
                size = "damaged or incomplete"
            if isinstance(size, str):
                self.refused[path] = size
                continue
            self._files[name] = data
            if max(size) > MAX_SIDE:
                self._large.add(name)
                self.shrunk[name] = size

    def __getitem__(self, name: str) -> bytes:
        if name in self._large:
            # A picture that is whole but cannot be decoded stays unchanged.
            with contextlib.suppress(*_DAMAGED):
                self._files[name] = _shrunk(self._files[name], MAX_SIDE)
            self._large.discard(name)
        return self._files[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)

    def thumbnail(self, name: str, size: int = 96) -> bytes:
        """The picture as PNG of at most `size` pixels in either direction; cached."""
        if (name, size) not in self._thumbnails:
            try:
                self._thumbnails[name, size] = _shrunk(self._files[name], size, "PNG")
            except _DAMAGED as error:
                raise DataError(
                    "the picture cannot be decoded", file=name, remedy="Save it again as PNG."
                ) from error
        return self._thumbnails[name, size]

    def summary(self) -> list[str]:
        """Shrunk and refused pictures, as sentences."""
        lines = []
        if self.shrunk:
            name, (width, height) = max(self.shrunk.items(), key=lambda item: max(item[1]))
            lines.append(
                f"{counted(len(self.shrunk), 'picture')} shrunk to {MAX_SIDE:,} pixels in the "
                f"longer direction; the largest, {name}, had {width:,} × {height:,}."
            )
        return lines + [f"{path} was omitted: {why}." for path, why in self.refused.items()]


def read_pictures(
    sources: Source | Iterable[tuple[str, bytes]], name: str | None = None
) -> Pictures:
    """Read pictures from a zip file, a folder, or pairs of name and bytes."""
    if isinstance(sources, str | Path) and Path(sources).is_dir():
        return Pictures(_in_folder(Path(sources)))
    if isinstance(sources, str | bytes | Path) or hasattr(sources, "read"):
        data, name = fetch(sources, name)
        return Pictures(Archive(data, name) if data.startswith(b"PK") else [(name, data)])
    return Pictures(_unpacked(sources))


def attach_pictures(triplets: Answers, pictures: Pictures) -> tuple[Answers, MatchReport]:
    """Give each object its picture: column ``image`` names it.

    Names match without folder, extension and case: those of the column ``image`` if there is one
    (paths and HTML tags will do), or ids, or labels.
    """
    objects = triplets.objects
    by_stem: dict[str, str] = {}
    for picture in pictures:
        by_stem.setdefault(stem_key(picture), picture)
    result = pd.Series([None] * len(objects), dtype=object)
    for column in ("image", "id", "label"):
        if column in objects:
            texts = objects[column].astype("str").fillna("")
            guess = texts.map(lambda text: by_stem.get(stem_key(without_tags(text))))
            result = result.where(result.notna(), guess)
    paths = objects.get("image", result)
    objects["image"] = result.where(result.notna(), paths).astype("str")
    used = set(result.dropna())
    report = MatchReport(
        "Pictures were found by their names, without folder, extension and case.",
        n_matched=int(result.notna().sum()),
        missing=objects["id"][result.isna()].tolist(),
        unused=[picture for picture in pictures if picture not in used],
        added=[],
    )
    return triplets.with_objects(objects), report


def _unpacked(files: Iterable[tuple[str, bytes]]) -> Iterator[tuple[str, bytes]]:
    for name, data in files:
        if name.lower().endswith(".zip"):
            yield from Archive(data, name)
        else:
            yield name, data


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


def _size(name: str, data: bytes) -> tuple[int, int] | str:
    """Width and height of a whole picture in pixels, or why it is refused."""
    if name.lower().endswith((".svg", ".svgz")):
        return "SVG drawings are not shown; export it as PNG"
    if not name.lower().endswith(SUFFIXES):
        return "not a picture (PNG, JPEG, GIF, WebP or BMP)"
    try:
        with Image.open(io.BytesIO(data), formats=FORMATS) as image:
            if image.width * image.height > MAX_PIXELS:
                return f"larger than {MAX_PIXELS / 1e6:g} megapixels"
            size = image.size
            if image.format == "PNG":
                image.verify()  # checks the sums of all parts, without decoding them
            else:
                image.draft("RGB", (64, 64))
                image.load()
    except Image.UnidentifiedImageError:
        return "not a picture, whatever its name says"
    return size


def _shrunk(data: bytes, side: int, kind: str | None = None) -> bytes:
    """The picture with at most `side` pixels in either direction, upright.

    `kind` is by default JPEG for JPEG, and PNG for all others, which may be transparent.
    """
    with Image.open(io.BytesIO(data), formats=FORMATS) as image:
        source_format = image.format
        image.draft("RGB", (2 * side, 2 * side))
        small = ImageOps.exif_transpose(image).convert("RGB" if source_format == "JPEG" else "RGBA")
    small.thumbnail((side, side), Image.Resampling.LANCZOS)
    buffer = io.BytesIO()
    small.save(buffer, kind or ("JPEG" if source_format == "JPEG" else "PNG"), quality=90)
    return buffer.getvalue()
