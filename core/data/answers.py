"""Answers of similarity in general: objects, and columns about each answer."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Self

import numpy as np
import pandas as pd

from tripletscope.core.data.choices import Choices, choices_of
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.grouping import grouped, trials_overlap
from tripletscope.core.data.lazy import cached_property
from tripletscope.core.data.parts import AnswersPart
from tripletscope.core.data.places import different

#: Column of answers that are held out together, as those of a trial, but are no one choice.
HELD_TOGETHER = "held_together"


class Answers:
    """Similarity judgements about objects, and columns about each answer. Read-only.

    A sequence of answers: an index selects some (`take`), iteration gives their objects.

    Subclasses fix the number of objects in an answer.
    """

    #: What these answers were taken from, if trials may have been divided.
    part: AnswersPart | None = None

    def _fill(
        self, rows: np.ndarray, objects: pd.DataFrame, answers: pd.DataFrame | None, name: str
    ) -> None:
        rows.setflags(write=False)
        self._rows = rows
        self._objects = objects
        self._answers = _checked_answers(answers, len(rows))
        self._name = name
        self._fingerprints: dict[tuple[tuple[str, ...], ...], str] = {}

    @classmethod
    def _about(
        cls, objects: pd.DataFrame, rows: np.ndarray, answers: pd.DataFrame | None, name: str
    ) -> Self:
        """Without a check of objects and rows, which takes as long as a fit."""
        judgements = cls.__new__(cls)
        judgements._fill(rows, objects, answers, name)
        return judgements

    @property
    def rows(self) -> np.ndarray:
        """(T, 3) or (T, 4) int32, not writeable: positions in `objects`."""
        return self._rows

    # Under copy-on-write a shallow copy is free, and the caller's edits do not reach the original.

    @property
    def objects(self) -> pd.DataFrame:
        """Table of the n objects: ``id``, ``label`` and further columns."""
        return self._objects.copy(deep=False)

    @property
    def answers(self) -> pd.DataFrame:
        """Table of T rows: columns about each answer beside its objects."""
        return self._answers.copy(deep=False)

    @property
    def name(self) -> str:
        return self._name

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def shape(self) -> tuple[int, int]:
        """Of `rows`; scikit-learn counts and selects the answers by it."""
        return self.rows.shape

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.rows, dtype, copy=copy)

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        return map(tuple, self.rows.tolist())

    def __getitem__(self, which: Any) -> Self:
        # scikit-learn selects rows as those of an array: [which, ...].
        if isinstance(which, tuple) and len(which) == 2 and which[1] is Ellipsis:
            which = which[0]
        return self.take(which)

    @property
    def n_objects(self) -> int:
        return len(self._objects)

    @property
    def ids(self) -> list[str]:
        return self.objects["id"].tolist()

    @property
    def labels(self) -> list[str]:
        return self.objects["label"].tolist()

    @cached_property
    def weight(self) -> np.ndarray:
        """(T,) weight of every answer; by default ones."""
        if "weight" in self._answers:
            weight = self._answers["weight"].to_numpy(dtype=float)
        else:
            weight = np.ones(len(self))
        weight.setflags(write=False)
        return weight

    @property
    def is_first_mention(self) -> np.ndarray:
        """(T, 3) or (T, 4) bool: no earlier position of the row has the same object."""
        return np.ones(self.rows.shape, dtype=bool)

    @cached_property
    def answers_per_object(self) -> np.ndarray:
        """(n,) number of answers about each object."""
        return np.bincount(self.rows.ravel(), minlength=self.n_objects)

    def fingerprint_of(self, *columns: str, objects: tuple[str, ...] = ()) -> str:
        """Hash of the answers, weights, trials, number of objects, and the named columns.

        columns: Of `answers`.
        objects: Columns of `objects`. Others, such as labels and pictures, do not change the hash.
        """
        named = (columns, objects)
        if named not in self._fingerprints:
            digest = hashlib.blake2b(f"{self.n_objects}|".encode(), digest_size=16)
            digest.update(self.rows)
            _update_with_table(digest, self.answers.filter(["weight", *columns]))
            if self.trials is not None and "trial" not in columns:
                digest.update(b"|trials|")
                digest.update(np.ascontiguousarray(self.trials, dtype=np.int64))
            _update_with_table(digest, self.objects.filter(list(objects)))
            self._fingerprints[named] = digest.hexdigest()
        return self._fingerprints[named]

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the whole content: answers, their columns, and objects."""
        digest = hashlib.blake2b(self.fingerprint_of(*self.answers.columns).encode())
        _update_with_table(digest, self.objects)
        return digest.hexdigest()[:32]

    @cached_property
    def objects_recur(self) -> bool:
        """Whether objects occur in several different trials; otherwise no map places them."""
        return trials_overlap(self.rows, self.trials)

    @property
    def compared_pairs(self) -> np.ndarray:
        """(T, 2) number of the nearer and of the farther pair of objects of each answer."""
        n, rows = self.n_objects, self.rows.astype(np.int64)
        pairs = (rows[:, [0, 1]], rows[:, -2:] if rows.shape[1] == 4 else rows[:, [0, 2]])
        return np.stack([pair.min(axis=1) * n + pair.max(axis=1) for pair in pairs], axis=1)

    @property
    def questions(self) -> np.ndarray:
        """(T,) number of the comparison behind each answer, from 0.

        Repeats of a comparison and its contradictions share a number.
        """
        raise NotImplementedError

    @cached_property
    def n_questions(self) -> int:
        """Number of different questions: what repeats ask again places no object anew.

        Each counts at most once, and with its weight where that is less. Comparisons that are
        ``held_together`` count as the independent ones among them: two pairs make one.
        """
        rated, number = self.held_together, 0.0
        for part in (rated, ~rated):
            most = np.zeros(int(self.questions.max(initial=-1)) + 1)
            np.maximum.at(most, self.questions[part], np.minimum(self.weight[part], 1.0))
            total = float(most.sum())
            if part is rated:
                total = min(total, len(different(self.compared_pairs[part])) / 2)
            number += total
        return int(np.rint(number))

    @property
    def verdicts(self) -> np.ndarray:
        """(T,) 0 or 1: which of the two answers to its question."""
        raise NotImplementedError

    @cached_property
    def trials(self) -> np.ndarray | None:
        """(T,) number of the trial of each answer, from 0.

        None if every answer has a trial of its own, or trials are unknown. Answers that are
        ``held_together``, such as all from a person's ratings, share one, unless all of them are.
        """
        columns = ["trial"] if self.is_one_rating else [HELD_TOGETHER, "trial"]
        coded = [
            pd.factorize(self._answers[column]) for column in columns if column in self._answers
        ]
        if not coded:
            return None
        trials, named = coded[0]
        if len(coded) == 2:
            others = np.where(coded[1][0] < 0, np.nan, len(named) + coded[1][0])
            trials, named = pd.factorize(np.where(trials < 0, others, trials))
        alone = np.flatnonzero(trials < 0)
        trials[alone] = len(named) + np.arange(len(alone))
        return trials if len(named) + len(alone) < len(trials) else None

    @property
    def held_together(self) -> np.ndarray:
        """(T,) bool: answers that are held out together without being one choice."""
        if HELD_TOGETHER not in self._answers:
            return np.zeros(len(self), dtype=bool)
        return self._answers[HELD_TOGETHER].notna().to_numpy()

    @cached_property
    def are_rated(self) -> bool:
        """Whether all answers are ``held_together``: comparisons of ratings, of few or many."""
        return bool(len(self) and self.held_together.all())

    @cached_property
    def is_one_rating(self) -> bool:
        """Whether all answers are comparisons of one set of ratings."""
        if not self.are_rated:
            return False
        together = self._answers[HELD_TOGETHER]
        return bool((together == together.iloc[0]).all())

    @property
    def n_trials(self) -> int:
        """Number of trials; of answers if trials are unknown."""
        return len(self) if self.trials is None else len(different(self.trials))

    @cached_property
    def choices(self) -> Choices:
        """The choices behind the answers: an odd one out is one choice, not two answers.

        Answers that are ``held_together``, and those of a trial with unequal weights, are a choice
        each: a choice has one weight.
        """
        trials = self.trials
        if trials is not None:
            single = np.zeros(len(trials), dtype=bool)
            single |= self.held_together
            if "weight" in self._answers:
                most, least = np.zeros(len(trials)), np.full(len(trials), np.inf)
                np.maximum.at(most, trials, self.weight)
                np.minimum.at(least, trials, self.weight)
                single |= (most > least)[trials]
            trial_alone = int(trials.max(initial=-1)) + 1 + np.arange(len(trials))
            trials = np.where(single, trial_alone, trials)
        return choices_of(self.rows, trials, self.weight, self.n_objects)

    @cached_property
    def are_choices(self) -> bool:
        """Whether any choice is among more than two pairs, such as an odd one out."""
        if self.trials is None or self.rows.shape[1] == 4:
            return False
        return not self.choices.are_triplets

    @property
    def groups(self) -> np.ndarray:
        """(T,) number of the group of each answer, from 0: groups are held out together.

        Answers to one question share a group, and so do answers of one trial: the two of an odd one
        out predict each other better than any new answer. If trials of many objects share questions
        here and there, groups would chain together; then only trials stay together. See `grouped`.
        Comparisons of one set of ratings are one group.
        """
        return self._grouping[0]

    @property
    def grouped_by(self) -> str:
        """What keeps the answers of a group together, in words."""
        return self._grouping[1]

    @cached_property
    def _grouping(self) -> tuple[np.ndarray, str]:
        if self.is_one_rating:
            return np.zeros(len(self), dtype=np.int64), "pair"
        if self.trials is None:
            return self.questions, "question"
        return grouped(self.questions, self.trials)

    def take(self, which: Any) -> Self:
        """Some of the answers, on the same objects; also ``answers[which]``.

        Parameters
        ----------
        which : int, slice, or array-like of int or bool
            Positions of the answers, or a mask of length T.

        Raises
        ------
        IndexError
            If there is no such answer, or the mask is of another length.
        """
        which = list(which) if isinstance(which, tuple) else which
        which = np.atleast_1d(np.arange(len(self))[which])
        answers = in_use(self.answers.iloc[which].reset_index(drop=True))
        taken = self._about(self._objects, self.rows[which], answers, self.name)
        if self.part is not None:
            taken.part = self.part.take(which)
        elif self.trials is not None:
            taken.part = AnswersPart(self.trials, which)
        return taken

    def reweighted(self, weight: np.ndarray) -> Self:
        """The same answers with other weights, shape (T,)."""
        answers = self.answers.assign(weight=np.asarray(weight, dtype=float))
        return self._about(self._objects, self.rows, answers, self.name)

    def with_columns(self, columns: Mapping[str, np.ndarray]) -> Self:
        """The same answers with further columns, shape (T,) each, by name."""
        answers = self.answers.assign(**columns)
        return self._about(self._objects, self.rows, answers, self.name)

    def with_objects(self, objects: pd.DataFrame) -> Self:
        """The same answers with another table of the same objects, in the same order.

        Objects without answers may follow.
        """
        if objects["id"].astype(str).tolist()[: self.n_objects] != self.ids:
            raise ValueError("the objects must keep their ids and their order")
        return self._about(checked_objects(objects), self.rows, self.answers, self.name)

    def renamed(self, name: str) -> Self:
        """The same data under another name."""
        return self._about(self._objects, self.rows, self.answers, name)


@lru_cache(maxsize=8)
def numbered_objects(n_objects: int) -> pd.DataFrame:
    """Objects named by their positions; shared, because copies protect the table from changes."""
    ids = pd.Series([str(i) for i in range(n_objects)], dtype="str")
    return checked_objects(pd.DataFrame({"id": ids}))


def checked_objects(objects: pd.DataFrame) -> pd.DataFrame:
    """A table of objects with unique ids and labels, these two columns first."""
    if "id" not in objects:
        raise DataError("the table of objects has no column id", remedy="Name the column of ids.")
    objects = objects.reset_index(drop=True)
    ids = objects["id"].astype("str")
    repeated = ids.duplicated()
    if repeated.any():
        raise DataError(
            f"object {ids[repeated].iloc[0]!r} is listed twice",
            row=int(np.argmax(repeated)), remedy="Keep one row per object.",
        )
    label = objects["label"].astype("str").fillna(ids) if "label" in objects else ids
    others = [column for column in objects.columns if column not in ("id", "label")]
    return pd.DataFrame({"id": ids, "label": label, **{name: objects[name] for name in others}})


def _checked_answers(answers: pd.DataFrame | None, n_answers: int) -> pd.DataFrame:
    if answers is None or not len(answers.columns):
        return pd.DataFrame(index=range(n_answers))
    if len(answers) != n_answers:
        raise ValueError(f"{len(answers)} rows describe {n_answers} answers")
    answers = answers.reset_index(drop=True)
    if "weight" in answers:
        weight = answers["weight"].to_numpy(dtype=float)
        wrong = ~(np.isfinite(weight) & (weight >= 0))
        if wrong.any():
            raise DataError(
                f"the weight {weight[np.argmax(wrong)]} is not a non-negative number",
                row=int(np.argmax(wrong)), remedy="Weights count how often an answer was given.",
            )
    return answers


def in_use(table: pd.DataFrame) -> pd.DataFrame:
    """A table without unused categories: its files must not name excluded people."""
    return table.assign(**{
        name: column.cat.remove_unused_categories() for name, column in table.items()
        if isinstance(column.dtype, pd.CategoricalDtype) and not _are_in_use(column.array)
    })


def _are_in_use(column: pd.Categorical) -> bool:
    """Whether all categories occur, as mostly in a part, which is seen without sorting."""
    occurs = np.zeros(len(column.categories) + 1, dtype=bool)
    occurs[column.codes] = True  # the last is for what is missing
    return bool(occurs[:-1].all())


def _update_with_table(digest: Any, table: pd.DataFrame) -> None:
    """Hash values, not storage types: integers as floats, texts as categories."""
    for name in sorted(set(table.columns)):
        column = table[name]
        digest.update(f"|{name}|".encode())
        if column.dtype.kind in "iufb":
            digest.update(np.ascontiguousarray(column, dtype=float))
            continue
        if not isinstance(column.dtype, pd.CategoricalDtype):
            column = column.astype("category")
        column = column.cat.remove_unused_categories()
        names = column.cat.categories.astype("str").to_numpy(dtype=object)
        order = np.argsort(names, kind="stable")
        rank = np.empty(len(names) + 1, dtype=np.int64)
        rank[order], rank[-1] = np.arange(len(names)), -1
        digest.update("\x1f".join(names[order]).encode())
        digest.update(rank[column.cat.codes.to_numpy()])


_ACCEPTED = (
    "y has one of +1 and -1, or of True and False, for each row: +1 or True if the second column "
    "is nearer to the first than the third is, or of four columns, if the first two are nearer "
    "than the last two."
)


def answered(questions: np.ndarray, y: Any) -> np.ndarray:
    """The nearer option first: rows (T, 3) or (T, 4) from questions and responses.

    y: True or +1 where the questions are in this order, False or -1 elsewhere; None if all are.
    """
    if y is None:
        return questions
    order = [0, 2, 1] if questions.shape[1] == 3 else [2, 3, 0, 1]
    return np.where(_is_first(y, len(questions))[:, None], questions, questions[:, order])


def refuse_responses(y: Any, name: str) -> None:
    """Raise if there are responses beside data that have their own."""
    if y is not None:
        raise ValueError(
            f"{name} has its answers already (anchor, nearer, farther), and y would be others; "
            "leave y out, or give the questions as an array."
        )


def _is_first(y: Any, n_questions: int) -> np.ndarray:
    """(T,) bool: whether the first option was chosen."""
    values = np.asarray(y)
    if values.shape != (n_questions,):
        raise DataError(
            f"the responses y have shape {values.shape}, but there are {n_questions:,} questions",
            remedy=_ACCEPTED,
        )
    if values.dtype == object:  # pandas has responses of bool so, if some may be missing
        values = pd.Series(values).infer_objects().to_numpy()
    if values.dtype == bool:
        return values
    right = np.zeros(n_questions, dtype=bool)
    if values.dtype.kind in "iuf":
        right = (values == 1) | (values == -1)
    if not right.all():
        row = int(np.argmin(right))
        wrong = values.tolist()[row]
        # Elsewhere, 0 beside +1 and -1 means that nobody decided.
        hint = " Where 0 means False, give y == 1." if wrong == 0 else ""
        raise DataError(f"y holds {wrong!r}", row=row, remedy=_ACCEPTED + hint)
    return values == 1
