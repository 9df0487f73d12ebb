"""The data sets that come with the program."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tripletscope.dashboard.store.dataset import DatasetInfo

FOLDER = Path(__file__).resolve().parent.parent.parent / "sample_data"


@dataclass(frozen=True)
class Sample:
    """A data set that comes with the program, in a folder of its name.

    about: What to see in it.
    page: Where it opens.
    """

    name: str
    title: str
    about: str
    answers: str
    objects: str
    pictures: str = ""
    page: str = "data"

    @property
    def folder(self) -> Path:
        return FOLDER / self.name

    @property
    def thumbnail(self) -> Path:
        return self.folder / "thumbnail.png"

    @property
    def origin(self) -> str:
        return f"sample:{self.name}"


@cache
def samples() -> list[Sample]:
    return [
        Sample(file.parent.name, **tomllib.loads(file.read_text()))
        for file in sorted(FOLDER.glob("*/sample.toml"))
    ]


def open_sample(sample: Sample) -> DatasetInfo:
    """The data set of a sample, imported once, like a user's file."""
    # Loading these takes seconds, and the command only lists samples.
    from tripletscope.core.reading import attach_pictures, load, propose, read_pictures
    from tripletscope.core.reading.interpretation.interpret import interpret
    from tripletscope.dashboard.store.services import services

    workspace = services().workspace
    for info in workspace.datasets():
        if info.origin == sample.origin:
            return info
    table = load(sample.folder / sample.answers)
    imported = interpret(table, propose(table)[0], sample.folder / sample.objects)
    triplets, pictures = imported.triplets, None
    if sample.pictures:
        pictures = read_pictures(sample.folder / sample.pictures)
        triplets, _ = attach_pictures(triplets, pictures)
    return workspace.add_dataset(
        triplets.renamed(sample.title), origin=sample.origin,
        report=imported.report.summary(), pictures=pictures,
        catch_trials=imported.catch_trials, pairs=imported.pairs,
    )
