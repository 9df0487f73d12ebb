"""Methods in whatever number of dimensions: their names, and which of them predicts better."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from tripletscope.core.inference.held_out.paired import PairedDifference, ahead_of
from tripletscope.core.run import Run
from tripletscope.dashboard.results.presentation import ShownResults
from tripletscope.dashboard.words import words

#: Comparisons that are remembered: page, caption and report ask in turn.
_REMEMBERED = 64
_compared: dict[tuple[str, ...], dict[Any, PairedDifference]] = {}

Name = TypeVar("Name", str, int)


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
    """By how much other methods predict better than that of a result, in as many dimensions."""
    d = run.parameters.get("n_components")
    own, others = _compared_with(shown, run, lambda one: (
        one.method != run.method and one.parameters.get("n_components") == d
    ))
    names = families_of(others)
    return _ahead(shown, own, {names[one.key]: one for one in others})


def dimensions_ahead(shown: ShownResults, run: Run) -> dict[int, PairedDifference]:
    """By how much more dimensions predict better than those of a result, by the same method."""
    settings, d = _settings(run), run.parameters.get("n_components")
    own, others = _compared_with(shown, run, lambda one: (
        one.method == run.method and (one.parameters.get("n_components") or 0) > d
        and _settings(one) == settings
    ))
    return _ahead(shown, own, {one.parameters["n_components"]: one for one in others})


def _settings(run: Run) -> dict[str, Any]:
    return {name: value for name, value in run.parameters.items() if name != "n_components"}


def _compared_with(
    shown: ShownResults, run: Run, is_other: Callable[[Run], bool]
) -> tuple[Run | None, list[Run]]:
    """The error of a result's method, and others of the same folds: the scheme of most of them."""
    errors = [one for one in shown.all_of("cross_validate")
              if one.complete and one.kind == run.kind]
    owns = [one for one in errors
            if (one.method, one.parameters) == (run.method, run.parameters)]
    compared = [
        (own, [one for one in errors if is_other(one) and one.options == own.options])
        for own in owns
    ]
    return max(compared, key=lambda both: len(both[1]), default=(None, []))


def _ahead(
    shown: ShownResults, own: Run | None, others: Mapping[Name, Run]
) -> dict[Name, PairedDifference]:
    """By how much others predict better than one, with what was compared before remembered."""
    if not others:
        return {}
    place = tuple(one.key for one in (own, *others.values()))
    if (known := _compared.get(place)) is not None:
        return known
    found = ahead_of(
        own.result(), {name: one.result() for name, one in others.items()}, shown.answers,
        ratio_of(own),
    )
    for former in [*_compared][:max(len(_compared) - _REMEMBERED, 0)]:
        _compared.pop(former, None)
    _compared[place] = found
    return found
