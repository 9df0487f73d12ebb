"""Maps of one data set are turned alike: what was on the left stays on the left.

Rotations and reflections say nothing; a map that comes out turned looks as if everything had moved.
The first map of a data set is the one that others are turned towards, on every page and in files.
"""

from __future__ import annotations

import numpy as np

from tripletscope.core.data.geometry import procrustes
from tripletscope.core.run import Run
from tripletscope.dashboard.files.errors import WorkspaceError
from tripletscope.dashboard.results.map_recipe import MapLook, Turn
from tripletscope.dashboard.store.dataset import DatasetInfo
from tripletscope.dashboard.store.services import services

_FEWEST = 3  # objects that two maps have in common; fewer fit to anything


def turn_of(info: DatasetInfo, run: Run) -> Turn:
    """How a map is turned towards the first one of its data set.

    In the dimensions that both have; a plane is turned within itself, so that its axes stay the
    principal ones of the map.
    """
    fitted = run.fitted()
    d = fitted.n_components
    stays = Turn(np.eye(d), "")
    first = services().workspace.first_map(info.id)
    if first is None or first.key == run.key:
        return stays
    try:
        reference = services().workspace.run(info.id, first.key)
    except WorkspaceError:  # damaged, which is said where it is opened
        return stays
    if reference is None or len(reference.arrays["embedding_"]) != fitted.n_objects_:
        return stays
    there = reference.fitted()
    common = min(d, there.n_components, 3 if d == 3 else 2)
    both = fitted.placed_ & there.placed_
    if both.sum() < _FEWEST:
        return stays
    turn = procrustes(fitted.embedding_[both, :common], there.embedding_[both, :common]).rotation
    rotation = np.eye(d)
    rotation[:common, :common] = turn
    return Turn(rotation, first.name)


def turned(info: DatasetInfo, run: Run) -> MapLook:
    """The usual look of a map, turned towards the first one."""
    rotation, towards = turn_of(info, run)
    return MapLook(turn=Turn(rotation.tolist(), towards) if towards else None)
