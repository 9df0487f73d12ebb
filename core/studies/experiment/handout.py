"""Questions to take away: tables as other programs read them, and balanced lists."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import pandas as pd

from tripletscope.core.engine.declared import Number
from tripletscope.core.engine.options import Seed
from tripletscope.core.engine.short_repr import short_repr
from tripletscope.core.engine.task import declared
from tripletscope.core.studies.experiment.drawing import (
    QuestionPool,
    Row,
    balanced,
    in_balance,
    shuffled,
)
from tripletscope.core.studies.experiment.lists import spread, with_repeats

LAYOUTS = {"plain": "Plain table", "salmon": "Salmon", "jspsych": "jsPsych"}


def question_table(questions: np.ndarray, objects: pd.DataFrame, layout: str) -> pd.DataFrame:
    """Questions as an experiment reads them.

    Shapes: questions (q, 3).
    objects: `Triplets.objects`; with a column ``image``, jsPsych shows pictures.
    layout {"plain", "salmon", "jspsych"}: ``plain``: ``question``, ``anchor``, ``left``, ``right``
        as ids. ``salmon``: ``head``, ``left``, ``right`` as positions from 0 in the list of
        targets. ``jspsych``: ``stimulus`` (the anchor), ``choices`` (a JSON list of two) and
        ``trial_category``, one row for each trial of a timeline.
    """
    if layout not in LAYOUTS:
        raise ValueError(f"layout is {layout!r}; it must be one of {', '.join(LAYOUTS)}.")
    if layout == "salmon":
        return pd.DataFrame(questions, columns=["head", "left", "right"])
    if layout == "plain":
        ids = objects["id"].to_numpy()
        table = pd.DataFrame(ids[questions], columns=["anchor", "left", "right"])
        table.insert(0, "question", np.arange(1, len(table) + 1))
        return table
    shown = objects["id"].astype("str")
    if "image" in objects:
        shown = objects["image"].astype("str").where(objects["image"].notna(), shown)
    names = shown.to_numpy()[questions]
    return pd.DataFrame({
        "stimulus": names[:, 0],
        "choices": [json.dumps(pair, ensure_ascii=False) for pair in names[:, 1:].tolist()],
        "trial_category": "random",
    })


@short_repr
@dataclass(frozen=True)
class QuestionList:
    """Questions of an experiment, in the order in which they are asked.

    questions (q, 3): Anchor, left and right; -1 in the slots of gold questions.
    kind str (q,): ``question``; ``repeat``; ``gold``: a slot for an obvious question.
    part (q,): Which of several lists, from 0.
    """

    questions: np.ndarray
    kind: np.ndarray
    part: np.ndarray

    def table(self, objects: pd.DataFrame, layout: str = "plain") -> pd.DataFrame:
        """As `question_table`, with a further column ``kind``; gold slots are empty.

        Of several lists, column ``list`` counts from 1.
        """
        places = np.flatnonzero(self.kind != "gold")
        table = question_table(self.questions[places], objects, layout)
        table = table.set_index(places).reindex(range(len(self.kind)))
        if "question" in table:
            table["question"] = np.arange(1, len(table) + 1)
        table = table.astype(object).where(table.notna(), "").assign(kind=self.kind)
        if self.part.any():
            table.insert(0, "list", self.part + 1)
        return table


@declared
def question_list(
    n_objects: int,
    n_questions: Annotated[int, Number(1, 100_000, "Questions", "In every list, all different.")],
    *,
    lists: Annotated[int, Number(
        1, 10_000, "Lists",
        "For example one per participant. No question occurs in two lists; to have it answered "
        "by several people, give them the same list."
    )] = 1,
    repeated: Annotated[float, Number(
        0.0, 0.5, "Share of repeats",
        "This share of the questions is asked twice: intra-observer consistency limits how "
        "well any method can predict."
    )] = 0.1,
    gold: Annotated[int, Number(
        0, 1_000, "Gold slots",
        "Empty rows for obvious questions of your own, which show who pays attention."
    )] = 0,
    seed: Seed = 0,
) -> QuestionList:
    """Lists of different questions, balanced over all of them, with repeats and gold slots.

    Examples
    --------
    >>> from tripletscope.experiment import question_list
    >>> lists = question_list(40, 60, lists=3, repeated=0.2, gold=4)
    >>> lists.questions.shape, int((lists.kind == "repeat").sum())
    ((228, 3), 36)
    """
    pool = QuestionPool("triplet", n_objects, 3, seed)
    if n_questions * lists > pool.n_possible:
        raise ValueError(
            f"{n_objects:,} objects allow {pool.n_possible:,} different questions, and these would "
            f"be {n_questions * lists:,}."
        )
    rng = np.random.default_rng(seed)
    total = n_questions * lists
    rows = (in_balance if total <= pool.n_possible / 2 else balanced)(pool, total, 0, rng)
    made = []
    for start in range(0, total, n_questions):
        part = shuffled(rows[start : start + n_questions], rng)
        part = [(row, "question") for row in part]
        n_repeats = round(repeated * n_questions)
        part = with_repeats(part, range(n_questions), n_repeats, _asked_again, rng)
        made.append(spread(part, [([-1, -1, -1], "gold")] * gold, rng))
    questions, kinds = zip(*(one for part in made for one in part), strict=True)
    return QuestionList(
        np.array(questions), np.array(kinds), np.repeat(np.arange(lists), list(map(len, made)))
    )


def _asked_again(asked: tuple[Row, str], rng: np.random.Generator) -> tuple[Row, str]:
    anchor, *options = asked[0]
    return [anchor, *rng.permutation(options).tolist()], "repeat"
