"""Pictures of the objects of a data set, whole and small."""

from __future__ import annotations

import threading
from contextlib import suppress
from pathlib import Path

from tripletscope.core.data.errors import DataError
from tripletscope.core.engine.progress import Stopped
from tripletscope.dashboard.files.errors import DamagedFile, DamagedPicture
from tripletscope.dashboard.files.storage import whole_file
from tripletscope.dashboard.sandbox.workers import Gone, Worker, workers
from tripletscope.dashboard.store.change import PICTURES
from tripletscope.dashboard.store.dataset import DatasetInfo
from tripletscope.dashboard.store.folder import SMALL
from tripletscope.dashboard.store.workspace_base import OpenFolder


class KeptPictures(OpenFolder):
    """The part of `Workspace` that gives pictures."""

    def __init__(self, folder: Path) -> None:
        self._shrinker: Worker | None = None  # a picture may harm only this process
        self._shrinking = threading.Lock()
        super().__init__(folder)

    def picture(self, file: str, size: int | None = None) -> Path:
        """Path of a picture; with `size`, of a PNG at most so many pixels wide and high."""
        dataset, total, name = [*file.rsplit("/", 2), "", ""][:3]
        about, place = self._about_of(dataset), f"{PICTURES}/{name}"
        if about is None or about["sums"].get(place) != total:
            raise DamagedPicture(f"There is no picture {file}.")
        try:
            path = self._folder(dataset).checked(about, place)
        except DamagedFile as error:
            raise DamagedPicture(str(error)) from error
        if size is None:
            return path
        small = self.folder / SMALL / f"{total}.{size}px.png"
        if not small.exists():
            content = self._shrunk(path, size)
            with suppress(OSError):  # the large one, on a full disk
                if content is not None and not self.read_only:
                    small.parent.mkdir(exist_ok=True)
                    with whole_file(small, sync=False) as target:
                        target.write(content)
        return small if small.exists() else path

    def _shrunk(self, path: Path, size: int) -> bytes | None:
        """Made by a reader of files; None where that fails."""
        with self._shrinking, suppress(DataError, Gone, Stopped, OSError):
            if self._shrinker is None or not self._shrinker.alive:
                self._shrinker = workers().take(lambda: True)
                self._shrinker.reserved = False
            name, content = f"{path.stem}.png", path.read_bytes()  # of any kind
            return self._shrinker.ask("small", file=name, name=name, content=content, size=size)
        return None

    def pictures(self, info: DatasetInfo) -> dict[str, bytes]:
        """By name, without damaged ones."""
        contents = {}
        for name, file in info.pictures.items():
            with suppress(DamagedFile):
                contents[name] = self.picture(file).read_bytes()
        return contents
