"""The list of questions of an experiment: balanced, with repeats and slots for gold questions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
import pandas as pd

from tripletscope.core.declared import Number
from tripletscope.core.design.active import question_table
from tripletscope.core.options import Seed
from tripletscope.core.task import declared

#: What a question of a list is there for.
KINDS = {"question": "Questions", "repeat": "Repeats", "gold": "Gold slots"}

#: Of the least used objects, so many are looked at for a pair before all are.
_FEW = 8


@dataclass(frozen=True)
class QuestionList:
    """Questions of an experiment, in the order in which they are asked.

    questions (q, 3): Anchor, left and right; -1 in the slots of gold questions.
    kind str (q,): ``question``; ``repeat``: asked before, perhaps with sides changed, to learn how
        far people agree with themselves; ``gold``: a slot for an obvious question that you choose.
    part (q,): Which of several lists, from 0.
    """

    questions: np.ndarray
    kind: np.ndarray
    part: np.ndarray

    def table(self, objects: pd.DataFrame, layout: str = "plain") -> pd.DataFrame:
        """As an experiment reads it, with a further column ``kind``; gold slots are empty.

        Of several lists, column ``list`` counts from 1.

        objects: `Triplets.objects`.
        layout {"plain", "salmon", "jspsych"}: See `tripletscope.core.design.active.question_table`.
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
    """Balanced lists of different questions, with repeats for a ceiling and gold slots.

    Over all lists, every object is the anchor equally often, and one of the options equally
    often, give or take one; each stands left about as often as right. Repeats come from the first
    half of a list and stand in its second; gold slots are spread evenly.

    repeated: Share of the questions that are asked again, from 0 to 0.5, in addition.
    gold: Slots for gold questions, in addition.
    """
    possible = n_objects * (n_objects - 1) * (n_objects - 2) // 2
    if n_questions * lists > possible:
        raise ValueError(
            f"{n_objects:,} objects allow {possible:,} different questions, and these would be "
            f"{n_questions * lists:,}."
        )
    rng = np.random.default_rng(seed)
    different = _balanced(n_objects, n_questions * lists, rng).reshape(lists, n_questions, 3)
    made = [_with_repeats(part, repeated, gold, rng) for part in different]
    questions, kinds = zip(*made, strict=True)
    return QuestionList(
        np.concatenate(questions), np.concatenate(kinds),
        np.repeat(np.arange(lists), [len(kind) for kind in kinds]),
    )


def _with_repeats(
    first: np.ndarray, repeated: float, gold: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """One list with its repeats and gold slots, and the kind of each question."""
    n_questions = len(first)
    again = rng.permutation(max(n_questions // 2, 1))[: round(repeated * n_questions)]
    kind = np.full(n_questions, "question", dtype="<U8")
    places = np.sort(rng.integers(n_questions // 2 + 1, n_questions + 1, len(again)))
    copies = first[rng.permutation(again)]
    turned = rng.random(len(copies)) < 0.5
    copies[turned, 1:] = copies[turned, :0:-1]
    questions = np.insert(first, places, copies, axis=0)
    kind = np.insert(kind, places, "repeat")
    slots = ((np.arange(gold) + rng.random(gold)) * len(kind) / max(gold, 1)).astype(int)
    return np.insert(questions, slots, -1, axis=0), np.insert(kind, slots, "gold")


def _balanced(n: int, n_questions: int, rng: np.random.Generator) -> np.ndarray:
    """(q, 3) different questions in random order, objects and sides in balance."""
    anchors = np.concatenate([rng.permutation(n) for _ in range(-(-n_questions // n))])
    often, lefts = np.zeros(n), np.zeros(n)
    triples: set[tuple[int, int, int]] = set()
    rows = []
    for anchor in anchors[:n_questions].tolist():
        # The least used come first, in random order among equals.
        rank = often + rng.random(n)
        rank[anchor] = np.inf
        few = min(_FEW, n - 1)
        least = np.argpartition(rank, few - 1)[:few]
        pair = _unasked(anchor, least[np.argsort(rank[least])].tolist(), triples)
        one, other = pair or _unasked(anchor, np.argsort(rank)[: n - 1].tolist(), triples)
        triples.add((anchor, min(one, other), max(one, other)))
        often[[one, other]] += 1
        lean = lefts[one] - lefts[other]
        if lean > 0 or (lean == 0 and rng.random() < 0.5):
            one, other = other, one
        lefts[one] += 1
        lefts[other] -= 1
        rows.append((anchor, one, other))
    return np.array(rows, dtype=np.int64)


def _unasked(
    anchor: int, order: list[int], triples: set[tuple[int, int, int]]
) -> tuple[int, int] | None:
    """The first pair, in this order of objects, that the anchor has not been asked about."""
    pairs = ((order[i], order[j]) for j in range(1, len(order)) for i in range(j))
    return next(((a, b) for a, b in pairs if (anchor, min(a, b), max(a, b)) not in triples), None)
