"""Errors in the user's data, with a remedy, and in the lengths of arguments."""

from __future__ import annotations

import sys
import warnings
from typing import Any

_PACKAGE = __package__.partition(".")[0]


class DataError(ValueError):
    """Something is wrong with the user's data.

    Parameters
    ----------
    problem : str
        What is wrong, as a clause without a full stop.
    file : str, optional
        Name of the file, as the user knows it.
    row : int, optional
        Row of the file, counted the way a spreadsheet counts (the first line is row 1), or, for
        an array, its index from 0.
    remedy : str, optional
        What the user can do, as a full sentence.
    python : str, optional
        The call or argument that does it. Ends the message in Python, and is shown nowhere else.
    trouble : str, optional
        The section of the document on trouble that has more, such as ``objects``: pages link to it.

    Examples
    --------
    >>> import tripletscope as ts
    >>> print(ts.DataError("no object is named", file="pets.csv", row=7, remedy="Name one."))
    pets.csv, row 7: no object is named. Name one.
    """

    def __init__(
        self,
        problem: str,
        *,
        file: str | None = None,
        row: int | None = None,
        remedy: str | None = None,
        python: str | None = None,
        trouble: str | None = None,
    ) -> None:
        problem, file, remedy = (
            _short(text, most) if text else text
            for text, most in ((problem, 1_500), (file, 300), (remedy, 1_000))
        )
        self.problem, self.file, self.row, self.remedy = problem, file, row, remedy
        self.python, self.trouble = python, trouble
        where = ", ".join(filter(None, [file, f"row {row:,}" if row is not None else None]))
        text = f"{where}: {problem}" if where else problem[:1].upper() + problem[1:]
        text = f"{text.rstrip('.')}." + (f" {remedy}" if remedy else "")
        super().__init__(text + in_python(python))

    def __reduce__(self) -> tuple[Any, ...]:
        # Exceptions are pickled by their positional arguments; these are keywords.
        state = {
            "file": self.file, "row": self.row, "remedy": self.remedy, "python": self.python,
            "trouble": self.trouble,
        }
        return (_rebuild_error, (self.problem, state))

    def at(self, file: str) -> DataError:
        """The same error with the name of its file."""
        return DataError(
            self.problem, file=self.file or file, row=self.row, remedy=self.remedy,
            python=self.python, trouble=self.trouble,
        )


def in_python(call: str | None) -> str:
    """The call or argument that does what was just said, as the end of a message."""
    return f" In Python: {call}." if call else ""


def warn(message: str) -> None:
    """A UserWarning at the line of the user's that called the package."""
    level, frame = 1, sys._getframe()
    while frame and frame.f_globals.get("__name__", "").partition(".")[0] == _PACKAGE:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, UserWarning, stacklevel=level)


def _short(text: str, most: int) -> str:
    """The text without its middle if it is long: names in a file may be of any length."""
    return text if len(text) <= most else f"{text[: most - 101]}…{text[-100:]}"


def _rebuild_error(problem: str, state: dict[str, Any]) -> DataError:
    return DataError(problem, **state)


def refuse_lengths(**parts: Any) -> None:
    """Raise ValueError unless all parts, sequences by their names, are equally long.

    A part may be a number, the length that is wanted.
    """
    lengths = {
        name.replace("_", " "): part if isinstance(part, int) else len(part)
        for name, part in parts.items()
    }
    if len(set(lengths.values())) > 1:
        said = " but ".join(f"{length:,} {name}" for name, length in lengths.items())
        raise ValueError(f"there are {said}; give one of each for every object.")
