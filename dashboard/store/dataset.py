"""Data sets and results as a workspace lists them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Container, Mapping
from dataclasses import dataclass
from typing import Any

from tripletscope.core.run import Run

#: Names of the view without exclusions, of the first one with some, and of the one that is made
#: with the exclusions of an analysis plan.
ALL_ANSWERS, AFTER_EXCLUSIONS, AS_PLANNED = "All answers", "After exclusions", "As planned"
_OF_VIEW = " (view)"
#: Under which name a data set notes what was measured of it: ratings, piles and so on.
MEASURED = "measured"
#: `tripletscope.core.studies.quality.Cleaning.log`.
ExclusionLog = list[dict[str, Any]]


def column_of_view(name: str, taken: Container[str]) -> str:
    """The column that marks the answers of a view, beside others that are taken.

    It says which view it is: a view whose name ends as columns do is another one.
    """
    return f"{name}{_OF_VIEW}" if name in taken or name.endswith(_OF_VIEW) else name


@dataclass(frozen=True)
class DatasetInfo:
    """A data set as its folder describes it.

    id: Name of its folder.
    fingerprint, imported: Of the triplets after exclusions, and before.
    pictures: By name, as `Workspace.picture` takes them.
    exclusions, view: Of the view in use; `views` has all, all answers first.
    gold: Fingerprint of the gold questions.
    catch_trials, pairs: Sums of their files.
    n_pairs: Comparisons of two pairs of objects; after exclusions where all answers are such.
    renewals: How often its answers were replaced while they came in.
    """

    id: str
    name: str
    origin: str
    created: str
    opened: str
    fingerprint: str
    n_objects: int
    n_answers: int
    n_participants: int
    report: list[str]
    pictures: dict[str, str]
    imported: str
    exclusions: ExclusionLog
    view: str
    views: dict[str, ExclusionLog]
    gold: str | None
    catch_trials: str | None
    pairs: str | None
    n_pairs: int
    extra: dict[str, Any]
    renewals: int

    @property
    def state(self) -> str:
        """Hash of the exclusions; empty without any."""
        return state_of(self.exclusions, self.gold)

    def state_for(self, options: Mapping[str, Any]) -> str:
        """Hash of the exclusions that a result with these options depends on.

        Of one that compares views, those of the views that its columns mark, and of no others.
        """
        columns = options.get("views")
        if not columns:
            return self.state
        named = {column: column.removesuffix(_OF_VIEW) for column in columns}
        return _hash([
            [column, state_of(self.views[view], self.gold) if view in self.views else None]
            for column, view in named.items()
        ])

    def has(self, run: RunInfo) -> bool:
        """Whether a result is of the exclusions in use, or of none."""
        return run.is_of(self.state_for(run.record["options"]))

    def view_of(self, run: RunInfo) -> str:
        """Names of the views that have a result."""
        names = [name for name, steps in self.views.items()
                 if run.is_of(state_of(steps, self.gold))]
        return ", ".join(names) or "former exclusions"

    @property
    def titled(self) -> str:
        """Its name, with the view in use unless that is all answers."""
        return f"{self.name}, view “{self.view}”" if self.exclusions else self.name

    @property
    def n_trials(self) -> int | None:
        """Number of trials; None if it is unknown or that of the answers."""
        trials = self.extra.get("trials")
        return trials if isinstance(trials, int) else None

    @property
    def has_only_pairs(self) -> bool:
        """Whether all answers compare two pairs without an object in common."""
        return not self.n_answers and self.n_pairs > 0

    @property
    def objects_recur(self) -> bool:
        """Whether a map can be made: see `tripletscope.core.data.triplets.Answers`."""
        return self.extra.get("recur") is not False

    @property
    def left_out(self) -> str:
        """The view in use and its exclusions, as sentences; empty for all answers."""
        if not self.exclusions:
            return ""
        view = f"View “{self.view}”:"
        weighted = any(step["rule"] == "weights" for step in self.exclusions)
        weights = "participants are weighted by their lapse rates." if weighted else ""
        if weighted and all(step["rule"] == "weights" for step in self.exclusions):
            return f"{view} {weights}"
        number = sum(step["removed_answers"] for step in self.exclusions)
        people = sum(len(step["removed_participants"]) for step in self.exclusions)
        words = f", {people:,} participant{'s' * (people != 1)} entirely" if people else ""
        used = self.n_pairs if self.has_only_pairs else self.n_answers
        answers = "derived comparisons" if MEASURED in self.extra else "answers"
        return (
            f"{view} {number:,} of {used + number:,} {answers} excluded{words}. "
            f"{weights.capitalize()}"
        ).strip()

    @property
    def record(self) -> dict[str, Any]:
        return {
            "name": self.name, "origin": self.origin, "fingerprint": self.fingerprint,
            "objects": self.n_objects, "answers": self.n_answers,
            "comparisons_of_pairs": self.n_pairs, "reading": self.report,
            "imported": self.imported, "view": self.view, "exclusions": self.exclusions,
        }


@dataclass(frozen=True)
class RunInfo:
    """A run without its arrays.

    dataset: None for simulations.
    number: Grows with the time at which it was first kept.
    state, renewals: Of `DatasetInfo` when it was computed; no state where that does not matter.
    unasked: Whether a page computed it on its own.
    also: Further states that leave the same answers.
    """

    id: str
    dataset: str | None
    key: str
    name: str
    task: str
    complete: bool
    created: str
    record: dict[str, Any]
    number: int
    state: str | None
    renewals: int
    unasked: bool
    group: str = ""
    pinned: bool = False
    also: Collection[str] = ()

    def is_of(self, state: str) -> bool:
        """Whether it is a result of a state, or of any."""
        return self.state is None or state == self.state or state in self.also

    @property
    def listed_name(self) -> str:
        return f"{'★ ' * self.pinned}{f'{self.group}: ' * bool(self.group)}{self.name}"

    @property
    def settings(self) -> dict[str, Any]:
        """The method as a record, as `tripletscope.core.engine.method.as_record` has it."""
        return {name: self.record[name] for name in ("kind", "method", "parameters")}

    @property
    def seconds(self) -> float:
        return self.record["seconds"]

    @property
    def table(self) -> str:
        """See `Run.table`."""
        return Run(**self.record).table

    @property
    def of_measured(self) -> bool:
        """See `Run.of_measured`."""
        return Run(**self.record).of_measured


@dataclass(frozen=True)
class UnreadableRun:
    """A result in a folder that this program cannot use, and why."""

    id: str
    name: str
    problem: str


def edition_of(run: Run | RunInfo | None) -> tuple[str, str, bool, float] | tuple[()]:
    """What tells a result from others under its key; nothing of no result.

    One that was stopped, or a first one of a few maps, makes room for the whole.
    """
    return (run.key, run.created, run.complete, run.seconds) if run else ()


def state_of(exclusions: ExclusionLog, gold: str | None) -> str:
    """Hash of exclusions, whatever their reasons; empty without any."""
    if not exclusions:
        return ""
    steps = [[step[name] for name in ("rule", "parameters", "participants", "answers")]
             for step in exclusions]
    if gold and any(step["rule"] == "failed_checks" for step in exclusions):
        steps.append([gold])
    return _hash(steps)


def _hash(values: Any) -> str:
    content = json.dumps(values, sort_keys=True).encode()
    return hashlib.blake2b(content, digest_size=16).hexdigest()
