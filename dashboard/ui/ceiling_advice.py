"""What the views of the page Compare share."""

from __future__ import annotations

from contextlib import suppress

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.method import Method, as_record, make_method
from tripletscope.core.run import key
from tripletscope.dashboard.store.dataset import DatasetInfo, RunInfo
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui import analysis
from tripletscope.dashboard.ui.context import limits_of
from tripletscope.dashboard.words import words

PAGE = "compare"


def advice_of(info: DatasetInfo, triplets: Triplets, method: Method) -> str:
    """What the noise ceiling says to more answers for a map; see `Ceiling.leaves_nothing`.

    By the newest held-out error of its method; empty where none is known.
    """
    errors = [run for run in _errors(info, triplets) if run.settings == as_record(method)]
    newest = max(errors, key=lambda run: run.record["created"], default=None)
    return _advice(info, triplets, newest) if newest else ""


def advice_of_best(info: DatasetInfo, triplets: Triplets) -> tuple[str, str]:
    """The same for the map that predicts best of those whose error is known, and its method."""
    best = _best(info, triplets)
    if best is None:
        return "", ""
    return _advice(info, triplets, best), analysis.describe(make_method(best.settings))


def name_of_best(info: DatasetInfo, triplets: Triplets) -> str:
    """The method of that map; of the newest map where no error is known; empty without any."""
    best = _best(info, triplets)
    maps = services().workspace.runs(info.id, "fit", "embedding")
    best = best or max(maps, key=lambda run: run.record["created"], default=None)
    return best.record["method"] if best else ""


def _best(info: DatasetInfo, triplets: Triplets) -> RunInfo | None:
    return min(
        _errors(info, triplets), key=lambda run: run.record["numbers"]["error"], default=None
    )


def _errors(info: DatasetInfo, triplets: Triplets) -> list[RunInfo]:
    """Held-out errors of maps of these answers."""
    return [
        run for task in ("cross_validate", "split_error")
        for run in services().workspace.runs(info.id, task, "embedding") if _is_of(run, triplets)
    ]


def _is_of(run: RunInfo, triplets: Triplets) -> bool:
    """Whether this version would compute the same; an earlier one may have had other settings."""
    with suppress(TypeError, ValueError):
        method = make_method(run.settings)
        return run.key == key(run.record["task"], method, triplets, run.record["options"])
    return False


def _advice(info: DatasetInfo, triplets: Triplets, run: RunInfo) -> str:
    error = [run.record["numbers"][name] for name in ("error", "low", "high")]
    ceiling = limits_of(info, triplets).ceiling
    return words("at the ceiling") if ceiling.leaves_nothing(*error) else ""
