"""Docstrings: entries for declared parameters, and what they state of the values of a class."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Collection, Mapping
from functools import cache
from typing import Any, TypeVar, get_type_hints

import numpy as np

from tripletscope.core.engine.declared import (
    Choice,
    Column,
    DataIdentity,
    MethodNames,
    Number,
    Parameter,
    Switch,
    parameters,
    with_random_state,
)
from tripletscope.core.engine.estimate import plain_names

_HEADING = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)
_ENTRY = re.compile(r"^(?=\S)", re.MULTILINE)
_INDENT, _WIDTH = " " * 4, 92
#: Sections that come first, and what a function raises whose docstring says nothing else of a stop.
_FIRST = ("Parameters", "Returns", "Raises")
_STOPPED = "Stopped\n    If `progress` asks to stop before there is a result."

Class = TypeVar("Class", bound=type)


class Docstring:
    """The docstring of a class, completed when it is read."""

    def __init__(self, written: str | None) -> None:
        self.written = written or ""

    def __get__(self, instance: Any, owner: type) -> str:
        return completed(owner, self.written)


def parametric(kind: Class) -> Class:
    """Class decorator: declared parameters in the docstring, and ``random_state`` as ``seed``."""
    kind.__doc__ = Docstring(kind.__doc__)
    if "seed" in inspect.signature(kind).parameters:
        for name in {"__init__", "set_params"} & set(dir(kind)):
            setattr(kind, name, with_random_state(getattr(kind, name)))
    signature = inspect.signature(kind.__init__)
    kind.__init__.__signature__ = short_signature(signature, signature.parameters)
    return kind


def short_signature(signature: inspect.Signature, names: Collection[str]) -> inspect.Signature:
    """A signature without annotations of some parameters, which the docstring explains."""
    return signature.replace(parameters=[
        p.replace(annotation=p.empty) if name in names else p
        for name, p in signature.parameters.items()
    ])


def written(owner: type | Callable) -> str:
    """The docstring of a class or a function as in the source."""
    if not isinstance(owner, type):
        return inspect.unwrap(owner).__doc__ or ""
    text = vars(owner).get("__doc__")
    return getattr(text, "written", text) or ""


def completed(owner: type | Callable, text: str) -> str:
    """A docstring with an entry for every declared parameter, in the order of the signature.

    A class without a section of attributes gets that of its nearest base class. What reports its
    progress says so, what it returns, and what it raises if it is stopped.
    """
    before, sections = _sections(text)
    if not isinstance(owner, type) and "progress" in inspect.signature(owner).parameters:
        sections = _of_long(owner, sections)
    bases = owner.__mro__[1:] if isinstance(owner, type) else ()
    inherited = (_sections(written(base))[1].get("Attributes") for base in bases)
    parts = {
        "Parameters": _parameters(owner, sections.pop("Parameters", "")),
        "Attributes": sections.pop("Attributes", None) or next(filter(None, inherited), ""),
        **sections,
    }
    return _joined(before, parts)


def inherit_parameters(function: Callable, base: Callable) -> None:
    """Give the docstring of a method the entries of parameters that only its base method has."""
    before, sections = _sections(function.__doc__ or "")
    inherited, own = (
        {entry.partition(" : ")[0]: entry.rstrip() for entry in _entries(each)}
        for each in (_sections(base.__doc__ or "")[1].get("Parameters", ""),
                     sections.pop("Parameters", ""))
    )
    entries = [(inherited | own).get(name, "") for name in inspect.signature(function).parameters]
    function.__doc__ = _joined(
        before, {"Parameters": "\n".join(filter(None, entries)), **sections}
    )


def _of_long(owner: Callable, sections: dict[str, str]) -> dict[str, str]:
    """Sections of a long computation, completed by what is the same of all."""
    result = get_type_hints(owner).get("return", type(None))
    sections.setdefault("Returns", "" if result is type(None) else result.__name__)
    entries = _entries(sections.get("Parameters", ""))
    own = next((entry for entry in entries if "progress" in entry.partition("\n")[0]), None)
    if own is None:
        sections["Parameters"] = "".join([*entries, "\nprogress : Progress"])
    raised = sections.get("Raises", "").rstrip()
    if "Stopped" not in raised and "stop" not in (own or ""):
        sections["Raises"] = f"{raised}\n{_STOPPED}".lstrip()
    return {name: sections[name] for name in dict.fromkeys([*_FIRST, *sections])
            if name in sections}


def _joined(before: str, sections: Mapping[str, str]) -> str:
    """A docstring of a text and its sections that are not empty."""
    return "\n\n".join([before.rstrip(), *(
        f"{name}\n{'-' * len(name)}\n{body.rstrip()}" for name, body in sections.items() if body
    )])


def _entries(section: str) -> list[str]:
    """The entries of a section, each with its lines."""
    return [entry for entry in _ENTRY.split(section) if entry.strip()]


def _sections(text: str) -> tuple[str, dict[str, str]]:
    """The text before the first heading of a docstring, and the sections by heading."""
    before, *parts = _HEADING.split(inspect.cleandoc(text))
    return before, dict(zip(parts[::2], parts[1::2], strict=True))


def _parameters(owner: type | Callable, section: str) -> str:
    """Entries of a docstring, merged with those of the declarations."""
    declared = {p.name: p for p in parameters(owner) if not p.record}
    entries, notes = {}, {}
    for entry in _entries(section):
        head, _, body = entry.rstrip().partition("\n")
        names, of, kind = head.partition(" : ")
        names = names.split(", ")
        others = [name for name in names if name not in declared]
        if others:
            entries[others[0]] = f"{', '.join(others)}{of}{kind}\n{body}".rstrip()
        elif body:
            notes[names[-1]] = body
    ordered = [
        _entry(declared[name], notes.get(name)) if name in declared else entries.pop(name, "")
        for name in inspect.signature(owner).parameters
    ]
    return "\n".join(filter(None, [*ordered, *entries.values()]))


def _entry(parameter: Parameter, note: str | None) -> str:
    """A declaration as an entry: type, range, default and meaning."""
    spec, default = parameter.spec, parameter.default
    kind = type_of(parameter) + (", or None" if parameter.optional else "")
    if default is not inspect.Parameter.empty and not isinstance(default, dict):
        kind += f", default {default!r}"
    words = [_wrapped(spec.help or f"{spec.label}.")]
    if isinstance(spec, Choice):
        words.append("\n".join(_wrapped(f"- ``{v!r}``: {t}") for v, t in spec.options.items()))
    if parameter.optional and getattr(spec, "automatic", "") not in ("", "None"):
        words.append(_wrapped(f"``None``: {spec.automatic}."))
    if parameter.name == "seed":
        words.append(_wrapped("The name ``random_state`` is accepted, too."))
    return f"{parameter.name} : {kind}\n" + "\n\n".join([*words, *([note] if note else [])])


def type_of(parameter: Parameter) -> str:
    match parameter.spec:
        case Number(low=low, high=high):
            low, high = (f"{n:,.0f}" if n == int(n) else f"{n:g}" for n in (low, high))
            return f"{'int' if parameter.integer else 'float'}, {low} to {high}"
        case Choice(options=options):
            return "{" + ", ".join(map(repr, options)) + "}"
        case Switch():
            return "bool"
        case Column(of=of, several=several):
            kind = "list of str, columns" if several else "str, a column"
            return f"{kind} of the table of {of}"
        case MethodNames(kind=kind):
            return f"list of str, names of methods of kind {kind}"
        case DataIdentity():
            return "list of str"
        case inner:
            return f"method of kind {' or '.join(inner.kinds)}"


def _wrapped(line: str) -> str:
    hanging = _INDENT + ("  " if line.startswith("- ") else "")
    return textwrap.fill(
        line, _WIDTH, initial_indent=_INDENT, subsequent_indent=hanging, break_on_hyphens=False
    )


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
    """Types of the values of a class by name, from its docstring and those of its bases.

    Results from elsewhere are checked against lines such as ``maps : ndarray, shape (p, n, d)``.
    """
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
