"""How a table is to be read: which column plays which role, and how the choice is coded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Self

from core.files.names import listing
from core.files.table import Table
from core.triplets import DataError


@dataclass(frozen=True)
class Role:
    """What a column can stand for."""

    name: str
    title: str
    help: str
    numeric: bool = False


#: Every role, in the order in which a form should ask for them.
ROLES: dict[str, Role] = {
    role.name: role
    for role in (
        Role("anchor", "Anchor", "The object that the two others are compared with."),
        Role("left", "First option", "One of the two options, usually the one on the left."),
        Role("right", "Second option", "The other option, usually the one on the right."),
        Role("choice", "Choice", "Which option was said to be more similar to the anchor."),
        Role("near", "Nearer", "The option that was said to be more similar to the anchor."),
        Role("far", "Farther", "The option that was not chosen."),
        Role("participant", "Participant", "Who gave the answer."),
        Role("response_time", "Response time", "How long the answer took.", numeric=True),
        Role("split", "Split", "Whether an answer is for training or for testing."),
        Role("sampler", "Sampler", "How the question was picked: at random, actively, as a check."),
        Role("weight", "Weight", "How often the answer was given.", numeric=True),
    )
}


@dataclass(frozen=True)
class Coding:
    """A way in which the choice column tells the chosen option.

    `first` and `second` are the words that stand for the first and the second option, in lower
    case; both are empty where the column names the chosen object itself.
    """

    name: str
    title: str
    help: str
    first: tuple[str, ...] = ()
    second: tuple[str, ...] = ()


CHOICE_CODINGS: dict[str, Coding] = {
    coding.name: coding
    for coding in (
        Coding("item", "Names the object", "The cell holds the name of the chosen object."),
        Coding(
            "position_0", "Position 0 or 1", "0 is the first option, 1 the second.", ("0",), ("1",)
        ),
        Coding(
            "position_1", "Position 1 or 2", "1 is the first option, 2 the second.", ("1",), ("2",)
        ),
        Coding(
            "side", "Left or right",
            "Words, keys or arrows: left, l, f are the first option, right, r, j the second.",
            ("left", "l", "f", "arrowleft", "leftarrow"),
            ("right", "r", "j", "arrowright", "rightarrow"),
        ),
        Coding(
            "first_is_nearer", "Whether the first is nearer",
            "true or 1 means that the first option is nearer; false, 0 or -1 the second.",
            ("true", "t", "yes", "1"), ("false", "f", "no", "0", "-1"),
        ),
    )
}

RESPONSE_TIME_UNITS = {"s": "seconds", "ms": "milliseconds"}
INDEX_BASES = {None: "names", 0: "positions counted from 0", 1: "positions counted from 1"}


@dataclass(frozen=True)
class Reading:
    """A proposal how to read a table, or what the user made of it.

    Parameters
    ----------
    layout : str
        Name of the layout that proposed it, see `core.files.layouts`.
    title : str
        What the user calls it.
    roles : mapping of str to str
        Role -> column. Needs ``anchor`` and either ``near`` and ``far``, or ``left``, ``right``
        and ``choice``.
    choice_coding : {"item", "position_0", "position_1", "side", "first_is_nearer"}, optional
        How the column ``choice`` tells the chosen option.
    response_time_unit : {"s", "ms"}, optional
        None decides by the size of the values.
    index_base : {0, 1}, optional
        None: objects go by their ids. 0 or 1: they are positions in the table of objects,
        counted from there.
    reasons : sequence of str
        Why the program thinks so, as sentences.

    Raises
    ------
    ValueError
        For an unknown role, coding, unit or index base.
    """

    layout: str
    title: str
    roles: Mapping[str, str] = field(default_factory=dict)
    choice_coding: str | None = None
    response_time_unit: str | None = None
    index_base: int | None = None
    reasons: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for what, value, allowed in (
            *(("role", role, ROLES) for role in self.roles),
            ("choice_coding", self.choice_coding, {None: None, **CHOICE_CODINGS}),
            ("response_time_unit", self.response_time_unit, {None: None, **RESPONSE_TIME_UNITS}),
            ("index_base", self.index_base, INDEX_BASES),
        ):
            if value not in allowed:
                options = ", ".join(map(repr, allowed))
                raise ValueError(f"{what} is {value!r}; it must be one of {options}.")
        in_order = {role: self.roles[role] for role in ROLES if role in self.roles}
        object.__setattr__(self, "roles", in_order)
        object.__setattr__(self, "reasons", tuple(self.reasons))

    @property
    def is_coded(self) -> bool:
        """Whether a choice between two options is to be decoded."""
        return not {"near", "far"} <= set(self.roles)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {**asdict(self), "roles": dict(self.roles), "reasons": list(self.reasons)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """The reading that `to_dict` wrote down."""
        return cls(**values)

    @classmethod
    def from_roles(cls, **roles: Any) -> Self:
        """A reading from roles and settings alone.

        Examples
        --------
        >>> Reading.from_roles(anchor="head", near="winner", far="loser").is_coded
        False
        """
        settings = {
            key: roles.pop(key) for key in ("choice_coding", "response_time_unit", "index_base")
            if key in roles
        }
        return cls("roles", "Chosen columns", roles, **settings)

    def check(self, table: Table) -> None:
        """Raise DataError if the roles do not fit together or name columns that are not there."""
        absent = [column for column in self.roles.values() if column not in table.columns]
        if absent:
            raise DataError(
                f"there is no column {absent[0]!r}", file=table.name,
                remedy=f"The columns are {listing(table.columns, 12)}.",
            )
        asked = ("left", "right", "choice") if self.is_coded else ("near", "far")
        needed = ["anchor", *asked]
        lacking = [ROLES[role].title for role in needed if role not in self.roles]
        if lacking:
            raise DataError(
                f"no column is chosen for {listing(lacking)}", file=table.name,
                remedy="Choose an anchor and either nearer and farther, or two options and the "
                "choice.",
            )
        columns = [self.roles[role] for role in needed]
        twice = next((column for column in columns if columns.count(column) > 1), None)
        if twice:
            raise DataError(
                f"column {twice!r} plays two roles at once", file=table.name,
                remedy="Choose another column for one of them.",
            )
        if self.is_coded and self.choice_coding is None:
            raise DataError(
                f"nothing says how column {self.roles['choice']!r} tells the chosen option",
                file=table.name, remedy="Choose how the choice is coded.",
            )


def candidates(table: Table, role: str) -> list[str]:
    """The columns of a table that can play a role, for a form.

    A response time and a weight need numbers; every other role can be played by any column.
    """
    if not ROLES[role].numeric:
        return table.columns
    sample = table.head(1_000)
    return [column for column in table.columns if _mostly_numbers(sample, column)]


def _mostly_numbers(table: Table, column: str) -> bool:
    numbers = table.numbers(column)
    written = table.codes(column).codes >= 0
    return bool(written.any() and (numbers[written] == numbers[written]).mean() > 0.5)


