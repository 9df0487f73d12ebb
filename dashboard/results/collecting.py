"""A running experiment: the error of its map as answers come in, and its stopping rule."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from tripletscope.core.models.embedding.default import DEFAULT_EMBEDDING
from tripletscope.core.studies.experiment.experiment import Experiment
from tripletscope.core.studies.experiment.live import FEWEST, CollectedError
from tripletscope.core.studies.experiment.results import experiment_objects
from tripletscope.dashboard.figures.curves import error_as_it_comes
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.results.map_recipe import MapLook, Placed
from tripletscope.dashboard.results.maps import GivenMap
from tripletscope.dashboard.results.presentation import Element, ShownResults, Statement, presents
from tripletscope.dashboard.words import words

_FLAT, _MAP = 0.37, 0.63


@dataclass(frozen=True)
class Collected:
    """The state of an experiment.

    n_finished: Participants who have answered everything.
    looks: Error of the map at every look, by its moment (ISO 8601).
    """

    experiment: Experiment
    n_finished: int
    looks: dict[str, CollectedError]


@dataclass(frozen=True)
class MapSoFar:
    """The newest map: positions (n, 2), and number of answers; whether its error was estimated."""

    experiment: Experiment
    positions: np.ndarray
    n_answers: int
    is_judged: bool


@presents(Collected)
def collected_of(shown: ShownResults, result: Collected) -> Iterator[Element]:
    """The state of the rule, effects of looking, and every look as a figure."""
    experiment = result.experiment
    yield from map(Statement, enough_said(result))
    if len(result.looks) < 2:
        return
    table = pd.DataFrame([
        {"answers": look.n_answers, "error": look.error, "low": look.low, "high": look.high,
         "looked at": at} for at, look in result.looks.items()
    ])
    unit = list(result.looks.values())[-1].unit
    text = words("looks of", title=experiment.title, over=words(f"looks over {unit}"))
    yield Drawing(
        "error-as-it-comes", words("title looks"), text, words("alt curve"), _FLAT,
        lambda canvas: error_as_it_comes(
            table, enough=experiment.enough_error, caption=text, canvas=canvas
        ), lambda: table,
    )


@presents(MapSoFar)
def map_so_far(shown: ShownResults, result: MapSoFar) -> Iterator[Drawing]:
    """The newest map, aligned with the previous one."""
    experiment = result.experiment
    text = words("map so far", title=experiment.title, method=DEFAULT_EMBEDDING.title,
                 number=result.n_answers)
    if not result.is_judged:
        text += f" {words('not judged yet')}"
    drawn = GivenMap(
        experiment_objects(experiment), Placed(result.positions, None, None), text,
        experiment.title, MapLook("labels"),
    )
    yield Drawing(
        "map-so-far", words("title map so far"), text, text, _MAP, drawn.draw, drawn.table,
    )


def enough_said(result: Collected) -> Iterator[str]:
    """The state of the stopping rule, and effects of looking."""
    experiment = result.experiment
    target, most = experiment.enough_error, experiment.most_people
    people = words("people finished", finished=result.n_finished, most=most)
    if target is None:
        reached = result.n_finished >= most
        yield words("enough people" if reached else "too few people yet", people=people)
        yield words("looking changes nothing")  # the number may have been changed since
        return
    if not result.looks:
        yield words("error not known yet", target=target, least=FEWEST, people=people)
        return
    last = list(result.looks.values())[-1]
    key = "enough" if last.high <= target else "nearly enough" if last.error <= target else (
        "not enough yet"
    )
    yield words(key, target=target, error=(last.error, last.low, last.high),
                number=last.n_answers, people=people)
    yield words("looked often", number=len(result.looks))
