"""Pictures of objects: where the browser finds them, and themselves."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from urllib.parse import quote

import pandas as pd

from tripletscope.dashboard.files.errors import WorkspaceError
from tripletscope.dashboard.store.dataset import DatasetInfo
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui.chart import address

_SIZE, _IN_TABLES = 320, 64  # pixels of pictures in files and in tables


def picture_address(file: str, size: int) -> str:
    """Address of a picture of a data set, of that size."""
    return address(f"pictures/{quote(file)}?size={size}")


def picture_addresses(info: DatasetInfo, objects: pd.DataFrame, size: int) -> dict[int, str]:
    """Address of the picture of every object that has one."""
    if "image" not in objects:
        return {}
    return {
        i: picture_address(info.pictures[name], size)
        for i, name in enumerate(objects["image"])
        if isinstance(name, str) and name in info.pictures
    }


def with_pictures(table: pd.DataFrame, info: DatasetInfo, objects: pd.DataFrame) -> pd.DataFrame:
    """A table of objects with their pictures, and without ids that are also their labels.

    table: With the positions of the objects as index.
    """
    pictures = picture_addresses(info, objects, _IN_TABLES)
    if pictures:
        table.insert(0, "picture", [pictures.get(i, "") for i in table.index])
    return table.drop(columns="id") if (table["id"] == table["label"]).all() else table


def embedded_pictures(
    info: DatasetInfo, objects: pd.DataFrame, size: int = _SIZE
) -> Mapping[int, str]:
    """The pictures themselves, in the place of their addresses."""
    pictured = picture_addresses(info, objects, size)
    return _Embedded({i: info.pictures[objects["image"][i]] for i in pictured}, size)


class _Embedded(Mapping[int, str]):
    """Pictures by the names that the workspace gave them; each is read when it is needed.

    A damaged one is left out; the page Data names it.
    """

    def __init__(self, names: dict[int, str], size: int) -> None:
        self._names, self._size, self._read = names, size, {}

    def __getitem__(self, place: int) -> str:
        if place not in self._read:
            try:
                path = services().workspace.picture(self._names[place], self._size)
            except WorkspaceError as error:
                raise KeyError(place) from error
            code = base64.b64encode(path.read_bytes()).decode()
            self._read[place] = f"data:image/png;base64,{code}"
        return self._read[place]

    def __iter__(self) -> Iterator[int]:
        return (place for place in self._names if place in self)

    def __len__(self) -> int:
        return len(self._names)

    def __bool__(self) -> bool:
        return any(True for _ in self)
