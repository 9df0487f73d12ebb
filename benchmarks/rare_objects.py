"""How often ellipses hold for each object, by the number of answers about it.

    python benchmarks/rare_objects.py            two hours on two cores
    python benchmarks/rare_objects.py --quick    ten minutes
    python benchmarks/rare_objects.py --former   without what answers about an object tell by itself

Of 24 objects at standard normal positions in the plane, ten are rare: 1, 2, 4, 8, 8, 16, 16, 32, 32
and 64 answers are about one of them and two of the others; 600 or 3,000 answers are about the
other 14 alone. No world is the model of all methods: distances have normal noise or Student's with
3 degrees of freedom, or answers are STE's (logistic); people have maps of their own (tau = .3).
Cells: per cent of the true positions inside their 95 % ellipses, where there is one, per cent
without one, and the median area of the ellipses relative to the circle around the fitted positions
that holds 95 % of the true ones. The truth is aligned by the 14 objects. The last column is seconds
for an uncertainty.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from time import perf_counter

import numpy as np
import pandas as pd
from ellipse_coverage import in_processes
from joblib import parallel_config
from report import machine, print_table
from sources import LEVEL

from tripletscope.core.data.geometry import map_size, procrustes
from tripletscope.core.data.triplets import Triplets, numbered_objects
from tripletscope.core.inference.uncertainty import Samples, bootstrap, laplace, sample_posterior
from tripletscope.core.models.embedding import SOE, STE, TSTE
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding
from tripletscope.core.models.simulation.simulate import personal_maps, random_questions

#: Answers about each rare object, and the number of others.
RARE = (1, 2, 4, 8, 8, 16, 16, 32, 32, 64)
OTHERS = 14
COUNTS = np.array([*RARE, *[np.inf] * OTHERS])
#: How much people differ.
TAU = 0.3
METHODS: dict[str, OrdinalEmbedding] = {
    "STE": STE(), "t-STE, α = 10": TSTE(alpha=10), "t-STE": TSTE(), "SOE": SOE(),
}
RESAMPLED = ("bootstrap 10", "bootstrap 100")
POSTERIOR = ("posterior 40", "posterior 400", "laplace")


@dataclass(frozen=True)
class World:
    """Answers of people, or of one observer.

    noise: Of distances, or of answers; level in standard deviations or units of distance.
    others: Answers about the objects that are not rare.
    """

    method: str
    noise: str
    level: float
    others: int
    people: int = 0

    def answers(self, seed: int) -> tuple[np.ndarray, Triplets]:
        """Positions, the rare ones first, and answers."""
        rng = np.random.default_rng([seed, 0])
        n = len(COUNTS)
        truth = rng.standard_normal((n, 2))
        rows = np.concatenate([
            len(RARE) + random_questions(OTHERS, self.others, rng),
            *(_about(i, number, rng) for i, number in enumerate(RARE)),
        ])
        who = rng.integers(max(self.people, 1), size=len(rows))
        maps = personal_maps(truth, self.people, TAU, rng) if self.people else truth[None]
        seen = maps[who[:, None], rows]
        near, far = (np.linalg.norm(seen[:, 0] - seen[:, k], axis=1) for k in (1, 2))
        swapped = self._lead(near, far, rng) < 0
        rows[swapped, 1:] = rows[swapped, :0:-1]
        table = pd.DataFrame({"participant": [f"p{one}" for one in who]} if self.people else {},
                             index=range(len(rows)))
        return truth, Triplets(rows, numbered_objects(n), table)

    def _lead(self, near: np.ndarray, far: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        if self.noise == "logistic":
            return (far**2 - near**2) / self.level**2 - rng.logistic(size=len(near))
        shape = (2, len(near))
        off = rng.standard_normal(shape) if self.noise == "normal" else rng.standard_t(3, shape)
        return far - near + self.level * (off[0] - off[1])


def _about(i: int, number: int, rng: np.random.Generator) -> np.ndarray:
    """(k, 3) questions about a rare object and two of the others, in any role."""
    rows = np.array([
        [i, *len(RARE) + rng.choice(OTHERS, 2, replace=False)] for _ in range(number)
    ])
    rows[:, 1:] = rng.permuted(rows[:, 1:], axis=1)
    as_anchor = rng.random(number) < 1 / 3
    rows[~as_anchor] = rows[~as_anchor][:, [1, 0, 2]]
    return rows


def sampled(source: str, method: OrdinalEmbedding, answers: Triplets, seed: int) -> Samples:
    """Maps from a source, as many as its name says."""
    name, *number = source.split()
    if name == "bootstrap":
        return bootstrap(method, answers, replicates=int(number[0]), seed=seed)
    if name == "posterior":
        return sample_posterior(method, answers, effective=int(number[0]), most=4000, seed=seed)
    return laplace(method, answers, seed=seed)


def measured(
    world: World, seed: int, sources: tuple[str, ...], former: bool
) -> list[tuple[np.ndarray, ...]]:
    """For each source: errors relative to the map, whether ellipses hold, areas, seconds."""
    truth, answers = world.answers(seed)
    result = []
    with parallel_config(n_jobs=1):
        for source in sources:
            begin = perf_counter()
            samples = sampled(source, METHODS[world.method], answers, seed)
            seconds = perf_counter() - begin
            if former:
                samples = replace(samples, conditional=None)
            centre, others = samples.centre, slice(len(RARE), None)
            off = procrustes(truth[others], centre[others])(truth) - centre
            shape = samples.covariances * samples.radius(0.95) ** 2
            shown = samples.determined
            shape[~shown] = np.eye(2)
            inside = np.einsum("ni,nij,nj->n", off, np.linalg.inv(shape), off) <= 1.0
            size = map_size(centre[others])
            area = np.pi * np.sqrt(np.linalg.det(shape)) / size**2
            missing = np.where(shown, 0.0, np.nan)
            result.append((np.linalg.norm(off, axis=1) / size, inside + missing, area + missing,
                           np.full(len(off), seconds)))
    return result


def cell(errors: np.ndarray, inside: np.ndarray, area: np.ndarray) -> str:
    """Coverage, per cent without an ellipse, and area relative to the oracle's circle."""
    without = np.mean(np.isnan(inside))
    if without == 1.0:
        return "none"
    circle = np.pi * np.quantile(errors, 0.95) ** 2
    return (f"{100 * np.nanmean(inside):.0f} ({100 * without:.0f}) "
            f"{np.nanmedian(area) / circle:.2f}")


def rows(worlds: list[World], sets: int, former: bool) -> Iterator[tuple[str, ...]]:
    """A row for each world and source; posteriors take long, and are of a quarter of the sets.

    A posterior is of one observer, and of methods with a likelihood.
    """
    tasks = [(world, seed, RESAMPLED, former) for world in worlds for seed in range(sets)]
    tasks += [
        (world, seed, POSTERIOR, former) for world in worlds for seed in range(sets // 4)
        if METHODS[world.method].is_likelihood and not world.people
    ]
    done = zip(tasks, in_processes(measured, tasks), strict=True)
    for (world, sources), group in groupby(done, lambda pair: pair[0][::2]):
        found = np.array([values for _, values in group])  # (sets, sources, 4, objects)
        for number, source in enumerate(sources):
            errors, inside, area, seconds = np.moveaxis(found[:, number], 1, 0)
            of = [count == COUNTS for count in dict.fromkeys(COUNTS)]
            yield (
                world.method, f"{world.noise} {world.level:g}", str(world.others),
                str(world.people or "–"), source,
                *(cell(errors[:, k], inside[:, k], area[:, k]) for k in of),
                f"{np.median(seconds):.2f}",
            )


def worlds_of(quick: bool) -> list[World]:
    """Noises with a few answers about the others, then many, then people, then methods."""
    few = [World("STE", "logistic", LEVEL, 600), World("STE", "normal", 0.5, 600),
           World("STE", "Student", 0.3, 600), World("STE", "normal", 0.5, 600, 27)]
    if quick:
        return few
    return [
        *few,
        World("STE", "normal", 0.15, 600), World("STE", "normal", 1.0, 600),
        World("STE", "normal", 0.5, 150), World("STE", "normal", 0.5, 3000),
        World("STE", "logistic", LEVEL, 3000), World("STE", "Student", 0.3, 3000, 27),
        World("STE", "logistic", LEVEL, 3000, 12), World("t-STE, α = 10", "normal", 0.5, 600),
        World("t-STE, α = 10", "Student", 0.3, 3000, 27), World("t-STE", "Student", 0.3, 600),
        World("SOE", "normal", 0.5, 600), World("SOE", "Student", 0.3, 3000, 27),
    ]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="four worlds, fewer data sets")
    parser.add_argument("--sets", type=int, help="data sets of every world; by default 100 or 40")
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument("--former", action="store_true",
                        help="ellipses of the variance between the maps alone")
    given = parser.parse_args()
    sets = given.sets or (40 if given.quick else 100)
    print(machine())
    print(f"95 % ellipses: coverage in per cent (without one) area / oracle; {sets} data sets")
    print_table(
        ("method", "noise", "answers", "people", "from", *(
            "others" if np.isinf(count) else f"{count:.0f}" for count in dict.fromkeys(COUNTS)
        ), "s"),
        rows([world for world in worlds_of(given.quick) if world.method in given.methods], sets,
             given.former),
    )


if __name__ == "__main__":
    main()
