"""Representations of results: a line in a terminal, a table in a notebook."""

from __future__ import annotations

import reprlib
from dataclasses import fields, is_dataclass
from html import escape
from typing import Any, TypeVar

Class = TypeVar("Class", bound=type)
_LEFT = "style='text-align: left'"


class _Brief(reprlib.Repr):
    """Values of a few words; arrays and tables by their shape."""

    def __init__(self) -> None:
        super().__init__()
        self.maxstring = self.maxother = 60
        self.maxlist = self.maxtuple = self.maxdict = 3

    def repr_ndarray(self, x: Any, level: int) -> str:
        return f"<{type(x).__name__} {'×'.join(map(str, x.shape)) or 'of one value'}>"

    def repr_float(self, x: float, level: int) -> str:
        return f"{x:.4g}"

    def repr_instance(self, x: Any, level: int) -> str:
        if type(x).__str__ is not object.__str__:
            return str(x)
        return f"{type(x).__name__}(…)" if is_dataclass(x) else super().repr_instance(x, level)

    repr_DataFrame, repr_float64, repr_float32 = repr_ndarray, repr_float, repr_float


def short_repr(kind: Class) -> Class:
    """Class decorator: short representations of a dataclass or a named tuple.

    They end in codes of doubts, where a result knows some: its attribute ``doubted``.
    """
    kind.__repr__, kind._repr_html_ = _line, _table
    return kind


def _values(shown: Any) -> list[tuple[str, str]]:
    names = getattr(shown, "_fields", None) or [f.name for f in fields(shown) if f.repr]
    return [(name, _Brief().repr(getattr(shown, name))) for name in names]


def _line(shown: Any) -> str:
    values = ", ".join(f"{name}={text}" for name, text in _values(shown))
    if doubts := _doubts(shown):
        values += f", doubts: {doubts}"
    return f"{type(shown).__name__}({values})"


def _doubts(shown: Any) -> str:
    return ", ".join(getattr(shown, "doubted", ()))


def _table(shown: Any) -> str:
    values = _values(shown)
    if doubts := _doubts(shown):
        values.append(("doubts", doubts))
    rows = "".join(
        f"<tr><th {_LEFT}>{name}</th><td {_LEFT}>{escape(text)}</td></tr>" for name, text in values
    )
    return f"<table><caption>{type(shown).__name__}</caption><tbody>{rows}</tbody></table>"
