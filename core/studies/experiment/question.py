"""One question of an experiment: tasks, stimuli, and valid answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from tripletscope.core.data.errors import DataError
from tripletscope.core.engine.short_repr import short_repr
from tripletscope.core.studies.experiment.items import SurveyItem

T = TypeVar("T")

#: Kinds of questions: practice, catch and gold questions are about people, not objects.
KINDS = {
    "question": "Question", "repeat": "Repeat", "catch": "Catch", "gold": "Gold",
    "practice": "Practice",
}


#: Most objects on a table: answers of strangers need a bound.
MOST_ON_TABLE = 100
#: Largest squared distance from the middle of a table of radius 1, with rounding.
_EDGE = 1.001


@dataclass(frozen=True)
class Asking:
    """A task, from which forms, checks of answers, the page and the reading follow.

    title: For the experimenter, in a few letters.
    question: What is asked, where an experiment has no words of its own.
    is_anchored: Whether the first object shown is the one that the others are compared with.
    n_shown: Objects shown; None where the experiment decides.
    n_chosen: Values of an answer; None where the experiment decides, or all objects have one.
    in_order: Whether the options of an answer are in the order of choice.
    size, step: Objects that make one option, and from one option to the next.
    answer: ``options`` among those shown; ``words``, same or different; ``number``, a level from 1;
        ``piles``, the pile of every object; ``positions``, x and y of every object on a round table
        of radius 1.
    measured: Kind of data, of `tripletscope.core.ratings.KINDS`; empty for comparisons.
    has_catch: Whether it has questions with one answer from all attentive people.
    settings: Parameters of an experiment for this task alone.
    """

    name: str
    title: str
    question: str
    is_anchored: bool
    n_shown: int | None
    n_chosen: int | None
    in_order: bool = False
    size: int = 1
    step: int = 1
    answer: str = "options"
    measured: str = ""
    has_catch: bool = True
    settings: tuple[str, ...] = ()

    @property
    def is_table(self) -> bool:
        """Whether one answer is about many objects on a table."""
        return self.answer in ("piles", "positions")

    @property
    def has_care(self) -> bool:
        """Whether a question can be skipped or have a time limit.

        One table is many answers and minutes of work, all of which would be lost.
        """
        return not self.is_table

    @property
    def has_gold(self) -> bool:
        """Whether an option can be right."""
        return self.answer == "options"

    def options(self, shown: Sequence[T]) -> list[tuple[T, ...]]:
        """What is shown beside the anchor, as options."""
        rest = shown[self.is_anchored :]
        return [tuple(rest[k : k + self.size]) for k in range(
            0, len(rest) - self.size + 1, self.step
        )]

    def regardless_of_places(self, shown: Sequence[str]) -> tuple[str, ...]:
        """Equal for questions that differ only in the places of objects; not for pairs."""
        return (*shown[: self.is_anchored], *sorted(shown[self.is_anchored :]))

    def placed(self, shown: Sequence[T], order: Sequence[int]) -> list[T]:
        """What is shown with option ``order[k]`` in place k."""
        options = self.options(shown)
        if self.step < self.size:  # pairs with an object in common can only change sides
            return list(shown if order[0] == 0 else shown[::-1])
        return [*shown[: self.is_anchored], *(one for k in order for one in options[k])]


#: All tasks, the most usual first.
ASKINGS: dict[str, Asking] = {
    asking.name: asking
    for asking in (
        Asking("triplet", "Triplet: which is closer?", "Which of the two is more like the first?",
               True, 3, 1),
        Asking("odd_one_out", "Odd one out of three", "Which is the odd one out?", False, 3, 1),
        Asking("similar_pair", "Most similar pair of three", "Which two are most alike?",
               False, 3, 2),
        Asking("ranking", "Ranking: k closest of m", "Which are most like the first, in order?",
               True, None, None, True, settings=("n_options", "n_ranked")),
        Asking("pairs", "Difference scaling: pairs", "Which pair differs more?", False, 4, 1,
               size=2, step=2),
        Asking("triad", "Difference scaling: triads", "Which two neighbours differ more?",
               False, 3, 1, size=2),
        Asking("rating", "Rating of pairs", "How similar are the two?", False, 2, 1,
               answer="number", measured="ratings", settings=("n_levels",)),
        Asking("same_different", "Same or different", "Same or different?", False, 2, 1,
               answer="words", measured="ratings"),
        Asking("piles", "Free sorting into piles", "Which belong together?", False, None, None,
               answer="piles", measured="piles", has_catch=False, settings=("n_on_table",)),
        Asking("arrangement", "Spatial arrangement", "Which lie close together?", False, None,
               None, answer="positions", measured="arrangements", has_catch=False,
               settings=("n_on_table",)),
    )
}


@short_repr
@dataclass(frozen=True)
class Question:
    """One question to one participant.

    Attributes
    ----------
    key : str
        Its name among the questions of this participant.
    task : str
        Of `ASKINGS`.
    shown : tuple of str
        Ids of the objects in the order of their places: an anchor first, then the options from
        left to right; two pairs one after the other.
    n_chosen : int
        Values of an answer: options that it names; of tables, one or two for each object.
    kind : str
        Of `KINDS`.
    source : str
        ``random``, ``balanced``, ``landmark``, ``list``, ``uncertain``, ``gain``; ``stand-in``
        where no adaptive question was ready; ``catch``, ``gold`` and ``practice`` of those.
    correct : tuple of int
        The options of the right answer, if there is one; of options in order, perhaps only the
        first. They stay on the server, but for practice with gold questions.
    n_levels : int
        Of a number.
    item : mapping or None
        Fields of a `SurveyItem`, instead of objects.
    """

    key: str
    task: str
    shown: tuple[str, ...]
    n_chosen: int = 1
    kind: str = "question"
    source: str = "random"
    correct: tuple[int, ...] = ()
    n_levels: int = 0
    item: Mapping[str, Any] | None = None

    @classmethod
    def of_item(cls, item: SurveyItem, when: str) -> Question:
        """A question with an item of a questionnaire, ``before`` or ``after`` the others."""
        return cls("", "item", (), kind=when, source="questionnaire", item=vars(item))

    @property
    def n_options(self) -> int:
        """Options to choose from: objects without the anchor, pairs, words, levels or piles."""
        asking = ASKINGS[self.task]
        if asking.answer == "number":
            return self.n_levels
        return 2 if asking.answer == "words" else len(asking.options(self.shown))

    def checked(self, chosen: Sequence[Any]) -> tuple[Any, ...]:
        """A valid answer, as `Asking.answer`; DataError for others."""
        if self.item is not None:
            if not isinstance(chosen, list | tuple) or len(chosen) != 1:
                raise DataError("an item has one answer", file=f"question {self.key}")
            return (SurveyItem(**self.item).checked(chosen[0]),)
        kind, n = ASKINGS[self.task].answer, self.n_options
        values = list(chosen) if isinstance(chosen, list | tuple) else [None]
        is_true = len(values) == self.n_chosen
        if kind == "positions":
            # Comparisons without arithmetic first: NaN, infinity and huge integers fail them.
            is_true = is_true and all(
                isinstance(one, int | float) and not isinstance(one, bool) and -1 <= one <= 1
                for one in values
            ) and all(
                x * x + y * y <= _EDGE for x, y in zip(values[::2], values[1::2], strict=True)
            )
            wanted = f"{self.n_chosen} numbers, x and y of {n} objects on a table of radius 1"
        else:
            first = int(kind == "number")
            is_true = is_true and all(
                isinstance(one, int) and not isinstance(one, bool) and first <= one < n + first
                for one in values
            ) and (kind == "piles" or len({*values}) == len(values))
            wanted = {
                "number": f"a whole number from 1 to {n}",
                "piles": f"the piles of {n} objects, by numbers from 0",
            }.get(kind, f"{self.n_chosen} of {n} options shown, by numbers from 0")
        if not is_true:
            raise DataError(
                f"an answer names {wanted}, and this one says {chosen!r}"[:300],
                file=f"question {self.key}",
            )
        return tuple(values)

    def is_right(self, chosen: Sequence[Any]) -> bool | None:
        """Whether an answer is right; None where no answer is."""
        return self.agrees(self.correct, chosen) if self.correct else None

    def agrees(self, first: Sequence[Any], second: Sequence[Any]) -> bool:
        """Whether two answers are the same; levels, within a fifth of the scale."""
        asking = ASKINGS[self.task]
        if asking.answer == "number":
            return abs(first[0] - second[0]) <= (self.n_levels - 1) // 5
        if asking.in_order:
            return tuple(second[: len(first)]) == tuple(first)
        return {*first} == {*second}

    def for_participant(self) -> dict[str, Any]:
        """Plain data for the participant's browser."""
        record = self.described()
        del record["source"], record["n_levels"]  # the page has levels once
        if self.item is None:
            del record["item"]
        if self.kind != "practice":
            del record["correct"], record["kind"]
        return record

    def described(self) -> dict[str, Any]:
        """Plain data, of which `from_record` makes the same question."""
        return {**vars(self)}  # others wait for this, and asdict copies deeply

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Question:
        """A question of `described`."""
        return cls(**{
            **record, "shown": tuple(record["shown"]), "correct": tuple(record["correct"])
        })
