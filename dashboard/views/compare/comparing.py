"""What the views of the page Compare share."""

from __future__ import annotations

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.method import Method, described, unfitted
from tripletscope.core.run import key
from tripletscope.dashboard import analysis
from tripletscope.dashboard.keeping.dataset import DatasetInfo, RunInfo
from tripletscope.dashboard.keeping.services import services
from tripletscope.dashboard.views.context import limits_of
from tripletscope.dashboard.wording import ENGLISH

PAGE = "compare"


def advice_of(info: DatasetInfo, triplets: Triplets, method: Method) -> str:
    """What the noise ceiling says to more answers for a map; see `Ceiling.leaves_nothing`.

    By the newest held-out error of its method; empty where none is known.
    """
    known = [run for run in _errors(info, triplets) if _method_of(run) == described(method)]
    if not known:
        return ""
    return _advice(info, triplets, max(known, key=lambda run: run.record["created"]))


def advice_of_best(info: DatasetInfo, triplets: Triplets) -> tuple[str, str]:
    """The same for the map that predicts best of those whose error is known, and its method."""
    known = _errors(info, triplets)
    if not known:
        return "", ""
    best = min(known, key=lambda run: run.record["numbers"]["error"])
    return _advice(info, triplets, best), analysis.describe(unfitted(_method_of(best)))


def _errors(info: DatasetInfo, triplets: Triplets) -> list[RunInfo]:
    """Held-out errors of maps of these answers."""
    listed = (
        services().workspace.runs(info.id, task, "embedding")
        for task in ("cross_validate", "split_error")
    )
    return [run for runs in listed for run in runs if _is_of(run, triplets)]


def _is_of(run: RunInfo, triplets: Triplets) -> bool:
    """Whether this version would compute the same; an earlier one may have had other settings."""
    record = run.record
    try:
        method = unfitted(_method_of(run))
        return run.key == key(record["task"], method, triplets, record["options"])
    except (TypeError, ValueError):
        return False


def _method_of(run: RunInfo) -> dict:
    return {name: run.record[name] for name in ("kind", "method", "parameters")}


def _advice(info: DatasetInfo, triplets: Triplets, run: RunInfo) -> str:
    numbers, ceiling = run.record["numbers"], limits_of(info, triplets).ceiling
    error = (numbers["error"], numbers["low"], numbers["high"])
    return ENGLISH("at the ceiling") if ceiling.leaves_nothing(*error) else ""
