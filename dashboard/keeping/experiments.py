"""Experiments in a workspace: a folder for each, which the server of the experiment is started on.

They are files and nothing else, so that a folder that was copied from another computer is there,
too.
"""

from __future__ import annotations

import logging
import re
import shutil
import unicodedata
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from tripletscope.core.data.errors import DataError
from tripletscope.core.studies.experiment.experiment import FILE, STIMULI, Experiment
from tripletscope.dashboard.keeping.dataset import WorkspaceError
from tripletscope.dashboard.keeping.files import whole_file
from tripletscope.dashboard.keeping.opened import words_for
from tripletscope.dashboard.keeping.workspace import Workspace

log = logging.getLogger(__name__)

NAME = "experiments"
_SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,60}")
_LONGEST = 40


@dataclass(frozen=True)
class KeptExperiment:
    """An experiment as lists show it.

    slug: Name of its folder.
    problem: Why it cannot be opened; empty where it can.
    """

    slug: str
    folder: Path
    title: str
    n_objects: int = 0
    problem: str = ""


def kept_experiments(workspace: Workspace) -> list[KeptExperiment]:
    """The experiments of a workspace, the last changed first."""
    found = []
    for file in (workspace.folder / NAME).glob(f"*/{FILE}"):
        if _SLUG.fullmatch(file.parent.name):
            try:
                about = file.stat()
            except OSError:  # deleted in another tab
                continue
            found.append((about.st_mtime_ns, _listed(file.parent, about.st_mtime_ns)))
    return [kept for _, kept in sorted(found, key=lambda one: (-one[0], one[1].slug))]


@lru_cache(maxsize=256)
def _listed(folder: Path, changed: int) -> KeptExperiment:
    """A folder as it was at its last change: thousands of objects are read once."""
    try:
        experiment = Experiment.load(folder)
    except DataError as error:
        return KeptExperiment(folder.name, folder, folder.name, problem=str(error))
    return KeptExperiment(folder.name, folder, experiment.title, len(experiment.objects))


def experiment_folder(workspace: Workspace, slug: str) -> Path | None:
    """Where an experiment is; None if there is none of that name."""
    folder = workspace.folder / NAME / slug
    return folder if _SLUG.fullmatch(slug) and (folder / FILE).is_file() else None


def keep_experiment(
    workspace: Workspace, experiment: Experiment, files: Mapping[str, bytes | Path],
    slug: str | None = None,
) -> str:
    """Write an experiment into the workspace.

    files: Content of stimuli by the names of their files, or where it is; those that the folder has
        already may be left out.
    slug: Of the one that is changed; by default it is a new one.
    Returns: Name of its folder.
    """
    with _writing(workspace):
        place = workspace.folder / NAME
        if slug is None:
            folder = _new_folder(place, experiment.title)
        else:
            folder = place / slug
            folder.mkdir(parents=True, exist_ok=True)
        try:
            _write_stimuli(workspace, folder, experiment, files)
            experiment.save(folder)
        except BaseException:
            if slug is None:  # nobody has put anything else in there yet
                shutil.rmtree(folder, ignore_errors=True)
            raise
    return folder.name


def copy_experiment(workspace: Workspace, slug: str) -> str:
    """Write an experiment once more, without its answers.

    Returns: Name of the folder of the copy.
    """
    folder = workspace.folder / NAME / slug
    experiment = _loaded(folder)
    return keep_experiment(
        workspace, experiment.changed(title=f"{experiment.title} (copy)"),
        {name: folder / STIMULI / name for name in experiment.files},
    )


def delete_experiment(workspace: Workspace, slug: str) -> None:
    """Move the folder of an experiment, with its answers, to the trash."""
    folder = experiment_folder(workspace, slug)
    if folder is not None:
        with _writing(workspace):
            workspace.trash.throw(folder)


def load_experiment(workspace: Workspace, slug: str) -> Experiment:
    """An experiment of the workspace."""
    return _loaded(workspace.folder / NAME / slug)


def stimulus_file(workspace: Workspace, slug: str, name: str) -> Path | None:
    """The file of a stimulus; None if there is none."""
    folder = experiment_folder(workspace, slug)
    path = None if folder is None else folder / STIMULI / Path(name).name
    return path if path is not None and path.is_file() else None


def plain_file_name(name: str, taken: set[str]) -> str:
    """A name that every system and address takes, added to those `taken`, in small letters."""
    ascii_only = unicodedata.normalize("NFKD", Path(name).name).encode("ascii", "ignore").decode()
    stem, dot, ending = ascii_only.rpartition(".")
    stem = re.sub(r"[^A-Za-z0-9_-]+", "-", stem if dot else ending).strip("-_")[:100] or "stimulus"
    ending = f".{re.sub('[^a-z0-9]', '', ending.lower())[:8]}" if dot else ""
    found, number = f"{stem}{ending}", 2
    while found.lower() in taken:  # some systems know no capital letters
        found, number = f"{stem}-{number}{ending}", number + 1
    taken.add(found.lower())
    return found


def _loaded(folder: Path) -> Experiment:
    try:
        return Experiment.load(folder)
    except DataError as error:
        raise WorkspaceError(str(error)) from error


def _new_folder(place: Path, title: str) -> Path:
    """A folder that was not there, called after the title."""
    ascii_only = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", ascii_only)[:_LONGEST].strip("-") or "experiment"
    number = 1
    while True:
        folder = place / (slug if number == 1 else f"{slug}-{number}")
        try:
            folder.mkdir(parents=True)
            return folder
        except FileExistsError:
            number += 1


def _write_stimuli(
    workspace: Workspace, folder: Path, experiment: Experiment,
    files: Mapping[str, bytes | Path],
) -> None:
    """Have all files that are named in the folder, and no others."""
    stimuli, named = folder / STIMULI, experiment.files
    if named:
        stimuli.mkdir(exist_ok=True)
    for name in named:
        content, target = files.get(name), stimuli / name
        if content is None:
            if not target.is_file():
                raise WorkspaceError(f"The file {name} of a stimulus is missing. Upload it again.")
        elif content != target:
            with whole_file(target, sync=False) as file:
                if isinstance(content, Path):
                    with content.open("rb") as source:
                        shutil.copyfileobj(source, file)
                else:
                    file.write(content)
    others = [path for path in stimuli.glob("*") if path.name not in {*named}]
    workspace.trash.take(others)


@contextmanager
def _writing(workspace: Workspace) -> Iterator[None]:
    """Say in a sentence what is wrong with the disk."""
    if workspace.read_only:
        raise WorkspaceError(workspace.read_only)
    try:
        yield
    except WorkspaceError:  # of which some are also an OSError
        raise
    except OSError as error:
        log.info("an experiment could not be written", exc_info=True)
        raise WorkspaceError(words_for(error)) from error
