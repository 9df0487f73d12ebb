"""What docstrings leave to the code: declared parameters, and attributes of a base class.

A parameter of a method is declared once, with its range and its words (`core/engine/method.py`);
here the declaration becomes an entry of the reference.
"""

from __future__ import annotations

import inspect
import re
from typing import Any

from docutils import nodes
from numpydoc.docscrape import NumpyDocString
from numpydoc.docscrape import Parameter as Entry
from sphinx.application import Sphinx

from tripletscope.core.engine.declared import (
    Choice,
    Column,
    Content,
    Number,
    Parameter,
    Switch,
    parameters,
)
from tripletscope.core.engine.method import Inner

_AUTHOR = re.compile(r"[A-ZÀ-Ž][\w'’-]+(?: [A-Z][\w'’-]+)*, [A-ZÀ-Ž]\.")
_INITIAL = re.compile(r"\b[A-ZÀ-Ž]\.$")


def kind_of(parameter: Parameter) -> str:
    """Type, range and default of a parameter, as a docstring says them."""
    match parameter.spec:
        case Number(low=low, high=high):
            kind = f"{'int' if parameter.integer else 'float'}, {_said(low)} to {_said(high)}"
        case Choice(options=options):
            kind = "{" + ", ".join(map(repr, options)) + "}"
        case Switch():
            kind = "bool"
        case Inner(kinds=kinds):
            kind = f"method of kind {' or '.join(kinds)}"
        case Column(of=of, several=several):
            kind = f"list of str, columns of the table of {of}" if several else (
                f"str, a column of the table of {of}"
            )
        case Content():
            kind = "list of str"
    if parameter.optional:
        kind += ", or None"
    if parameter.default is inspect.Parameter.empty:
        return kind
    default = parameter.default
    return f"{kind}, default {default!r}" if not isinstance(default, dict) else kind


def _said(number: float) -> str:
    return f"{number:,.0f}" if number == int(number) else f"{number:g}"


def words_of(parameter: Parameter) -> list[str]:
    """What a parameter means, and its options."""
    spec = parameter.spec
    words = [spec.help or f"{spec.label}."]
    if isinstance(spec, Choice):
        words += ["", *(f"- ``{value!r}``: {label}" for value, label in spec.options.items())]
    if parameter.optional and getattr(spec, "automatic", "") not in ("", "None"):
        words += ["", f"``None``: {spec.automatic}."]
    return words


def _entry(parameter: Parameter) -> Entry:
    return Entry(parameter.name, kind_of(parameter), words_of(parameter))


def _with_declared(given: list[Entry], declared: dict[str, Parameter]) -> list[Entry]:
    """Entries of a docstring; each declared parameter in its place, or at the end."""
    found, left = [], dict(declared)
    for entry in given:
        names = re.split(r",\s*", entry.name)
        if not any(name in left for name in names):
            found.append(entry)
            continue
        found += [_entry(left.pop(name)) for name in names if name in left]
        others = [name for name in names if name not in declared]
        if others:
            found.append(Entry(", ".join(others), entry.type, entry.desc))
    return found + [_entry(parameter) for parameter in left.values() if not parameter.record]


def _attributes_of_base(owner: type) -> list[Entry]:
    """Attributes that the nearest base class names."""
    for base in owner.__mro__[1:]:
        if base.__module__.startswith("tripletscope") and base.__dict__.get("__doc__"):
            found = NumpyDocString(inspect.getdoc(base))["Attributes"]
            if found:
                return found
    return []


def _apart(lines: list[str]) -> list[str]:
    """References, each a paragraph of its own."""
    found: list[str] = []
    for line in lines:
        before = found[-1] if found else ""
        if before.endswith(".") and not _INITIAL.search(before) and _AUTHOR.match(line):
            found.append("")
        found.append(line)
    return found


def _declared(owner: Any) -> dict[str, Parameter]:
    """The declared parameters of a class or function by name."""
    try:
        return {parameter.name: parameter for parameter in parameters(owner)}
    except NameError:  # of `run`, which loads what computes when it is called; it declares nothing
        return {}


def _complete(
    app: Sphinx, what: str, name: str, owner: Any, options: Any, lines: list[str]
) -> None:
    if what not in ("class", "function"):
        return
    document = NumpyDocString("\n".join(lines))
    document["Parameters"] = _with_declared(document["Parameters"], _declared(owner))
    if what == "class" and not document["Attributes"]:
        document["Attributes"] = _attributes_of_base(owner)
    document["References"] = _apart(document["References"])
    lines[:] = str(document).splitlines()


def _plain(
    app: Sphinx, what: str, name: str, owner: Any, options: Any, signature: str | None,
    returned: str | None,
) -> tuple[str | None, str | None]:
    """A signature whose defaults that are functions have their names."""
    return signature and re.sub(r"<function ([\w.]+)[^>]*>", r"\1", signature), returned


def _as_code(app: Sphinx, environment: Any, node: Any, content: nodes.Node) -> nodes.Node | None:
    """Names in single backquotes that are not public are code, and lead nowhere."""
    return content if node.get("reftype") == "obj" else None


def _elsewhere(
    app: Sphinx, what: str, name: str, member: Any, skip: bool, options: Any
) -> bool | None:
    """Whether to pass over a member: what scikit-learn gives is documented there."""
    member = getattr(member, "fget", None) or inspect.unwrap(member)
    return True if str(getattr(member, "__module__", "")).startswith("sklearn.") else None


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("autodoc-process-docstring", _complete, priority=400)  # before numpydoc
    app.connect("autodoc-process-signature", _plain)
    app.connect("autodoc-skip-member", _elsewhere)
    app.connect("missing-reference", _as_code)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
