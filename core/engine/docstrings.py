"""Docstrings with entries for all declared parameters, for ``help``, editors and the reference."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeVar, get_type_hints

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
    kind = _type_of(parameter) + (", or None" if parameter.optional else "")
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


def _type_of(parameter: Parameter) -> str:
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
