"""A report before it is HTML, Word or LaTeX.

Markup: ``*emphasis*``, ``**strong**``, ``@fig-map``, ``@tab-flow``, ``[@haghiri2018]``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from tripletscope.core.data.lazy import cached_property
from tripletscope.dashboard.print.render import NOT_XML
from tripletscope.dashboard.report.references import cited, library
from tripletscope.dashboard.results import Drawing
from tripletscope.dashboard.words import words

_MARKUP = re.compile(
    r"\*\*(?P<strong>[^*]+)\*\*|\*(?P<emphasis>[^*]+)\*"
    r"|@(?P<kind>fig|tab)-(?P<name>[\w-]*\w)|\[(?P<cited>@\w+(?:; @\w+)*)\]"
)
#: Widths of figures, in millimetres: that of the text, and of a journal's column.
WIDTHS = (165.0, 85.0)
WIDTH = WIDTHS[0]
#: First characters of numbers, intervals and empty cells.
_OF_NUMBERS = ("", *"0123456789.-–[")
Style = Literal["plain", "emphasis", "strong", "reference"]


@dataclass(frozen=True)
class Paragraph:
    """Text with markup."""

    text: str


def joined(*sentences: str) -> Paragraph:
    """A paragraph of sentences, of which some may be empty."""
    return Paragraph(" ".join(filter(None, sentences)))


@dataclass(frozen=True)
class Listed:
    """Short texts, one below the other; each may be ticked or not."""

    items: tuple[str, ...]
    ticked: tuple[bool, ...] | None = None


@dataclass(frozen=True)
class TextTable:
    """A table; texts refer to it by `name`."""

    name: str
    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""

    @property
    def shown(self) -> tuple[tuple[str, ...], ...]:
        """The rows, with a dash in empty cells."""
        return tuple((row[0], *(cell or "–" for cell in row[1:])) for row in self.rows)

    @property
    def numbers(self) -> tuple[bool, ...]:
        """Whether each column has nothing but numbers; these are right-aligned."""
        cells = zip(*self.rows, strict=True) if self.rows else ((),) * len(self.columns)
        return tuple(
            any(column) and all(cell[:1] in _OF_NUMBERS for cell in column) for column in cells
        )


Block = Paragraph | Listed | TextTable | Drawing


@dataclass(frozen=True)
class Section:
    """A section of a report; `name` is that of the part that made it."""

    name: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Document:
    """A report, without characters that XML excludes.

    made: When, and by which version, in words.
    width: Of figures, in millimetres.
    """

    title: str
    authors: str
    made: str
    sections: tuple[Section, ...]
    width: float = WIDTH

    def __post_init__(self) -> None:
        for name in ("title", "authors", "made", "sections"):
            object.__setattr__(self, name, _readable(getattr(self, name)))

    def blocks(self) -> Iterator[Block]:
        for section in self.sections:
            yield from section.blocks

    @cached_property
    def figures(self) -> dict[str, int]:
        return _numbered(block.name for block in self.blocks() if isinstance(block, Drawing))

    @cached_property
    def tables(self) -> dict[str, int]:
        return _numbered(block.name for block in self.blocks() if isinstance(block, TextTable))

    @cached_property
    def labels(self) -> dict[str, str]:
        """Labels of figures and tables, of nothing but a-z, 0-9 and hyphens."""
        labels: dict[str, str] = {}
        for target in (*(f"fig-{name}" for name in self.figures),
                       *(f"tab-{name}" for name in self.tables)):
            label = slug = re.sub(r"[^a-z0-9]+", "-", target.lower()).strip("-")
            number = 1
            while label in labels.values():
                number += 1
                label = f"{slug}-{number}"
            labels[target] = label
        return labels

    @cached_property
    def references(self) -> tuple[str, ...]:
        """Ids of references in the order of their first citation."""
        names: dict[str, None] = {}
        for block in self.blocks():
            for text in _texts(block):
                for match in _MARKUP.finditer(text):
                    names |= dict.fromkeys(_ids(match["cited"]))
        return tuple(names)

    def pieces(self, text: str) -> Iterator[tuple[str, Style, str]]:
        """Pieces of a text without markup: text, style and link target.

        Unknown figures, tables and references stay as written.
        """
        last = 0
        for match in _MARKUP.finditer(text):
            if match.start() > last:
                yield text[last : match.start()], "plain", ""
            last = match.end()
            if match["strong"]:
                yield match["strong"], "strong", ""
            elif match["emphasis"]:
                yield match["emphasis"], "emphasis", ""
            elif match["kind"]:
                numbers = self.figures if match["kind"] == "fig" else self.tables
                number = numbers.get(match["name"])
                if number is None:
                    yield match[0], "plain", ""
                else:
                    word = words("figure" if match["kind"] == "fig" else "table")
                    yield f"{word}\N{NO-BREAK SPACE}{number}", "reference", match[0][1:]
            else:
                yield from self._cited(_ids(match["cited"]))
        if last < len(text):
            yield text[last:], "plain", ""

    def _cited(self, ids: list[str]) -> Iterator[tuple[str, Style, str]]:
        ordered = sorted(ids, key=lambda name: cited(library()[name]).lower())
        for number, name in enumerate(ordered):
            yield ("; " if number else "("), "plain", ""
            yield cited(library()[name]), "reference", f"ref-{name}"
        if ordered:
            yield ")", "plain", ""

    def plain(self, text: str) -> str:
        return "".join(piece for piece, _, _ in self.pieces(text))


def _readable(value: Any) -> Any:
    """A value whose texts lack characters that XML excludes."""
    if isinstance(value, str):
        return NOT_XML.sub("", value)
    if isinstance(value, tuple):
        return tuple(map(_readable, value))
    if isinstance(value, Section | Paragraph | Listed | TextTable | Drawing):
        return replace(value, **{f.name: _readable(getattr(value, f.name)) for f in fields(value)})
    return value


def _numbered(names: Iterator[str]) -> dict[str, int]:
    return {name: number for number, name in enumerate(names, 1)}


def _texts(block: Block) -> list[str]:
    if isinstance(block, Paragraph):
        return [block.text]
    if isinstance(block, Listed):
        return list(block.items)
    if isinstance(block, TextTable):
        return [block.caption, block.note]
    return [block.caption]


def _ids(citation: str | None) -> list[str]:
    """Ids of references that exist."""
    names = [name.strip().removeprefix("@") for name in (citation or "").split(";")]
    return [name for name in names if name in library()]
