"""Names that somebody gave dimensions: kept beside the data set, for every fit of its own.

A fit without names takes over those of the newest other one, where its dimensions are the same by
their correlation over objects.
"""

from __future__ import annotations

import streamlit as st

from tripletscope.core.data.errors import DataError
from tripletscope.core.run import Run
from tripletscope.dashboard.files.errors import WorkspaceError
from tripletscope.dashboard.store.dataset import DatasetInfo, edition_of
from tripletscope.dashboard.store.dimension_names import (
    NAMES_KEPT,
    SAME,
    dimensions_again,
    kept_names,
    sound_names,
)
from tripletscope.dashboard.store.services import services

#: Letters that a name may have.
LONGEST = 80


def names_of_dimensions(info: DatasetInfo, fit: Run) -> dict[int, str]:
    """Names of the dimensions of a fit by position: its own, or those taken over."""
    names = kept_names(info).get(fit.key)
    if names is not None:
        return sound_names(names, fit.arrays["embedding_"].shape[1])
    return {k: name for k, (name, _, _) in taken_over(info, fit).items()}


def taken_over(info: DatasetInfo, fit: Run) -> dict[int, tuple[str, float, str]]:
    """Names that come from the newest other fit that has some, if nobody has named this very one.

    Returns: By position: the name, the correlation with the dimension that bears it, and that fit's
        name.
    """
    kept = kept_names(info)
    if fit.key in kept:
        return {}
    for listed in services().workspace.runs(info.id, "fit", "dimensions"):
        names = kept.get(listed.key)
        if not names:
            continue
        matched = _matched(info.id, edition_of(listed), edition_of(fit), fit)
        sound = sound_names(names)
        return {
            k: (sound[other], r, listed.name) for k, (other, r) in matched.items()
            if other in sound and r >= SAME
        }
    return {}


def rename_dimension(info: DatasetInfo, fit: Run, dimension: int, name: str) -> None:
    """Keep what somebody calls a dimension; an empty name takes the one it has away."""
    rename_dimensions(info, fit, {**names_of_dimensions(info, fit), dimension: name})


def rename_dimensions(info: DatasetInfo, fit: Run, names: dict[int, str]) -> None:
    """Keep the names of all dimensions of a fit."""
    workspace = services().workspace
    now = workspace.dataset(info.id)
    if now is None:  # deleted in another tab meanwhile
        return
    tidy = {str(k): " ".join(name.split())[:LONGEST] for k, name in sorted(names.items())}
    kept = {k: name for k, name in tidy.items() if name}
    workspace.note(info.id, NAMES_KEPT, {**kept_names(now), fit.key: kept})


@st.cache_data(max_entries=32, show_spinner=False)
def _matched(dataset: str, named: tuple, new: tuple, _fit: Run) -> dict[int, tuple[int, float]]:
    """For each dimension of a fit the one of an earlier fit that is the same, and how much so."""
    try:
        before = services().workspace.run(dataset, named[0])
    except (WorkspaceError, DataError):  # a damaged file: its names stay where they are
        return {}
    return {} if before is None else dimensions_again(_fit, before)
