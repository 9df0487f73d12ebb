"""Objects that are several numbers each: alpha1, tau1, alpha2, tau2, alpha3, tau3, Response."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from tripletscope.core.io.columns.guess import numbered_columns
from tripletscope.core.io.columns.reading import Reading
from tripletscope.core.io.layouts import Layout
from tripletscope.core.io.names import ALIASES, listing, named
from tripletscope.core.io.table import Table, decoded

_NAME = "object {}"


def _groups(table: Table) -> dict[str, list[str]] | None:
    """Columns of numbers by feature, each with one column for each of the three objects."""
    if not table.header or named(table.columns, ALIASES["choice"]) is None:
        return None
    sample = table.head(1_000)
    groups = {
        name: columns for name, columns in numbered_columns(table.columns).items()
        if len(columns) == 3
        and all(np.isfinite(sample.numbers(column)).mean() > 0.9 for column in columns)
    }
    ranks = [name for name in groups if name in ("i", "s", "stim", "stimulus")]
    return groups if len(groups) > 1 and not ranks else None


def _reshape(table: Table) -> Table | None:
    groups = _groups(table)
    if groups is None:
        return None
    added: dict[str, pa.Array] = {}
    for k in range(3):
        parts = [table.codes(columns[k]) for columns in groups.values()]
        codes = np.column_stack([part.codes for part in parts])
        unique, place = np.unique(codes, axis=0, return_inverse=True)
        names = [
            "; ".join(
                f"{feature} {part.values[code]}"
                for feature, part, code in zip(groups, parts, row, strict=True) if code >= 0
            )
            for row in unique
        ]
        missing = (unique < 0).any(axis=1)
        codes = np.where(missing[place.ravel()], -1, place.ravel())
        added[_NAME.format(k + 1)] = decoded(codes, names)
    return table.with_columns(
        added, f"Objects are made of {listing(list(groups))}: {listing(list(added))}."
    )


def _propose(table: Table) -> list[Reading]:
    # Such columns are called object 1 to 3, and are read as three objects and a choice.
    return []


LAYOUT = Layout("features", "Objects made of several features", 36, _propose, reshape=_reshape)
