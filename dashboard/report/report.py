"""A report with a user's settings, edits, and changes since it was downloaded."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import date
from itertools import repeat
from typing import Any, Self

from tripletscope import __version__
from tripletscope.dashboard.report.document import (
    Block,
    Document,
    Listed,
    Paragraph,
    Section,
    TextTable,
)
from tripletscope.dashboard.report.material import Material
from tripletscope.dashboard.report.parts.part import CHAPTERS
from tripletscope.dashboard.report.parts.parts import PARTS
from tripletscope.dashboard.wording import ENGLISH, plain

#: Parts without notes of changes: they differ with every version of a library.
_UNTOLD = ("software",)


@dataclass(frozen=True)
class Edited:
    """A user's words.

    instead: The program's words that they replaced.
    """

    text: str
    instead: str


@dataclass(frozen=True)
class ReportSettings:
    """Settings of a report.

    order: Names of parts; others follow in their usual order.
    results_left_out, results_added: Keys of results that differ from the usual ones.
    edited: By name of the part.
    taken: `told_of` each part, likewise, at the last download.
    """

    title: str = ""
    authors: str = ""
    order: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    results_left_out: tuple[str, ...] = ()
    results_added: tuple[str, ...] = ()
    edited: Mapping[str, Edited] = field(default_factory=dict)
    taken: Mapping[str, str] = field(default_factory=dict)

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

        def texts(name: str) -> dict[str, Any]:
            value = record.get(name)
            return dict(value) if isinstance(value, Mapping) else {}

        return cls(
            text("title"), text("authors"),
            names("order"), names("left_out"), names("results_left_out"), names("results_added"),
            {name: Edited(one["text"], one["instead"]) for name, one in texts("edited").items()
             if isinstance(one, Mapping)
             and all(isinstance(one.get(key), str) for key in ("text", "instead"))},
            {name: one for name, one in texts("taken").items() if isinstance(one, str)},
        )

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    # Changing --------------------------------------------------------------------------------

    def ordered(self, names: Sequence[str]) -> list[str]:
        """Names of parts in the order of the report, chapter by chapter."""
        chosen = {name: place for place, name in enumerate(self.order)}
        return sorted(names, key=lambda name: (
            CHAPTERS.index(PARTS[name].chapter), chosen.get(name, len(chosen)), PARTS[name].order
        ))

    def moved(self, name: str, names: Sequence[str], by: int) -> Self:
        """With a part moved up or down within its chapter."""
        order = self.ordered(names)
        chapter = [one for one in order if PARTS[one].chapter == PARTS[name].chapter]
        place = chapter.index(name)
        chapter.insert(min(max(place + by, 0), len(chapter) - 1), chapter.pop(place))
        rest = iter(chapter)
        return replace(self, order=tuple(
            next(rest) if PARTS[one].chapter == PARTS[name].chapter else one for one in order
        ))

    def with_text(self, name: str, text: str, automatic: str) -> Self:
        """With edited words in a part; the program's, if empty or the same."""
        edited = {key: one for key, one in self.edited.items() if key != name}
        if text.strip() and text.strip() != automatic.strip():
            edited[name] = Edited(text.strip(), automatic)
        return replace(self, edited=edited)

    def with_results(self, now: Sequence[str], new: Sequence[str], usual: Sequence[str]) -> Self:
        """With other results than now; those not seen with the open map stay as they were.

        now, new: Keys of the results before and after.
        usual: Keys of the default.
        """
        out, back = set(now) - set(new), set(new) - set(now)
        left = [key for key in self.results_left_out if key not in back]
        added = [key for key in self.results_added if key not in out]
        left += [key for key in now if key in out and key in usual and key not in left]
        added += [key for key in new if key in back and key not in usual]
        return replace(self, results_left_out=tuple(left), results_added=tuple(added))

    def words_of(self, name: str) -> Edited | None:
        return self.edited.get(name)


def text_of(section: Section) -> str:
    """The words of a section, which can be edited."""
    return "\n\n".join(block.text for block in section.blocks if isinstance(block, Paragraph))


def told_of(section: Section) -> str:
    """All text of a section, line by line: also lists, tables and captions."""
    return "\n".join(line for block in section.blocks for line in _lines(block) if line)


def _lines(block: Block) -> Iterator[str]:
    if isinstance(block, Paragraph):
        yield block.text
    elif isinstance(block, Listed):
        for item, ticked in zip(block.items, block.ticked or repeat(None), strict=False):
            yield item if ticked is None else f"{'☑' if ticked else '☐'} {item}"
    elif isinstance(block, TextTable):
        yield block.caption
        yield from (", ".join(filter(None, row)) for row in block.rows)
        yield block.note
    else:
        yield block.caption


def written(material: Material) -> dict[str, Section]:
    """The program's sections by part; empty parts are missing."""
    material.names.clear()
    sections = {}
    for name, part in PARTS.items():
        blocks = tuple(
            block for block in part.make(material)
            if not isinstance(block, Paragraph) or block.text
        )
        if blocks:
            sections[name] = Section(name, material.words(f"part {name}"), blocks)
    return sections


def document(report: ReportSettings, sections: Mapping[str, Section], name: str) -> Document:
    """The report as it is set, of the sections of `written`."""
    shown = [part for part in report.ordered(list(sections)) if part not in report.left_out]
    return Document(
        report.title or ENGLISH("usual title", name=plain(name)), report.authors,
        ENGLISH("made", version=__version__, day=date.today().isoformat()), ENGLISH,
        tuple(_set(sections[part], report.words_of(part)) for part in shown),
    )


def _set(section: Section, edited: Edited | None) -> Section:
    """A section in a user's words, paragraph by paragraph where there are as many.

    A part without paragraphs stays as it is.
    """
    paragraphs = [block for block in section.blocks if isinstance(block, Paragraph)]
    if edited is None or not paragraphs:
        return section
    edits = [Paragraph(text) for text in re.split(r"\n\s*\n", edited.text) if text.strip()]
    if len(edits) == len(paragraphs):
        texts = iter(edits)
        blocks = tuple(
            next(texts) if isinstance(block, Paragraph) else block for block in section.blocks
        )
    else:
        blocks = (*edits, *(b for b in section.blocks if not isinstance(b, Paragraph)))
    return replace(section, blocks=blocks)


@dataclass(frozen=True)
class Change:
    """A change of a part.

    before, now: Without common sentences.
    edited: Whether the part has a user's words, which stay.
    unshown: Whether these are hidden, since the part has no paragraphs any more.
    """

    part: str
    title: str
    before: str
    now: str
    edited: bool
    gone: bool = False
    unshown: bool = False


def changes(report: ReportSettings, sections: Mapping[str, Section]) -> Iterator[Change]:
    """Changes since the report was downloaded, or since its words were edited."""
    was_taken = bool(report.taken)
    for name in (*sections, *(name for name in PARTS if name not in sections)):
        if name in report.left_out or name in _UNTOLD:
            continue
        section, edited = sections.get(name), report.words_of(name)
        taken_as = report.taken.get(name, "" if was_taken else None)
        before = [text for text in (edited and edited.instead, taken_as) if text is not None]
        if not before:
            continue
        # Without an earlier download only paragraphs can be compared.
        now = "" if section is None else text_of(section) if taken_as is None else told_of(section)
        old, new = _sentences("\n".join(before)), _sentences(now)
        if set(old) != set(new):
            unshown = edited is not None and section is not None and not text_of(section)
            yield Change(
                name, ENGLISH(f"part {name}"),
                " ".join(s for s in old if s not in new), " ".join(s for s in new if s not in old),
                edited is not None, section is None, unshown,
            )


def _sentences(text: str) -> list[str]:
    """Sentences and lines, each once."""
    parts = re.split(r"(?<=[.!?])\s+(?=[A-ZÄÖÜ@])|\n+", text)
    return list(dict.fromkeys(sentence for sentence in parts if sentence))


def taken(report: ReportSettings, sections: Mapping[str, Section]) -> ReportSettings:
    """The report with a note of its content when downloaded.

    A user's words from then on replace the program's present ones.
    """
    texts = {
        name: told_of(section) for name, section in sections.items() if name not in _UNTOLD
    }
    edited = {
        name: replace(words, instead=_automatic(sections, name))
        for name, words in report.edited.items()
    }
    return replace(report, taken=texts, edited=edited)


def _automatic(sections: Mapping[str, Section], name: str) -> str:
    return text_of(sections[name]) if name in sections else ""


def merged(stored: ReportSettings, before: ReportSettings, after: ReportSettings) -> ReportSettings:
    """Stored settings with a user's changes and nothing else.

    stored: As others may have left them meanwhile.
    before, after: Of the user's changes.
    """
    changed = {}
    for one in fields(ReportSettings):
        kept, old, new = (getattr(each, one.name) for each in (stored, before, after))
        if old == new:
            continue
        if isinstance(new, Mapping):
            names = {name for name in {*old, *new} if old.get(name) != new.get(name)}
            others = {name: value for name, value in kept.items() if name not in names}
            changed[one.name] = others | {name: new[name] for name in new if name in names}
        elif isinstance(new, tuple) and one.name != "order":
            others = (name for name in kept if name in new or name not in old)
            changed[one.name] = tuple(dict.fromkeys(
                (*others, *(name for name in new if name not in old))
            ))
        else:
            changed[one.name] = new
    return replace(stored, **changed)
