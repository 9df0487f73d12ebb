"""One question of an experiment: what is shown, and which answers to it can be true."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tripletscope.core.data.errors import DataError

#: What a question is there for. Answers to practice, catch and gold questions tell of people, not
#: of objects.
KINDS = {
    "question": "Question", "repeat": "Repeat", "catch": "Catch", "gold": "Gold",
    "practice": "Practice",
}


@dataclass(frozen=True)
class Asking:
    """A way to ask.

    title: What the experimenter calls it.
    is_anchored: Whether the first object shown is the one that the others are compared with.
    n_shown: Objects shown; None where the experiment says how many.
    n_chosen: Options that an answer names; None where the experiment says how many.
    in_order: Whether the options of an answer are in the order of choice.
    size: Objects that make one option.
    """

    name: str
    title: str
    is_anchored: bool
    n_shown: int | None
    n_chosen: int | None
    in_order: bool = False
    size: int = 1


#: Every way to ask, the most usual first.
ASKINGS: dict[str, Asking] = {
    asking.name: asking
    for asking in (
        Asking("triplet", "Which of the two is more like the first?", True, 3, 1),
        Asking("odd_one_out", "Odd one out of three", False, 3, 1),
        Asking("similar_pair", "Which two of three are most alike?", False, 3, 2),
        Asking("ranking", "Rank the k most similar of m", True, None, None, True),
        Asking("pairs", "Difference scaling: which pair differs more?", False, 4, 1, size=2),
    )
}


@dataclass(frozen=True)
class Question:
    """What one participant is asked once.

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
        Options that an answer names.
    kind : str
        Of `KINDS`.
    source : str
        How it was chosen: ``random``, ``balanced``, ``landmark``, ``list``, ``uncertain``,
        ``gain``; ``stand-in`` where no adaptive question was ready; ``catch``, ``gold`` and
        ``practice`` of those, so that nobody takes them for random ones.
    correct : tuple of int
        The options of the right answer, where there is one. Of options in order, perhaps only the
        first ones. It never leaves the server, but for practice with gold questions.
    """

    key: str
    task: str
    shown: tuple[str, ...]
    n_chosen: int = 1
    kind: str = "question"
    source: str = "random"
    correct: tuple[int, ...] = ()

    @property
    def n_options(self) -> int:
        """Options to choose from: objects without the anchor, or pairs."""
        asking = ASKINGS[self.task]
        return (len(self.shown) - asking.is_anchored) // asking.size

    def checked(self, chosen: Sequence[Any]) -> tuple[int, ...]:
        """An answer as options from 0, in the order of choice, if it can be true."""
        whole = isinstance(chosen, Sequence) and not isinstance(chosen, str) and all(
            isinstance(one, int) and not isinstance(one, bool) for one in chosen
        )
        if (
            not whole or len(chosen) != self.n_chosen or len({*chosen}) != len(chosen)
            or not all(0 <= one < self.n_options for one in chosen)
        ):
            raise DataError(
                f"an answer names {self.n_chosen} of {self.n_options} options shown, by numbers "
                f"from 0, and this one says {chosen!r}"[:300], file=f"question {self.key}",
            )
        return tuple(chosen)

    def is_right(self, chosen: Sequence[int]) -> bool | None:
        """Whether an answer is the right one; None where there is no right one."""
        if not self.correct:
            return None
        if ASKINGS[self.task].in_order:
            return tuple(chosen[: len(self.correct)]) == self.correct
        return {*chosen} == {*self.correct}

    def for_participant(self) -> dict[str, Any]:
        """What the participant's browser is told."""
        told = self.described()
        del told["source"]
        if self.kind != "practice":
            del told["correct"], told["kind"]
        return told

    def described(self) -> dict[str, Any]:
        """As plain data, from which `from_record` makes the same question."""
        return {**vars(self)}  # a list of them is made while others wait: asdict copies deeply

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Question:
        """A question of what `described` gave."""
        return cls(**{
            **record, "shown": tuple(record["shown"]), "correct": tuple(record["correct"])
        })
