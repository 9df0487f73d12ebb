"""All items of the four documents, in the order in which they are read."""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from pkgutil import walk_packages

from tripletscope.core import papers
from tripletscope.core.papers.item import DOCUMENTS, Item


@cache
def items() -> dict[str, Item]:
    """The items by key: those in ``ITEMS`` of any module of this room.

    Raises
    ------
    ValueError
        If two have the same key, or one names another that does not exist.
    """
    found: list[Item] = []
    for module in walk_packages(papers.__path__, f"{papers.__name__}."):
        if module.name != __name__:
            found += getattr(import_module(module.name), "ITEMS", ())
    known = {item.key: item for item in sorted(found, key=_place)}
    if len(known) < len(found):
        raise ValueError("Two items have the same key.")
    for item in found:
        if item.same_as and (item.same_as not in known or known[item.same_as].same_as):
            raise ValueError(f"{item.key} is the same as {item.same_as}, which is no item.")
    return known


def original(item: Item) -> Item:
    """The item itself, or the one that it is the same as."""
    return items()[item.same_as] if item.same_as else item


#: What is looked for first comes first; the others follow by name.
_FIRST = ("figure", "table", "algorithm", "theorem")


def _place(item: Item) -> tuple:
    """Documents in their order; in each, what is counted together by its number."""
    *words, number = item.key.split("-")[1:]
    kind = _FIRST.index(words[-1]) if words[-1] in _FIRST else len(_FIRST)
    parts = [(int(p), "") if p.isdigit() else (99, p) for p in re.split(r"\.", number)]
    document = list(DOCUMENTS).index(item.document)
    return document, "supplement" in words, kind, words[-1], parts
