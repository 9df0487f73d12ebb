"""Who errs less on the same test cases: over splits of the objects, or over the objects."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

import numpy as np
import pandas as pd
from scipy.stats import binomtest
from scipy.stats import t as student

from tripletscope.reproductions.significance import clear

Name = TypeVar("Name", bound=Hashable)

_SPLIT = "split "


def in_splits(errors: Sequence[float]) -> dict[str, float]:
    """Cells of a table's row: the mean and standard deviation over splits, and each of them."""
    each = {f"{_SPLIT}{k}": error for k, error in enumerate(errors, 1)}
    return {"error": np.mean(errors), "spread": np.std(errors, ddof=1), **each}


def splits_of(row: pd.Series) -> np.ndarray:
    """The errors in each split that a row was made of."""
    return row[row.index.astype(str).str.startswith(_SPLIT)].dropna().to_numpy(float)


def clearly_below(gaps: Mapping[Name, np.ndarray], ratio: float) -> list[Name]:
    """Those whose mean over splits is below 0.

    By one-sided t tests whose standard errors are those of Nadeau & Bengio (2003), since training
    parts overlap; corrected by Holm.

    gaps: Differences of errors in the same splits.
    ratio: Test objects to training objects.
    """
    found = {}
    for name, gap in gaps.items():
        spread = np.sqrt((1 / len(gap) + ratio) * gap.var(ddof=1))
        below = float(gap.mean() < 0)
        found[name] = student.cdf(gap.mean() / spread, len(gap) - 1) if spread else 1 - below
    return _clear(found)


def clearly_fewer(counts: Mapping[Name, tuple[int, int]]) -> list[Name]:
    """Those with fewer of the test objects that only one of two gets wrong.

    By McNemar's exact one-sided test, corrected by Holm.

    counts: Objects that only the one, and only the other, gets wrong.
    """
    return _clear({
        name: binomtest(int(one), int(one + other), alternative="less").pvalue
        if one + other else 1.0 for name, (one, other) in counts.items()
    })


def _clear(p_values: Mapping[Name, float]) -> list[Name]:
    return [name for name in p_values if name in clear(p_values)]


def listed(names: Iterable[object]) -> str:
    """Names in a sentence."""
    return ", ".join(map(str, names)) or "none"
