"""Names of dimensions: kept beside the data set, by the key of their fit.

A fit without names takes those of the newest named fit for dimensions that correlate over objects.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tripletscope.core.models.dimensions.reproducibility import matched, standardised
from tripletscope.core.run import Run
from tripletscope.dashboard.store.dataset import DatasetInfo
from tripletscope.dashboard.store.description import NAMES_KEPT

#: Correlation from which dimensions are the same.
SAME = 0.8
#: More dimensions than any fit has.
_MANY = 10_000


def kept_names(info: DatasetInfo) -> dict[str, Any]:
    return info.extra.get(NAMES_KEPT, {})


def sound_names(names: Any, n_dimensions: int = _MANY) -> dict[int, str]:
    """Names by position, without what other versions may have kept."""
    if not isinstance(names, dict):
        return {}
    return {
        int(k): name for k, name in names.items()
        if str(k).isdigit() and int(k) < n_dimensions and isinstance(name, str) and name
    }


def dimensions_again(fit: Run, before: Run) -> dict[int, tuple[int, float]]:
    """For each dimension of a fit the matching one of an earlier fit, and their correlation."""
    one, other = (run.arrays.get("embedding_") for run in (fit, before))
    if one is None or other is None or len(one) != len(other):
        return {}
    pairs = zip(*matched(standardised(one), standardised(other)), strict=True)
    return {int(k): (int(place), float(r)) for k, place, r in pairs}


def names_of_fits(info: DatasetInfo, fits: Sequence[Run]) -> dict[str, dict[int, str]]:
    """Names of dimensions by the key of the fit; `fits` are all, the newest first."""
    kept = {key: sound_names(names) for key, names in kept_names(info).items()}
    named = next((fit for fit in fits if kept.get(fit.key)), None)
    result = dict(kept)
    for fit in fits:
        if fit.key not in kept and named is not None:
            result[fit.key] = {
                k: kept[named.key][place]
                for k, (place, r) in dimensions_again(fit, named).items()
                if place in kept[named.key] and r >= SAME
            }
    return {key: names for key, names in result.items() if names}
