"""Methods in whatever number of dimensions: their names, and which of them predicts better."""

from __future__ import annotations

import json
from collections.abc import Sequence

from tripletscope.core.inference.held_out.paired import PairedDifference, ahead_of
from tripletscope.core.run import Run
from tripletscope.dashboard.results.presentation import ShownResults
from tripletscope.dashboard.words import words

#: Comparisons that are remembered: page, caption and report ask in turn.
_REMEMBERED = 64
_compared: dict[tuple[str, ...], dict[str, PairedDifference]] = {}


def ratio_of(run: Run) -> float:
    """Answers held out to answers learned from; test answers are held out once."""
    return 1.0 / (run.options["folds"] - 1) if "folds" in run.options else 0.0


def families_of(runs: Sequence[Run]) -> dict[str, str]:
    """What methods are called in whatever number of dimensions, by the keys of runs.

    With their settings where several have one title.
    """
    settings = {run.key: json.dumps(
        {name: value for name, value in run.parameters.items() if name != "n_components"},
        sort_keys=True, default=str,
    ) for run in runs}
    of_title: dict[str, set[str]] = {}
    for run in runs:
        of_title.setdefault(run.fresh().title, set()).add(settings[run.key])
    names = {}
    for run in runs:
        method = run.fresh()
        names[run.key] = method.title
        if len(of_title[method.title]) > 1:
            d = words.count(run.parameters.get("n_components") or 0, "dimension")
            names[run.key] = ", ".join(
                part for part in words.method(method).split(", ") if part != d
            )
    return names


def others_ahead(shown: ShownResults, run: Run) -> dict[str, PairedDifference]:
    """By how much other methods predict better than that of a result, in as many dimensions.

    Errors of the same folds are compared: of several schemes, those of most methods.
    """
    errors = [one for one in shown.all_of("cross_validate")
              if one.complete and one.kind == run.kind
              and one.parameters.get("n_components") == run.parameters.get("n_components")]
    owns = [one for one in errors
            if (one.method, one.parameters) == (run.method, run.parameters)]
    compared = [
        [own, *(one for one in errors
                if one.method != own.method and one.options == own.options)] for own in owns
    ]
    own, *others = max(compared, key=len, default=[None])
    if not others:
        return {}
    place = tuple(one.key for one in (own, *others))
    if (known := _compared.get(place)) is not None:
        return known
    names = families_of(others)
    found = ahead_of(
        own.result(), {names[one.key]: one.result() for one in others}, shown.answers,
        ratio_of(own),
    )
    for former in [*_compared][:max(len(_compared) - _REMEMBERED, 0)]:
        _compared.pop(former, None)
    _compared[place] = found
    return found
