"""Results of reading a file, and reports on its rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from tripletscope.core.data.errors import in_python
from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.short_repr import short_repr
from tripletscope.core.reading.languages import FORMS
from tripletscope.core.reading.names import counted, listing
from tripletscope.core.reading.tasks import TASKS, Task

#: Title and explanation for answers whose objects do not recur.
NO_MAP = (
    "No map can be made",
    "No object occurs in two different questions. Features of the objects can be compared with the "
    "answers.",
)


@short_repr
@dataclass(frozen=True)
class Note:
    """What a file brings along: a code of `forms.toml`, and the values of its words."""

    code: str
    values: Mapping[str, Any] = field(default_factory=dict)

    @property
    def asks(self) -> bool:
        """Whether somebody has to decide something."""
        return FORMS["notes"][self.code].get("asks", False)

    def said(self) -> str:
        """Sentences."""
        return FORMS["notes"][self.code]["said"].format(**self.values)

    def said_in_python(self) -> str:
        """Sentences, and the argument that decides."""
        return self.said() + in_python(FORMS["notes"][self.code].get("python"))


@short_repr
@dataclass(frozen=True, eq=False)
class Omission:
    """Rows that were left out for one reason."""

    reason: str  # a clause: ``"no answer was given"``
    remedy: str  # a sentence
    rows: np.ndarray  # row numbers of the file
    asks: bool = False  # whether the rows may have been meant for answers

    @property
    def count(self) -> int:
        return len(self.rows)

    def said(self) -> str:
        """Sentences."""
        where = np.unique(self.rows)  # one of the file may have several answers
        what = "row" if len(where) == self.count else "answer"
        rest = f" and {len(where) - 5:,} more" if len(where) > 5 else ""
        return (
            f"{counted(self.count, what)} omitted because {self.reason}: "
            f"row{'s' if len(where) > 1 else ''} {', '.join(f'{row:,}' for row in where[:5])}"
            f"{rest}. {self.remedy}"
        )


@short_repr
@dataclass(frozen=True, eq=False)
class Report:
    """What was read and left out, with notes."""

    file: str
    n_rows: int  # rows of the file below its header, without blank ones
    n_answers: int  # rows that were used
    n_triplets: int  # two for each odd one out
    n_objects: int
    n_participants: int | None  # None without a column of participants
    omissions: list[Omission]
    never_asked: list[str]  # ids in the table of objects that occur in no answer
    numbering: str  # how numbers stand for objects; empty if objects have names
    notes: list[str]  # everything else, as sentences
    brought: list[Note] = field(default_factory=list)  # what the file brings along
    #: Name of a row with several answers: a trial, or a question with counts of answers.
    row_is: str = "trial"

    def summary(self) -> list[str]:
        people = (
            "" if self.n_participants is None
            else f" by {counted(self.n_participants, 'participant')}"
        )
        several = self.n_triplets > self.n_answers
        answers = counted(self.n_answers, self.row_is if several else "answer")
        lines = [
            f"{answers}{people} on {counted(self.n_objects, 'object')}, "
            f"from {counted(self.n_rows, 'row')}."
        ]
        if several:
            lines.append(
                f"They hold {counted(self.n_triplets, 'answer')} of the kind “A is more like B "
                "than like C”."
            )
        elif self.n_triplets and self.n_triplets != self.n_answers:
            lines.append(f"These are {counted(self.n_triplets, 'triplet')}.")
        lines += [omission.said() for omission in self.omissions]
        if self.numbering:
            lines.append(self.numbering)
        if self.never_asked:
            lines.append(
                f"{counted(len(self.never_asked), 'object')} never asked about: "
                f"{listing(self.never_asked)}."
            )
        return [*lines, *(note.said() for note in self.brought), *self.notes]


@dataclass(frozen=True)
class Sentence:
    """One answer in words, to check that the file is read the right way round.

    `objects` are their positions, and `parts` what each of them is in the answer; `text` marks
    objects with asterisks, as in Markdown.
    """

    row: int
    participant: str | None
    objects: tuple[int, ...]
    parts: tuple[str, ...]
    text: str


@short_repr
@dataclass(frozen=True, eq=False)
class Pairs:
    """Answers that compare two pairs of objects."""

    rows: np.ndarray  # (Q, 4): the more similar pair, then the other
    answers: pd.DataFrame  # participant, response time and so on
    file_rows: np.ndarray  # (Q,)
    n_objects: int

    def __len__(self) -> int:
        return len(self.rows)

    def quadruples(self, name: str = "answers", objects: pd.DataFrame | None = None) -> Quadruples:
        return Quadruples(
            self.rows, self.n_objects, name=name, objects=objects, answers=self.answers
        )


@short_repr
@dataclass(frozen=True, eq=False)
class Imported:
    """The answers of a file, with a report."""

    triplets: Triplets
    report: Report
    file_rows: np.ndarray  # (T,): row of the file of each answer
    #: Attention checks, which are no answers: ``row``, ``participant`` and ``correct``. Their
    #: anchor is itself an option and the right choice; in results of our own experiments they are
    #: the catch and gold questions.
    catch_trials: pd.DataFrame = field(default_factory=pd.DataFrame)
    task: Task = TASKS["nearer"]
    #: All answers, if they compare two pairs of objects; `triplets` are then those, if any, about
    #: pairs that share an object.
    pairs: Pairs | None = None

    def sentences(self, k: int = 3, seed: int = 0) -> list[Sentence]:
        """`k` answers from different parts of the file, by different participants if possible."""
        rng = np.random.default_rng(seed)
        source = self.pairs or self
        answers = source.answers if self.pairs else self.triplets.answers
        rows = source.rows if self.pairs else self.triplets.rows
        parts = np.array_split(np.arange(len(rows)), min(k, len(rows)))
        participants = answers["participant"].array if "participant" in answers else None
        seen: set[str | None] = set()
        chosen = []
        for part in parts:
            tries = rng.permutation(part)[:50] if len(part) < 10_000 else rng.choice(part, 50)
            new = (t for t in tries if participants is None or participants[t] not in seen)
            answer = int(next(new, tries[0]))
            who = participants[answer] if participants is not None else None
            seen.add(who)
            chosen.append(self._sentence(rows[answer], int(source.file_rows[answer]), who))
        return chosen

    def _sentence(self, objects: np.ndarray, row: int, participant: str | None) -> Sentence:
        # An asterisk in a label would end the emphasis.
        labels = self.triplets.labels
        names = [f"*{labels[i].replace('*', '∗')}*" for i in objects]
        if pd.isna(participant):
            participant, who = None, "Somebody"
        else:
            participant = str(participant)
            who = f"P{participant}" if participant.isdigit() else participant
        words = dict(zip(("anchor", "near", "far", "fourth"), names, strict=False))
        return Sentence(
            row, participant, tuple(objects.tolist()), self.task.parts,
            self.task.sentence.format(who=who, **words),
        )
