"""Published rules for leaving answers out, with adjustable limits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import pandas as pd

from tripletscope.core.data.columns import codes_of, one_per_trial, sides_of, trials_of_people
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.lazy import cached_property
from tripletscope.core.data.question_kinds import UNANSWERED
from tripletscope.core.data.triplets import Answers, Triplets
from tripletscope.core.engine.declared import Column, DataIdentity, Number
from tripletscope.core.studies.quality.people import participants

_Most = Annotated[float, Number(0.0, 1.0, "Max. proportion", "Of the participant's answers.")]
_Least = Annotated[float, Number(0.0, 1.0, "Min. proportion", "Of the participant's answers.")]
_AtLeast = Annotated[float, Number(0.0, 3600.0, "Min. seconds")]
_AtMost = Annotated[float, Number(0.0, 36000.0, "Max. seconds")]


@dataclass(frozen=True, eq=False)
class RuleData:
    """The data of rules: the answers that earlier exclusions have left, and checks."""

    triplets: Answers
    catch_trials: pd.DataFrame | None = None
    gold: Triplets | None = None

    @cached_property
    def people(self) -> pd.DataFrame:
        """`tripletscope.core.studies.quality.participants` of these answers."""
        return participants(self.triplets, catch_trials=self.catch_trials, gold=self.gold)

    @cached_property
    def _named(self) -> tuple[np.ndarray, list[str]]:
        return codes_of(self.triplets, "participant")

    @property
    def who(self) -> np.ndarray:
        """(T,) row of `people` of every answer, -1 where nobody is named."""
        return self._named[0]

    @property
    def names(self) -> list[str]:
        """Participants, in the order of `people`."""
        return self._named[1]

    def by(self, people: np.ndarray) -> np.ndarray:
        """(T,) bool: answers of the people for whom `people` (P,) holds."""
        return np.append(np.asarray(people, dtype=bool), False)[self.who]

    def column(self, name: str) -> pd.Series:
        """A column of the answers."""
        if name not in self.triplets.answers and self.triplets.are_rated:
            raise DataError(
                f"comparisons of two ratings have no {name.replace('_', ' ')} of their own",
                file=self.triplets.name,
                remedy="To leave ratings out, remove their rows from the file.",
            )
        if name not in self.triplets.answers:
            words = name.replace("_", " ")
            raise DataError(
                f"the answers have no {words}", file=self.triplets.name,
                remedy=f"This rule needs a column for the {words}; name it when importing.",
            )
        return self.triplets.answers[name]


@dataclass(frozen=True)
class Criterion:
    """A rule for leaving answers out.

    source: Publication.
    find: ``find(data, **parameters)`` is (T,) bool, the answers to leave out; its annotations
        declare the parameters.
    """

    name: str
    title: str
    help: str
    source: str
    find: Callable[..., np.ndarray]


RULES: dict[str, Criterion] = {}


def _rule(title: str, help: str, source: str) -> Callable:
    def add(find: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
        name = find.__name__.removeprefix("_")
        RULES[name] = Criterion(name, title, help, source, find)
        find.title = title  # for errors about its parameters
        return find

    return add


_THINGS = "THINGS, check_for_cheaters (Hebart et al. 2020)"


@_rule(
    "Failed catch or gold questions",
    "Participants who answered more than this proportion of catch and gold questions wrongly.",
    "the R package tripletTools, filter_failed_catch: 20 %",
)
def _failed_checks(data: RuleData, *, most: _Most = 0.2) -> np.ndarray:
    if not data.people["checks"].any():
        raise DataError(
            "there are no catch or gold questions", file=data.triplets.name,
            remedy="Upload a list of gold questions, or mark obvious ones from a map.",
        )
    return data.by(data.people["failed"] > most)


@_rule(
    "Many questions without an answer",
    "Participants who skipped, or did not answer in time, more than this proportion of the "
    "questions that they were asked.",
    "common practice",
)
def _unanswered(data: RuleData, *, most: _Most = 0.2) -> np.ndarray:
    if "asked" not in data.people and data.triplets.are_rated:
        raise DataError(
            "comparisons of ratings do not tell which pairs people left open",
            file=data.triplets.name, remedy="Notes on the file say how many rows had no value.",
        )
    if "asked" not in data.people:
        raise DataError(
            "there are no questions that people could leave open", file=data.triplets.name,
            remedy="Experiments may let people skip, or have a time limit.",
        )
    return data.by(data.people[[*UNANSWERED]].sum(axis=1) > most)


@_rule(
    "Other values of a column",
    "Keeps only answers with these values in a column, such as a group of participants or a "
    "session.",
    "by design",
)
def _other_values(
    data: RuleData, *, column: Annotated[str, Column("Column", of="answers")] = "participant",
    values: Annotated[list[str] | None, DataIdentity("Kept values")] = None,
) -> np.ndarray:
    if values is None:
        return np.zeros(len(data.triplets.rows), dtype=bool)
    cells = data.column(column)
    # An empty cell makes 2 to 2.0 when a file is read.
    texts, kept = cells.astype("str").str.removesuffix(".0"), [v.removesuffix(".0") for v in values]
    return ~(cells.notna() & texts.isin(kept)).to_numpy()


@_rule(
    "Fast participants", "Participants whose mean response time is below this.",
    "the R package tripletTools: 1 s, elsewhere 0.2 s",
)
def _fast_participants(data: RuleData, *, least: _AtLeast = 1.0) -> np.ndarray:
    data.column("response_time")
    return data.by(data.people["mean_time"] < least)


@_rule("Fast answers", "Single answers that took less than this.", "common practice")
def _fast_answers(data: RuleData, *, least: _AtLeast = 0.2) -> np.ndarray:
    return (data.column("response_time") < least).to_numpy()


@_rule("Slow answers", "Single answers that took longer than this.", "common practice")
def _slow_answers(data: RuleData, *, most: _AtMost = 60.0) -> np.ndarray:
    return (data.column("response_time") > most).to_numpy()


@_rule(
    "Missing response time", "Answers whose response time is missing or impossible.",
    "THINGS, preprocessing",
)
def _without_time(data: RuleData) -> np.ndarray:
    return data.column("response_time").isna().to_numpy()


@_rule(
    "Too few trials",
    "Participants with fewer trials than this; of ratings, with fewer rated pairs.",
    "the R package tripletTools: 510 of 1,000 trials",
)
def _few_answers(
    data: RuleData, *, least: Annotated[int, Number(0, 1_000_000, "Min. trials")] = 100
) -> np.ndarray:
    return data.by(trials_of_people(data.triplets, data.who, len(data.names)) < least)


@_rule(
    "Side bias",
    "Participants who chose one position in more than the maximum proportion of their answers, or "
    "another in less than the minimum.",
    f"{_THINGS}: 40 % and 27 % of three positions",
)
def _favourite_side(data: RuleData, *, most: _Most = 0.8, least: _Least = 0.0) -> np.ndarray:
    data.column("side")
    side, names = sides_of(data.triplets)
    once = one_per_trial(data.triplets) & (side >= 0) & (data.who >= 0)
    counts = np.zeros((len(data.names), max(len(names), 1)))
    np.add.at(counts, (data.who[once], side[once]), 1)
    total = counts.sum(axis=1)
    shares = counts / np.maximum(total, 1)[:, None]
    biased = (shares.max(axis=1) > most) | (shares.min(axis=1) < least)
    return data.by(biased & (total > 0))


@_rule(
    "Sequential side pattern",
    "Participants with a p value below this in the runs test on their chosen positions.",
    _THINGS,
)
def _patterned_sides(
    data: RuleData, *, p: Annotated[float, Number(0.0, 1.0, "p below")] = 0.001
) -> np.ndarray:
    data.column("side")
    return data.by(data.people["runs_p"] < p)


@_rule(
    "Fast blocks",
    "Blocks whose fifth-fastest and tenth-fastest responses were both faster than these limits, "
    "and all data of participants with at least this many such blocks.",
    f"{_THINGS}: 0.8 s, 1.1 s, 5 blocks",
)
def _fast_blocks(
    data: RuleData, *,
    fifth: Annotated[float, Number(0.0, 3600.0, "Fifth fastest below (s)")] = 0.8,
    tenth: Annotated[float, Number(0.0, 3600.0, "Tenth fastest below (s)")] = 1.1,
    blocks: Annotated[int, Number(1, 1000, "Min. fast blocks")] = 5,
) -> np.ndarray:
    times = data.column("response_time").to_numpy(dtype=float)
    data.column("block")
    block = codes_of(data.triplets, "block")[0]
    # Participants may share numbers of blocks.
    blocks_of = pd.DataFrame({"who": data.who, "block": block})
    timed = one_per_trial(data.triplets) & np.isfinite(times) & (block >= 0)
    each = blocks_of.assign(time=times)[timed].sort_values("time").groupby(["who", "block"])["time"]
    fast = each.agg(lambda t: len(t) >= 10 and t.iloc[4] < fifth and t.iloc[9] < tenth)
    fast = fast[fast.astype(bool)]
    bad = fast.groupby(level="who").size().reindex(range(len(data.names)), fill_value=0)
    return pd.MultiIndex.from_frame(blocks_of).isin(fast.index) | data.by(bad >= blocks)


@_rule(
    "Duplicates", "Answers identical to an earlier one in every column.",
    "THINGS, preprocessing: exact duplicates",
)
def _duplicates(data: RuleData) -> np.ndarray:
    rows = pd.DataFrame(data.triplets.rows).add_prefix("object ")
    answers = data.triplets.answers.drop(columns="trial", errors="ignore").add_prefix("_")
    return pd.concat([rows, answers], axis=1).duplicated().to_numpy()


@_rule(
    "Low inter-observer agreement",
    "Participants who agree with the majority of the others on less than this proportion of the "
    "questions that they share, given a minimum number of these.",
    "the R package tripletTools, make.vmat: agreement on validation triplets",
)
def _at_odds(
    data: RuleData, *, least: _Least = 0.5,
    shared: Annotated[int, Number(1, 100_000, "Min. shared questions")] = 10,
) -> np.ndarray:
    people = data.people
    return data.by((people["agrees"] < least) & (people["compared"] >= shared))


@_rule(
    "Low intra-observer consistency",
    "Participants who contradict themselves in more than this proportion of their repeats, given a "
    "minimum number of pairs of repeats.",
    "common practice",
)
def _inconsistent(
    data: RuleData, *, most: _Most = 0.4,
    repeats: Annotated[int, Number(1, 100_000, "Min. pairs of repeats")] = 10,
) -> np.ndarray:
    people = data.people
    return data.by((1 - people["consistent"] > most) & (people["repeats"] >= repeats))
