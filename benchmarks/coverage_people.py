"""How often bootstrap ellipses hold the map of many people, where people differ.

    python benchmarks/coverage_people.py             three quarters of an hour on two cores
    python benchmarks/coverage_people.py --quick     a minute
    python benchmarks/coverage_people.py --sets 200  more data sets in every cell

The group's map is standard normal; each person's is normal about it, with tau times its standard
deviation. Answers come from the method's own model (SOE: log-normal noise), each person's about
the own map. The truth is the method's map of very many people, which is not the mean of their maps.
Columns: per cent of the objects inside their 95 % ellipses by units, with twice the standard error
over the data sets; `raw` is the bootstrap of participants without P / (P - 1) and with the normal
quantile; `width` is the size of an ellipse of participants beside one of answers, the median over
the objects.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, product

import numpy as np
import pandas as pd
from ellipse_coverage import in_processes
from joblib import parallel_config
from report import machine, print_table
from sources import LEVEL

from tripletscope.core.data.triplets import Triplets, numbered_objects
from tripletscope.core.inference.uncertainty import bootstrap
from tripletscope.core.inference.uncertainty.calibration import (
    Truth,
    held_by_ellipses,
    simulated_answers,
)
from tripletscope.core.models.embedding import SOE, STE, TSTE
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding
from tripletscope.core.models.simulation.simulate import personal_maps, random_questions

METHODS: dict[str, type[OrdinalEmbedding]] = {"STE": STE, "t-STE": TSTE, "SOE": SOE}
#: Of distances, for SOE, whose loss is no model of answers.
NOISE = 0.3
#: Very many people, and the answers of each.
CROWD, RESPONSES = 1000, 200
#: The group's maps; data sets take them in turn.
MAPS = 10


@dataclass(frozen=True)
class Cell:
    """One row of the table."""

    method: str
    n_objects: int
    n_components: int
    people: int
    tau: float
    each: int

    def fresh(self, **settings: int) -> OrdinalEmbedding:
        """The method, not fitted."""
        return METHODS[self.method](n_components=self.n_components, **settings)

    def answers(self, people: int, each: int, *seed: int) -> Triplets:
        """Answers of a crowd about one of the maps; the first seed says which."""
        rng = np.random.default_rng([seed[0], 0])
        group = rng.standard_normal((self.n_objects, self.n_components)) / LEVEL
        rng = np.random.default_rng([*seed, 1])
        rows = [
            simulated_answers(
                self.fresh(), Truth(own, NOISE, 0.0),
                random_questions(self.n_objects, each, rng), rng,
            )
            for own in personal_maps(group, people, self.tau, rng)
        ]
        who = np.repeat([f"p{person}" for person in range(people)], each)
        return Triplets(
            np.concatenate(rows), numbered_objects(self.n_objects),
            pd.DataFrame({"participant": who}),
        )


def target_of(cell: Cell, number: int) -> np.ndarray:
    """The map of very many people."""
    with parallel_config(n_jobs=1):
        # From several starts: a single one of SOE can end in another map altogether.
        return cell.fresh().fit(cell.answers(CROWD, RESPONSES, number)).embedding_


def measured(cell: Cell, target: np.ndarray, seed: int, replicates: int) -> tuple[float, ...]:
    """Coverages by units, and the width of ellipses, of one data set."""
    with parallel_config(n_jobs=1):
        triplets = cell.answers(cell.people, cell.each, seed % MAPS, seed)
        reference = cell.fresh().fit(triplets).embedding_
        by = {
            unit: bootstrap(
                cell.fresh(), triplets, replicates=replicates, unit=unit, seed=seed,
                reference=reference,
            )
            for unit in ("participants", "answers")
        }
        raw = replace(by["participants"], correction=1.0, unit="answers")
        held = [held_by_ellipses(one, target)[-1] for one in (*by.values(), raw)]
        wide, narrow = (
            np.sqrt(np.trace(one.covariances, axis1=1, axis2=2)) for one in by.values()
        )
    return *held, float(np.nanmedian(wide / narrow))


def cells(methods: Sequence[str], quick: bool) -> list[Cell]:
    """The crossed cells, and some that differ from them in one respect."""
    people, taus = ((6, 12), (0.0, 0.6)) if quick else ((6, 12, 24, 48), (0.0, 0.3, 0.6))
    crossed = [
        Cell(method, 20, 2, p, tau, 150) for method, p, tau in product(methods, people, taus)
    ]
    others = () if quick else (
        (20, 12, 60), (20, 12, 400), (20, 8, 150), (30, 12, 150), (30, 24, 150), (30, 48, 150),
    )
    return crossed + [
        Cell(method, n, 2, p, 0.3, each) for method, (n, p, each) in product(methods, others)
    ]


def rows(chosen: list[Cell], sets: int, replicates: int) -> Iterator[tuple[str, ...]]:
    """A row for each cell."""
    crowds = list(dict.fromkeys(replace(cell, people=0, each=0) for cell in chosen))
    numbered = [(crowd, number) for crowd in crowds for number in range(MAPS)]
    targets = dict(zip(numbered, in_processes(target_of, numbered), strict=True))
    tasks = [
        (cell, targets[replace(cell, people=0, each=0), seed % MAPS], seed, replicates)
        for cell in chosen for seed in range(sets)
    ]
    done = zip(tasks, in_processes(measured, tasks), strict=True)
    for cell, group in groupby(done, lambda pair: pair[0][0]):
        found = np.array([values for _, values in group])
        means, errors = found.mean(axis=0), found.std(axis=0, ddof=1) / np.sqrt(len(found))
        shares = [
            f"{100 * mean:.0f}±{200 * error:.1f}"
            for mean, error in zip(means[:3], errors[:3], strict=True)
        ]
        yield (
            cell.method, str(cell.n_objects), str(cell.n_components), str(cell.people),
            f"{cell.tau:g}", str(cell.each), *shares, f"{np.median(found[:, 3]):.2f}",
        )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="fewer cells, data sets, replicates")
    parser.add_argument("--sets", type=int, help="data sets in every cell; by default 80 or 10")
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    given = parser.parse_args()
    sets = given.sets or (10 if given.quick else 80)
    replicates = 30 if given.quick else 60
    print(machine())
    print(f"Coverage of 95 % ellipses in per cent; {sets} data sets, {replicates} replicates")
    print_table(
        (
            "method", "n", "d", "people", "tau", "responses each", "participants", "answers",
            "participants, raw", "width",
        ),
        rows(cells(given.methods, given.quick), sets, replicates),
    )


if __name__ == "__main__":
    main()
