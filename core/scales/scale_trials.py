"""Trials of difference scaling: which of two intervals on a physical scale looks larger."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np
import pandas as pd

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.named import column_of
from tripletscope.core.data.quadruples import Quadruples, as_answers
from tripletscope.core.data.triplets import Answers, Triplets
from tripletscope.core.engine.declared import Column
from tripletscope.core.engine.short_repr import short_repr

Stimulus = Annotated[str | None, Column(
    "Stimulus", "Column of the stimulus metadata with the physical value.",
    automatic="Order of the objects"
)]
_RESPONSES = ("resp", "response")
_OBSERVERS = ("obs", "observer", "participant")


@short_repr
@dataclass(frozen=True)
class ScaleTrials:
    """Difference-scaling trials about the levels of a stimulus.

    design int8 (t, m): Weights of the levels' scale values: second interval minus first, each upper
        end minus lower end. Without a recorded order, the first non-zero entry is positive.
    response bool (t,): Whether the answer agrees with a positive sum.
    weight (t,)
    levels (m,): Physical values, ascending.
    level_of int (n,): Position among the levels of every object.
    quadruples: Whether the intervals of trials have no common end.
    answer int (t,): Position of each trial among the answers.
    ordered: Whether the order of the intervals is recorded.
    """

    design: np.ndarray
    response: np.ndarray
    weight: np.ndarray
    levels: np.ndarray
    level_of: np.ndarray
    quadruples: bool
    answer: np.ndarray
    ordered: bool = False

    def __len__(self) -> int:
        return len(self.design)

    def comparisons(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Comparisons regardless of the order of their intervals.

        Returns: rows (q, m): Different rows of the design with a positive first entry; which int
            (t,): The row of every trial; sign (t,): 1 if the trial is that row, -1 if its reverse.
        """
        sign = np.sign(_leading(self.design))
        rows, which = np.unique(self.design * sign[:, None], axis=0, return_inverse=True)
        return rows, which, sign


@dataclass(frozen=True)
class Recorded:
    """Trials as difference-scaling programs record them.

    answers: Similarity judgements about the levels; the middle of a triad is the anchor.
    levels (m,): Physical values, ascending; the objects of `answers`.
    observer str (t,): Empty if not recorded.
    second bool (t,): Whether the second interval was judged larger.
    """

    answers: Answers
    levels: np.ndarray
    observer: np.ndarray = field(repr=False)
    second: np.ndarray = field(repr=False)

    def of(self, observer: str) -> Recorded:
        """The trials of one observer."""
        of = self.observer == observer
        return Recorded(self.answers.take(of), self.levels, self.observer[of], self.second[of])


def recorded(table: pd.DataFrame, *, name: str = "trials") -> Recorded:
    """Read a table of difference-scaling trials, in the form of R's package MLDS.

    table: ``resp`` (or ``Response``), 1 if the second interval looked larger; ``S1`` to ``S4``, the
        second interval from S3 to S4, or, for triads in ascending or descending order, ``S1`` to
        ``S3``, the second from S2 to S3; optionally ``Obs``. Other columns are ignored.
    """
    columns = {str(column).strip().lower(): column for column in table.columns}
    response = next((columns[name] for name in _RESPONSES if name in columns), None)
    stimuli = [columns[f"s{i}"] for i in range(1, 5) if f"s{i}" in columns]
    if response is None or len(stimuli) < 3:
        raise DataError(
            "difference-scaling trials need columns resp, S1, S2, S3 and, for quadruples, S4",
            file=name, remedy="Rename the columns.",
        )
    values = table[stimuli].apply(pd.to_numeric, errors="coerce").to_numpy(dtype=float)
    answer = pd.to_numeric(table[response], errors="coerce").to_numpy(dtype=float)
    _refuse(~np.isfinite(values).all(axis=1), "a stimulus is not a number", name)
    _refuse(~np.isin(answer, (0.0, 1.0)), "a response is neither 0 nor 1", name)
    levels, ranks = np.unique(values, return_inverse=True)
    ranks = ranks.reshape(values.shape)
    second = answer == 1.0
    who = next((columns[name] for name in _OBSERVERS if name in columns), None)
    observer = np.full(len(table), "") if who is None else table[who].astype(str).to_numpy()
    answer_table = None if who is None else pd.DataFrame({"participant": observer})
    objects = pd.DataFrame({"id": [f"{level:g}" for level in levels], "stimulus": levels})
    if objects["id"].duplicated().any():
        objects["id"] = [str(level) for level in levels]
    if len(stimuli) == 3:
        low, middle, high = ranks.T
        ordered = (np.sign(middle - low) == np.sign(high - middle)) & (middle != low)
        _refuse(~ordered, "the second stimulus of a triad does not lie between the others", name)
        rows = np.column_stack([middle, np.where(second, low, high), np.where(second, high, low)])
        answers: Answers = Triplets(rows, objects, answer_table, name)
    else:
        rows = np.where(second[:, None], ranks, ranks[:, [2, 3, 0, 1]])
        answers = Quadruples(rows, objects=objects, answers=answer_table, name=name)
    if len(stimuli) == 3:
        second ^= low > high  # first and second as the stimulus rises
    return Recorded(answers, levels, observer, second)


def _refuse(wrong: np.ndarray, problem: str, name: str) -> None:
    if wrong.any():
        raise DataError(
            problem, file=name, row=int(np.argmax(wrong)) + 2,
            remedy="Correct or remove the row.",
        )


def stimulus_of(triplets: Answers, column: str | None) -> np.ndarray:
    """(n,) physical values of the objects, from a column of their table; None is their order."""
    if column is None:
        return np.arange(triplets.n_objects, dtype=float)
    values = column_of(triplets.objects, column, triplets.name)
    values = pd.to_numeric(values, errors="coerce").to_numpy(dtype=float)
    unknown = ~np.isfinite(values)
    if unknown.any():
        which = triplets.objects["id"].iloc[int(np.argmax(unknown))]
        raise DataError(
            f"{column!r} of object {which!r} is not a number", file=triplets.name,
            remedy="Fill it in, or remove the object.",
        )
    return values


def answers_of(data: Any, y: Any = None, *, known: int = 0) -> Answers:
    """The answers behind trials; see `as_trials`, and `as_answers` of y and known."""
    if isinstance(data, pd.DataFrame):
        data = recorded(data)
    return as_answers(data.answers if isinstance(data, Recorded) else data, y, known=known)


def as_trials(
    data: Any, stimulus: str | None = None, *, outside: bool = False,
    most_levels: int | None = None,
) -> ScaleTrials:
    """Difference-scaling trials from answers of any kind.

    data: Triplets are triads if the anchor lies between the others. Intervals of quadruples may
        overlap; ``side`` holds which one came first. `recorded` reads a table. An array of three
        columns is triplets, of four Quadruples.
    stimulus: Column of the objects with the physical value; by default their order.
    outside: Whether triplets with the anchor at one end count too. On a rising scale their true
        answer is certain, so they tell little of its shape.
    most_levels: More levels are binned into so many, of about equally many values each.
    """
    levels = second = None
    if isinstance(data, pd.DataFrame):
        data = recorded(data)
    if isinstance(data, Recorded):
        data, levels, second = data.answers, data.levels, data.second
    judgements = as_answers(data)
    if stimulus is not None:
        levels, level_of = np.unique(stimulus_of(judgements, stimulus), return_inverse=True)
    else:
        level_of = np.arange(judgements.n_objects)
        levels = level_of.astype(float) if levels is None else levels
    if most_levels is not None and len(levels) > most_levels:
        joined = np.arange(len(levels)) * most_levels // len(levels)
        levels = np.bincount(joined, levels) / np.bincount(joined)
        level_of = joined[level_of]
    rows = level_of[judgements.rows]
    if triads := rows.shape[1] == 3:
        anchor, near, far = rows.T
        rows = np.column_stack([anchor, near, anchor, far])
    (a, b), (c, d) = (np.sort(rows[:, pair], axis=1).T for pair in ([0, 1], [2, 3]))
    design = np.zeros((len(rows), len(levels)), dtype=np.int8)
    for end, sign in ((d, 1), (c, -1), (b, -1), (a, 1)):
        np.add.at(design, (np.arange(len(rows)), end), sign)
    use = design.any(axis=1) & (judgements.weight > 0)
    if triads and not outside:
        use &= (np.minimum(near, far) < anchor) & (anchor < np.maximum(near, far))
    if len(levels) < 3 or not use.any():
        raise DataError(
            "no answer compares two intervals of the stimulus" if len(levels) >= 3
            else "a scale needs three levels of the stimulus", file=judgements.name,
            remedy="Ask about triads of different levels with the middle one as anchor.",
        )
    if second is None and not triads and "side" in judgements.answers:
        side = judgements.answers["side"]
        second = None if side.isna().any() else (side == "right").to_numpy()
    design = design[use]
    response = _leading(design) > 0 if second is None else second[use]
    return ScaleTrials(
        np.where(response[:, None], design, -design), response,
        judgements.weight[use].astype(float), levels, level_of, not triads, np.flatnonzero(use),
        second is not None,
    )


def _leading(design: np.ndarray) -> np.ndarray:
    """(t,) first non-zero entry of every row."""
    return design[np.arange(len(design)), np.argmax(design != 0, axis=1)]
