"""Directions on a map in which columns of the objects grow, with their uncertainty."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Self

import numpy as np
import pandas as pd
from scipy.special import ndtri, stdtrit
from scipy.stats import rankdata
from sklearn.base import clone

from tripletscope.core.data.named import column_of
from tripletscope.core.data.quadruples import as_answers
from tripletscope.core.data.triplets import Answers
from tripletscope.core.engine.declared import Choice, Column, Number, Seed
from tripletscope.core.engine.estimate import Estimate
from tripletscope.core.engine.progress import Progress, Stopped, part, silent
from tripletscope.core.engine.task import task
from tripletscope.core.features.intervals import crossed_variance, effective_number
from tripletscope.core.inference.held_out.units import Unit
from tripletscope.core.inference.uncertainty.resampling import bootstrap
from tripletscope.core.inference.uncertainty.samples import Samples
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
#: Least number of draws of objects.
_DRAWS = 500
#: Values that are computed at once.
_BLOCK = 4_000_000

FORMS = {"linear": "Linear", "rank": "Of the ranks"}


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
        return Estimate(value, value - self.half_angle, value + self.half_angle, *self.between.over)

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
    method: OrdinalEmbedding, answers: Answers, *,
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
    unit: Unit = "auto", seed: Seed = 0, progress: Progress = silent,
) -> Directions:
    """Directions in which columns of the objects grow on a map, as arrows with wedges.

    Parameters
    ----------
    method : OrdinalEmbedding
    answers : Triplets, Quadruples or array-like of int, shape (T, 3) or (T, 4)
        With a table of objects.

    Raises
    ------
    DataError
        If there is no such column.

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
    with the map; angles between them stay the same.

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
        samples=maps, seed=seed,
    )
    progress(1.0)
    return result


def directions_on(
    positions: np.ndarray, columns: dict[str, pd.Series], *, form: str = "linear",
    permutations: int = 999, samples: Samples | None = None, seed: int = 0,
) -> Directions:
    """Directions on a map (n, d) that is there already; NaN for objects without a place.

    samples: Maps of resampled answers; without these, wedges are over objects alone.
    """
    rng, n = np.random.default_rng(seed), len(positions)
    keys = rng.random((permutations, n))
    tested = [_Tested.of(values, positions, form) for values in columns.values()]
    first, surface, bent = np.full((3, len(tested), permutations + 1), np.nan)
    values = np.full((len(tested), n), np.nan)
    for k, one in enumerate(tested):
        order = _orders(keys, one.objects)
        if not one.problem:
            first[k] = one.tests(order)
        if not (one.is_category or one.problem):
            values[k, one.objects] = one.values
            if one.quadratic is not None:
                surface[k] = _explained(one.quadratic, one.values[order])
                again = one.fitted + (one.values - one.fitted)[order]
                bent[k] = _explained(one.quadratic, again) - _explained(one.plane, again)
    p, above, curved_p = map(_adjusted, (first, surface, bent))
    direction, half_angle, between = _angles(positions, values, samples, rng)
    fit = np.array([np.nan if one.problem else one.fit for one in tested])
    found = [one.found(*numbers) for one, *numbers in zip(
        tested, p, first[:, 0], surface[:, 0], (above <= LEVEL) & (curved_p <= LEVEL), half_angle,
        strict=True,
    )]
    statistic, mean = first[:, 0], first[:, 1:].mean(axis=1)
    kinds = np.array([one.is_category for one in tested])
    explained, accuracy, chance = (
        np.where(kinds == kind, numbers, np.nan)
        for kind, numbers in ((False, statistic), (True, statistic), (True, mean))
    )
    over = ("answers", None) if samples is None else (samples.unit, samples.n_units)
    return Directions(
        list(columns), found, np.array([one.m for one in tested]), direction, fit, explained,
        half_angle, p, surface[:, 0], curved_p, accuracy, chance, Estimate(*between, *over),
        positions,
    )


def predicted_by_places(
    positions: np.ndarray, columns: dict[str, pd.Series], *, permutations: int = 199, seed: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """(c, 1 + r) bool: whether places on a map (n, d) predict columns of objects left out, at 5 %.

    And (c,) whether that could be tested. The first is of the columns as they are, the others are
    of shuffled objects, each judged as if it were the data, for all columns together. The same seed
    shuffles alike on every map.
    """
    keys = np.random.default_rng(seed).random((permutations, len(positions)))
    statistic = np.full((len(columns), permutations + 1), np.nan)
    for k, values in enumerate(columns.values()):
        one = _Tested.of(values, positions, "linear")
        if not one.problem:
            statistic[k] = one.tests(_orders(keys, one.objects))
    tested = np.isfinite(statistic[:, 0])
    result = np.zeros(statistic.shape, dtype=bool)
    if tested.any():
        scaled = _scaled(statistic[tested])
        enough = np.quantile(scaled.max(axis=0), 1 - LEVEL, method="higher")
        is_category = np.array([not is_feature(one) for one in columns.values()])[tested]
        result[tested] = (scaled > enough) & ((statistic[tested] > 0) | is_category[:, None])
    return result, tested


def _orders(keys: np.ndarray, objects: np.ndarray) -> np.ndarray:
    """(1 + r, m) orders of some objects: as they are, and by keys (r, n)."""
    order = np.argsort(keys[:, objects], axis=1, kind="stable")
    return np.vstack([np.arange(len(objects)), order])


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
    def of(cls, column: pd.Series, positions: np.ndarray, form: str) -> Self:
        is_category, placed = not is_feature(column), np.isfinite(positions).all(axis=1)
        if is_category:
            codes, names = pd.factorize(column.astype("str").where(column.notna()), sort=True)
            objects = np.flatnonzero((codes >= 0) & placed)
            counts = np.bincount(codes[objects], minlength=max(len(names), 1))
            is_one = np.count_nonzero(counts) < 2
            # What one object alone has cannot be predicted of it.
            objects = objects[counts[codes[objects]] >= _EACH]
            values = np.unique(codes[objects], return_inverse=True)[1]
        else:
            numbers = column.to_numpy(dtype=float, na_value=np.nan)
            objects = np.flatnonzero(np.isfinite(numbers) & placed)
            values = numbers[objects]
            is_one = len(values) == 0 or np.ptp(values) == 0
            if form == "rank" and len(objects):
                values = rankdata(values)
        m, d = len(objects), positions.shape[1]
        x = positions[objects]
        x = x - (x.mean(axis=0) if m else 0.0)
        problem = "constant" if is_one and m else "short" if m < d + 1 + _BEYOND else (
            "short" if np.ptp(values) == 0 else ""  # of all but one category, one object each
        )
        if is_category or problem:
            return cls(objects, values, x, None, None, is_category, problem)
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

    def tests(self, order: np.ndarray) -> np.ndarray:
        """(r,) the statistic of objects left out, with values in orders (r, m)."""
        if self.is_category:
            return self.accuracies(order)
        return _explained(self.plane, self.values[order])

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
            votes = np.stack([(labels[:, near] == one).sum(axis=2) for one in range(len(sizes))])
            right = votes.argmax(axis=0) == labels
            result.append((right / sizes[labels]).sum(axis=1) / len(sizes))
        return np.concatenate(result)

    @property
    def shape(self) -> str:
        """What a curved surface looks like."""
        d = self.places.shape[1]
        solved = np.linalg.lstsq(quadratic_terms(self.places), self.values, rcond=None)[0]
        curvature = np.zeros((d, d))
        curvature[np.triu_indices(d)] = solved[d + 1 :]
        curvature += curvature.T
        sizes = np.linalg.eigvalsh(curvature)
        if not (sizes.max() < 0 or sizes.min() > 0):
            return "curved"
        top = -np.linalg.solve(curvature, solved[1 : d + 1])
        inverse = np.linalg.pinv(self.places.T @ self.places)
        far = np.einsum("mi,ij,mj->m", self.places, inverse, self.places)
        if top @ inverse @ top > far.mean():
            return "curved"
        return "peak" if sizes.max() < 0 else "trough"

    def is_carried_by(self, values: np.ndarray) -> bool:
        """Whether more than a few objects make some values (m,) vary."""
        return bool(effective_number(values**2) >= min(_CARRIED, self.m / 3))

    def found(
        self, p: float, plane: float, surface: float, is_bent: bool, half_angle: float
    ) -> str:
        """What is said: see `Directions`."""
        if self.problem:
            return self.problem
        if self.is_category:
            return "separated" if p <= LEVEL else "mixed"
        if is_bent and surface - plane > MARGIN and plane < MOST_OF_CURVED * surface:
            if not self.is_carried_by(self.values):
                return "few"
            return self.shape if plane < surface / 2 else "curved"  # a plane has no extreme
        if not (p <= LEVEL and plane > 0):
            return "chance"
        if not (self.is_carried_by(self.values) and self.is_carried_by(self.fitted)):
            return "few"
        return "arrow" if half_angle < _HALF_CIRCLE else "backwards"


def _explained(basis: np.ndarray, values: np.ndarray) -> np.ndarray:
    """(r,) share of variance explained of objects left out, of columns (r, m)."""
    alone, m = np.maximum(1.0 - np.sum(basis**2, axis=1), 1e-9), len(basis)
    errors = (values - (values @ basis) @ basis.T) / alone
    from_mean = (values - values.mean(axis=1, keepdims=True)) * (m / (m - 1))
    return 1.0 - np.sum(errors**2, axis=1) / np.sum(from_mean**2, axis=1)


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

    NaN where there is none.
    """
    result, tested = np.full(len(statistic), np.nan), np.isfinite(statistic[:, 0])
    if tested.any():
        scaled = _scaled(statistic[tested])
        result[tested] = np.mean(scaled.max(axis=0) >= scaled[:, :1] - 1e-9, axis=1)
    return result


def _scaled(statistic: np.ndarray) -> np.ndarray:
    """(c, 1 + r) distances from the median, as multiples of the way from there to the upper 5 %.

    Few objects vary more than many.
    """
    middle, upper = np.quantile(statistic, [0.5, 1 - LEVEL], axis=1)
    highest = np.maximum(statistic.max(axis=1) - middle, 1e-12)
    reach = np.where(upper > middle, upper - middle, highest)
    return (statistic - middle[:, None]) / reach[:, None]


def _angles(
    positions: np.ndarray, values: np.ndarray, samples: Samples | None, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """(c, d) directions, (c,) half angles, and (c, c) angles between with their intervals."""
    maps = positions[None] if samples is None else samples.embeddings
    # More draws of objects than of maps cost little, and steady the quantile.
    others = np.repeat(maps, -(-_DRAWS // len(maps)), axis=0)
    still = np.broadcast_to(positions, others.shape)
    placed = np.isfinite(positions).all(axis=1)
    times = rng.multinomial(placed.sum(), placed / max(placed.sum(), 1), size=len(others))
    direction, = _gradients(positions[None], values, np.ones((1, len(positions))))
    draws = [
        _gradients(where, values, often)
        for where, often in ((still, times), (others, np.ones(times.shape)), (others, times))
    ]
    correction, n_units = (1.0, None) if samples is None else (samples.correction, samples.n_units)

    def reach(off: list[np.ndarray], wider: np.ndarray) -> np.ndarray:
        """Half widths of deviations in degrees (3, b, ...) of objects, of answers and of both."""
        by_objects, by_answers, at_once = (np.mean(one**2, axis=0) for one in off)
        by_answers = by_answers * correction
        variance = crossed_variance(by_objects, by_answers, at_once)
        ratio = np.divide(variance, at_once, out=np.ones_like(variance), where=at_once > 0)
        quantile = np.quantile(np.abs(off[2]), 0.95, axis=0) * np.sqrt(ratio) * wider
        if n_units is not None:
            # Degrees of freedom of a sum of which few people make up a part (Satterthwaite).
            part = np.divide(by_answers, variance, out=np.zeros_like(variance), where=variance > 0)
            degrees = max(n_units - 1, 1) / np.maximum(part, 1e-3) ** 2
            quantile *= stdtrit(degrees, 0.975) / ndtri(0.975)
        return np.minimum(quantile, 180.0)

    # Residuals from a plane are smaller than errors.
    m, d = np.isfinite(values).sum(axis=1), positions.shape[1]
    wider = np.sqrt((m - 1).clip(1) / (m - d - 1).clip(1))
    half = reach([_apart(one, direction) for one in draws], wider)
    value = _apart(direction[:, None], direction[None])
    far = reach([_apart(one[:, :, None], one[:, None]) - value for one in draws],
                np.maximum(wider[:, None], wider))
    known = np.isfinite(values).any(axis=1)
    direction, half = np.where(known[:, None], direction, np.nan), np.where(known, half, np.nan)
    pairs = known[:, None] & known
    between = (value, np.maximum(value - far, 0.0), np.minimum(value + far, 180.0))
    return direction, half, tuple(np.where(pairs, one, np.nan) for one in between)


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
