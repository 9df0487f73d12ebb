"""The thesis's versions of what the forest paper and its supplement hold."""

from __future__ import annotations

from tripletscope.core.papers.item import Item
from tripletscope.core.papers.theory import (
    consistency,
    constructions,
    cuts,
    diameters,
    lemmas,
    shapes,
)

_FIRST = {
    item.key: item
    for module in (consistency, constructions, cuts, diameters, lemmas, shapes)
    for item in module.ITEMS
}
_SAME = {
    "forests-supplement-theorem-1.1": "forests-theorem-3.1",
    "forests-supplement-assumption-1.1": "forests-assumption-3.1",
    "forests-supplement-proposition-1.1": "forests-proposition-3.1",
    "thesis-assumption-3.2.1": "forests-assumption-3.1",
    "thesis-definition-8": "forests-definition-1",
    "thesis-theorem-9": "forests-theorem-3.1",
    "thesis-proposition-10": "forests-proposition-3.1",
    "thesis-lemma-11": "forests-supplement-lemma-2.1",
    "thesis-lemma-12": "forests-supplement-lemma-2.2",
    "thesis-lemma-13": "forests-supplement-lemma-2.3",
    "thesis-lemma-14": "forests-supplement-lemma-2.4",
    "thesis-lemma-15": "forests-supplement-lemma-2.5",
    "thesis-remark-16": "forests-supplement-remark-2.1",
    "thesis-lemma-17": "forests-supplement-lemma-2.6",
    **{f"thesis-figure-3.{k + 1}": f"forests-supplement-figure-{k}" for k in range(1, 9)},
}

ITEMS = tuple(
    Item(key=key, title=_FIRST[first].title, claim=_FIRST[first].claim, same_as=first)
    for key, first in _SAME.items()
)
