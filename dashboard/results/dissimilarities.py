"""Maps of measured dissimilarities."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from tripletscope.core.inference.uncertainty.measured_map import MOST_DRAWN, MeasuredMap, nearest
from tripletscope.core.inference.validity import Doubt, by_gravity, degenerate, random_order
from tripletscope.core.models.embedding.mds import NMDS
from tripletscope.core.ratings import KINDS
from tripletscope.core.run import Run
from tripletscope.dashboard.figures.diagnostics import MOST, shepard_plot
from tripletscope.dashboard.results.doubts import doubts_said
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.results.map_recipe import Placed
from tripletscope.dashboard.results.maps import PlainMap, rough_said
from tripletscope.dashboard.results.presentation import (
    Element,
    Numbers,
    ShownResults,
    Statement,
    presents,
)
from tripletscope.dashboard.words import words

_MAP, _PLOT = 0.62, 0.55
#: Objects per dimension that must be exceeded for stress to mean anything (Kruskal and Wish, 1978).
_FEW = 4
#: Stress with which other positions have the order of dissimilarities, too.
_NEARLY_NOTHING = 0.001


@presents("map_measured", told_in="dissimilarities")
def dissimilarities_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    """The map, its Shepard plot, and the objects that fit worst."""
    result, answers = run.result(), shown.answers
    stem = f"{run.method}-dissimilarities"
    place = {name: k for k, name in enumerate(answers.ids)}
    objects = np.array([place[name] for name in result.ids.tolist()])
    (_, d), covariances, degrees = result.embedding.shape, None, None
    positions = np.full((answers.n_objects, d), np.nan)
    positions[objects] = result.embedding
    if result.samples is not None:
        covariances = np.full((answers.n_objects, d, d), np.nan)
        covariances[objects] = result.samples.covariances
        degrees = result.samples.degrees
    drawn = PlainMap(
        shown, run, Placed(positions, covariances, degrees), " ".join(_said(shown, run, result))
    )
    yield from map(Statement, doubts_said(_doubts(run, result)))
    yield Drawing(
        "dissimilarities.map", words("title map", method=run.fresh().title), drawn.caption,
        words("alt map", objects=words.count(len(objects), "object"), far=""), _MAP, drawn.draw,
        drawn.table, (run.key,), picks=True, saved_as=f"{stem}-map",
    )
    pairs = _pairs(result)
    about = f"{words('shepard of')} {drawn.text}"
    if len(pairs) > MOST:
        about += " " + words("pairs drawn", drawn=MOST, number=len(pairs))
    fit = pairs["disparity"].to_numpy() if "disparity" in pairs else None
    yield Drawing(
        "dissimilarities.shepard", words("title shepard"), about, about, _PLOT,
        lambda canvas: shepard_plot(
            pairs["dissimilarity"].to_numpy(), pairs["distance"].to_numpy(), fit,
            steps=run.method == NMDS.name, caption=about, canvas=canvas,
        ), lambda: pairs, (run.key,), saved_as=f"{stem}-shepard",
    )
    if _fits_exactly(run, result):
        return
    name, each = _of_objects(result)
    table = pd.DataFrame({"object": [answers.labels[i] for i in objects], name: each})
    table = table.sort_values(name, ascending=result.neighbours is not None, kind="stable")
    yield Numbers(words("objects that fit worst"), lambda: table)


def _doubts(run: Run, result: MeasuredMap) -> list[Doubt]:
    found = [random_order(result.chance) if result.chance else None]
    if run.method == NMDS.name:
        upper = np.triu_indices(len(result.ids), 1)
        apart, given = result.distances[upper], result.dissimilarities[upper]
        is_rated = np.isfinite(result.disparities[upper])
        found.append(degenerate(apart[is_rated], given[is_rated], result.loss))
    return by_gravity(found)


def _fits_exactly(run: Run, result: MeasuredMap) -> bool:
    """Whether distances have the order of the dissimilarities, as those of many maps may."""
    return run.method == NMDS.name and result.loss < _NEARLY_NOTHING


def _said(shown: ShownResults, run: Run, result: MeasuredMap) -> Iterator[str]:
    """Method and data, fit to the matrix, and meaning of the ellipses."""
    number, d = result.embedding.shape
    yield words("dissimilarities of", method=words.method(run.fresh()), number=number,
                source=" ".join(_source(shown, run, result)))
    if result.neighbours is None:
        yield words("stress", stress=result.loss)
        permuted = result.chance.permuted if result.chance else ()
        if len(permuted) and not (result.chance.is_chance or result.chance.structured):
            yield words("stress by chance", low=permuted.min(), high=permuted.max())
        yield from doubts_said(_doubts(run, result))
        if _fits_exactly(run, result):
            yield words("no stress")
        if number <= _FEW * d:
            yield words("stress says little", least=_FEW * d, d=d)
    else:
        yield words("neighbours kept", number=result.neighbours,
                    share=_of_objects(result)[1].mean() / 100)
    if not result.converged:
        yield words("dissimilarities not converged")
    if result.samples is not None:
        unit = "raters" if result.samples.unit == "participants" else "trials"
        if np.isfinite(result.samples.radius(0.95)):
            yield words(f"ellipses over {unit}")
        yield from rough_said(result.samples, "ellipses")


def _source(shown: ShownResults, run: Run, result: MeasuredMap) -> Iterator[str]:
    """What dissimilarities are of, and what is known of their errors."""
    people, n = result.n_raters, len(result.ids)
    # A matrix of nobody in particular may hold anything.
    is_told = people or result.kind != "ratings"
    what = KINDS[result.kind].title if is_told else words("values of pairs")
    yield words("measured of" if people else "measured", name=result.table or shown.name,
                what=what, number=people)
    missing = int(np.isnan(result.dissimilarities[np.triu_indices(n, 1)]).sum())
    if missing:
        yield words("pairs never judged", number=words.count(missing, "pair"))
    if not run.complete:
        yield words("map stopped")
    elif not result.repeated and not result.table:
        yield words("nothing judged twice")
    elif result.drawn is None and n > MOST_DRAWN and not result.table:
        yield words("ellipses of few", most=MOST_DRAWN)
    if run.options["weigh"]:
        yield words("pairs weighted")


def _of_objects(result: MeasuredMap) -> tuple[str, np.ndarray]:
    """Name and values in per cent of each object's fit or misfit."""
    k = result.neighbours
    if k is None:
        return "share of the stress (%)", 100 * result.stress_per_object
    kept = nearest(result.dissimilarities, k) & nearest(result.distances, k)
    return "neighbours kept (%)", 100 * kept.sum(axis=1) / k


def _pairs(result: MeasuredMap) -> pd.DataFrame:
    upper = np.triu_indices(len(result.ids), 1)
    first, second = (result.ids[k] for k in upper)
    table = pd.DataFrame({
        "first": first, "second": second, "dissimilarity": result.dissimilarities[upper],
        "distance": result.distances[upper],
    })
    if result.neighbours is not None:
        return table
    return table.assign(disparity=result.disparities[upper]).dropna(
        subset="disparity", ignore_index=True
    )
