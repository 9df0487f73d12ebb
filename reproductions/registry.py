"""All items of the four documents, in the order in which they are read."""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from pkgutil import walk_packages

from tripletscope import reproductions
from tripletscope.core.presets import DOCUMENTS
from tripletscope.reproductions.item import Item


@cache
def items() -> dict[str, Item]:
    """The items by key: those in ``ITEMS`` of the modules in the folders of this room."""
    found: list[Item] = []
    for module in walk_packages(reproductions.__path__, f"{reproductions.__name__}."):
        if module.name.count(".") > __name__.count("."):
            found += getattr(import_module(module.name), "ITEMS", ())
    known = {item.key: item for item in sorted(found, key=_place)}
    places = [place for item in found for place in (item.key, *item.also)]
    if len(set(places)) < len(places):
        raise ValueError("Two items are of the same place.")
    return known


#: What is looked for first comes first; the others follow by name.
_FIRST = ("figure", "table", "algorithm", "theorem")


def _place(item: Item) -> tuple:
    """Documents in their order; in each, what is counted together by its number."""
    *words, number = item.key.split("-")[1:]
    kind = _FIRST.index(words[-1]) if words[-1] in _FIRST else len(_FIRST)
    parts = [(int(p), "") if p.isdigit() else (99, p) for p in re.split(r"\.", number)]
    document = list(DOCUMENTS).index(item.document)
    return document, "supplement" in words, kind, words[-1], parts
