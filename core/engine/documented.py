"""Kinds and shapes of values, as the docstring of their class states them.

Results from elsewhere are checked against lines such as ``maps : ndarray, shape (p, n, d)``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np

from tripletscope.core.engine.docstrings import written
from tripletscope.core.engine.estimate import plain_names

_LINE = re.compile(r"^ *(\w+(?:, \w+)*) : (.+)$", re.MULTILINE)
_SHAPE = re.compile(r"\((.*?)\)")
_LENGTH = re.compile(r", length (\w+)")
#: Of lines of estimates, whose plain values are stored, and the types of those in common.
_ESTIMATE = "Estimate"
_UNITS = {"unit": '{"answers", "participants"}', "n_units": "int or None"}
#: Ending of the line of an optional value.
OPTIONAL = ", optional"
#: NumPy's dtype.kind, by the word in the docstring.
_ARRAYS = {"": "fiu", "int": "iu", "bool": "b", "str": "U", "merges": "f"}
_SCALARS: dict[str, Callable[[Any], bool]] = {
    "int": lambda value: _is_number(value, int),
    "float": lambda value: _is_number(value, int | float),
    "bool": lambda value: isinstance(value, bool),
    "str": lambda value: isinstance(value, str),
    "dict": lambda value: isinstance(value, dict),
    "None": lambda value: value is None,
}


@cache
def documented(kind: type) -> Mapping[str, str]:
    """Types of the values of a class by name, from its docstring and those of its bases."""
    types: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        for names, text in _LINE.findall(written(base)):
            each = names.split(", ")
            if text.startswith(_ESTIMATE):
                each = [plain for name in each for plain in plain_names(name)]
                text = text.replace(_ESTIMATE, "ndarray") if _SHAPE.search(text) else "float"
                types.update(_UNITS)
            types.update(dict.fromkeys(each, text))
    return types


def check_documented(
    values: Mapping[str, Any], types: Mapping[str, str], sizes: Mapping[str, int]
) -> None:
    """Check values against their documentation.

    types: As of `documented`; a letter stands for the same size in all shapes.
    sizes: Fixed sizes, by letter.
    """
    sizes = dict(sizes)
    for name in sorted(values):
        if name not in types:
            raise ValueError(f"{name} is no part of it")
        if not _is_as_documented(values[name], types[name].removesuffix(OPTIONAL), sizes):
            raise ValueError(f"{name} must be {types[name]}")


def _is_number(value: Any, kind: Any) -> bool:
    """Whether an array can hold a value as a number of a kind."""
    return (
        isinstance(value, kind) and not isinstance(value, bool)
        and not (isinstance(value, int) and abs(value) >= 2**63)
    )


def _is_as_documented(value: Any, text: str, sizes: dict[str, int]) -> bool:
    if text.startswith("{"):
        return isinstance(value, str) and value in ast.literal_eval(text)
    if text.startswith("ndarray"):
        if not isinstance(value, np.ndarray):
            return value is None and text.endswith("or None")
        kind = re.match(r"ndarray(?: of (\w+))?", text)[1] or ""
        if value.dtype.kind not in _ARRAYS[kind]:
            return False
        if kind == "merges" and len(value):
            from scipy.cluster.hierarchy import is_valid_linkage  # takes long to load

            if not is_valid_linkage(value):
                return False
        shapes = _SHAPE.findall(text)
        return not shapes or any(_fits(value.shape, shape, sizes) for shape in shapes)
    if text.startswith("list of str"):
        length = _LENGTH.findall(text)
        return (
            isinstance(value, list) and all(isinstance(one, str) for one in value)
            and (not length or _fits((len(value),), length[0], sizes))
        )
    return any(_SCALARS[kind](value) for kind in text.split(" or "))


def _fits(shape: tuple[int, ...], text: str, sizes: dict[str, int]) -> bool:
    """Whether a shape is as documented; new letters of `sizes` are set from it."""
    terms = [term.strip() for term in text.split(",") if term.strip()]
    if len(terms) != len(shape):
        return False
    here = dict(sizes)
    for term, size in zip(terms, shape, strict=True):
        wanted = int(term) if term.isdigit() else here.setdefault(term, size)
        if wanted != size:
            return False
    sizes.update(here)
    return True
