"""A report of chosen parts and results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import date
from typing import Any, Self

from tripletscope import __version__
from tripletscope.dashboard.report.document import WIDTH, WIDTHS, Document, Paragraph, Section
from tripletscope.dashboard.report.material import Material
from tripletscope.dashboard.report.parts.part import CHAPTERS
from tripletscope.dashboard.report.parts.parts import PARTS
from tripletscope.dashboard.words import unmarked, words


@dataclass(frozen=True)
class ReportSettings:
    """Settings of a report.

    left_out: Names of parts.
    results_left_out, results_added: Keys of results that differ from the usual ones.
    width {165, 85}: Of figures, in millimetres: the text's, or a journal's column.
    """

    title: str = ""
    authors: str = ""
    left_out: tuple[str, ...] = ()
    results_left_out: tuple[str, ...] = ()
    results_added: tuple[str, ...] = ()
    width: float = WIDTH

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Settings from `to_dict`, also another version's; invalid ones are ignored."""

        def text(name: str) -> str:
            return record[name] if isinstance(record.get(name), str) else ""

        def names(name: str) -> tuple[str, ...]:
            value = record.get(name)
            return tuple(one for one in value if isinstance(one, str)) if isinstance(
                value, list | tuple
            ) else ()

        return cls(
            text("title"), text("authors"), names("left_out"), names("results_left_out"),
            names("results_added"),
            next((wide for wide in WIDTHS if wide == record.get("width")), WIDTH),
        )

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def with_part(self, name: str, shown: bool) -> Self:
        """With or without a part."""
        others = tuple(other for other in self.left_out if other != name)
        return replace(self, left_out=others if shown else (*others, name))

    def with_result(self, key: str, shown: bool, usual: bool) -> Self:
        """With or without a result; `usual` if it is in a report of which nothing is set."""
        left = tuple(other for other in self.results_left_out if other != key)
        added = tuple(other for other in self.results_added if other != key)
        return replace(
            self, results_left_out=left if shown or not usual else (*left, key),
            results_added=(*added, key) if shown and not usual else added,
        )


def written(material: Material) -> dict[str, Section]:
    """The sections by part, in the order of the report; empty parts are missing."""
    material.names.clear()
    sections = {}
    for name, part in PARTS.items():
        blocks = tuple(
            block for block in part.make(material)
            if not isinstance(block, Paragraph) or block.text
        )
        if blocks:
            sections[name] = Section(name, words(f"part {name}"), blocks)
    return dict(sorted(sections.items(), key=lambda one: (
        CHAPTERS.index(PARTS[one[0]].chapter), PARTS[one[0]].order
    )))


def document(report: ReportSettings, sections: Mapping[str, Section], name: str) -> Document:
    """The report as it is set, of the sections of `written`."""
    return Document(
        report.title or words("usual title", name=unmarked(name)), report.authors,
        words("made", version=__version__, day=date.today().isoformat()),
        tuple(section for part, section in sections.items() if part not in report.left_out),
        report.width,
    )
