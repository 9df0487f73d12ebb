"""What a row of a file says: which question was asked, and which triplets an answer implies."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

#: Places of the objects of a trial that an answer names: anchor, near, far, or, with four, a pair
#: that is more similar and one that is less.
Implied = tuple[tuple[int, ...], ...]

#: Most options of a trial in which several are chosen.
MOST_OPTIONS = 8


@dataclass(frozen=True)
class Task:
    """One kind of question."""

    name: str
    title: str  # what the user calls it, and what was asked
    help: str
    objects: tuple[str, ...]  # roles of the objects in a row
    #: What each answer implies, by the number of the outcome that the choice tells.
    outcomes: tuple[Implied, ...]
    #: Places of the objects that the choice may name, in the order of the outcomes; empty if the
    #: choice is no object.
    options: tuple[int, ...]
    #: An answer in words, with ``{who}``, ``{anchor}``, ``{near}`` and ``{far}`` of its first
    #: triplet, and ``{fourth}`` where there are four objects.
    sentence: str
    #: Outcome of rows without a choice, whose columns are in the order of the answer.
    in_order: int = 0
    opposite: str = ""  # the task that turns every answer round, if that makes sense

    @property
    def is_anchored(self) -> bool:
        """Whether the row says which object the others are compared with."""
        return self.objects[0] == "anchor"


_THREE = ("item1", "item2", "item3")
_FOUR = (*_THREE, "item4")
_OPTIONS = ("anchor", "left", "right")
#: Who is odd: the two others are near each other, and it is far from both.
_ODD = tuple(
    tuple((i, j, odd) for i, j in ((a, b), (b, a)))
    for odd in range(3) for a, b in [sorted({0, 1, 2} - {odd})]
)
_CENTRAL = tuple(
    tuple((i, middle, j) for i, j in ((a, b), (b, a)))
    for middle in range(3) for a, b in [sorted({0, 1, 2} - {middle})]
)

#: Every kind of question, the most usual first.
TASKS: dict[str, Task] = {
    task.name: task
    for task in (
        Task(
            "nearer", "More similar to the anchor",
            "Two objects are compared with an anchor; the response is the more similar one.",
            _OPTIONS, (((0, 1, 2),), ((0, 2, 1),)), (1, 2),
            "{who} saw {anchor}; said {near} is more similar than {far}", opposite="farther",
        ),
        Task(
            "farther", "Less similar to the anchor",
            "Two objects are compared with an anchor; the response is the less similar one.",
            _OPTIONS, (((0, 2, 1),), ((0, 1, 2),)), (1, 2),
            "{who} saw {anchor}; said {far} is less similar than {near}", opposite="nearer",
        ),
        Task(
            "odd_one_out", "Odd one out",
            "The response is the one of three objects that does not belong. It is farther from the "
            "two others than they are from each other: two answers.",
            _THREE, _ODD, (0, 1, 2),
            "{who} saw {anchor}, {near} and {far}; said {far} is the odd one out", 2,
        ),
        Task(
            "similar_pair", "Two most similar",
            "The response is the pair, of three objects, that belongs together: two columns that "
            "name it, or its number (first and second, first and third, second and third).",
            _THREE, _ODD[::-1], (),
            "{who} saw {anchor}, {near} and {far}; said {anchor} and {near} belong together",
        ),
        Task(
            "most_central", "Most central",
            "The response is the one of three objects that lies between the others. It is nearer "
            "to each of them than they are to each other: two answers.",
            _THREE, _CENTRAL, (0, 1, 2),
            "{who} saw {anchor}, {near} and {far}; said {near} is the most central",
        ),
        Task(
            "most_similar", "Several most similar to the anchor",
            "The chosen options come first, in the order of choice, then the others. Each chosen "
            "one is nearer to the anchor than each that was not; if the choices are ranked, an "
            "earlier one is nearer than a later one.",
            ("anchor", *(f"item{i}" for i in range(1, MOST_OPTIONS + 1))), (), (),
            "{who} saw {anchor}; said {near} is more similar than {far}",
        ),
        Task(
            "larger_difference", "Larger difference in a triad (MLDS)",
            "The response is the larger of two differences: between the first and the second "
            "object, or between the second and the third.",
            _THREE, (((1, 2, 0),), ((1, 0, 2),)), (),
            "{who} said {anchor} and {far} differ more than {anchor} and {near}", 1,
            "smaller_difference",
        ),
        Task(
            "smaller_difference", "Smaller difference in a triad",
            "The response is the smaller of two differences: between the first and the second "
            "object, or between the second and the third.",
            _THREE, (((1, 0, 2),), ((1, 2, 0),)), (),
            "{who} said {anchor} and {near} differ less than {anchor} and {far}", 0,
            "larger_difference",
        ),
        Task(
            "larger_pair", "Larger difference of two pairs (MLDS quadruple)",
            "The response is the one of two pairs whose objects differ more.",
            _FOUR, (((2, 3, 0, 1),), ((0, 1, 2, 3),)), (),
            "{who} said {far} and {fourth} differ more than {anchor} and {near}", 1,
            "smaller_pair",
        ),
        Task(
            "smaller_pair", "More similar of two pairs",
            "The response is the one of two pairs whose objects are more similar.",
            _FOUR, (((0, 1, 2, 3),), ((2, 3, 0, 1),)), (),
            "{who} said {anchor} and {near} are more similar than {far} and {fourth}", 0,
            "larger_pair",
        ),
    )
}


def chosen_first(n_options: int, n_chosen: int, ranked: bool) -> Implied:
    """What a choice of several of the options implies, the chosen ones standing first."""
    chosen = range(1, n_chosen + 1)
    rest = range(n_chosen + 1, n_options + 1)
    pairs = list(combinations(chosen, 2)) if ranked else []
    return tuple((0, i, j) for i, j in [*pairs, *((i, j) for i in chosen for j in rest)])
