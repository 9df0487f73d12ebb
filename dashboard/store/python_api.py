"""The folder of a data set in Python, with everything that was computed from it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Answers
from tripletscope.core.run import Run
from tripletscope.dashboard.files.errors import WorkspaceError
from tripletscope.dashboard.store.description import views_of
from tripletscope.dashboard.store.feature_tables import free_name
from tripletscope.dashboard.store.folder import RESULTS, DataFolder

if TYPE_CHECKING:
    from tripletscope.core.ratings import RatedDissimilarities
    from tripletscope.core.studies.quality import Cleaning


@dataclass(frozen=True)
class OpenedDataset:
    """What the folder of a data set holds; see `tripletscope.open`.

    Attributes
    ----------
    name : str
    answers : Triplets or Quadruples
        Without what is left out.
    cleaning : Cleaning
        The answers as they were imported, what is left out, catch trials and gold questions.
    results : dict
        `Run` by name, the newest first, of any exclusions. What is computed of a map has its name
        and that of the task; of two with the same name the older one is numbered. Damaged ones are
        left out.
    pictures : dict
        Path of each picture by the name that column ``image`` of the objects uses.
    tables : dict
        Tables of features by name: arrays ``ids``, ``columns``, and ``values`` or ``distances``.
    measured : RatedDissimilarities or None
        Ratings, piles and so on that the answers were made of.
    report : list of str
        How the file was read.
    views : dict
        `Cleaning` of each view of the answers by its name, all answers first.

    Examples
    --------
    >>> import tripletscope as ts
    >>> ts.open("docs/samples/towns")
    <OpenedDataset 'Towns': 900 answers, 1 results>
    """

    name: str
    answers: Answers
    cleaning: Cleaning
    results: dict[str, Run] = field(default_factory=dict)
    pictures: dict[str, Path] = field(default_factory=dict)
    tables: dict[str, dict[str, np.ndarray]] = field(default_factory=dict)
    measured: RatedDissimilarities | None = None
    report: list[str] = field(default_factory=list)
    views: dict[str, Cleaning] = field(default_factory=dict)

    def __repr__(self) -> str:
        return (f"<OpenedDataset {self.name!r}: {len(self.answers):,} answers, "
                f"{len(self.results)} results>")


def open(folder: str | PathLike) -> OpenedDataset:
    """Open the folder of a data set, as a workspace keeps it.

    Nothing is changed, and the program may have the workspace open meanwhile.

    Parameters
    ----------
    folder : path
        Of the data set: the one with ``about.json`` in it. An archive that was unpacked is one.

    Returns
    -------
    OpenedDataset

    Raises
    ------
    DataError
        If there is no data set, or one of its files is damaged.

    Examples
    --------
    >>> import tripletscope as ts
    >>> towns = ts.open("docs/samples/towns")
    >>> towns.answers
    <Triplets 'Towns': 900 answers on 14 objects>
    >>> towns.results["The map"].fitted().embedding_.shape
    (14, 2)
    """
    path = Path(folder)
    opened = DataFolder(path)
    try:
        about = opened.about()
        cleaning = opened.cleaning(about, opened.triplets(about))
        runs, results = [], {}
        for key in opened.result_keys():
            with suppress(WorkspaceError):  # unsound, or the rest of a killed job
                said = opened.result(key)
                arrays = opened.arrays(f"{RESULTS}/{key}/{said['file']}", said["sum"])
                run = opened.made_run(key, said, arrays, about)
                runs.append((said["number"], said["name"], run))
        maps = {name for _, name, run in runs if run.task == "fit"}
        for _, name, run in sorted(runs, key=lambda one: -one[0]):
            if name in maps and run.task != "fit":  # what is computed of a map has its name
                name = f"{name}: {run.task}"
            results[free_name(name, {*results})] = run
        return OpenedDataset(
            about["name"], cleaning.triplets, cleaning, results,
            {name: opened.checked(about, place) for name, place in about["pictures"].items()},
            {table["name"]: opened.features(about, table["file"])
             for table in about["extra"].get("tables", ())},
            opened.measured(about), about["report"],
            {view: cleaning.with_log(steps) for view, steps in views_of(about)[1].items()},
        )
    except WorkspaceError as error:
        raise DataError(
            f"{path} cannot be opened as a data set: {error}",
            remedy="Name the folder of one data set, with about.json in it; unpack an archive.",
        ) from error
