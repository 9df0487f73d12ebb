"""The number of dimensions that cross-validation recommends, in the words that every page uses."""

from __future__ import annotations

import json
from collections.abc import Mapping

from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.evaluation.compare import Suggestion, recommend_dimension
from tripletscope.core.evaluation.paired import PairedDifference
from tripletscope.core.evaluation.score import ErrorEstimate
from tripletscope.core.method import checked, methods
from tripletscope.core.run import key
from tripletscope.dashboard.interface.theme import count, interval
from tripletscope.dashboard.keeping.catalogue import DatasetInfo
from tripletscope.dashboard.keeping.services import services


def recommended(
    info: DatasetInfo, triplets: Triplets | Quadruples
) -> dict[str, tuple[Suggestion, ErrorEstimate]]:
    """What was cross-validated recommends: of each method, with the error of the best number.

    Of every method with its usual settings, the newest way of cross-validation that was applied
    to more than one number of dimensions.
    """
    known = methods("embedding")
    workspace = services().workspace
    keys: dict[tuple[str, str], dict[int, str]] = {}
    for run in workspace.runs(info.id, "cross_validate", "embedding"):
        record = run.record
        method = known[record["method"]](n_components=record["parameters"]["n_components"])
        usual = checked(type(method), method.get_params(deep=False))
        if not run.complete or record["parameters"] != usual:
            continue
        if run.key == key("cross_validate", method, triplets, record["options"]):
            way = record["method"], json.dumps(record["options"], sort_keys=True)
            keys.setdefault(way, {}).setdefault(method.n_components, run.key)
    found: dict[str, tuple[Suggestion, ErrorEstimate]] = {}
    for (name, options), of in keys.items():
        title = known[name].title
        if len(of) > 1 and title not in found:
            estimates = {d: workspace.run(info.id, place).error() for d, place in of.items()}
            ratio = 1.0 / (json.loads(options)["folds"] - 1)
            suggestion = recommend_dimension(estimates, triplets, ratio)
            found[title] = suggestion, estimates[suggestion.best]
    return found


def in_words(name: str, suggestion: Suggestion, best: ErrorEstimate) -> str:
    """The recommendation and its reason.

    Parameters
    ----------
    name : str
        Of the method.
    suggestion : Suggestion
    best : ErrorEstimate
        Of the number of dimensions with the lowest error.
    """
    shown = interval(best.error, best.low, best.high)
    sentence = f"{name}: {count(suggestion.n_components, 'dimension')}. "
    if suggestion.n_components == suggestion.best:
        sentence += f"It predicts best, with an error of {shown}"
        fewer = max(suggestion.behind, default=None)
        if fewer is not None:
            sentence += (
                f"; {count(fewer, 'dimension')} would be worse by "
                f"{points(suggestion.behind[fewer])}, {p_value(suggestion.p_values[fewer])}"
            )
    else:
        chosen = suggestion.n_components
        sentence += (
            f"{count(suggestion.best, 'dimension')} have the lowest error, {shown}, but the "
            f"difference of {points(suggestion.behind[chosen])} is not significant, "
            f"{p_value(suggestion.p_values[chosen])}"
        )
    return f"{sentence}. {suggestion.warning}".rstrip()


def verdicts(best: str, behind: Mapping[str, PairedDifference]) -> list[str]:
    """Whether the method with the lowest error beats each other one."""
    found = []
    for name, apart in behind.items():
        p = p_value(apart.p)
        if apart.p < Suggestion.level:
            found.append(f"{best} beats {name} by {points(apart)}, {p}.")
        else:
            found.append(
                f"{best} and {name} cannot be told apart: they differ by {points(apart)}, {p}."
            )
    return found


def points(apart: PairedDifference) -> str:
    """A difference of errors with its interval, like 1.8 points [0.9, 2.7]."""
    ends = ", ".join(f"{100 * end:.1f}" for end in (apart.low, apart.high))
    return f"{100 * apart.difference:.1f} points [{ends}]"


def p_value(value: float) -> str:
    """A p value in two digits, like p = 0.21."""
    return f"p = {value:.2g}" if value >= 0.001 else "p < 0.001"
