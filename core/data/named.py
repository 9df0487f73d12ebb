"""Names that users give: what is there, or an error that says what is near."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, TypeVar

from tripletscope.core.data.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

Value = TypeVar("Value")
#: All names are said if there are at most so many.
_FEW = 12


class UnknownName(ValueError, KeyError):
    """There is nothing of this name; also a KeyError, as mappings raise."""

    def __str__(self) -> str:
        return str(self.args[0])


def named(options: Mapping[str, Value], name: Any, what: str) -> Value:
    """The value of a name.

    what: In a message, such as "task".
    """
    return options[one_of(options, name, what)]


def one_of(options: Iterable[str], name: Any, what: str) -> Any:
    """The name, which is one of the options.

    Raises
    ------
    UnknownName
        If it is not.
    """
    names = list(options)
    if name not in names:
        raise UnknownName(f"there is no {what} {name!r}{hint(name, names)}")
    return name


def hint(name: Any, options: Iterable[str]) -> str:
    """The end of a message: names near to one that is not there, or all names if they are few."""
    names = [str(option) for option in options]
    near = get_close_matches(str(name), names, n=3)
    if near:
        return f"; did you mean {' or '.join(map(repr, near))}?"
    return f"; it must be one of {', '.join(map(repr, names))}." if len(names) <= _FEW else "."


def column_of(table: pd.DataFrame, column: str, file: str, of: str = "stimulus") -> pd.Series:
    """A column of the table of objects or answers.

    file: Name of the data set, for the message.
    of: "stimulus" or "response".

    Raises
    ------
    DataError
        If there is none of this name.
    """
    if column not in table:
        raise DataError(
            f"the {of} metadata have no column {column!r}", file=file,
            remedy=f"The columns are {', '.join(map(str, table.columns))}.",
        )
    return table[column]
