"""Experiments in a workspace: a folder for each, on which its server is started."""

from __future__ import annotations

import hashlib
import re
import shutil
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path

from tripletscope.core.data.errors import DataError
from tripletscope.core.studies.experiment.experiment import FILE, STIMULI, Experiment
from tripletscope.dashboard.files.contents import Unsound, content_of, json_of
from tripletscope.dashboard.files.errors import WorkspaceError
from tripletscope.dashboard.files.storage import whole_file
from tripletscope.dashboard.store.workspace import Workspace

NAME = "experiments"
_SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,60}")
_LONGEST = 40


@dataclass(frozen=True)
class KeptExperiment:
    """An experiment as lists show it; `problem` is why it cannot be opened."""

    slug: str
    folder: Path
    title: str
    n_objects: int = 0
    task: str = ""
    problem: str = ""


def kept_experiments(workspace: Workspace) -> list[KeptExperiment]:
    """The last changed first."""
    entries = []
    for file in (workspace.folder / NAME).glob(f"*/{FILE}"):
        if _SLUG.fullmatch(file.parent.name):
            try:
                about = file.stat()
            except OSError:  # deleted in another tab
                continue
            entries.append((about.st_mtime_ns, _listed(file.parent, about.st_mtime_ns)))
    return [kept for _, kept in sorted(entries, key=lambda one: (-one[0], one[1].slug))]


@lru_cache(maxsize=256)
def _listed(folder: Path, changed: int) -> KeptExperiment:
    """A folder, read once for each time of its last change."""
    try:
        experiment = _loaded(folder)
    except DataError as error:
        return KeptExperiment(folder.name, folder, folder.name, problem=str(error))
    return KeptExperiment(
        folder.name, folder, experiment.title, len(experiment.objects), experiment.task
    )


def experiment_folder(workspace: Workspace, slug: str) -> Path | None:
    """None if there is none of that name."""
    folder = workspace.folder / NAME / slug
    return folder if _SLUG.fullmatch(slug) and (folder / FILE).is_file() else None


def keep_experiment(
    workspace: Workspace, experiment: Experiment, files: Mapping[str, bytes | Path],
    slug: str | None = None,
) -> str:
    """Write an experiment into the workspace; the name of its folder.

    files: Content of stimuli by file name, or its path; those already there may be left out.
    slug: Folder of the experiment to change; by default a new one.
    """
    with workspace.explaining(writing=True):
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
            if slug is None:  # it has only our files
                shutil.rmtree(folder, ignore_errors=True)
            raise
    return folder.name


def copy_experiment(workspace: Workspace, slug: str) -> str:
    """Copy an experiment without its answers; the name of the new folder."""
    experiment, stimuli = load_experiment(workspace, slug), workspace.folder / NAME / slug / STIMULI
    return keep_experiment(
        workspace, experiment.changed(title=f"{experiment.title} (copy)"),
        {name: stimuli / name for name in experiment.files},
    )


def delete_experiment(workspace: Workspace, slug: str) -> None:
    folder = experiment_folder(workspace, slug)
    if folder is not None:
        with workspace.explaining(writing=True):
            workspace.trash.throw(folder)


def load_experiment(workspace: Workspace, slug: str) -> Experiment:
    try:
        return _loaded(workspace.folder / NAME / slug)
    except DataError as error:
        raise WorkspaceError(str(error)) from error


def _loaded(folder: Path) -> Experiment:
    """The experiment of a folder whose file is one, and no pipe; `DataError` with its line."""
    try:
        json_of(content_of(folder / FILE))
    except Unsound as error:
        raise DataError(f"the file is damaged ({error}), and left as it is",
                        file=f"{folder.name}/{FILE}") from error
    except OSError:
        pass  # which is said below
    return Experiment.load(folder)


def stimulus_file(workspace: Workspace, slug: str, name: str) -> Path | None:
    folder = experiment_folder(workspace, slug)
    if folder is None:
        return None
    path = folder / STIMULI / Path(name).name
    return path if path.is_file() and not path.is_symlink() else None  # it may lead elsewhere


def plain_file_name(name: str, taken: set[str]) -> str:
    """A name for every system and address, not in `taken`, where it is added in small letters."""
    ascii_only = unicodedata.normalize("NFKD", Path(name).name).encode("ascii", "ignore").decode()
    stem, dot, ending = ascii_only.rpartition(".")
    stem = re.sub(r"[^A-Za-z0-9_-]+", "-", stem if dot else ending).strip("-_")[:100] or "stimulus"
    ending = f".{re.sub('[^a-z0-9]', '', ending.lower())[:8]}" if dot else ""
    result, number = f"{stem}{ending}", 2
    while result.lower() in taken:  # some systems ignore case
        result, number = f"{stem}-{number}{ending}", number + 1
    taken.add(result.lower())
    return result


def _new_folder(place: Path, title: str) -> Path:
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
    """Have exactly the files in the folder that the experiment names."""
    stimuli, named = folder / STIMULI, experiment.files
    if named:
        stimuli.mkdir(exist_ok=True)
    for name in named:
        content, target = files.get(name), stimuli / name
        if content is None:
            if not target.is_file():
                raise WorkspaceError(f"The stimulus file {name} is missing. Upload it again.")
        elif content != target:
            with whole_file(target, sync=False) as file:
                if isinstance(content, Path):
                    with content.open("rb") as source:
                        shutil.copyfileobj(source, file)
                else:
                    file.write(content)
    others = [path for path in stimuli.glob("*") if path.name not in {*named}]
    workspace.trash.take(others)


def experiment_key(experiment: Experiment) -> str:
    """Tells an experiment that was changed from what it was."""
    content = repr([getattr(experiment, field.name) for field in fields(experiment)])
    return hashlib.blake2b(content.encode(), digest_size=8).hexdigest()
