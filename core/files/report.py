"""What became of the rows of a file, in words and in numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from core.files.names import counted, listing
from core.triplets import ANCHOR, FAR, NEAR, Triplets


@dataclass(frozen=True, eq=False)
class Omission:
    """Rows that were left out for one reason.

    Attributes
    ----------
    reason : str
        A clause: ``"no answer was given"``.
    remedy : str
        What the user can do about it, as a sentence.
    rows : ndarray of int
        Row numbers of the file.
    """

    reason: str
    remedy: str
    rows: np.ndarray

    @property
    def count(self) -> int:
        return len(self.rows)


@dataclass(frozen=True, eq=False)
class Report:
    """What was read, what was left out, and what was noticed on the way.

    Attributes
    ----------
    file : str
    n_rows : int
        Rows of the file below its header, blank ones not counted.
    n_answers, n_objects : int
    n_participants : int or None
        None if the file does not tell participants apart.
    omissions : list of Omission
    never_asked : list of str
        Ids of objects of the table of objects that occur in no answer.
    numbering : str
        How numbers stand for objects; empty if objects have names.
    notes : list of str
        Everything else, as sentences.
    """

    file: str
    n_rows: int
    n_answers: int
    n_objects: int
    n_participants: int | None
    omissions: list[Omission]
    never_asked: list[str]
    numbering: str
    notes: list[str]

    @property
    def n_omitted(self) -> int:
        return sum(omission.count for omission in self.omissions)

    def summary(self) -> list[str]:
        """The report as sentences."""
        people = (
            "" if self.n_participants is None
            else f" by {counted(self.n_participants, 'participant')}"
        )
        lines = [
            f"{counted(self.n_answers, 'answer')}{people} on {counted(self.n_objects, 'object')}, "
            f"from {counted(self.n_rows, 'row')}."
        ]
        for omission in self.omissions:
            rows = [f"{row:,}" for row in omission.rows[:5]]
            rest = f" and {omission.count - 5:,} more" if omission.count > 5 else ""
            lines.append(
                f"{counted(omission.count, 'row')} left out because {omission.reason}: "
                f"row{'s' if omission.count > 1 else ''} {', '.join(rows)}{rest}. "
                f"{omission.remedy}"
            )
        if self.numbering:
            lines.append(self.numbering)
        if self.never_asked:
            lines.append(
                f"{counted(len(self.never_asked), 'object')} never asked about: "
                f"{listing(self.never_asked)}."
            )
        return lines + self.notes


@dataclass(frozen=True)
class Sentence:
    """One answer in words, to see whether the file is read the right way round.

    `anchor`, `near` and `far` are positions in the objects; `text` marks objects with asterisks,
    as Markdown does.
    """

    row: int
    participant: str | None
    anchor: int
    near: int
    far: int
    text: str


@dataclass(frozen=True, eq=False)
class Imported:
    """The answers of a file, with the report on how they were read.

    Attributes
    ----------
    triplets : Triplets
    report : Report
    file_rows : ndarray of int, shape (T,)
        Row of the file that each answer comes from.
    catch_trials : DataFrame
        Rows in which the anchor was itself an option: ``row``, ``participant`` and ``correct``,
        whether the anchor was chosen. They are no answers, but tell who paid attention.
    """

    triplets: Triplets
    report: Report
    file_rows: np.ndarray
    catch_trials: pd.DataFrame = field(default_factory=pd.DataFrame)

    def sentences(self, k: int = 3, seed: int = 0) -> list[Sentence]:
        """`k` answers from different places of the file, by different participants if possible."""
        rng = np.random.default_rng(seed)
        parts = np.array_split(np.arange(len(self.triplets)), min(k, len(self.triplets)))
        participants = self._participants()
        heard: set[str | None] = set()
        chosen = []
        for part in parts:
            tries = rng.permutation(part)[:50] if len(part) < 10_000 else rng.choice(part, 50)
            new = (t for t in tries if participants is None or participants[t] not in heard)
            answer = int(next(new, tries[0]))
            heard.add(participants[answer] if participants is not None else None)
            chosen.append(self._sentence(answer, participants))
        return chosen

    def _participants(self) -> Sequence[str] | None:
        answers = self.triplets.answers
        return answers["participant"].array if "participant" in answers else None

    def _sentence(self, answer: int, participants: Sequence[str] | None) -> Sentence:
        triple = self.triplets.rows[answer]
        anchor, near, far = (f"*{self.triplets.labels[i]}*" for i in triple)
        participant = participants[answer] if participants is not None else None
        if pd.isna(participant):
            participant, who = None, "Somebody"
        else:
            participant = str(participant)
            who = f"P{participant}" if participant.isdigit() else participant
        return Sentence(
            int(self.file_rows[answer]), participant,
            int(triple[ANCHOR]), int(triple[NEAR]), int(triple[FAR]),
            f"{who} saw {anchor}; said {near} is more similar than {far}",
        )
