"""What a paper says in one of its figures, tables or theorems, and how it is rebuilt."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from tripletscope.core.engine.short_repr import short_repr
from tripletscope.core.presets import DOCUMENTS

#: What one run of an experiment can show.
HOLDS = "holds"
HOLDS_WITH_THEIRS = "holds with their setting only"
DOES_NOT_HOLD = "does not hold"
SHOWN = (HOLDS, HOLDS_WITH_THEIRS, DOES_NOT_HOLD)


@short_repr
@dataclass(frozen=True)
class Observation:
    """What one run of an item shows, by the item's rule.

    Attributes
    ----------
    shows : str
        One of `SHOWN`.
    ours : str
        Our figures, in the form of the paper's.
    why : str
        One sentence: what the rule saw, or the measured cause of a disagreement.
    """

    shows: str
    ours: str
    why: str

    def __post_init__(self) -> None:
        if self.shows not in SHOWN:
            raise ValueError(f"shows is {self.shows!r}; it must be one of {SHOWN}.")


#: ``experiment(seed=0, progress=silent, **settings)`` returns a tidy table of what was measured.
Experiment = Callable[..., pd.DataFrame]


@dataclass(frozen=True, kw_only=True)
class Item:
    """A figure, table, theorem or algorithm of one of the `DOCUMENTS`.

    Attributes
    ----------
    key : str
        As ``thesis-figure-2.1`` or ``forests-supplement-lemma-2.3``.
    title : str
        What it is about, in a few words.
    claim : str
        What it says, in one sentence that a student understands.
    published : str
        The paper's own figures; empty where it has none.
    setting : str
        The paper's settings.
    ours : str
        What is set otherwise here, and why; empty where nothing is.
    experiment : callable, optional
        See `Experiment`. None of what is defined or listed, not measured.
    full, quick : mapping of str to value
        Settings of the experiment; `quick` are those that differ when it shall take seconds.
    check : callable, optional
        ``check(table)`` tells what the table shows.
    rule : str
        When the claim holds in a run, in one sentence that a reader can disagree with: "Holds if
        …"; what `check` computes.
    exact : bool
        Whether nothing is random, so that one run tells; otherwise verdicts are over five seeds.
    not_judged : str
        Clauses of the claim that the rule does not judge, and why.
    illustration : bool
        Whether no broken method turns what the check says, see ``benchmarks/broken``.
    needs : tuple of str
        Data sets that are not shipped, see `tripletscope.reproductions.data`.
    needs_in_short : tuple of str
        Those without which it cannot be computed in short either.
    stand_in : str
        Which data take the place of the paper's, where these are not to be had.
    also : tuple of str
        Keys of other places that say the same.
    stated : str
        Why there is nothing to measure: a definition, an assumption, or no data.
    """

    key: str
    title: str
    claim: str
    published: str = ""
    setting: str = ""
    ours: str = ""
    experiment: Experiment | None = None
    full: Mapping[str, Any] = field(default_factory=dict)
    quick: Mapping[str, Any] = field(default_factory=dict)
    check: Callable[[pd.DataFrame], Observation] | None = None
    rule: str = ""
    exact: bool = False
    not_judged: str = ""
    illustration: bool = False
    needs: tuple[str, ...] = ()
    needs_in_short: tuple[str, ...] = ()
    stand_in: str = ""
    also: tuple[str, ...] = ()
    stated: str = ""

    def __post_init__(self) -> None:
        if self.document not in DOCUMENTS:
            raise ValueError(f"{self.key} is of no known document.")
        measured = self.experiment is not None
        if measured == bool(self.stated) or measured != (self.check is not None):
            raise ValueError(f"{self.key} must have an experiment with its check, or be stated.")

    @property
    def document(self) -> str:
        return document_of(self.key)

    @property
    def label(self) -> str:
        """As the document calls it: Figure 2.1, Supplement, Lemma 2.3."""
        return label_of(self.key)

    def settings(self, quick: bool) -> dict[str, Any]:
        """What the experiment is called with."""
        return {**self.full, **(self.quick if quick else {})}


def document_of(key: str) -> str:
    """Document of a place, one of `DOCUMENTS`."""
    return key.split("-")[0]


def label_of(key: str) -> str:
    """What a place is called in its document."""
    *words, number = key.split("-")[1:]
    if words[-1] == "section":  # several claims of one are told apart by a letter
        return f"Section {number.rstrip('abc')}"
    named = f"{words[-1].capitalize()} {number.upper()}"
    return f"Supplement, {named}" if len(words) > 1 else named
