"""Items of a questionnaire before or after the questions."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from tripletscope.core.data.errors import DataError

#: Kinds of items, and when they are asked.
ITEMS = ("choice", "number", "text", "scale")
WHEN = ("before", "after")
#: Characters of a text that participants write.
MOST_WRITTEN = 2000
_NAME = re.compile(r"[^\W\d]\w{0,39}")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


@dataclass(frozen=True)
class SurveyItem:
    """One item of a questionnaire.

    Attributes
    ----------
    name : str
        Of its column among the answers.
    kind : {"choice", "number", "text", "scale"}
    text : str
        The question, in plain words.
    options : tuple of str
        Of a choice; the two ends of a scale.
    low, high : float
        Bounds of a number; a scale has the whole numbers from 1 to `high`.
    required : bool
        Whether an answer is needed to go on.

    Examples
    --------
    >>> from tripletscope.experiment import SurveyItem
    >>> SurveyItem("age", "number", "How old are you?", low=18, high=99).checked(30)
    30
    """

    name: str
    kind: str
    text: str
    options: tuple[str, ...] = ()
    low: float = 0
    high: float = 7
    required: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", tuple(self.options))
        if self.kind not in ITEMS:
            raise DataError(f"{self.kind!r} is no kind of item; use {', '.join(ITEMS)}",
                            file=str(self.name)[:40])
        if not _NAME.fullmatch(self.name):
            raise DataError("the name of an item is one word of letters, digits and underscores",
                            file=self.name[:40])
        if self.name.casefold() == "participant":
            raise DataError("the column of participants is called so", file=self.name,
                            remedy="Give the item another name.")
        if not self.text.strip():
            raise DataError("nothing is asked", file=self.name)
        if self.kind == "choice" and len({*self.options}) < max(2, len(self.options)):
            raise DataError("a choice has two options or more, all different", file=self.name)
        if self.kind == "scale" and (len(self.options) != 2 or self.high not in range(2, 12)):
            raise DataError("a scale names its two ends, and has 2 to 11 levels", file=self.name)
        if not -math.inf < self.low <= self.high < math.inf:  # JSON has no others
            raise DataError(f"no number lies from {self.low:g} to {self.high:g}", file=self.name)

    def checked(self, value: Any) -> Any:
        """A valid answer: the place of an option, a number, a level or a text; None if left out."""
        if value is None and not self.required:
            return None
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        whole = is_number and isinstance(value, int)
        is_true = {
            "choice": whole and 0 <= value < len(self.options),
            "number": is_number and self.low <= value <= self.high,  # NaN is not
            "scale": whole and 1 <= value <= self.high,
            "text": isinstance(value, str) and len(value) <= MOST_WRITTEN
            and not _CONTROL.search(value) and bool(value.strip() or not self.required),
        }[self.kind]
        if not is_true:
            raise DataError(
                f"the {self.kind} {self.name!r} cannot be answered by {value!r}"[:300],
                file=self.name,
            )
        return value

    def shown(self, value: Any) -> Any:
        """An answer as a cell of a table, options by name."""
        return self.options[value] if self.kind == "choice" and value is not None else value

    def by_lot(self, rng: np.random.Generator) -> Any:
        """An answer of a simulated person."""
        if self.kind == "choice":
            return int(rng.integers(len(self.options)))
        if self.kind == "scale":
            return int(rng.integers(1, int(self.high) + 1))
        return round(float(rng.uniform(self.low, self.high))) if self.kind == "number" else "…"
