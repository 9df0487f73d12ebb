"""Readings of a table: the columns of all roles, and the coding of the choice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Self

import numpy as np

from tripletscope.core.data.answers import HELD_TOGETHER
from tripletscope.core.data.errors import DataError
from tripletscope.core.reading.languages import FOREIGN_CELLS, FORMS
from tripletscope.core.reading.names import counted, listing
from tripletscope.core.reading.table import Table
from tripletscope.core.reading.tasks import MOST_OPTIONS, TASKS, Task


@dataclass(frozen=True)
class Role:
    """A role of a column."""

    name: str
    title: str
    help: str
    numeric: bool = False


#: Every role, in the order of a form.
ROLES: dict[str, Role] = {
    role.name: role
    for name, about in FORMS["roles"].items()
    for role in (
        [Role(name, **about)] if name != "item" else
        [Role(f"item{i}", f"Object {i}", about["help"]) for i in range(1, MOST_OPTIONS + 1)]
    )
}

#: Roles of files with one answer per row and columns in the order of the answer: other files show
#: the side by the choice, and have the answers of a trial in one row.
ROW_ROLES = ("side", "trial")

#: Roles about an answer, for all tasks.
SIDE_ROLES = (
    "participant", "response_time", "split", "sampler", "time", "block", *ROW_ROLES, "weight",
)

#: Reserved columns of answers.
TAKEN = (*SIDE_ROLES, "anchor", "near", "far")


@dataclass(frozen=True)
class Coding:
    """A way in which the choice column codes the chosen option.

    `words` has the lower-case words of each option; none if the column names the chosen object, or
    has numbers.
    """

    name: str
    title: str
    help: str
    words: tuple[tuple[str, ...], ...] = ()


def _coding(name: str, title: str, help: str, words: Sequence[list[str]] = (),
            foreign: Sequence[str] = ()) -> Coding:
    more = [FOREIGN_CELLS[cell] for cell in foreign] or [()] * len(words)
    return Coding(name, title, help, tuple((*w, *m) for w, m in zip(words, more, strict=True)))


def _assigned(meanings: Mapping[str, int | str]) -> dict[str, int]:
    """Numbers of options, from 1, by cells in lower case; options may have names of roles."""
    places = {"left": 1, "right": 2, **{f"item{k}": k for k in range(1, MOST_OPTIONS + 1)}}
    assigned = {}
    for word, option in meanings.items():
        number = places.get(option, option)
        if isinstance(number, bool) or number not in range(1, MOST_OPTIONS + 1):
            raise ValueError(
                f"choice_coding of {word!r} is {option!r}; it must be a role such as 'left', or a "
                f"number from 1 to {MOST_OPTIONS}."
            )
        assigned[str(word).casefold()] = int(number)
    # Words that were found in a set have no order of their own.
    return dict(sorted(assigned.items(), key=lambda item: (item[1], item[0])))


def _coding_of(meanings: Mapping[str, int]) -> Coding:
    """The coding of cells that were assigned to options."""
    words = tuple(
        tuple(word for word, option in meanings.items() if option == number)
        for number in range(1, max(meanings.values(), default=0) + 1)
    )
    said = [f"{word} is option {option}" for word, option in meanings.items()]
    return Coding("assigned", "By its values", f"{listing(said, 12)}.", words)


CHOICE_CODINGS = {name: _coding(name, **about) for name, about in FORMS["codings"].items()}

RESPONSE_TIME_UNITS = {
    "s": "seconds", "ms": "milliseconds", "each": "seconds or milliseconds, person by person",
}
_UNDECIDED = (None, True, False)
INDEX_BASES = {None: "names", 0: "positions counted from 0", 1: "positions counted from 1"}


@dataclass(frozen=True)
class Reading:
    """How a table is read, as a proposal or the user's choice."""

    layout: str  # name of the proposing layout, see `tripletscope.core.reading.layouts`
    title: str  # for the user
    #: Role -> column; `needed` has those of the task.
    roles: Mapping[str, str] = field(default_factory=dict)
    #: One of `CHOICE_CODINGS`, or the number of the option, from 1, that each cell means.
    choice_coding: str | Mapping[str, int] | None = None
    response_time_unit: str | None = None  # of `RESPONSE_TIME_UNITS`; None: by size
    #: {0, 1}: objects are positions in the table of objects, counted from there; None: ids.
    index_base: int | None = None
    reasons: tuple[str, ...] = ()  # for the proposal, as sentences
    task: str = "nearer"  # one of `TASKS`
    #: Column -> its values in rows that are trials. Other rows are left out.
    only: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    #: Further columns of the answers, as categories: a condition, a group of participants.
    keep: tuple[str, ...] = ()
    #: Column -> its values in rows whose two options were exchanged: of one observer, in one file.
    exchanged: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    #: Whether rows count that repeat another one in all columns. None: they do not, with a warning.
    copies: bool | None = None
    #: Whether the same participant id in several files is another person in each. None: it is not,
    #: with a warning.
    apart: bool | None = None

    def __post_init__(self) -> None:
        assigned = isinstance(self.choice_coding, Mapping)
        if assigned:
            object.__setattr__(self, "choice_coding", _assigned(self.choice_coding))
        for what, value, allowed in (
            *(("role", role, ROLES) for role in self.roles),
            ("choice_coding", None if assigned else self.choice_coding,
             {None: None, **CHOICE_CODINGS}),
            ("response_time_unit", self.response_time_unit, {None: None, **RESPONSE_TIME_UNITS}),
            ("index_base", self.index_base, INDEX_BASES),
            ("task", self.task, TASKS),
            ("copies", self.copies, _UNDECIDED),
            ("apart", self.apart, _UNDECIDED),
        ):
            if value not in allowed:
                options = ", ".join(map(repr, allowed))
                raise ValueError(f"{what} is {value!r}; it must be one of {options}.")
        in_order = {role: self.roles[role] for role in ROLES if role in self.roles}
        object.__setattr__(self, "roles", in_order)
        object.__setattr__(self, "reasons", tuple(self.reasons))
        for name in ("only", "exchanged"):
            held = {column: tuple(values) for column, values in getattr(self, name).items()}
            object.__setattr__(self, name, held)
        object.__setattr__(self, "keep", tuple(self.keep))

    @property
    def coding(self) -> Coding | None:
        """What the cells of the choice mean."""
        if isinstance(self.choice_coding, Mapping):
            return _coding_of(self.choice_coding)
        return CHOICE_CODINGS.get(self.choice_coding)

    @property
    def is_coded(self) -> bool:
        """Whether a choice between options has to be decoded."""
        if TASKS[self.task].is_anchored:
            return self.task != "most_similar" and not self.is_counted and not (
                {"near", "far"} <= set(self.roles)
            )
        return "choice" in self.roles

    @property
    def is_counted(self) -> bool:
        """Whether a row has the numbers of people who chose each option."""
        return "left_votes" in self.roles

    @property
    def is_ordered(self) -> bool:
        """Whether columns are in the order of the answer, so that they do not show the side."""
        return not self.is_coded and not self.is_counted and self.task != "most_similar"

    @property
    def objects(self) -> tuple[str, ...]:
        """Roles of the objects in a row, in the order of the task."""
        task = TASKS[self.task]
        if self.task == "most_similar":
            return tuple(role for role in task.objects if role in self.roles)
        if task.is_anchored and not self.is_coded and not self.is_counted:
            # Without a choice the first option is the one that was, or was not, chosen.
            return ("anchor", *(("near", "far") if self.task == "nearer" else ("far", "near")))
        return task.objects

    @property
    def needed(self) -> tuple[str, ...]:
        """Roles without which the table is unreadable."""
        if self.task == "most_similar":
            return ("anchor", "item1", "item2")
        if self.is_counted:
            more = "right_votes" if "right_votes" in self.roles else "all_votes"
            return (*self.objects, "left_votes", more)
        return (*self.objects, "choice") if self.is_coded else self.objects

    @property
    def asked(self) -> tuple[str, ...]:
        """Roles for a form, in its order."""
        named = set(TASKS[self.task].objects) | set(self.needed) | set(SIDE_ROLES)
        if self.is_counted:
            named |= {"right_votes", "all_votes"}
        elif self.task == "most_similar":
            named |= {"n_chosen", "ranked"}
        elif not TASKS[self.task].is_anchored:
            named |= {"choice"} | ({"choice2"} if self.task == "similar_pair" else set())
        elif not self.is_coded:
            named -= {"left", "right"}
        if not self.is_ordered:
            named -= set(ROW_ROLES)
        return tuple(role for role in ROLES if role in named)

    def summary(self) -> list[str]:
        task = TASKS[self.task]
        lines = [f"{task.title}. {task.help}"]
        lines += [f"{ROLES[role].title}: column {column}." for role, column in self.roles.items()]
        if self.is_coded and self.coding:
            lines.append(f"Response coding: {self.coding.help}")
        for column, values in self.exchanged.items():
            lines.append(f"The options are exchanged where {column} is {listing(values, 12)}.")
        for column, values in self.only.items():
            lines.append(f"Trials are the rows in which {column} is {listing(values, 12)}.")
        lines += [FORMS["settings"][name][str(value).lower()]
                  for name, value in self._decided().items()]
        if self.keep:
            lines.append(f"Kept with the answers: {listing(self.keep, 12)}.")
        return lines + list(self.reasons)

    def in_words(self) -> tuple[str, str, str]:
        """The columns of the objects, that of the response, and what its cells mean."""
        said = [f"{ROLES[role].title.lower()} {self.roles[role]}" for role in self.objects]
        choice = f"response {self.roles['choice']}" if "choice" in self.roles else ""
        coding = self.coding if self.is_coded else None
        if coding is None:
            return ", ".join(said), choice, ""
        named = coding.help.rstrip(".") if coding.name == "assigned" else coding.title.lower()
        return ", ".join(said), choice, named

    def short(self) -> dict[str, Any]:
        """The roles and settings that have to be given to `tripletscope.read`."""
        needed = {role: column for role, column in self.roles.items() if role in self.needed}
        more: dict[str, Any] = {} if self.task == "nearer" else {"task": self.task}
        if self.is_coded and self.choice_coding is not None:
            more["choice_coding"] = self.choice_coding
        held = {"only": dict(self.only), "exchanged": dict(self.exchanged)}
        more |= {name: value for name, value in held.items() if value}
        return needed | more | self._decided()

    def _decided(self) -> dict[str, bool]:
        both = {"copies": self.copies, "apart": self.apart}
        return {name: value for name, value in both.items() if value is not None}

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON, to read the next file of the experiment."""
        held = {name: {column: list(values) for column, values in getattr(self, name).items()}
                for name in ("only", "exchanged")}
        return {**asdict(self), "reasons": list(self.reasons), "keep": list(self.keep), **held}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """The reading behind `to_dict`."""
        names = {own.name for own in fields(cls)}
        if not isinstance(values, Mapping) or not {"layout", "title"} <= set(values) <= names:
            raise ValueError("This is not a description of how a file is read.")
        for name, value in values.items():
            outer, inner = _KINDS.get(name, ((str, int, type(None)), None))
            if name == "choice_coding" and isinstance(value, Mapping):
                outer, inner = Mapping, int
            cells = value.values() if isinstance(value, Mapping) else value
            if not isinstance(value, outer) or (
                inner and not all(isinstance(cell, inner) for cell in cells)
            ):
                raise ValueError(f"{name} is {value!r} in this description of how a file is read.")
        return cls(**values)

    @classmethod
    def from_roles(cls, **roles: Any) -> Self:
        """A reading from roles and settings alone."""
        settings = {own.name for own in fields(cls)} - {"layout", "title", "roles", "reasons"}
        given = {key: roles.pop(key) for key in settings & roles.keys()}
        return cls("roles", "Chosen columns", roles, **given)

    def check(self, table: Table) -> None:
        for problem, remedy in self._problems(table):
            raise DataError(problem, file=table.name, remedy=remedy)

    def _problems(self, table: Table) -> Iterator[tuple[str, str]]:
        """Problems with their remedies, the most basic first, on which the others rely."""
        for column in (*self.roles.values(), *self.only, *self.keep, *self.exchanged):
            if column not in table.columns:
                yield f"there is no column {column!r}", (
                    f"The columns are {listing(table.columns, 12)}."
                )
        task = TASKS[self.task]
        lacking = [ROLES[role].title for role in self.needed if role not in self.roles]
        if lacking:
            yield f"no column is chosen for {listing(lacking)}", _remedy(task)
        columns = [self.roles[role] for role in self.needed]
        for column in columns:
            if columns.count(column) > 1:
                yield f"column {column!r} has two roles", "Choose another column for one of them."
        if self.is_coded and self.choice_coding is None:
            yield f"the response coding of column {self.roles['choice']!r} is not set", (
                "Choose the response coding."
            )
        counts = self.is_counted or (self.is_coded and self.choice_coding == "signed_count")
        if counts and len(task.outcomes) != 2:
            yield (
                f"the response in the task {task.title!r} is not one of two, so it cannot be a "
                "signed count", "Choose another task or another response coding."
            )
        if self.exchanged and not (self.is_coded and len(task.outcomes) == 2):
            yield (
                f"the response in the task {task.title!r} is not one of two, so its options cannot "
                "be exchanged", "Choose another task."
            )
        names_pair = self.task == "similar_pair" and "choice2" in self.roles
        if self.is_coded and self.choice_coding == "item" and not (task.options or names_pair):
            yield (
                f"the response in the task {task.title!r} is not an object, so column "
                f"{self.roles['choice']!r} cannot name it", "Choose the response coding."
            )


#: Types of the fields of a reading in JSON, and of their values; other fields are single values.
_KINDS = {
    "roles": (Mapping, str), "only": (Mapping, (list, tuple)),
    "exchanged": (Mapping, (list, tuple)), "reasons": ((list, tuple), str),
    "keep": ((list, tuple), str),
}


def _remedy(task: Task) -> str:
    if task.name in ("nearer", "farther"):
        return "Choose an anchor and either nearer and farther, or two options and the response."
    most = counted(len(task.objects), "column")
    return f"Choose the columns of the objects, {'at most ' * (not task.outcomes)}{most}."


def candidates(table: Table, role: str) -> list[str]:
    """Columns for a role; for numeric roles, columns of numbers."""
    if not ROLES[role].numeric:
        return table.columns
    sample = table.head(1_000)
    return [
        column for column in table.columns
        if 2 * np.isfinite(sample.numbers(column)).sum() > (sample.codes(column).codes >= 0).sum()
    ]


def can_be_kept(table: Table, reading: Reading) -> list[str]:
    """Columns without a role that the answers may keep."""
    # Of lists in cells, each place is a column, too.
    lists = {column.partition("[")[0] for column in reading.roles.values()}
    playing = {*reading.roles.values(), *lists, HELD_TOGETHER}
    return [column for column in table.columns if column not in playing]


def kept_names(columns: Sequence[str]) -> dict[str, str]:
    """What kept columns are called among the answers, where some names have a meaning."""
    names: dict[str, str] = {}
    for column in columns:
        name = column
        while name in TAKEN or (name != column and name in columns):
            name = f"{name} (file)"
        names[column] = name
    return names
