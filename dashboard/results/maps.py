"""Maps with their uncertainty."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from tripletscope.core.data.answers import Answers
from tripletscope.core.data.geometry import ellipsoids
from tripletscope.core.data.lazy import cached_property
from tripletscope.core.inference.held_out.choice_accuracy import choice_accuracies
from tripletscope.core.inference.held_out.compare import is_chance
from tripletscope.core.inference.held_out.score import CHANCE
from tripletscope.core.inference.held_out.tails import TailChoice
from tripletscope.core.inference.held_out.units import ENOUGH
from tripletscope.core.inference.uncertainty.samples import Samples
from tripletscope.core.inference.validity import GRAVE
from tripletscope.core.run import Run
from tripletscope.dashboard.figures.arrows import Arrow
from tripletscope.dashboard.figures.colours import is_quantity, numbers_of
from tripletscope.dashboard.figures.map import embedding_map
from tripletscope.dashboard.figures.map_2d import DENSE_SHARES, height_of
from tripletscope.dashboard.figures.points import MANY, SPREAD, MapData, MapStyle
from tripletscope.dashboard.figures.theme import Canvas
from tripletscope.dashboard.results.colouring import (
    coloured,
    first_colouring,
    of_table,
    own_colourings,
)
from tripletscope.dashboard.results.doubts import HELP, doubts_of, doubts_said
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.results.map_recipe import MapLook, Placed, placed
from tripletscope.dashboard.results.presentation import (
    Advice,
    Element,
    Numbers,
    ShownResults,
    Statement,
    presents,
    uncertainty_of,
)
from tripletscope.dashboard.results.quality import of_choices, predicted_said
from tripletscope.dashboard.words import LinkedSentence, words

#: A map's frame: width, least and highest height, and height above it.
_WIDTH, _LEAST, _MOST, _HEAD = 640.0, 260.0, 640.0, 40.0
#: Most objects whose pictures are shown without being asked for: of more they would be a heap.
MOST_PICTURED = 500
#: Objects above which lines go around where most of them lie, unless somebody chooses otherwise.
MANY_OBJECTS = 1_000
#: Coverage of the shapes that show uncertainty.
USUAL = 0.95
#: One of the shapes that show the uncertainty of positions.
_ONE = {"error bars": "an error bar", "ellipses": "an ellipse", "ellipsoids": "an ellipsoid"}


def map_said(shown: ShownResults, run: Run) -> Iterator[Element]:
    """How well a map predicts, and the gain that the ceiling allows."""
    error, training = error_of(shown, run), run.numbers["triplet_error_"]
    if error is None:
        yield Statement(words("no held-out error", error=training))
    else:
        yield from error_said(shown, error)
    if run.fitted().n_components > 1:
        yield Statement(words("turned"))
    if error is not None:
        yield Advice(words("training error", error=training))
    # Guessing is told with the error.
    yield from map(Statement, doubts_said(doubts_of(shown, run, error), "guessing"))


def warning_said(shown: ShownResults, run: Run) -> Iterator[str]:
    """The gravest doubt, if a map is not to be looked at before it is known."""
    found = doubts_of(shown, run, error_of(shown, run))
    yield from islice(doubts_said(doubt for doubt in found if doubt.code in GRAVE), 1)


def error_said(shown: ShownResults, run: Run) -> Iterator[Element]:
    """The held-out error of a map, beside chance and the noise ceiling."""
    error, ceiling = run.result(), shown.limits.ceiling
    yield Statement(words("map predicts", error=(error.error, error.low, error.high),
                          scheme=_scheme(run), over=(error.unit, error.n_units)))
    if is_chance(error):
        yield Statement(LinkedSentence(words("like guessing"), HELP["guessing"]))
    elif ceiling.is_precise and not ceiling.differ:
        yield Statement(words("least error", low=1 - ceiling.upper.value,
                              high=1 - ceiling.lower.value))
        if ceiling.is_reached(error.error, error.low):
            yield Statement(words("ceiling reached"))
    for choice in choice_accuracies(shown.answers, error):
        yield from map(Statement, predicted_said(choice))
        yield Advice(of_choices(choice))


def error_of(shown: ShownResults, run: Run) -> Run | None:
    """The held-out error of a map, if it was computed: that of the data's own split first."""
    return shown.of(run, "split_error", "cross_validate")


@presents("fit", "embedding", told_in="map")
def map_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    yield from map_said(shown, run)
    yield DrawnMap(shown, run).drawing


@presents("choose_tail", told_in="map")
def tails_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    """Which tails the answers choose, and what decides."""
    choice: TailChoice = run.result()
    if choice.alpha is None:
        yield Statement(words("tails open"))
        return
    is_before = choice.n_answers > len(shown.answers)
    yield Statement(words(
        "tails chosen", alpha=choice.alpha, number=choice.n_answers,
        which=words("before exclusion") if is_before else "",
    ))
    yield Numbers(words("title tails"), lambda: choice.table, about=words("about tails"))


class PlacedObjects:
    """Objects on a map as page, report, archive and script show them: the base of all maps.

    Subclasses say of which results (`shown`, `run`) it is, `where` objects lie, and the `caption`.

    window: Lower left and upper right corner in the plane; None where all points are seen.
    """

    shown: ShownResults
    run: Run
    where: Placed
    caption: str
    window: tuple[np.ndarray, np.ndarray] | None = None
    #: Directions, in two dimensions or more.
    arrows: Sequence[Arrow] = ()

    @cached_property
    def look(self) -> MapLook:
        return self.shown.look_of(self.run)

    @cached_property
    def table_of_objects(self) -> pd.DataFrame:
        return self.shown.answers.objects

    @cached_property
    def key(self) -> str:
        """While it stays the same, zoom and camera survive a change of the figure."""
        return self.run.key

    @property
    def _d(self) -> int:
        return self.where.positions.shape[1]

    @property
    def is_plane(self) -> bool:
        return self._d == 2 or (self._d > 2 and self.look.flat)

    @cached_property
    def _coloured(self) -> tuple[str | None, pd.DataFrame]:
        """The column that colours objects, and the objects with it."""
        objects, look = self.table_of_objects, self.look
        ways, key = own_colourings(objects), look.colour
        if key and key not in ways and look.values:
            values, known = objects["id"].map(look.values), [*dict.fromkeys(look.values.values())]
            if isinstance(known[0], str):
                values = pd.Categorical(values, known, ordered=True)
            return look.title, objects.assign(**{look.title: values})
        if key is None or (key and key not in ways):
            key = first_colouring(objects, ways)
        return coloured(objects, ways.get(key))

    @property
    def objects(self) -> pd.DataFrame:
        """With the column that colours them."""
        return self._coloured[1]

    @cached_property
    def style(self) -> MapStyle:
        look, d = self.look, self._d
        coverage = USUAL if look.coverage is None else look.coverage
        against = None if d > 1 else stimulus_of(self.table_of_objects) if (
            look.against is None
        ) else look.against or None
        return MapStyle(
            self._marks if d > 1 else "points", self._coloured[0],
            self.where.covariances is not None and coverage > 0, coverage or USUAL, against,
            look.flat, look.picture_size, look.outlined and d > 1, self._sized, self.is_plane and (
                len(self.objects) > MANY_OBJECTS if look.dense is None else look.dense
            ),
        )

    @property
    def _sized(self) -> str | None:
        column, objects = self.look.sized, self.table_of_objects
        if not self.is_plane or column not in objects or not is_quantity(objects[column]):
            return None
        return column if np.isfinite(numbers_of(objects[column])).any() else None

    @property
    def _marks(self) -> str:
        shown, n = self.shown, len(self.objects)
        has_pictures = self.is_plane and bool(shown.addresses or shown.pictures)
        usual = "pictures" if has_pictures and n <= MOST_PICTURED else "labels"
        marks = self.look.marks or usual
        return usual if marks == "pictures" and not has_pictures else marks

    @cached_property
    def seen(self) -> MapData:
        """Its data with the pictures for a page, if there are any."""
        shown, (positions, covariances, degrees) = self.shown, self.where
        places = {name: i for i, name in enumerate(self.objects["id"].tolist())}
        moved = {places[name]: tuple(offset) for name, offset in self.look.moved.items()
                 if name in places}
        return MapData(
            positions, self.objects, covariances, shown.addresses or shown.pictures,
            list(shown.selected), degrees, moved, self.arrows,
        )

    def draw(self, canvas: Canvas) -> go.Figure:
        is_pictured = self.style.marks == "pictures"
        pictures = self.shown.pictures_on(canvas) if is_pictured else self.seen.pictures
        return embedding_map(
            replace(self.seen, pictures=pictures), self.style, caption=self.caption,
            revision=self.key, window=self.window, canvas=canvas,
        )

    def table(self) -> pd.DataFrame:
        return coordinates(self.table_of_objects, *self.where)


@dataclass(frozen=True)
class GivenMap(PlacedObjects):
    """Objects at places that are no result, such as the truth of a simulation."""

    table_of_objects: pd.DataFrame = field()
    where: Placed
    caption: str
    key: str = field()
    look: MapLook = field()
    shown: ShownResults = field(default_factory=lambda: ShownResults((), None, ""))


@dataclass(frozen=True)
class PlainMap(PlacedObjects):
    """Objects at given places, such as the components of a kernel.

    text: The caption without what colours.
    """

    shown: ShownResults
    run: Run
    where: Placed
    text: str

    @property
    def caption(self) -> str:
        column = self.style.colour
        return f"{self.text} {words('coloured', column=column)}" if column else self.text


@dataclass(frozen=True)
class DrawnMap(PlacedObjects):
    """A fitted map, turned, with its uncertainty."""

    shown: ShownResults
    run: Run

    @cached_property
    def samples(self) -> Run | None:
        """Maps that the answers could as well have given, if computed."""
        return uncertainty_of(self.shown, self.run)

    @cached_property
    def rotation(self) -> np.ndarray:
        turn = self.look.turn
        return np.array(turn.rotation) if turn else np.eye(self.run.fitted().n_components)

    @cached_property
    def where(self) -> Placed:
        return placed(self.run, self.samples, self.rotation)

    @cached_property
    def caption(self) -> str:
        return map_caption(
            self.shown, self.run, self.style, selected=bool(self.shown.selected)
        )

    @property
    def drawing(self) -> Drawing:
        ratio = 0.7
        if self._d > 1:
            ratio = (_HEAD + height_of(self.seen, _WIDTH, _LEAST, _MOST)) / _WIDTH
        return Drawing(
            "map", words("title map", method=self.run.fresh().title), self.caption,
            words("alt map", objects=words.count(len(self.objects), "object"),
                  far=_far_apart(self.shown, self.where)),
            ratio, self.draw, self.table,
            (self.run.key, *((self.samples.key,) if self.samples else ())),
        )


def map_caption(
    shown: ShownResults, run: Run, style: MapStyle, *, selected: bool = False
) -> str:
    """Method, data, and meaning of the uncertainty, in a few sentences.

    selected: Whether objects are selected, which alone have ellipses where there are many.
    """
    samples, fitted = uncertainty_of(shown, run), run.fitted()
    d = fitted.n_components
    sentences = [words("map of", fit=fit_said(run), about=shown.about)]
    if d > 2 and style.flat:
        sentences.append(words("first axes"))
    if (turn := shown.look_of(run).turn) is not None:
        is_alike = turn.towards == words.method(run.fresh())
        sentences.append(words(
            "turned towards the same" if is_alike else "turned towards", name=turn.towards
        ))
    if samples is not None and samples.task != "bootstrap":
        sentences.append(words("at the mean"))
    sentences += style_said(shown.answers.objects, style, d)
    error = error_of(shown, run)
    if error is not None:
        result = error.result()
        sentences.append(words(
            "held-out error of", error=(result.error, result.low, result.high),
            scheme=_scheme(error), over=(result.unit, result.n_units), chance=CHANCE,
        ))
    if style.uncertainty and samples is not None:
        sentences += uncertainty_said(shown, samples, style, d, selected)
    told = ("unfinished", *(["few answers"] if samples is not None else []))  # by crosses
    sentences += doubts_said(doubts_of(shown, run, error), *told)
    return " ".join(sentences)


def style_said(objects: pd.DataFrame, style: MapStyle, d: int) -> Iterator[str]:
    """What colour, size and lines mean on a map of d dimensions."""
    if style.colour:
        yield words("coloured", column=style.colour)
    if style.outlined and (style.flat or d == 2):
        yield words("hulls")
    if style.sized:
        values = numbers_of(objects[style.sized])
        values = values[np.isfinite(values)]
        yield words("sized", column=style.sized, low=float(values.min()), high=float(values.max()))
    if style.dense:
        yield words("dense", shares=words.listing(
            [words.percent(share) for share in DENSE_SHARES]
        ))


def fit_said(run: Run) -> str:
    fitted, parts = run.fitted(), [words.method(run.fresh())]
    if fitted.n_init == type(fitted).n_init:  # otherwise it was named
        parts.append(words("lowest of", restarts=len(run.arrays["losses_"])))
    if fitted.prior and fitted.prior == type(fitted).prior:
        parts.append(words("with prior", prior=fitted.prior))
    if not run.complete:
        parts.append(words("fit stopped"))
    elif not run.numbers["converged_"]:
        parts.append(words("fit not converged"))
    return ", ".join(parts)


def _scheme(run: Run) -> str:
    """The answers on which a held-out error was measured."""
    if run.task == "split_error":
        return words("by own split")
    key = "by cross-validation" + (" repeated" if run.options["repeats"] > 1 else "")
    return words(key, folds=run.options["folds"], repeats=run.options["repeats"])


def uncertainty_said(
    shown: ShownResults, run: Run, style: MapStyle, d: int, selected: bool = False
) -> Iterator[str]:
    """Source and meaning of the ellipses."""
    samples = run.samples()
    kind = "error bars" if d == 1 else "ellipses" if d == 2 or style.flat else "ellipsoids"
    determined, counts = samples.determined, samples.counts
    without = int(np.sum(~determined & (counts > 0)))
    if np.isfinite(samples.radius(style.coverage)) and determined.any():
        few, whose = kind != "error bars" and len(shown.answers.objects) > MANY, ""
        if selected and (few or kind == "ellipsoids"):
            whose = words("of the selected")
        elif few:
            whose = words("of spread", number=SPREAD)
        yield words("shapes", share=style.coverage, shape=words(kind), whose=whose,
                    origin=origin_of(shown, run))
        yield words(_meaning(run), share=style.coverage, shape=words(_ONE[kind]))
    if without:
        yield words("pale" if style.marks == "pictures" else "crossed", number=without)
    yield from rough_said(samples, kind)


def apart_said(
    samples: Samples, names: Sequence[str], pair: tuple[int, int], coverage: float
) -> Iterator[str]:
    """Whether two objects are distinguishable."""
    are_distinct = samples.are_apart(*pair, coverage)
    if are_distinct is not None:
        first, second = (names[k] for k in pair)
        yield words("are apart" if are_distinct else "are not apart", first=first, second=second,
                    share=coverage)


def rough_said(samples: Samples, kind: str) -> Iterator[str]:
    """That few participants leave it open how much people differ."""
    if samples.is_rough:
        is_finite = np.isfinite(samples.radius(0.95))
        yield words("regions are rough" if is_finite else "regions unknown", shapes=words(kind),
                    people=samples.n_units, enough=ENOUGH)


def _meaning(run: Run) -> str:
    """Key of the meaning of some maps' ellipses."""
    samples, options = run.samples(), run.options
    if samples.source != "bootstrap":
        return f"regions of {samples.source}"
    if options["scheme"] == "subsample" and not options["rescale"]:
        return "regions as published"
    return f"regions over {'answers' if samples.unit == 'answers' else 'participants'}"


def origin_of(shown: ShownResults, run: Run) -> str:
    samples, options = run.samples(), run.options
    number = len(samples.embeddings)
    if samples.source != "bootstrap":
        text = words(f"from {samples.source}", number=words.whole(number))
    else:
        if samples.unit == "answers":
            units = words.noun(2, _drawn_of(shown.answers))
        elif samples.unit == "both":
            units = words("people and answers", people=samples.n_units)
        else:
            units = words.count(samples.n_units, "participant")
        text = words(f"from {options['scheme']}", number=number, units=units,
                     share=options.get("share"))
    first = "" if run.complete else f", {words('first result')}"
    return text + first + words.as_in(run.task, options)


def _drawn_of(answers: Answers) -> str:
    """What is resampled where participants are not."""
    if answers.are_rated:
        return "rating"
    return "answer" if answers.trials is None else "trial"


def first_column_of(objects: pd.DataFrame) -> str | None:
    """The column that colours a map at first."""
    return first_colouring(objects, {}) or None


def stimulus_of(objects: pd.DataFrame) -> str | None:
    return next((c for c in of_table(objects) if is_quantity(objects[c])), None)


def _far_apart(shown: ShownResults, where: Any) -> str:
    """The two objects that are farthest apart along the first axis, by name."""
    positions = where.positions
    finite = np.flatnonzero(np.isfinite(positions).all(axis=1))
    if len(finite) < 2:
        return ""
    along = positions[finite, 0]
    first, last = finite[np.argmin(along)], finite[np.argmax(along)]
    labels = shown.answers.labels
    return words("along the first axis", first=labels[first], last=labels[last])


def coordinates(
    objects: pd.DataFrame, positions: np.ndarray, covariances: np.ndarray | None = None,
    degrees: float | None = None,
) -> pd.DataFrame:
    """The objects, without their pictures, with positions and uncertainty.

    Shapes: positions (n, d), covariances (n, d, d).
    Returns: Columns ``x1``, whether the answers leave the position ``determined``, covariances
        ``cov_x1_x2``, half lengths of the 95 % intervals or ellipses ``half_axis_1_95``, the
        longest first, and in the plane the angle of the longest to the first axis, against the
        clock, ``angle_degrees``.
    """
    table = objects.drop(columns="image", errors="ignore").assign(
        **{f"x{k + 1}": axis for k, axis in enumerate(positions.T)}
    )
    if covariances is None:
        return table
    d = positions.shape[1]
    shape = ellipsoids(covariances, 0.95, degrees)
    further = {"determined": np.isfinite(covariances).all(axis=(1, 2))} | {
        f"cov_x{r + 1}_x{c + 1}": covariances[:, r, c]
        for r, c in zip(*np.triu_indices(d), strict=True)
    } | {f"half_axis_{k + 1}_95": half for k, half in enumerate(shape.half_axes.T)}
    if d == 2:
        along = np.degrees(np.arctan2(shape.directions[:, 1, 0], shape.directions[:, 0, 0])) % 180
        further["angle_degrees"] = np.where(np.isfinite(shape.half_axes[:, 0]), along, np.nan)
    return table.assign(**further)
