"""An archive becomes a data set of a workspace again, with everything that was computed."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from tripletscope import __version__
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Judgements, Triplets
from tripletscope.core.engine.method import methods
from tripletscope.core.io import Pairs, Reading
from tripletscope.core.ratings import Measured
from tripletscope.core.ratings.kinds import measured
from tripletscope.core.run import TASKS, Run
from tripletscope.core.studies.quality import Cleaning
from tripletscope.dashboard.door.archive import COMPOSER, SETTINGS_OF
from tripletscope.dashboard.door.records import Unpacked
from tripletscope.dashboard.keeping.dataset import DatasetInfo
from tripletscope.dashboard.keeping.dimension_names import NAMES_KEPT
from tripletscope.dashboard.keeping.folder import PAIR_ROLES
from tripletscope.dashboard.keeping.workspace import Workspace
from tripletscope.dashboard.printing.composition import Composition
from tripletscope.dashboard.wording.formats import count


@dataclass(frozen=True)
class Restored:
    """What an archive has become.

    settings: What was set on pages, by the keys of widgets.
    notes: What the user should know, as sentences.
    """

    info: DatasetInfo
    settings: dict[str, Any]
    notes: list[str]


def restore(workspace: Workspace, found: Unpacked, name: str) -> Restored:
    """Keep what an archive holds, beside everything that is there.

    A data set that is there already, with the same answers and exclusions, gets what results it
    lacks.

    name: Of the file, for messages.
    """
    try:
        json.dumps(found.about, ensure_ascii=False).encode()  # no half characters anywhere
        made = _dataset(workspace, found)
        runs, unknown = _runs(found)
    except (KeyError, ValueError, TypeError, AttributeError, IndexError, OverflowError,
            RecursionError) as error:
        if isinstance(error, DataError):
            raise error.at(name) from error
        raise _misfit(name) from error
    info = _keep(workspace, made, runs)
    notes = []
    if unknown:
        notes.append(f"{count(unknown, 'result')} that this version does not have, or "
                     "has otherwise, could not be opened.")
    if found.changed:
        some = ", ".join(found.changed[:3]) + (" and others" if len(found.changed) > 3 else "")
        notes.append(f"Not as they were written, or missing: {some}. What is opened here is as it "
                     "was written.")
    settings = _settings(found.about.get("settings"), info, [run for run, _ in runs])
    return Restored(info, settings, notes)


@dataclass(frozen=True)
class _Made:
    """A data set as an archive describes it, checked: what `Workspace.add_dataset` takes.

    `there` is the same data set of the workspace, if there is one.
    """

    triplets: Triplets
    cleaning: Cleaning
    further: dict[str, Any]
    there: DatasetInfo | None


def _keep(workspace: Workspace, made: _Made, runs: Sequence[tuple[Run, str]]) -> DatasetInfo:
    """Keep a data set and its results; all of them or, where that fails, none."""
    info, added = made.there, []
    known = {run.key for run in workspace.runs(info.id)} if info is not None else set()
    try:
        if info is None:
            info = workspace.add_dataset(made.triplets, **made.further)
            if made.cleaning.exclusions or made.cleaning.gold is not None:
                info = workspace.update_dataset(info, made.cleaning)
        for run, called in runs:
            if run.key not in known:
                added.append(workspace.add_run(info, run, called))
    except BaseException:
        if made.there is None and info is not None:
            workspace.delete_dataset(info.id)
        elif info is not None:
            workspace.delete_runs(list(filter(None, added)))
        raise
    return info


def _dataset(workspace: Workspace, found: Unpacked) -> _Made:
    """What an archive says of its data set, checked; nothing is kept."""
    about = found.about["dataset"]
    if found.triplets.fingerprint != about["imported"]:
        raise DataError("its answers are not what was written")
    report = about["report"]
    if not isinstance(report, list):
        raise ValueError("no report")
    report = [str(line) for line in report]
    raw: Judgements = found.triplets.renamed(str(about["name"])[:120])
    pairs = found.pairs
    only_pairs = not len(raw) and pairs is not None and len(pairs) > 0
    whole = raw
    if pairs is not None:
        rows, known = pairs[PAIR_ROLES].to_numpy(), pairs.drop(columns=PAIR_ROLES)
        # As they were imported: this says whether they are such comparisons.
        quadruples = Quadruples(rows, name=raw.name, objects=raw.objects, answers=known)
        whole = quadruples if only_pairs else raw
        pairs = Pairs(rows.astype(np.int32), known, np.arange(len(rows)), raw.n_objects)
    if found.catch is not None and found.catch["correct"].dtype.kind != "b":
        raise ValueError("no catch trials")
    exclusions = [_as_texts(step) for step in about["exclusions"]]
    cleaning = Cleaning.from_log(whole, exclusions, found.catch, found.gold)
    cleaning.triplets  # noqa: B018 - the exclusions can be made of these answers
    further = {
        "origin": str(about["origin"]), "report": report, "pictures": found.pictures,
        "catch_trials": found.catch, "pairs": pairs, "measured": _measured(about, found.measured),
        "extra": _extra(about["extra"]),
    }
    return _Made(raw, cleaning, further, _there(workspace, raw, cleaning, about, pairs))


def _as_texts(step: Mapping[str, Any]) -> dict[str, Any]:
    """A step of the log whose reason and participants are texts."""
    if not isinstance(step["reason"], str) or not isinstance(step["participants"], list):
        raise ValueError("no exclusion")
    return dict(step)


def _measured(about: Mapping[str, Any], table: pd.DataFrame | None) -> Measured | None:
    """What the answers were made of; building it is its check."""
    if table is None:
        return None
    return measured(about["measured"]["kind"], table, about["measured"]["options"])


def _extra(given: Mapping[str, Any]) -> dict[str, Any]:
    """What is noted of a data set: what pages read, as they read it."""
    return {
        name: given[name] for name, is_sound in _NOTED.items()
        if name in given and is_sound(given[name])
    }


def _is_reading(value: Any) -> bool:
    try:
        return bool(Reading.from_dict(value))
    except (ValueError, TypeError, AttributeError):
        return False


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


#: What may be noted of a data set, and whether a value is of that kind. Measured values and
#: tables have other files here; the number of trials is counted anew.
_NOTED: dict[str, Callable[[Any], bool]] = {
    "asked": lambda value: isinstance(value, str), "columns": _are_texts, "features": _are_texts,
    "reading": _is_reading, "report": lambda value: isinstance(value, dict),
    NAMES_KEPT: lambda value: isinstance(value, dict),
}


def _there(
    workspace: Workspace, raw: Triplets, cleaning: Cleaning, about: Mapping[str, Any],
    pairs: Pairs | None,
) -> DatasetInfo | None:
    """The same data set, if the workspace has it already."""
    gold = cleaning.gold.fingerprint if cleaning.gold is not None else None
    for info in workspace.datasets():
        if (
            (info.name, info.imported, info.gold) == (raw.name, raw.fingerprint, gold)
            and info.exclusions == cleaning.log() and info.report == about["report"]
            and (info.has_only_pairs or info.n_pairs == len(pairs or ()))
            and set(info.pictures) == set(about["pictures"])
            and (not info.has_only_pairs or _same_pairs(workspace, info, cleaning))
        ):
            return info
    return None


def _same_pairs(workspace: Workspace, info: DatasetInfo, cleaning: Cleaning) -> bool:
    return workspace.cleaning(info).raw.fingerprint == cleaning.raw.fingerprint


def _runs(found: Unpacked) -> tuple[list[tuple[Run, str]], int]:
    """Results with their names, and how many this version does not have, or has otherwise."""
    runs, unknown = [], 0
    for one in found.about["runs"]:
        record, arrays = one["record"], found.arrays[one["file"]]
        if record["task"] not in TASKS or record["method"] not in methods(record["kind"]):
            unknown += 1
            continue
        try:
            run = Run.of(record, arrays, found.triplets.n_objects)
        except ValueError:
            if record["version"] == __version__:
                raise
            unknown += 1
        else:
            runs.append((run, str(one["name"])[:200]))
    return runs, unknown


def _settings(given: Any, info: DatasetInfo, runs: Sequence[Run]) -> dict[str, Any]:
    """What was set for the data set, under its name here; and how figures were composed."""
    if not isinstance(given, dict):
        return {}
    own = (info.id, *(run.key for run in runs))
    chosen = json.loads(json.dumps(given).replace(SETTINGS_OF, info.id))
    found = {
        name: value for name, value in chosen.items() if any(word in name for word in own)
    }
    found = {
        name: value for name, value in found.items() if _is_usual(name, value, info.n_objects)
    }
    for name, value in chosen.items():
        if name.startswith(COMPOSER) and isinstance(value, dict):
            found[name] = {
                part: what for part, what in value.items()
                if getattr(Composition.from_dict({part: what}), part, None) == what
            }
    return found


def _is_usual(name: str, value: Any, n_objects: int) -> bool:
    """Whether a page may have noted a value under a name."""
    for start, is_sound in _SHAPED.items():
        if name.startswith(start):
            return is_sound(value, n_objects)
    if isinstance(value, list) and ".shown@" not in name:
        return all(isinstance(one, str | int | float) for one in value)
    return value is None or isinstance(value, str | int | float)


def _are_offsets(value: Any, n_objects: int) -> bool:
    return isinstance(value, dict) and all(
        isinstance(at, list) and len(at) == 2 and all(_is_finite(x) for x in at)
        for at in value.values()
    )


def _is_cut(value: Any, n_objects: int) -> bool:
    if not isinstance(value, list) or len(value) != 2:
        return False
    number, height = value
    return _are_positions([number], n_objects + 1) and number > 0 and (
        height is None or _is_finite(height)
    )


def _are_positions(value: Any, n_objects: int) -> bool:
    return isinstance(value, list) and all(
        type(one) is int and 0 <= one < n_objects for one in value
    )


def _are_answers(value: Any, n_objects: int) -> bool:
    return isinstance(value, list) and all(
        _are_positions(row, n_objects) and len(row) == 3 for row in value
    )


def _is_finite(value: Any) -> bool:
    return isinstance(value, int | float) and abs(value) < 1e9


#: What pages note that is more than the value of a widget, by how its name begins.
_SHAPED: dict[str, Callable[[Any, int], bool]] = {
    "map.labels@": _are_offsets, "clusters.cut@": _is_cut, "trees.chosen@": _are_positions,
    "trees.given@": _are_answers,
}


def _misfit(name: str) -> DataError:
    return DataError(
        "what it says of its data set cannot be understood", file=name,
        remedy="Download it again from where it was kept.",
    )
