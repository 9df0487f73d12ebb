"""Methods and numbers of dimensions, compared by their errors on the same held-out answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd

from tripletscope.core.data.triplets import Answers
from tripletscope.core.inference.held_out.choice_accuracy import choice_accuracies
from tripletscope.core.inference.held_out.compare import (
    Suggestion,
    fewer_elsewhere,
    recommend_dimension,
)
from tripletscope.core.inference.held_out.paired import PairedDifference, behind_best
from tripletscope.core.inference.held_out.score import ErrorEstimate
from tripletscope.core.run import Run
from tripletscope.dashboard.figures.curves import dimension_curves
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.results.families import families_of, ratio_of
from tripletscope.dashboard.results.presentation import (
    Element,
    Numbers,
    ShownResults,
    Statement,
    presents,
)
from tripletscope.dashboard.results.quality import ceiling_said, of_choices
from tripletscope.dashboard.words import distinct, unmarked, words

_FLAT = 0.45
_LOSS = "training loss, share of its highest"


@presents("cross_validate", told_in="dimension")
@presents("split_error", told_in="dimension")
def comparison_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    """Held-out errors of methods and dimensions, once for all of the same scheme."""
    runs = alike(shown, run)
    if run is not runs[0]:
        return
    suggestions = suggestions_of(runs, shown.answers)
    yield from map(Statement, dimensions_of_each(suggestions))
    yield from _methods(shown, runs, suggestions)
    numbers = partial(_numbers, shown, runs)
    yield from _errors(shown, runs, suggestions, numbers)
    chosen = _chosen(runs, suggestions)
    if len(chosen) > 1:
        yield Numbers(words("method"), partial(_each_method, shown, runs, chosen), is_small=True)
    yield Numbers(words("numbers"), numbers, about=" ".join((
        ceiling_said(shown.limits.ceiling),
        *(of_choices(choice) for choice in shown.limits.choices),
        words("compared by"), words("numbers explained"),
    )))
    yield from _losses(shown, runs)


def alike(shown: ShownResults, run: Run) -> list[Run]:
    return [one for one in shown.all_of(run.task) if one.options == run.options]


def methods_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    """Held-out errors of the same scheme, for methods alone."""
    runs = alike(shown, run)
    yield from _methods(shown, runs, suggestions_of(runs, shown.answers))


def suggestions_of(
    runs: Sequence[Run], answers: Answers
) -> dict[str, tuple[Suggestion, ErrorEstimate]]:
    """Recommendation of each method, with the error of the best number of dimensions.

    Of methods with errors in more than one number of dimensions; others may do with fewer.
    runs: Held-out errors of the same scheme. Callers that show them, too, call once: more may
        arrive.
    """
    by_dimension: dict[str, dict[int, ErrorEstimate]] = {}
    names = families_of(runs)
    for run in runs:
        if run.kind == "embedding":
            errors = by_dimension.setdefault(names[run.key], {})
            errors.setdefault(run.parameters["n_components"], run.result())
    found = {
        name: recommend_dimension(errors, answers, ratio_of(runs[0]))
        for name, errors in by_dimension.items() if len(errors) > 1
    }
    suggestions = {}
    for name, suggestion in found.items():
        if answers.are_rated:  # of which pairs are counted, see `rule_of_thumb`
            suggestion = replace(suggestion, needed=0.0)
        elsewhere = fewer_elsewhere(name, found, by_dimension, answers, ratio_of(runs[0]))
        best = by_dimension[name][suggestion.best]
        suggestions[name] = replace(suggestion, elsewhere=elsewhere), best
    return suggestions


def dimensions_of_each(
    suggestions: Mapping[str, tuple[Suggestion, ErrorEstimate]]
) -> Iterator[str]:
    """`dimensions_told` of each method; what it shares with the one before is said once."""
    above = None
    for name, (suggestion, best) in suggestions.items():
        how = (suggestion.tried, best.unit, best.n_units, best.scheme)
        yield dimensions_told(name, suggestion, best, is_alike=how == above)
        above = how


def dimensions_told(
    name: str, suggestion: Suggestion, best: ErrorEstimate, *, is_alike: bool = False
) -> str:
    """Held-out errors by number of dimensions, and which number to take.

    is_alike: Whether the numbers tried, the folds and the unit were just said, of another method.
    """
    said = dimensions_said(name, suggestion, best, best.scheme)
    if is_alike:
        next(said)
        said = chain([words(
            "lowest with, too", name=name, best=suggestion.best, enough=_enough(suggestion),
            error=(best.error, best.low, best.high),
        )], said)
    return " ".join((
        *said, *dimensions_advised(suggestion), *dimensions_elsewhere(name, suggestion),
    ))


def dimensions_said(
    name: str, suggestion: Suggestion, best: ErrorEstimate, scheme: str = ""
) -> Iterator[str]:
    """What held-out errors can decide about the number of dimensions.

    name: Of the method.
    best: Of the number of dimensions with the lowest error.
    scheme: Of the errors, if not stated elsewhere.
    """
    yield words(
        "lowest with", name=name, least=suggestion.tried[0], most=suggestion.tried[-1],
        best=suggestion.best, enough=_enough(suggestion),
        error=(best.error, best.low, best.high),
        over=(best.unit, best.n_units), scheme=f"; {scheme}" if scheme else "",
    )
    if suggestion.is_chance:
        yield words("no number at chance")
        return
    alike, chosen = suggestion.undecided, suggestion.n_components
    if not suggestion.is_decided and len(alike) > 1:
        yield words(
            "cannot decide", number=words.count(suggestion.n_answers, "answer"),
            numbers=", ".join(map(str, alike)),
        )
    fewer = max((d for d in suggestion.behind if d < alike[0]), default=None)
    if fewer is not None:
        more = suggestion.behind[fewer]
        yield words("worse with fewer", d=fewer, p=more.p,
                    more=(more.difference, more.low, more.high))
    if suggestion.is_decided and suggestion.tried[-1] > chosen:
        yield words("little with more", d=chosen, gain=words.share(max(suggestion.most_gain, 0.0)))
    if suggestion.is_at_the_edge:
        yield words("at the edge", best=suggestion.best)


def _enough(suggestion: Suggestion) -> str:
    """That the number with the lowest error is more than is needed."""
    least = suggestion.undecided[0]
    if suggestion.is_chance or least >= suggestion.best:
        return ""
    if suggestion.is_decided:
        return words("suffice", d=suggestion.n_components)
    return words("no worse", d=least)


def dimensions_advised(suggestion: Suggestion) -> Iterator[str]:
    """Which number of dimensions to take, and whether the answers suffice for it."""
    if suggestion.is_chance:
        return
    chosen, alike = suggestion.n_components, suggestion.undecided
    if not suggestion.is_decided and 2 in alike and chosen != 2:
        yield words("take for a picture", d=chosen)
    elif suggestion.is_decided or len(alike) > 1:
        fewer = "" if suggestion.is_decided or alike[0] >= chosen else words(
            "fewer alike", d=alike[0]
        )
        most = words("most tried") if chosen == suggestion.tried[-1] else ""
        yield words("take dimensions", d=chosen, fewer=fewer, most=most)
    if suggestion.needed > suggestion.n_questions:
        yield words("dimensions need", d=chosen, needed=round(suggestion.needed),
                    number=suggestion.n_questions)


def dimensions_elsewhere(name: str, suggestion: Suggestion) -> Iterator[str]:
    """That another method does with fewer dimensions."""
    if (other := suggestion.elsewhere) is not None:
        gain = other.gain
        yield words(
            "fewer elsewhere", name=name, d=suggestion.n_components, best=suggestion.best,
            other=other.method, fewer=other.n_components,
            more=(gain.difference, gain.low, gain.high),
        )


def methods_said(best: str, behind: Mapping[str, PairedDifference]) -> Iterator[str]:
    """Whether the method with the lowest error beats each other one."""
    for name, more in behind.items():
        yield words(
            "beats" if more.p < Suggestion.level else "differs little", best=best, name=name,
            more=(more.difference, more.low, more.high), p=more.p,
        )


def _chosen(
    runs: Sequence[Run], suggestions: Mapping[str, tuple[Suggestion, ErrorEstimate]]
) -> dict[str, ErrorEstimate]:
    """Errors of each method in its recommended number of dimensions, by their names."""
    chosen, names = {}, families_of(runs)
    for run in runs:
        name, d = names[run.key], run.parameters.get("n_components")
        if name not in suggestions and run.kind != "embedding":
            chosen.setdefault(name, run.result())
        elif name not in suggestions or suggestions[name][0].n_components == d:
            chosen.setdefault(f"{name} ({d}D)", run.result())
    return chosen


def _each_method(
    shown: ShownResults, runs: Sequence[Run], chosen: Mapping[str, ErrorEstimate]
) -> pd.DataFrame:
    """Errors of methods in few digits, the lowest first, and how sure their differences are."""
    _, behind = behind_best(chosen, shown.answers, ratio_of(runs[0]), any_pair=True)
    ranked = sorted(chosen.items(), key=lambda item: item[1].error)
    return pd.DataFrame([
        {
            words("method"): unmarked(name), "held-out error": words.share(error.error),
            "95 % interval": f"{words.share(error.low)} to {words.share(error.high)}",
            "above the best": f"{words.share(behind[name].difference)}, {words.p(behind[name].p)}"
            if name in behind else "",
        } for name, error in ranked
    ])


def _methods(
    shown: ShownResults, runs: Sequence[Run],
    suggestions: Mapping[str, tuple[Suggestion, ErrorEstimate]],
) -> Iterator[Statement]:
    """Which method predicts best, each in its recommended number of dimensions."""
    chosen = _chosen(runs, suggestions)
    best, behind = behind_best(chosen, shown.answers, ratio_of(runs[0]), any_pair=True)
    error = chosen[best]
    if behind or not suggestions:
        estimate = error.error, error.low, error.high
        over = error.unit, error.n_units
        if behind and over in [(told.unit, told.n_units) for _, told in suggestions.values()]:
            yield Statement(words("compared, too", method=best, error=estimate))
        else:
            yield Statement(words(
                "compared" if behind else "one predicts", method=best, error=estimate, over=over
            ))
    yield from map(Statement, methods_said(best, behind))


def _errors(
    shown: ShownResults, runs: Sequence[Run],
    suggestions: Mapping[str, tuple[Suggestion, ErrorEstimate]], numbers: Any,
) -> Iterator[Drawing]:
    """Errors by the number of dimensions; methods without dimensions as lines."""
    ceiling = shown.limits.ceiling
    families = families_of(runs)
    rows = pd.DataFrame([{**_of_error(run, families), "key": run.key} for run in runs])
    rows = rows.drop_duplicates(["method", "dimensions"])
    has_some = rows["dimensions"].notna()
    table = rows[has_some]
    levels = dict(rows.loc[~has_some, ["method", "held-out error"]].to_numpy())
    if table["dimensions"].nunique() + len(levels) < 2:
        return
    text = words("dimensions of", methods=words.listing([*dict.fromkeys(rows["method"])]),
                 over=words.over_each([run.result().n_units for run in runs]), about=shown.about)
    if ceiling.is_precise:
        text += f" {words('ceiling band')}"
    if suggestions:
        text += f" {words('ringed')}"
    best = rows.loc[rows["held-out error"].idxmin()]
    yield Drawing(
        "dimensions", words("title dimensions"), text,
        words("alt dimensions", best=best["method"], error=words.share(best["held-out error"])),
        _FLAT, lambda canvas: dimension_curves(
            table, ceiling=ceiling, levels=levels, caption=text, canvas=canvas,
            marked={name: said.n_components for name, (said, _) in suggestions.items()},
        ), numbers, tuple(rows["key"]),
    )


def _losses(shown: ShownResults, runs: Sequence[Run]) -> Iterator[Drawing]:
    """Training loss by the number of dimensions, where the fits are shown, too."""
    fits = {run.key: fit for run in runs
            if run.kind == "embedding" and (fit := shown.of(run, "fit"))}
    families = families_of(runs)
    table = pd.DataFrame([
        {"method": families[key], **_of_fit(shown, fit)} for key, fit in fits.items()
    ])
    if table.empty or table["dimensions"].nunique() < 2:
        return
    # Losses of different methods have different units: each is shown by its share.
    highest = table.groupby("method")["loss per answer"].transform("max")
    table[_LOSS] = table["loss per answer"] / highest
    text = words("losses of", about=shown.about)
    yield Drawing(
        "losses", words("title losses"), text, words("alt curve"), 0.3,
        lambda canvas: dimension_curves(table, value=_LOSS, caption=text, canvas=canvas),
        lambda: table, tuple(fit.key for fit in fits.values()), is_folded=True,
    )


def _numbers(shown: ShownResults, runs: Sequence[Run]) -> pd.DataFrame:
    """All numbers of the comparison, the lowest error first."""
    families = families_of(runs)
    names = distinct(words.method(run.fresh()) for run in runs)
    errors = dict(zip(names, (run.result() for run in runs), strict=True))
    _, behind = behind_best(errors, shown.answers, ratio_of(runs[0]))
    rows = []
    for name, run in zip(names, runs, strict=True):
        more, fit = behind.get(name), shown.of(run, "fit")
        rows.append({
            **_of_error(run, families),
            "behind the best": more.difference if more else np.nan,
            "behind, low": more.low if more else np.nan,
            "behind, high": more.high if more else np.nan,
            "p, corrected": more.p if more else np.nan,
            **{f"{choice.kind}, right": choice.accuracy.value
               for choice in choice_accuracies(shown.answers, errors[name]) if choice.accuracy},
            **(_of_fit(shown, fit) if fit else {}),
        })
    table = pd.DataFrame(rows).sort_values("held-out error", kind="stable")
    whole = [name for name in ("dimensions", "iterations") if name in table]
    return table.astype(dict.fromkeys(whole, "Int64"))


def _of_error(run: Run, families: Mapping[str, str]) -> dict[str, Any]:
    error, is_map = run.result(), run.kind == "embedding"
    return {
        "method": families[run.key],
        "dimensions": run.parameters["n_components"] if is_map else np.nan,
        "held-out error": error.error, "low": error.low, "high": error.high,
    }


def _of_fit(shown: ShownResults, fit: Run) -> dict[str, Any]:
    """Numbers of a fit; of a map also its loss, and starts within 1/1000 of the lowest loss."""
    if fit.kind != "embedding":
        return {"seconds": fit.seconds}
    losses = fit.arrays["losses_"]
    return {
        "dimensions": fit.parameters["n_components"],
        "training error": fit.numbers["triplet_error_"],
        "loss per answer": fit.numbers["loss_"] / (shown.answers.weight.sum() or 1.0),
        "restarts at the lowest loss": np.mean(
            losses <= losses.min() + 1e-3 * abs(losses.min())
        ),
        "iterations": fit.numbers["n_iter_"], "seconds": fit.seconds,
    }
