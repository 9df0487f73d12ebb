"""Triangle tests of sensory science: two of three samples are the same."""

from __future__ import annotations

import numpy as np

from tripletscope.core.reading.columns.guess import numbered_columns
from tripletscope.core.reading.columns.values import NEARLY_ALL, Columns
from tripletscope.core.reading.kinds import MARKED, Claim, Kind, Sign
from tripletscope.core.reading.names import listing


def _evidence(columns: Columns) -> list[Claim]:
    if not columns.table.header:
        return []
    trios = [names for names in numbered_columns(columns.names).values() if len(names) == 3]
    # Two objects that are made of features may have the same level of one.
    if not trios or not all(_two_alike(columns, names) for names in trios):
        return []
    return [Claim("triangle", "", MARKED, (Sign("two_alike", {"columns": listing(trios[0])}),))]


def _two_alike(columns: Columns, names: list[str]) -> bool:
    """Whether two of three cells are the same in each row, and the third is another."""
    first, second, third = (columns[name].texts for name in names)
    written = (first != "") & (second != "") & (third != "")
    alike = (first == second).astype(int) + (second == third) + (first == third)
    return bool(written.any() and np.mean(alike[written] == 1) > NEARLY_ALL)


TRIANGLE = Kind("triangle", "a triangle test", 20, _evidence)
