"""Directions on a map in which columns of the objects grow, with their uncertainty."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
import pandas as pd
from scipy.special import ndtri, stdtrit
from scipy.stats import rankdata
from sklearn.base import clone

from tripletscope.core.data.named import column_of
from tripletscope.core.data.quadruples import as_answers
from tripletscope.core.data.triplets import Answers
from tripletscope.core.engine.declared import Choice, Column, Number
from tripletscope.core.engine.estimate import Estimate
from tripletscope.core.engine.options import Seed
from tripletscope.core.engine.progress import Progress, Stopped, part, silent
from tripletscope.core.engine.task import task
from tripletscope.core.features.intervals import crossed_variance, effective_number
from tripletscope.core.inference.held_out.units import Unit
from tripletscope.core.inference.uncertainty.resampling import bootstrap
from tripletscope.core.models.embedding.features import is_feature
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding

#: Level of the tests, for all columns together.
LEVEL = 0.05
#: By how much more of the variance a curved surface must explain, held out, and the most that a
#: plane then tells of it.
MARGIN, MOST_OF_CURVED = 0.05, 0.75
#: Fewest objects that may carry a direction; an arrow that may point backwards says nothing.
_CARRIED, _HALF_CIRCLE = 4.0, 90.0
#: Objects beyond the parameters of a surface, and of each category.
_BEYOND, _EACH = 3, 2
#: Draws of objects on each map.
_DRAWS = 5
#: Values that are computed at once.
_BLOCK = 4_000_000

FORMS = {"linear": "Linear", "rank": "Of the ranks"}
#: What is found of a column.
FOUND = (
    "arrow", "peak", "trough", "curved", "chance", "few", "backwards", "separated", "mixed",
    "short", "constant",
)


@dataclass(frozen=True)
class Directions:
    """What c columns of the n objects have to do with places on a map.

    Attributes
    ----------
    columns : list of str
    found : list of str
        Of each column: ``arrow``; ``peak``, ``trough`` or ``curved``, if a quadratic surface
        predicts better than a plane, the first two if the plane tells less than half of it and the
        extreme is among the objects; ``chance``; ``few``, if fewer than four objects, or a third,
        make it vary; ``backwards``, if its interval reaches 90°; of categories ``separated`` or
        ``mixed``; ``short``, if too few objects have a value, and ``constant``.
    n_values : ndarray of int, shape (c,)
        Objects with a value and a place.
    direction : ndarray, shape (c, d)
        Unit vectors; NaN where there are none.
    fit : ndarray, shape (c,)
        Share of the variance that a plane explains on the objects it was fitted to; of categories,
        share of the variance of places between them.
    explained : ndarray, shape (c,)
        The same on objects left out one at a time; negative if their mean predicts better.
    half_angle : ndarray, shape (c,)
        Degrees between the direction and the edge of its 95 % wedge, or cone, over objects and
        `between.unit`.
    p : ndarray, shape (c,)
        That `explained`, or `accuracy`, is as high for some column of shuffled objects: adjusted
        for all columns.
    curved_explained : ndarray, shape (c,)
        As `explained`, of a quadratic surface.
    curved_p : ndarray, shape (c,)
        That a plane gains as much by curving, adjusted for all columns.
    extreme : ndarray, shape (c, d)
        Place of the highest or lowest value, of ``peak`` and ``trough``.
    accuracy : ndarray, shape (c,)
        Balanced accuracy of nearest neighbours for categories of objects left out.
    chance : ndarray, shape (c,)
        Its mean for shuffled objects.
    between : Estimate, shape (c, c)
        Degrees between directions, which do not depend on the axes.
    embedding : ndarray, shape (n, d)
        The map; NaN for objects without a place.
    """

    columns: list[str]
    found: list[str]
    n_values: np.ndarray
    direction: np.ndarray
    fit: np.ndarray
    explained: np.ndarray
    half_angle: np.ndarray
    p: np.ndarray
    curved_explained: np.ndarray
    curved_p: np.ndarray
    extreme: np.ndarray
    accuracy: np.ndarray
    chance: np.ndarray
    between: Estimate
    embedding: np.ndarray

    @property
    def drawn(self) -> np.ndarray:
        """(c,) bool: whether the direction is predictive and known well enough for an arrow."""
        return np.array([one == "arrow" for one in self.found], dtype=bool)

    @property
    def angle(self) -> Estimate:
        """(c,) degrees from the first axis, against the clock; NaN but in the plane."""
        value = np.full(len(self.columns), np.nan)
        if self.direction.shape[1] == 2:
            value = np.degrees(np.arctan2(self.direction[:, 1], self.direction[:, 0]))
        return Estimate(value, value - self.half_angle, value + self.half_angle,
                        *self.between.over)

    @property
    def table(self) -> pd.DataFrame:
        """One row per column."""
        axes = {f"axis_{k + 1}": column for k, column in enumerate(self.direction.T)}
        return pd.DataFrame({
            "column": self.columns, "found": self.found, "objects": self.n_values, **axes,
            **self.angle.columns("angle"), "half_angle": self.half_angle, "fit": self.fit,
            "explained": self.explained, "p": self.p, "curved_explained": self.curved_explained,
            "curved_p": self.curved_p, "accuracy": self.accuracy, "chance": self.chance,
        })


@task("Finding directions on the map", "embedding", columns=("participant",))
def directions(
    method: OrdinalEmbedding,
    answers: Answers,
    *,
    columns: Annotated[list[str], Column(
        "Columns", "Numbers get a direction; of categories it is asked how well they are apart on "
        "the map. Objects without a value are left out.", several=True,
    )],
    form: Annotated[str, Choice(
        FORMS, "Form", "Linear: the numbers as they are. Of the ranks: only their order counts, so "
        "that few very large numbers do not decide.",
    )] = "linear",
    permutations: Annotated[int, Number(
        99, 100_000, "Permutations", "Of the objects, for p values.", advanced=True,
    )] = 999,
    replicates: Annotated[int, Number(
        20, 10_000, "Bootstrap replicates", "Maps of resampled answers, on each of which objects "
        "are resampled.",
    )] = 100,
    unit: Unit = "auto",
    seed: Seed = 0,
    progress: Progress = silent,
) -> Directions:
    """Directions in which columns of the objects grow on a map, as arrows with wedges.

    Parameters
    ----------
    method : OrdinalEmbedding
    answers : Triplets, Quadruples or array-like of int, shape (T, 3) or (T, 4)
        With a table of objects.
    progress : Progress

    Raises
    ------
    DataError
        If there is no such column.
    Stopped
        If `progress` asks to stop before the end.

    Notes
    -----
    The direction is the gradient of the plane that fits the standardised column best, as in PROFIT
    and in vegan's envfit. One statistic decides on arrows: the share of the variance explained on
    objects left out one at a time. It must be above 0, and higher than for shuffled objects at 5 %
    for all columns together: of each shuffle counts the column that exceeds most, each on the scale
    of its own shuffles (maxT, Westfall & Young 1993). Categories, with the balanced accuracy of
    their nearest neighbours, are in the same family. An arrow also needs four objects, or a third,
    that make the column vary, and a wedge below a half circle. A surface is said to be curved,
    instead of an arrow, if the plane tells less than three quarters of it, it explains another 5 %
    of the variance on objects left out, which planes with shuffled residuals do not (Freedman &
    Lane 1983), and is above shuffled objects.

    Wedges are over objects and answers, as intervals of `map_correlation` are. Directions turn
    with the map; angles between them do not.

    References
    ----------
    Carroll, J. D., & Chang, J. J. (1964). A general index of nonlinear correlation and its
    application to the interpretation of multidimensional scaling solutions. Oksanen, J., et al.
    (2022). vegan: community ecology package. Westfall, P. H., & Young, S. S. (1993).
    Resampling-based multiple testing. Freedman, D., & Lane, D. (1983). A nonstochastic
    interpretation of reported significance levels. Journal of Business & Economic Statistics, 1,
    292-298. Schütt, H. H., et al. (2023). Statistical inference on representational geometries.
    eLife, 12, e82566.

    Examples
    --------
    >>> import numpy as np, pandas as pd, tripletscope as ts
    >>> places = np.random.default_rng(0).normal(size=(20, 2)) * 1.5
    >>> answers = ts.simulate(places, 1500, noise="logistic", seed=0)
    >>> objects = answers.objects.assign(size=places[:, 0], depth=places[:, 1])
    >>> found = ts.features.directions(
    ...     ts.STE(), answers.with_objects(objects), columns=["size", "depth"], replicates=20)
    >>> found.found, bool(60 < found.between.value[0, 1] < 120)
    (['arrow', 'arrow'], True)
    """
    answers = as_answers(answers)
    table = [column_of(answers.objects, name, answers.name) for name in columns]
    fitted = clone(method).fit(answers, progress=part(progress, high=0.1))
    maps = bootstrap(
        method, answers, replicates=replicates, unit=unit, seed=seed, reference=fitted.embedding_,
        progress=part(progress, 0.1, 0.9),
    )
    if len(maps.embeddings) < replicates:
        raise Stopped
    positions = np.where(fitted.placed_[:, None], fitted.embedding_, np.nan)
    result = directions_on(
        positions, dict(zip(columns, table, strict=True)), form=form, permutations=permutations,
        maps=maps.embeddings, replicates=replicates, correction=maps.correction, unit=maps.unit,
        n_units=maps.n_units, seed=seed,
    )
    progress(1.0)
    return result


def directions_on(
    positions: np.ndarray, columns: dict[str, pd.Series], *, form: str = "linear",
    permutations: int = 999, maps: np.ndarray | None = None, replicates: int = 100,
    correction: float = 1.0, unit: str = "answers", n_units: int | None = None, seed: int = 0,
) -> Directions:
    """Directions on a map (n, d) that is there already; NaN for objects without a place.

    maps (b, n, d): Of resampled answers, aligned, as many as `replicates`; without these, wedges
        are over objects alone.
    correction: Factor to the variance between maps.
    """
    placed = np.isfinite(positions).all(axis=1)
    c, d = len(columns), positions.shape[1]
    rng = np.random.default_rng(seed)
    keys = rng.random((permutations, len(positions)))
    tested = [_Tested.of(values, placed, positions, form) for values in columns.values()]
    first, curving = np.full((2, c, permutations + 1), -np.inf)
    surface = np.full((c, permutations + 1), -np.inf)
    for k, one in enumerate(tested):
        order = np.argsort(keys[:, one.objects], axis=1, kind="stable")
        order = np.vstack([np.arange(one.m), order])
        if one.problem:
            continue
        if one.is_category:
            first[k] = one.accuracies(order)
            continue
        first[k] = one.explained(one.plane, one.values[order])
        if one.quadratic is not None:
            surface[k] = one.explained(one.quadratic, one.values[order])
            line = one.fitted
            values = line + (one.values - line)[order]
            curving[k] = one.explained(one.quadratic, values) - one.explained(one.plane, values)
    p, curved_p = _adjusted(first), _adjusted(curving)
    has_surface = _adjusted(surface) <= LEVEL
    direction = np.array([one.gradient for one in tested]).reshape(c, d)
    values = np.array([one.spread_out(len(positions)) for one in tested]).reshape(c, -1)
    half_angle, between = _angles(
        positions, values, maps, direction, correction, replicates, n_units, rng
    )
    result, extreme, numbers = [], np.full((c, d), np.nan), np.full((5, c), np.nan)
    for k, one in enumerate(tested):
        if not one.problem:
            if one.is_category:
                numbers[3:, k] = first[k, 0], first[k, 1:].mean()
            else:
                numbers[1:3, k] = first[k, 0], surface[k, 0]
            numbers[0, k] = one.fit
        plane, surfaced = numbers[1:3, k]
        is_curved = bool(
            has_surface[k] and curved_p[k] <= LEVEL and surfaced - plane > MARGIN
            and surfaced > 0 and plane < MOST_OF_CURVED * surfaced
        )
        if is_curved and not one.is_carried_by(one.values):
            shape = "few"
        elif is_curved:
            shape, extreme[k] = "curved", np.nan
            if plane < surfaced / 2:  # what a plane tells has no extreme
                shape, top = one.shape()
                extreme[k] = top + positions[one.objects].mean(axis=0)
        result.append(
            one.problem or (shape if is_curved else one.verdict(p[k], first[k, 0], half_angle[k]))
        )
    fit, explained, curved, accuracy, chance = numbers
    no_number = np.array([bool(one.problem) for one in tested], dtype=bool)
    curved_p = np.where(np.isfinite(curved), curved_p, np.nan)
    return Directions(
        list(columns), result, np.array([one.m for one in tested]), direction, fit, explained,
        half_angle, np.where(no_number, np.nan, p), curved, curved_p, extreme, accuracy, chance,
        Estimate(*between, unit, n_units), positions,
    )


@dataclass(frozen=True, eq=False)
class _Tested:
    """A column of the objects that have a value and a place.

    objects (m,): Their positions in the table.
    values (m,): Standardised numbers, or codes of categories.
    places (m, d): Their places, centred.
    plane, quadratic: Orthonormal bases (m, k) of the surfaces; None where objects are too few.
    problem: Why nothing can be said; empty otherwise.
    """

    objects: np.ndarray
    values: np.ndarray
    places: np.ndarray
    plane: np.ndarray | None
    quadratic: np.ndarray | None
    is_category: bool
    problem: str

    @classmethod
    def of(
        cls, column: pd.Series, placed: np.ndarray, positions: np.ndarray, form: str
    ) -> _Tested:
        is_category = not is_feature(column)
        if is_category:
            codes, names = pd.factorize(column.astype("str").where(column.notna()), sort=True)
            objects = np.flatnonzero((codes >= 0) & placed)
            counts = np.bincount(codes[objects], minlength=max(len(names), 1))
            # What one object alone has cannot be predicted of it.
            objects = objects[counts[codes[objects]] >= _EACH]
            values = np.unique(codes[objects], return_inverse=True)[1]
        else:
            numbers = column.to_numpy(dtype=float, na_value=np.nan)
            objects = np.flatnonzero(np.isfinite(numbers) & placed)
            values = numbers[objects]
            if form == "rank" and len(objects):
                values = rankdata(values)
        m, d = len(objects), positions.shape[1]
        x = positions[objects]
        x = x - (x.mean(axis=0) if m else 0.0)
        if m < d + 1 + _BEYOND:
            return cls(objects, values, x, None, None, is_category, "short")
        if values.min() == values.max():
            return cls(objects, values, x, None, None, is_category, "constant")
        if is_category:
            return cls(objects, values, x, None, None, True, "")
        values = (values - values.mean()) / values.std()
        design = quadratic_terms(x)
        many = m >= design.shape[1] + _BEYOND
        return cls(
            objects, values, x, _basis(design[:, : d + 1]), _basis(design) if many else None,
            False, "",
        )

    @property
    def m(self) -> int:
        return len(self.objects)

    @property
    def gradient(self) -> np.ndarray:
        """(d,) unit vector; NaN of categories and problems."""
        if self.plane is None:
            return np.full(self.places.shape[1], np.nan)
        steep = np.linalg.lstsq(self.places, self.values, rcond=None)[0]
        length = np.linalg.norm(steep)
        return steep / length if length > 0 else np.full(len(steep), np.nan)

    @property
    def fitted(self) -> np.ndarray:
        """(m,) values of the plane."""
        return self.plane @ (self.plane.T @ self.values)

    @property
    def fit(self) -> float:
        """Share of the variance that the plane explains; of categories, that of the places."""
        if self.is_category:
            centres = np.array([self.places[self.values == one].mean(axis=0)
                                for one in range(self.values.max() + 1)])
            return float(np.sum(centres[self.values] ** 2) / np.sum(self.places**2))
        return float(self.fitted @ self.fitted / (self.values @ self.values))

    def spread_out(self, n: int) -> np.ndarray:
        """(n,) numbers; NaN for other objects, and of categories and problems."""
        result = np.full(n, np.nan)
        if self.plane is not None:
            result[self.objects] = self.values
        return result

    def explained(self, basis: np.ndarray, values: np.ndarray) -> np.ndarray:
        """(r,) share of variance explained of objects left out, of columns (r, m)."""
        alone = np.maximum(1.0 - np.sum(basis**2, axis=1), 1e-9)
        errors = (values - (values @ basis) @ basis.T) / alone
        mean = values.mean(axis=1, keepdims=True)
        from_mean = (values - mean) * (self.m / (self.m - 1))
        return 1.0 - np.sum(errors**2, axis=1) / np.sum(from_mean**2, axis=1)

    def accuracies(self, order: np.ndarray) -> np.ndarray:
        """(r,) balanced accuracy of the nearest other objects, with categories in orders (r, m)."""
        from sklearn.neighbors import NearestNeighbors  # imported late: slow

        sizes = np.bincount(self.values)
        number = neighbours(self.m)
        near = NearestNeighbors(n_neighbors=number).fit(self.places).kneighbors(
            return_distance=False
        )
        result = []
        step = max(_BLOCK // near.size, 1)
        for begin in range(0, len(order), step):
            labels = self.values[order[begin : begin + step]]
            votes = np.stack([
                (labels[:, near] == one).sum(axis=2) for one in range(len(sizes))
            ])
            right = votes.argmax(axis=0) == labels
            result.append((right / sizes[labels]).sum(axis=1) / len(sizes))
        return np.concatenate(result)

    def shape(self) -> tuple[str, np.ndarray]:
        """What a curved surface looks like, and the place of its extreme among the objects."""
        d = self.places.shape[1]
        solved = np.linalg.lstsq(quadratic_terms(self.places), self.values, rcond=None)[0]
        curvature = np.zeros((d, d))
        curvature[np.triu_indices(d)] = solved[d + 1 :]
        curvature += curvature.T
        sizes = np.linalg.eigvalsh(curvature)
        if not (sizes.max() < 0 or sizes.min() > 0):
            return "curved", np.full(d, np.nan)
        top = -np.linalg.solve(curvature, solved[1 : d + 1])
        inverse = np.linalg.pinv(self.places.T @ self.places)
        far = np.einsum("mi,ij,mj->m", self.places, inverse, self.places)
        if top @ inverse @ top > far.mean():
            return "curved", np.full(d, np.nan)
        return "peak" if sizes.max() < 0 else "trough", top

    def is_carried_by(self, values: np.ndarray) -> bool:
        """Whether more than a few objects make some values (m,) vary."""
        return bool(effective_number(values**2) >= min(_CARRIED, self.m / 3))

    def verdict(self, p: float, statistic: float, half_angle: float) -> str:
        if self.is_category:
            return "separated" if p <= LEVEL else "mixed"
        if not (p <= LEVEL and statistic > 0):
            return "chance"
        if not (self.is_carried_by(self.values) and self.is_carried_by(self.fitted)):
            return "few"
        return "arrow" if half_angle < _HALF_CIRCLE else "backwards"


def neighbours(m: int) -> int:
    """How many neighbours vote on the category of one of m objects."""
    return 5 if m >= 20 else 3 if m >= 10 else 1


def quadratic_terms(x: np.ndarray) -> np.ndarray:
    """(m, k) one, the coordinates, and products of two of them."""
    i, j = np.triu_indices(x.shape[1])
    return np.column_stack([np.ones(len(x)), x, x[:, i] * x[:, j]])


def _basis(design: np.ndarray) -> np.ndarray:
    """Orthonormal columns that span those of a design, without those that others make up."""
    left, sizes, _ = np.linalg.svd(design / np.abs(design).max(axis=0).clip(1e-300), False)
    return left[:, sizes > sizes.max() * 1e-9]


def _adjusted(statistic: np.ndarray) -> np.ndarray:
    """(c,) p values for all columns together, of statistics (c, 1 + r) for data and shuffles.

    Each is taken from its median, as a multiple of the way from there to the upper 5 %: few
    objects vary more than many.
    """
    tested = np.isfinite(statistic[:, 0])
    if not tested.any():
        return np.ones(len(statistic))
    some = statistic[tested]
    middle, upper = np.quantile(some, [0.5, 1 - LEVEL], axis=1)
    reach = np.where(upper > middle, upper - middle, np.maximum(some.max(axis=1) - middle, 1e-12))
    scaled = (some - middle[:, None]) / reach[:, None]
    result = np.ones(len(statistic))
    result[tested] = np.mean(scaled.max(axis=0) >= scaled[:, :1] - 1e-9, axis=1)
    return result


def _angles(
    positions: np.ndarray, values: np.ndarray, maps: np.ndarray | None, direction: np.ndarray,
    correction: float, replicates: int, n_units: int | None, rng: np.random.Generator,
) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """(c,) half widths of wedges, and (c, c) angles between directions with their intervals."""
    others = positions[None] if maps is None else maps
    # More draws of objects than of maps cost little, and steady the quantile.
    others = np.repeat(others, max(_DRAWS * replicates // len(others), 1), axis=0)
    b, n = others.shape[:2]
    objects = np.flatnonzero(np.isfinite(positions).all(axis=1))
    share = np.bincount(objects, minlength=n) / max(len(objects), 1)
    times = rng.multinomial(len(objects), share, size=b) if len(objects) else np.zeros((b, n))
    still = np.broadcast_to(positions, others.shape)
    drawn, noisy, both = (
        _gradients(where, values, often)
        for where, often in ((still, times), (others, np.ones((b, n))), (others, times))
    )
    def reach(off: list[np.ndarray]) -> np.ndarray:
        """Half widths of deviations in degrees (3, b, ...) of objects, of answers and of both."""
        by_objects, by_answers, at_once = (np.mean(one**2, axis=0) for one in off)
        by_answers = by_answers * correction
        variance = crossed_variance(by_objects, by_answers, at_once)
        some = variance > 0
        ratio = np.divide(variance, at_once, out=np.ones_like(variance), where=at_once > 0)
        quantile = np.quantile(np.abs(off[2]), 0.95, axis=0) * np.sqrt(ratio)
        if n_units is not None:
            # Degrees of freedom of a sum of which few people make up a part (Satterthwaite).
            part = np.divide(by_answers, variance, out=np.zeros_like(variance), where=some)
            degrees = max(n_units - 1, 1) / np.maximum(part, 1e-3) ** 2
            quantile *= stdtrit(degrees, 0.975) / ndtri(0.975)
        return np.minimum(quantile, 180.0)

    half = reach([_apart(one, direction) for one in (drawn, noisy, both)])
    value = _apart(direction[:, None], direction[None])
    far = reach([_apart(one[:, :, None], one[:, None]) - value for one in (drawn, noisy, both)])
    ends = np.maximum(value - far, 0.0), np.minimum(value + far, 180.0)
    return half, (value, *ends)


def _gradients(maps: np.ndarray, values: np.ndarray, times: np.ndarray) -> np.ndarray:
    """(b, c, d) unit gradients on maps (b, n, d) of columns (c, n), with objects drawn so often.

    A drawn column without variation has the direction of chance: any, here that of no growth.
    """
    result = []
    for column in values:
        there = np.isfinite(column) & np.isfinite(maps).all(axis=2)
        weight = np.where(there, times, 0.0)
        total = weight.sum(axis=1).clip(1e-9)
        x, y = np.where(there[..., None], maps, 0.0), np.where(np.isfinite(column), column, 0.0)
        x = x - (np.einsum("bn,bnd->bd", weight, x) / total[:, None])[:, None]
        y = y - (weight @ y / total)[:, None]
        square = np.einsum("bn,bni,bnj->bij", weight, x, x)
        steep = np.einsum("bij,bj->bi", np.linalg.pinv(square, hermitian=True),
                          np.einsum("bn,bni,bn->bi", weight, x, y))
        length = np.linalg.norm(steep, axis=1, keepdims=True)
        result.append(np.divide(steep, length, out=np.zeros_like(steep), where=length > 1e-9))
    return np.array(result).reshape(len(values), *maps.shape[::2]).swapaxes(0, 1)


def _apart(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Degrees between unit vectors; 90 to a vector of zeros."""
    return np.degrees(np.arccos(np.clip(np.sum(one * other, axis=-1), -1.0, 1.0)))
