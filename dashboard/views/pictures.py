"""Pictures of objects: where the browser finds them, and themselves."""

from __future__ import annotations

import base64
from collections.abc import Collection, Iterator, Mapping

import pandas as pd

from tripletscope.dashboard.interface.chart import address
from tripletscope.dashboard.keeping.catalogue import DatasetInfo, WorkspaceError
from tripletscope.dashboard.keeping.services import services

_SIZE = 320  # pixels of pictures in files


def picture_addresses(info: DatasetInfo, objects: pd.DataFrame, size: int) -> dict[int, str]:
    """Address of the picture of every object that has one."""
    if "image" not in objects:
        return {}
    return {
        i: address(f"pictures/{info.pictures[name]}?size={size}")
        for i, name in enumerate(objects["image"])
        if isinstance(name, str) and name in info.pictures
    }


class EmbeddedPictures(Mapping[int, str]):
    """The pictures themselves, in the place of their addresses; each is read when it is needed.

    A damaged one is left out; the page Data names it.

    which: Objects whose pictures may be seen; all without any.
    """

    def __init__(
        self, info: DatasetInfo, objects: pd.DataFrame, which: Collection[int] | None = None
    ) -> None:
        self._info, self._images = info, objects.get("image", ())
        pictured = picture_addresses(info, objects, _SIZE)
        self._places = [i for i in pictured if which is None or i in which]
        self._read: dict[int, str] = {}

    def __getitem__(self, place: int) -> str:
        if place not in self._places:
            raise KeyError(place)
        if place not in self._read:
            try:
                path = services().workspace.picture(
                    self._info.pictures[self._images[place]], _SIZE
                )
            except WorkspaceError as error:
                raise KeyError(place) from error
            code = base64.b64encode(path.read_bytes()).decode()
            self._read[place] = f"data:image/png;base64,{code}"
        return self._read[place]

    def __iter__(self) -> Iterator[int]:
        return (place for place in self._places if place in self)

    def __len__(self) -> int:
        return len(self._places)
