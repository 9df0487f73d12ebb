"""Maps of measured dissimilarities."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from tripletscope.core.inference.evaluation.stress import StressTest
from tripletscope.core.inference.uncertainty.measured_map import MOST_DRAWN, MeasuredMap, nearest
from tripletscope.core.inference.uncertainty.samples import Samples
from tripletscope.core.inference.validity import Doubt, by_gravity, degenerate, random_order
from tripletscope.core.models.embedding.mds import NMDS
from tripletscope.core.models.embedding.ordinal import Embedding
from tripletscope.core.ratings import KINDS
from tripletscope.core.run import Run
from tripletscope.dashboard.figures.map import embedding_map
from tripletscope.dashboard.figures.points import MapData, MapStyle
from tripletscope.dashboard.figures.shepard import MOST, shepard_plot
from tripletscope.dashboard.figures.theme import Canvas
from tripletscope.dashboard.results.doubts import doubts_said
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.results.maps import coordinates, rough_said
from tripletscope.dashboard.results.shown import (
    Element,
    Numbers,
    ShownResults,
    Statement,
    presents,
)
from tripletscope.dashboard.wording import words

_MAP, _PLOT = 0.62, 0.55
#: Objects per dimension that must be exceeded for stress to mean anything (Kruskal and Wish, 1978).
_FEW = 4


@dataclass(frozen=True)
class MappedDissimilarities:
    """A matrix (m, m), and its map.

    objects (m,): Positions of its objects among those of the data set.
    neighbours: Nearest ones that the map is to keep, by LOE.
    samples: Maps of other raters, if known.
    chance: Stress of the same values in random order, where it was computed.
    """

    fitted: Embedding
    matrix: np.ndarray
    objects: np.ndarray
    neighbours: int | None
    source: str
    samples: Samples | None = None
    chance: StressTest | None = None


@presents("map_measured", told_in="dissimilarities")
def measured_map_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    """The map of what people measured."""
    result, fitted = run.result(), run.fresh()
    fitted.embedding_, fitted.loss_, fitted.converged_ = (
        result.embedding, result.loss, result.converged
    )
    fitted.disparities_, fitted.stress_per_object_ = result.disparities, result.stress_per_object
    fitted.n_objects_ = len(result.ids)
    place = {name: k for k, name in enumerate(shown.answers.ids)}
    yield from dissimilarities_of(shown, MappedDissimilarities(
        fitted, result.dissimilarities, np.array([place[name] for name in result.ids]),
        result.neighbours, " ".join(_source(shown, run, result)), result.samples, result.chance,
    ))


def _source(shown: ShownResults, run: Run, result: MeasuredMap) -> Iterator[str]:
    """What dissimilarities are of, and what is known of their errors."""
    people, n = result.n_raters, len(result.ids)
    # A matrix of nobody in particular may hold anything.
    is_told = people or result.kind != "ratings"
    what = KINDS[result.kind].title if is_told else words("values of pairs")
    yield words("measured of" if people else "measured", name=shown.name, what=what, number=people)
    missing = int(np.isnan(result.dissimilarities[np.triu_indices(n, 1)]).sum())
    if missing:
        yield words("pairs never judged", number=words.count(missing, "pair"))
    if not run.complete:
        yield words("map stopped")
    elif not result.repeated:
        yield words("nothing judged twice")
    elif result.drawn is None and n > MOST_DRAWN:
        yield words("ellipses of few", most=MOST_DRAWN)
    if run.options["weigh"]:
        yield words("pairs weighted")


@presents(MappedDissimilarities)
def dissimilarities_of(
    shown: ShownResults, result: MappedDissimilarities
) -> Iterator[Element]:
    """The map, its Shepard plot, and the objects that fit worst."""
    fitted, answers = result.fitted, shown.answers
    text = " ".join(_said(result))
    stem = f"{fitted.name}-dissimilarities"
    n, d = answers.n_objects, fitted.n_components
    positions, covariances, degrees = np.full((n, d), np.nan), None, None
    positions[result.objects] = fitted.embedding_
    if result.samples is not None:
        covariances = np.full((n, d, d), np.nan)
        covariances[result.objects] = result.samples.covariances
        degrees = result.samples.degrees

    def draw(canvas: Canvas) -> object:
        data = MapData(positions, answers.objects, covariances, shown.pictures_on(canvas),
                       list(shown.selected), degrees)
        return embedding_map(data, MapStyle(), caption=text, revision=result.source, canvas=canvas)

    yield from map(Statement, doubts_said(_doubts(result)))
    yield Drawing(
        "dissimilarities.map", words("title map", method=fitted.title), text,
        words("alt map", objects=words.count(len(result.objects), "object"), far=""), _MAP, draw,
        lambda: coordinates(answers.objects, positions), picks=True, saved_as=f"{stem}-map",
    )
    pairs = _pairs(shown, result)
    about = f"{words('shepard of')} {text}"
    if len(pairs) > MOST:
        about += " " + words("pairs drawn", drawn=MOST, number=len(pairs))
    fit = pairs["disparity"].to_numpy() if "disparity" in pairs else None
    yield Drawing(
        "dissimilarities.shepard", words("title shepard"), about, about, _PLOT,
        lambda canvas: shepard_plot(
            pairs["dissimilarity"].to_numpy(), pairs["distance"].to_numpy(), fit, caption=about,
            canvas=canvas,
        ), lambda: pairs, saved_as=f"{stem}-shepard",
    )
    name, each = _of_objects(result)
    table = pd.DataFrame({"object": [answers.labels[i] for i in result.objects], name: each})
    table = table.sort_values(name, ascending=result.neighbours is not None, kind="stable")
    yield Numbers(words("objects that fit worst"), lambda: table)


def _doubts(result: MappedDissimilarities) -> list[Doubt]:
    fitted, chance = result.fitted, result.chance
    found = [random_order(chance) if chance else None]
    if isinstance(fitted, NMDS):
        upper = np.triu_indices(len(result.objects), 1)
        apart, given = fitted.distances()[upper], result.matrix[upper]
        is_rated = np.isfinite(fitted.disparities_[upper])
        found.append(degenerate(apart[is_rated], given[is_rated], fitted.loss_))
    return by_gravity(found)


def _said(result: MappedDissimilarities) -> Iterator[str]:
    """Method and data, fit to the matrix, and meaning of the ellipses."""
    fitted, neighbours, number = result.fitted, result.neighbours, len(result.objects)
    yield words("dissimilarities of", method=words.method(fitted), number=number,
                source=result.source)
    if neighbours is None:
        yield words("stress", stress=fitted.loss_)
        yield from doubts_said(_doubts(result))
        if number <= _FEW * fitted.n_components:
            yield words("stress says little", least=_FEW * fitted.n_components,
                        d=fitted.n_components)
    else:
        yield words("neighbours kept", number=neighbours,
                    share=_of_objects(result)[1].mean() / 100)
    if not fitted.converged_:
        yield words("dissimilarities not converged")
    if result.samples is not None:
        unit = "raters" if result.samples.unit == "participants" else "trials"
        if np.isfinite(result.samples.radius(0.95)):
            yield words(f"ellipses over {unit}")
        yield from rough_said(result.samples, "ellipses")


def _of_objects(result: MappedDissimilarities) -> tuple[str, np.ndarray]:
    """Name and values in per cent of each object's fit or misfit."""
    fitted, k = result.fitted, result.neighbours
    if k is None:
        return "share of the stress (%)", 100 * fitted.stress_per_object_
    kept = nearest(result.matrix, k) & nearest(fitted.distances(), k)
    return "neighbours kept (%)", 100 * kept.sum(axis=1) / k


def _pairs(shown: ShownResults, result: MappedDissimilarities) -> pd.DataFrame:
    fitted = result.fitted
    upper = np.triu_indices(len(result.matrix), 1)
    first, second = (result.objects[k] for k in upper)
    ids = np.array(shown.answers.ids, dtype=object)
    table = pd.DataFrame({
        "first": ids[first], "second": ids[second], "dissimilarity": result.matrix[upper],
        "distance": fitted.distances()[upper],
    })
    if result.neighbours is not None:
        return table
    return table.assign(disparity=fitted.disparities_[upper]).dropna(
        subset="disparity", ignore_index=True
    )
