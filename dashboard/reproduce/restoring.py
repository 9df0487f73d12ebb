"""An archive becomes a data set of a workspace again, with everything that was computed."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import pandas as pd

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.io import Pairs, Reading
from tripletscope.core.method import methods
from tripletscope.core.quality import Cleaning
from tripletscope.core.ratings import Measured, measured
from tripletscope.core.run import TASKS, Run
from tripletscope.dashboard.door.records import Unpacked
from tripletscope.dashboard.interface.theme import count
from tripletscope.dashboard.keeping.catalogue import DatasetInfo
from tripletscope.dashboard.keeping.rows import MEASURED, PAIR_ROLES
from tripletscope.dashboard.keeping.workspace import Workspace
from tripletscope.dashboard.printing.composition import Composition
from tripletscope.dashboard.reproduce.inside import COMPOSER, SETTINGS_OF

_KEY = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True)
class Restored:
    """What an archive has become.

    Attributes
    ----------
    info : DatasetInfo
    settings : dict
        What was set on pages, by the keys of widgets.
    notes : list of str
        What the user should know, as sentences.
    """

    info: DatasetInfo
    settings: dict[str, Any]
    notes: list[str]


def restore(workspace: Workspace, found: Unpacked, name: str) -> Restored:
    """Keep what an archive holds, beside everything that is there.

    A data set that is there already, with the same answers and exclusions, gets what results it
    lacks.

    Parameters
    ----------
    workspace : Workspace
    found : Unpacked
    name : str
        Of the file, for messages.

    Raises
    ------
    DataError
        If it does not fit together. Nothing is kept then.
    """
    try:
        info, anew = _dataset(workspace, found)
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        if isinstance(error, DataError):
            raise error.at(name) from error
        raise _misfit(name) from error
    notes = []
    try:
        there = {run.key for run in workspace.runs(info.id)}
        runs, unknown = _runs(found)
        for run, called in runs:
            if run.key not in there:
                workspace.add_run(info, run, called)
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        if anew:
            workspace.delete_dataset(info.id)
        raise _misfit(name) from error
    if unknown:
        notes.append(f"{count(unknown, 'result')} of methods that this version does not have "
                     "could not be opened.")
    if found.changed:
        some = ", ".join(found.changed[:3]) + (" and others" if len(found.changed) > 3 else "")
        notes.append(f"Not as they were written, or missing: {some}. What is opened here is as it "
                     "was written.")
    settings = _settings(found.about.get("settings"), info, [run for run, _ in runs])
    return Restored(info, settings, notes)


def _dataset(workspace: Workspace, found: Unpacked) -> tuple[DatasetInfo, bool]:
    """The data set, and whether it is a new one."""
    about = found.about["dataset"]
    if found.triplets.fingerprint != about["imported"]:
        raise DataError("its answers are not what was written")
    exclusions, report = about["exclusions"], [str(line) for line in about["report"]]
    raw: Triplets | Quadruples = found.triplets.renamed(str(about["name"])[:120])
    pairs = found.pairs
    only_pairs = not len(raw) and pairs is not None and len(pairs) > 0
    whole = raw
    if pairs is not None:
        rows, known = pairs[PAIR_ROLES].to_numpy(), pairs.drop(columns=PAIR_ROLES)
        # As they were imported: this says whether they are such comparisons.
        quadruples = Quadruples(rows, name=raw.name, objects=raw.objects, answers=known)
        whole = quadruples if only_pairs else raw
        pairs = Pairs(rows.astype(np.int32), known, np.arange(len(rows)), raw.n_objects)
    cleaning = Cleaning.from_log(whole, exclusions, found.catch, found.gold)
    cleaning.triplets  # noqa: B018 - the exclusions can be made of these answers
    there = _there(workspace, raw, cleaning, about, pairs)
    if there is not None:
        return there, False
    info = workspace.add_dataset(
        raw, origin=str(about["origin"]), report=report, pictures=found.pictures,
        catch_trials=found.catch, pairs=pairs, measured=_measured(about, found.measured),
        extra=_extra(about["extra"]),
    )
    if cleaning.exclusions or cleaning.gold is not None:
        try:
            info = workspace.update_dataset(info, cleaning)
        except BaseException:
            workspace.delete_dataset(info.id)
            raise
    return info, True


def _measured(about: Mapping[str, Any], table: pd.DataFrame | None) -> Measured | None:
    """What the answers were made of; building it is its check."""
    if table is None:
        return None
    return measured(about["measured"]["kind"], table, about["measured"]["options"])


def _extra(given: Mapping[str, Any]) -> dict[str, Any]:
    """What is noted of a data set, without what other pages could not read."""
    found = {
        name: value for name, value in given.items()
        if isinstance(value, dict) and name != MEASURED  # its file is another one here
    }
    if isinstance(given.get("asked"), str):
        found["asked"] = given["asked"]
    columns = given.get("columns")
    if isinstance(columns, list) and all(isinstance(name, str) for name in columns):
        found["columns"] = columns
    with suppress(ValueError):
        Reading.from_dict(found.get("reading"))
        return found
    found.pop("reading", None)
    return found


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
    """Results with their names, and how many are of methods that are not known here."""
    runs, unknown = [], 0
    wanted = {field.name for field in fields(Run)} - {"arrays"}
    for one in found.about["runs"]:
        record = {name: value for name, value in one["record"].items() if name in wanted}
        run = Run(**record, arrays=found.arrays[one["file"]])
        whole = (
            _KEY.fullmatch(run.key) and isinstance(run.parameters, dict)
            and isinstance(run.options, dict) and isinstance(run.numbers, dict)
        )
        if not whole:
            raise ValueError("no result")
        if run.task in TASKS and run.method in methods(run.kind):
            runs.append((run, str(one["name"])[:200]))
        else:
            unknown += 1
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
    for name, value in chosen.items():
        if name.startswith(COMPOSER) and isinstance(value, dict):
            found[name] = {
                part: what for part, what in value.items()
                if getattr(Composition.from_dict({part: what}), part, None) == what
            }
    return found


def _misfit(name: str) -> DataError:
    return DataError(
        "what it says of its data set cannot be understood", file=name,
        remedy="Download it again from where it was kept.",
    )
