"""A report as somebody has set it: its order, their own words, and what has changed since."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from typing import Any, Self

from tripletscope import __version__
from tripletscope.dashboard.report.document import Block, Document, Paragraph, Section
from tripletscope.dashboard.report.material import Material, plain
from tripletscope.dashboard.report.parts import CHAPTERS, PARTS
from tripletscope.dashboard.wording import LANGUAGES, Words


@dataclass(frozen=True)
class Edited:
    """Words that somebody has put in the place of those of the program.

    Attributes
    ----------
    text : str
    instead : str
        What the program had written.
    """

    text: str
    instead: str


@dataclass(frozen=True)
class ReportSettings:
    """How a report is set.

    Attributes
    ----------
    language : str
        One of `LANGUAGES`.
    title, authors : str
        A title of its own, if there is any text.
    order : tuple of str
        Names of parts as they follow each other; others follow in their usual order.
    left_out : tuple of str
        Parts that are not shown.
    results_left_out : tuple of str
        Keys of results that are not told of, though they usually are.
    results_added : tuple of str
        Keys of further results that are told of.
    edited : mapping of str to Edited
        By language and name of the part.
    taken : mapping of str to str
        What the program had written, likewise, when the report was last taken away.
    """

    language: str = "en"
    title: str = ""
    authors: str = ""
    order: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    results_left_out: tuple[str, ...] = ()
    results_added: tuple[str, ...] = ()
    edited: Mapping[str, Edited] = field(default_factory=dict)
    taken: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Self:
        """What `to_dict` made, or another version did: what makes no sense is left out."""

        def text(name: str) -> str:
            return given[name] if isinstance(given.get(name), str) else ""

        def names(name: str) -> tuple[str, ...]:
            found = given.get(name)
            return tuple(one for one in found if isinstance(one, str)) if isinstance(
                found, list | tuple
            ) else ()

        def texts(name: str) -> dict[str, Any]:
            found = given.get(name)
            return dict(found) if isinstance(found, Mapping) else {}

        language = text("language")
        return cls(
            language if language in LANGUAGES else "en", text("title"), text("authors"),
            names("order"), names("left_out"), names("results_left_out"), names("results_added"),
            {name: Edited(one["text"], one["instead"]) for name, one in texts("edited").items()
             if isinstance(one, Mapping) and {"text", "instead"} <= one.keys()},
            {name: one for name, one in texts("taken").items() if isinstance(one, str)},
        )

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self)

    # Changing --------------------------------------------------------------------------------

    def ordered(self, names: Sequence[str]) -> list[str]:
        """Names of parts in the order of the report, chapter by chapter."""
        chosen = {name: place for place, name in enumerate(self.order)}
        return sorted(names, key=lambda name: (
            CHAPTERS.index(PARTS[name].chapter), chosen.get(name, len(chosen)), PARTS[name].order
        ))

    def moved(self, name: str, names: Sequence[str], by: int) -> Self:
        """With a part moved up or down among those of its chapter."""
        order = self.ordered(names)
        own = [one for one in order if PARTS[one].chapter == PARTS[name].chapter]
        place = own.index(name)
        own.insert(min(max(place + by, 0), len(own) - 1), own.pop(place))
        rest = iter(own)
        return replace(self, order=tuple(
            next(rest) if PARTS[one].chapter == PARTS[name].chapter else one for one in order
        ))

    def with_text(self, name: str, text: str, automatic: str) -> Self:
        """With other words in a part; the program's own, if there are none or they are the same."""
        place = self.place(name)
        edited = {key: one for key, one in self.edited.items() if key != place}
        if text.strip() and text.strip() != automatic.strip():
            edited[place] = Edited(text.strip(), automatic)
        return replace(self, edited=edited)

    def place(self, name: str) -> str:
        """Where the words of a part are noted."""
        return f"{self.language} {name}"

    def words_of(self, name: str) -> Edited | None:
        """Somebody's own words in a part, if there are any."""
        return self.edited.get(self.place(name))


def text_of(section: Section) -> str:
    """The words of a section, which can be edited."""
    return "\n\n".join(block.text for block in section.blocks if isinstance(block, Paragraph))


def written(material: Material) -> dict[str, Section]:
    """What the program writes, by part; parts with nothing to say are missing."""
    material.names.clear()
    found = {}
    for name, part in PARTS.items():
        blocks = tuple(block for block in part.make(material) if _says_something(block))
        if blocks:
            found[name] = Section(name, material.words(f"part {name}"), blocks)
    return found


def _says_something(block: Block) -> bool:
    return not isinstance(block, Paragraph) or bool(block.text)


def document(report: ReportSettings, sections: Mapping[str, Section], name: str) -> Document:
    """The report as it is set.

    Parameters
    ----------
    report : ReportSettings
    sections : mapping of str to Section
        What `written` made, in the report's language.
    name : str
        Of the data set.
    """
    words = Words(report.language)
    shown = [part for part in report.ordered(list(sections)) if part not in report.left_out]
    return Document(
        report.title or words("usual title", name=plain(name)), report.authors,
        words("made", version=__version__, day=date.today().isoformat()), words,
        tuple(_set(sections[part], report.words_of(part)) for part in shown),
    )


def _set(section: Section, edited: Edited | None) -> Section:
    """A section in somebody's own words: paragraph by paragraph where there are as many."""
    if edited is None:
        return section
    own = [Paragraph(text) for text in re.split(r"\n\s*\n", edited.text) if text.strip()]
    known = [block for block in section.blocks if isinstance(block, Paragraph)]
    if len(own) == len(known):
        texts = iter(own)
        blocks = tuple(
            next(texts) if isinstance(block, Paragraph) else block for block in section.blocks
        )
    else:
        blocks = (*own, *(b for b in section.blocks if not isinstance(b, Paragraph)))
    return replace(section, blocks=blocks)


@dataclass(frozen=True)
class Change:
    """What a part says now, and said before.

    Attributes
    ----------
    part, title : str
    before, now : str
        Of which the sentences that are the same are left out.
    edited : bool
        Whether the report has somebody's own words there, which stay.
    """

    part: str
    title: str
    before: str
    now: str
    edited: bool


def changes(report: ReportSettings, sections: Mapping[str, Section]) -> Iterator[Change]:
    """What has changed since the report was taken away, or since its words were edited."""
    for name, section in sections.items():
        now, edited = text_of(section), report.words_of(name)
        before = edited.instead if edited else report.taken.get(report.place(name))
        if before is None or before == now or name in report.left_out:
            continue
        old, new = _sentences(before), _sentences(now)
        yield Change(
            name, section.title, " ".join(s for s in old if s not in new),
            " ".join(s for s in new if s not in old), edited is not None,
        )


def _sentences(text: str) -> list[str]:
    return re.split(r"(?<=[.!?])\s+(?=[A-ZÄÖÜ@])", text)


def taken(report: ReportSettings, sections: Mapping[str, Section]) -> ReportSettings:
    """The report with a note of what it said when it was taken away."""
    told = {report.place(name): text_of(one) for name, one in sections.items()}
    return replace(report, taken={**report.taken, **told})
