"""Pictures of objects: where the browser finds them, and themselves."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from contextlib import suppress

import pandas as pd

from tripletscope.dashboard.interface.chart import address
from tripletscope.dashboard.keeping.catalogue import DatasetInfo, WorkspaceError
from tripletscope.dashboard.keeping.services import services


def picture_addresses(info: DatasetInfo, objects: pd.DataFrame, size: int) -> dict[int, str]:
    """Address of the picture of every object that has one."""
    if "image" not in objects:
        return {}
    return {
        i: address(f"pictures/{info.pictures[name]}?size={size}")
        for i, name in enumerate(objects["image"])
        if isinstance(name, str) and name in info.pictures
    }


def embedded_pictures(
    info: DatasetInfo, objects: pd.DataFrame, which: Iterable[int] | None = None
) -> dict[int, str]:
    """The pictures themselves, of some objects or of all, in the place of their addresses."""
    found = {}
    for i in picture_addresses(info, objects, 320) if which is None else which:
        with suppress(WorkspaceError):  # a damaged one is left out; the page Data names it
            path = services().workspace.picture(info.pictures[objects["image"][i]], 320)
            found[i] = f"data:image/png;base64,{base64.b64encode(path.read_bytes()).decode()}"
    return found
