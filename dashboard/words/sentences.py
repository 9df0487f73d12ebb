"""Sentences with numbers filled in, in the style of the American Psychological Association."""

from __future__ import annotations

import math
import re
import string
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from tripletscope.core.engine.declared import Choice, DataIdentity, Parameter, parameters
from tripletscope.core.presets import published_in

if TYPE_CHECKING:
    from tripletscope.core.engine.method import Method

#: p values below this are written as less than it.
_SMALL = 0.001
#: Most columns that are named; of more, their number.
_FEW_COLUMNS = 3


class Catalogue(NamedTuple):
    """The sentences of ``sentences.toml``.

    nouns: Singular and plural.
    texts: By key, with fields in braces.
    """

    nouns: dict[str, list[str]]
    texts: dict[str, str]


@cache
def catalogue() -> Catalogue:
    record = tomllib.loads(Path(__file__).with_name("sentences.toml").read_text("utf-8"))
    return Catalogue(record["nouns"], record["figures"] | record["findings"] | record["report"])


@dataclass(frozen=True)
class _Words:
    """Sentences, numbers and lists as papers have them."""

    def __call__(self, key: str, **fields: Any) -> str:
        """The sentence of a key, with its fields filled in.

        A field says after a colon how it is written, as in ``{gain:estimate}``: see `_WRITTEN`.
        """
        return _Filled().format(catalogue().texts[key], **fields)

    def count(self, number: int, noun: str) -> str:
        return f"{self.whole(number)} {self.noun(number, noun)}"

    def noun(self, number: int, noun: str) -> str:
        return catalogue().nouns[noun][bool(number != 1)]  # of NumPy's booleans none is an index

    def whole(self, number: int) -> str:
        return f"{number:,}"

    def number(self, value: float, digits: int = 3) -> str:
        """A number with so many significant digits."""
        if not math.isfinite(value):
            return "–"
        if value == 0 or 1e-3 <= abs(value) < 1e9:
            places = max(digits - 1 - (math.floor(math.log10(abs(value))) if value else 0), 0)
            return f"{value:z,.{places}f}"
        return f"{value:.{digits - 1}e}"

    def share(self, value: float, digits: int = 3) -> str:
        """A number that cannot exceed 1, without the zero before its point."""
        if not math.isfinite(value):
            return "–"
        text = f"{value:z.{digits}f}"
        return text.replace("0.", ".", 1) if abs(value) < 1 and text[-digits - 2] == "0" else text

    def percent(self, value: float, digits: int = 1) -> str:
        text = f"{100 * value:z.{digits}f}%"
        if digits == 0 and 0 < value < 1 and text in ("0%", "100%"):  # some are
            return "under 1%" if value < 0.5 else "over 99%"
        return text

    def estimate(self, value: float, low: float, high: float) -> str:
        return f"{self.share(value)} [{self.share(low)}, {self.share(high)}]"

    def interval(self, low: float, high: float) -> str:
        return f"95% CI [{self.share(low)}, {self.share(high)}]"

    def change(self, log_gain: float) -> str:
        """A gain in log probability, as a change of the probability."""
        return _signed(self.percent(math.expm1(log_gain)))

    def points(self, *estimate: float) -> str:
        """A change of a share with its interval, in percentage points."""
        value, low, high = (_signed(f"{100 * end:z.1f}") for end in estimate)
        return self("estimated change", value=value, low=low, high=high)

    def p(self, value: float) -> str:
        if value < _SMALL:
            return f"*p* < {self.share(_SMALL)}"
        if value > 1 - _SMALL:
            return f"*p* > {self.share(1 - _SMALL)}"
        return f"*p* = {self.share(value)}"

    def listing(self, parts: list[str]) -> str:
        """Several things in a row: a, b, and c."""
        if len(parts) < 3:
            return " and ".join(parts)
        return f"{', '.join(parts[:-1])}, and {parts[-1]}"

    def first(self, names: list[str], most: int) -> str:
        """A list cut after its first `most`, with the number of the others."""
        if len(names) <= most:
            return self.listing(names)
        return self("and more", names=", ".join(names[:most]), number=len(names) - most)

    def over(self, unit: str, number: int | None) -> str:
        """What an interval takes as independent, as the end of a phrase."""
        if unit == "answers" or number is None:
            return self("over answers")
        people = self.count(number, "participant")
        return self("over both" if unit == "both" else "over people", people=people)

    def over_each(self, numbers: Iterable[int | None]) -> str:
        """What several intervals are over; those of 0 or None participants are over answers."""
        each = [int(number or 0) for number in numbers]
        people = [number for number in each if number]
        if not people:
            return self("over answers")
        text = self.over("participants", max(people))
        if min(people) < max(people):
            text = self("over from to", low=min(people), high=max(people))
        return text if len(people) == len(each) else text + self("or over answers")

    def method(self, method: Method) -> str:
        """A method with its parameters that differ from the defaults."""
        declared = parameters(type(method))
        values = {p.name: getattr(method, p.name) for p in declared}
        parts = [self._set(method, parameter, values[parameter.name]) for parameter in declared]
        return ", ".join([method.title, *filter(None, parts)]) + self.as_in(method.name, values)

    def _set(self, method: Method, parameter: Parameter, value: Any) -> str:
        """A parameter that differs from its default; empty for others."""
        from tripletscope.core.engine.method import (  # as late as there is a method
            MethodParameter,
            make_method,
        )

        if parameter.name == "n_components" and method.kind != "dimensions":
            return self.count(value, "dimension")
        if isinstance(parameter.spec, MethodParameter):
            if value is None:
                return ""
            return self("on the basis of", method=self.method(make_method(value)))
        if isinstance(parameter.spec, DataIdentity):
            return self._few([text.rpartition(": ")[0] for text in value], "feature space")
        if isinstance(value, list):
            return self._few(value, "column")
        if value == parameter.default:
            return ""
        name = parameter.spec.label.lower()
        if isinstance(value, bool):
            return name if value else self("switched off", name=name)
        if isinstance(parameter.spec, Choice):
            title = parameter.spec.options[value]
            value = f"{title[0].lower()}{title[1:]}"
        return f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}"

    def _few(self, names: list[str], noun: str) -> str:
        """A few names, or how many there are."""
        return ", ".join(names) if len(names) <= _FEW_COLUMNS else self.count(len(names), noun)

    def as_in(self, name: str, values: Mapping[str, Any]) -> str:
        """The paper with these settings of a method or task, as the end of a phrase."""
        cited = published_in(name, values)
        return self("as in", cited=cited) if cited else ""


#: The sentences of everything that is shown: there is one catalogue.
words = _Words()


class LinkedSentence(str):
    """A sentence, and in `trouble` the place of the documentation that says what helps."""

    trouble: str

    def __new__(cls, text: str, trouble: str = "") -> Self:
        said = super().__new__(cls, text)
        said.trouble = trouble
        return said


def _signed(text: str) -> str:
    return text.replace("-", "\N{MINUS SIGN}") if text.startswith("-") else f"+{text}"


def uncited(text: str) -> str:
    return re.sub(r" \[@[^]]+\]", "", text)


def unmarked(text: str) -> str:
    """A user's name without what would be markup."""
    return text.replace("*", "\N{ASTERISK OPERATOR}").replace("@", "\N{FULLWIDTH COMMERCIAL AT}")


def literal(text: str) -> str:
    """Somebody's words as a line of Markdown, without links or HTML."""
    return re.sub(r"([\\`\[\]<>|&])", r"\\\1", " ".join(text.split()))


def distinct(names: Iterable[str]) -> list[str]:
    """The same names, numbered where they repeat: in front, since boxes cut off the end."""
    seen: Counter[str] = Counter()
    numbered = []
    for name in names:
        seen[name] += 1
        numbered.append(name if seen[name] == 1 else f"({seen[name]}) {name}")
    return numbered


#: Formats of the fields of sentences, by the word after their colon.
_WRITTEN: dict[str, Callable[[Any, str], str]] = {
    "name": lambda value, _: unmarked(str(value)),
    "names": lambda value, _: words.listing([unmarked(str(name)) for name in value]),
    "share": lambda value, _: words.share(value),
    "percent": lambda value, digits: words.percent(value, int(digits or 1)),
    "number": lambda value, _: words.number(value),
    "whole": lambda value, _: words.whole(value),
    "p": lambda value, _: words.p(value),
    "estimate": lambda value, _: words.estimate(*value),
    "interval": lambda value, _: words.interval(*value),
    "change": lambda value, _: words("estimated change", **dict(
        zip(("value", "low", "high"), map(words.change, value), strict=True)
    )),
    "points": lambda value, _: words.points(*value),
    "over": lambda value, _: words.over(*value),
    "method": lambda value, _: words.method(value),
    "count": lambda value, noun: words.count(value, noun),
}


class _Filled(string.Formatter):
    def format_field(self, value: Any, how: str) -> str:
        kind, _, further = how.partition(" ")
        if kind in _WRITTEN:
            return _WRITTEN[kind](value, further)
        if not how and isinstance(value, float):  # nobody reads sixteen digits
            return words.number(value)
        if isinstance(value, float) and how.endswith("f"):  # -0.00 is nothing
            how = re.sub(r"^[+ -]?", r"\g<0>z", how)
        return super().format_field(value, how)
