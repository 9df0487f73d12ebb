"""Interpretable dimensions, their reproducibility, and their number."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import numpy as np
import pandas as pd

from tripletscope.core.inference.held_out.choice_accuracy import ChoiceAccuracy, choice_accuracies
from tripletscope.core.inference.held_out.compare import is_chance
from tripletscope.core.models.dimensions.penalties import PenaltyCurve
from tripletscope.core.models.dimensions.reproducibility import (
    FOUND_AGAIN,
    DimensionReproducibility,
)
from tripletscope.core.models.dimensions.symmetric import SymmetricNMF
from tripletscope.core.run import Run
from tripletscope.dashboard.figures.dimensions import DimensionData, strips, strips_height
from tripletscope.dashboard.figures.reproduced import (
    GUESSING,
    number_curve,
    penalty_curve,
    reproducibility_curve,
)
from tripletscope.dashboard.figures.theme import SCREEN, Canvas
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.results.presentation import Element, ShownResults, Statement, presents
from tripletscope.dashboard.results.quality import of_choices, predicted_said
from tripletscope.dashboard.words import words

#: Dimensions of one figure of strips: with the letters of a journal they fill a page.
_ON_A_SHEET = 16
#: Sources of methods.
_SOURCES = {
    "spose": "@zheng2019; @hebart2020", "vice": "@muttenthaler2022", "snmf": "@ding2005",
}
_FLAT = 0.5


def weights_table(
    objects: pd.DataFrame, weights: np.ndarray, names: Mapping[int, str]
) -> pd.DataFrame:
    """A row for each object, with a column for each dimension.

    Shapes: weights (n, d).
    names: Of dimensions, by position.
    """
    titles = [
        f"dimension {k + 1}{f' {names[k]}' if names.get(k) else ''}"
        for k in range(weights.shape[1])
    ]
    values = pd.DataFrame(weights, columns=titles)
    return pd.concat([objects[["id", "label"]].reset_index(drop=True), values], axis=1)


def penalty_table(curve: PenaltyCurve) -> pd.DataFrame:
    return pd.DataFrame({
        "penalty": curve.penalties, "log_likelihood": curve.log_likelihood,
        "error": curve.errors, "behind": curve.behind, "behind_error": curve.behind_errors,
        "dimensions": curve.n_dimensions,
    })


def reproducibility_table(results: Sequence[DimensionReproducibility]) -> pd.DataFrame:
    """Rows for `reproducibility_curve`: mean and range over the runs of each."""
    return pd.concat([
        pd.DataFrame({
            "dimension": np.arange(len(one.mean)), "mean": one.mean,
            "low": one.correlations.min(axis=0), "high": one.correlations.max(axis=0),
            "again": one.found,
            "against": f"halves of the {one.unit}" if one.halves else "other starts",
        }) for one in results
    ], ignore_index=True)


def data_of(shown: ShownResults, run: Run, canvas: Canvas | None = None) -> DimensionData:
    """The dimensions of a fit, with standard deviations of resamples where it has none."""
    fitted, again = run.fitted(), shown.of(run, "bootstrap_dimensions")
    sd = fitted.embedding_sd_
    if sd is None and again is not None and again.arrays["sd"].shape == fitted.embedding_.shape:
        sd = again.arrays["sd"]
    pictures = shown.pictures_on(canvas) if canvas else shown.addresses or shown.pictures
    return DimensionData(
        fitted.embedding_, shown.answers.objects, sd, shown.named.get(run.key, {}), pictures,
        shown.selected,
    )


def facts_table(shown: ShownResults, run: Run, most: int) -> pd.DataFrame:
    """A row for each dimension: name, highest objects, share, reproducibility.

    most: Number of highest objects.
    """
    data, again = data_of(shown, run), fitted_again(shown, run)
    every = range(data.n_dimensions)
    table = pd.DataFrame({
        "dimension": np.arange(1, data.n_dimensions + 1),
        "name": [data.names.get(k, "") for k in every],
        "highest": [", ".join(data.labels[i] for i in data.highest(k, most)) for k in every],
        "share": data.weights.sum(axis=0) / (data.weights.sum() or 1.0),
        "objects": [len(data.highest(k)) for k in every],
    })
    return table.assign(reproduced=again[0].result().mean) if again else table


@presents("fit", "dimensions", told_in="interpretable")
def dimensions_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    """The number of dimensions, their predictions, and their highest objects on sheets."""
    data = data_of(shown, run)
    d = data.n_dimensions
    if not d:
        yield Statement(words("no dimension left", method=words.method(run.fresh())))
        return
    yield from map(Statement, number_said(run))
    yield from map(Statement, accuracy_said(shown, run))
    if not fitted_again(shown, run):
        yield Statement(words("dimensions not repeated"))
    for sheet, first in enumerate(range(0, d, _ON_A_SHEET), 1):
        which = list(range(d))[first : first + _ON_A_SHEET]
        yield strips_of(
            shown, run, which, "" if sheet == 1 else f"{sheet}",
            lambda: weights_table(data.objects, data.weights, data.names), {},
        )


def strips_of(
    shown: ShownResults, run: Run, which: Sequence[int], place: str,
    table: Callable[[], pd.DataFrame], lines: Mapping[int, str],
) -> Drawing:
    return shown.drawing(
        run, "dimension-strips",
        strips_height(data_of(shown, run), len(which)) / SCREEN.width,
        lambda canvas, caption: strips(
            data_of(shown, run, canvas), which, facts=lines, caption=caption, canvas=canvas
        ), table, place=place, alt="alt strips", picks=True, first=which[0] + 1,
        last=which[-1] + 1, number=len(which),
    )


def number_said(fit: Run) -> Iterator[str]:
    """The number of dimensions of a fit, and its limits."""
    fitted, method = fit.fitted(), fit.fresh()
    n_objects, d = fitted.embedding_.shape
    found = {
        "method": words.method(method), "source": _SOURCES[fit.method],
        "objects": words.count(n_objects, "object"), "number": words.count(d, "dimension"),
    }
    if isinstance(method, SymmetricNMF):
        yield words("similarities found", **found, explained=fitted.explained_)
        if method.n_components is None:
            yield words("number chosen")
        return
    yield words("dimensions found", **found, most=words.whole(method.n_components))
    penalty = getattr(fitted, "penalty_", None)
    if penalty is not None:
        yield words("penalty chosen" if method.penalty is None else "penalty set",
                    penalty=words.number(penalty))
    if d == method.n_components:
        yield words("all dimensions used")
    elif penalty is not None:
        yield words("weaker dimensions")


def accuracy_said(shown: ShownResults, fit: Run) -> Iterator[str]:
    if fit.of_measured:
        curve = shown.of(fit, "number_curve")
        if curve is None:
            yield words("similarities not tested")
        else:
            result = curve.result()
            yield words("pairs predicted", best=result.best, explained=float(
                result.explained.max()
            ))
        return
    run = shown.of(fit, "split_error", "cross_validate")
    if run is None:
        yield words("dimensions not tested")
        return
    error = run.result()
    choices = [one for one in choice_accuracies(shown.answers, error) if one.accuracy]
    if not choices:  # no choices among three
        yield words("dimensions predict answers", error=(error.error, error.low, error.high),
                    over=(error.unit, error.n_units))
        if is_chance(error):
            yield words("dimensions guess")
    for choice in choices:
        yield from choice_said(choice)


def choice_said(choice: ChoiceAccuracy) -> Iterator[str]:
    """Predictions of choices, beside the noise ceiling."""
    yield from predicted_said(choice)
    if choice.accuracy.low <= choice.chance:
        yield words("dimensions guess")
    yield of_choices(choice)


def fitted_again(shown: ShownResults, fit: Run, *, first: bool = False) -> list[Run]:
    """Repeated fits with as many dimensions, halves of the trials first.

    first: Whether first results will do where no whole one is.
    """
    every = sorted((
        run for run in shown.all_of("dimension_reproducibility")
        if (run.method, run.parameters) == (fit.method, fit.parameters)
        and run.result().reference.shape == fit.fitted().embedding_.shape
    ), key=lambda run: not run.result().halves)
    return [run for run in every if run.complete] or (every if first else [])


@presents("dimension_reproducibility", told_in="interpretable")
def reproducibility_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    """Reproducibility of each dimension, once for all repeated fits.

    Nothing is counted in a first result: in two halves, one of ten dimensions of coins comes back.
    """
    fit = shown.of(run, "fit")
    again = fitted_again(shown, fit, first=True) if fit is not None else []
    if not again or run is not again[0]:
        return
    results = [one.result() for one in again]
    for result in results if run.complete else ():
        yield Statement(words(
            "dimensions in halves" if result.halves else "dimensions from starts", unit=result.unit,
            runs=words.whole(len(result.correlations)), least=words.share(FOUND_AGAIN, 1),
            found=words.whole(int((result.mean > FOUND_AGAIN).sum())),
            number=words.count(len(result.mean), "dimension"), mean=words.share(result.overall),
        ))
        if result.grows:
            yield Statement(words(
                "halves have fewer", unit=result.unit, most=int(result.n_dimensions.max()),
                number=words.count(len(result.mean), "dimension"),
            ))
    data, table = data_of(shown, fit), reproducibility_table(results)
    yield shown.drawing(
        run, "dimension-reproducibility", _FLAT, partial(reproducibility_curve, data, table),
        lambda: table.assign(
            dimension=table["dimension"] + 1,
            name=[data.names.get(int(k), "") for k in table["dimension"]],
        ), runs=again, against=words.listing(
            [against(result) for result in results]
        ),
    )


def against(result: DimensionReproducibility) -> str:
    """What the other fits learned from, in words."""
    return words("halves", unit=result.unit) if result.halves else words("starts")


@presents("penalty_curve", told_in="interpretable")
def penalty_of(shown: ShownResults, run: Run) -> Iterator[Drawing]:
    curve = run.result()
    table = penalty_table(curve)
    yield shown.drawing(
        run, "penalty", _FLAT, partial(
            penalty_curve, table, chosen=curve.chosen, best=curve.best, chance=GUESSING
        ), lambda: table, alt="alt penalty", trials=curve.n_trials, best=words.number(curve.best),
        chosen=words.number(curve.chosen),
        why=words("predicts best" if curve.chosen == curve.best else "none is left"),
    )


@presents("number_curve", told_in="interpretable")
def numbers_of(shown: ShownResults, run: Run) -> Iterator[Drawing]:
    """Prediction of held-out pairs by number of dimensions."""
    curve = run.result()
    table = pd.DataFrame({
        "dimensions": curve.numbers, "explained": curve.explained, "error": curve.errors,
        "behind": curve.behind, "behind_error": curve.behind_errors,
    })
    yield shown.drawing(
        run, "number", _FLAT, partial(
            number_curve, table, chosen=curve.chosen, best=curve.best
        ), lambda: table, alt="alt number", pairs=curve.n_pairs, best=curve.best,
        chosen=curve.chosen, why=words("fewest within" if curve.chosen else "none predicts"),
    )
