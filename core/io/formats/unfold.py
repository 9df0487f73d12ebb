"""Cells that hold lists, as jsPsych and PsychoPy write them -> one column for each part."""

from __future__ import annotations

import json
import re

import numpy as np
import pyarrow as pa

from tripletscope.core.io.names import listing
from tripletscope.core.io.table import Table, decoded
from tripletscope.core.io.tasks import MOST_OPTIONS

#: Rows in which lists are looked for.
_LOOKED_AT = 20_000
#: A list of texts as Python writes it.
_PYTHON = re.compile(r"\['[^']*'(?:, '[^']*')*\]")


def unfolded(table: Table) -> Table:
    """The table with columns ``name[1]``, ``name[2]`` ... beside each column of JSON lists."""
    added: dict[str, pa.Array] = {}
    head = table.head(_LOOKED_AT)
    for column in table.columns:
        if pa.types.is_floating(table.data.column(column).type):
            continue
        sample = head.codes(column).values
        if not any(text.startswith("[") and text.endswith("]") for text in sample):
            continue
        coded = table.codes(column)
        parts = [_parts(text) for text in coded.values]
        width = max(map(len, parts), default=0)
        for k in range(width if width <= MOST_OPTIONS + 1 else 0):
            place: dict[str, int] = {}
            lookup = np.full(len(parts) + 1, -1)
            for i, part in enumerate(parts):
                if k < len(part):
                    lookup[i] = place.setdefault(part[k], len(place))
            added[f"{column}[{k + 1}]"] = decoded(lookup[coded.codes], list(place))
    if not added:
        return table
    return table.with_columns(added, f"Lists in cells are also columns: {listing(list(added))}.")


def _parts(text: str) -> list[str]:
    if not (text.startswith("[") and text.endswith("]")):
        return []
    if _PYTHON.fullmatch(text):
        return re.findall("'([^']*)'", text)
    try:
        return [
            value if isinstance(value, str) else json.dumps(value) for value in json.loads(text)
            if value is not None
        ]
    except (ValueError, RecursionError):
        return []
