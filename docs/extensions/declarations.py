"""How docstrings become entries of the reference."""

from __future__ import annotations

import inspect
import re
from typing import Any

from docutils import nodes
from numpydoc.docscrape import NumpyDocString
from sphinx.application import Sphinx

_AUTHOR = re.compile(r"[A-ZÀ-Ž][\w'’-]+(?: [A-Z][\w'’-]+)*, [A-ZÀ-Ž]\.")
_INITIAL = re.compile(r"\b[A-ZÀ-Ž]\.$")


def _apart(lines: list[str]) -> list[str]:
    """References, each a paragraph of its own."""
    found: list[str] = []
    for line in lines:
        before = found[-1] if found else ""
        if before.endswith(".") and not _INITIAL.search(before) and _AUTHOR.match(line):
            found.append("")
        found.append(line)
    return found


def _with_references(
    app: Sphinx, what: str, name: str, owner: Any, options: Any, lines: list[str]
) -> None:
    if what not in ("class", "function"):
        return
    document = NumpyDocString("\n".join(lines))
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
    app.connect("autodoc-process-docstring", _with_references, priority=400)  # before numpydoc
    app.connect("autodoc-process-signature", _plain)
    app.connect("autodoc-skip-member", _elsewhere)
    app.connect("missing-reference", _as_code)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
