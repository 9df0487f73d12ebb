"""Held-out error where a trial makes several answers, against the error on fresh answers.

    python benchmarks/trials.py                 means of the error, and coverage; 15 minutes
    python benchmarks/trials.py --sets 200      more data sets behind every coverage

Odd ones out among three of 30 objects (two answers a trial), and the two nearest of eight options
(twelve answers a trial), by simulated observers of planted positions in the plane. The error is
cross-validated as the product does it, with questions and trials held out together; with questions
alone, as it was before; and measured on fresh trials.

Then how often 95 % intervals of every estimate of error hold the error on answers of 200 other
people, learned from as many answers; of the last rows, the expectation, which is the mean over all
data sets about the same objects.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).parent.parent))

import tripletscope as ts
from tests import crowds
from tests.core.data.test_trials import nearest_of_many, odd_ones_out, without_trials
from tripletscope.core.data.triplets import Answers

_DATA_SETS = 12
_FRESH = 2_000


#: Maps of objects; data sets take them in turn.
_MAPS = 4
#: Few trials about many objects, where it matters that trials stay together, and many.
_FEW = crowds.Crowd(30, 12, 12, 0.3, "", ts.STE(n_components=5, n_init=1), 0, maps=_MAPS)
_MANY = crowds.Crowd(12, 12, 60, 0.5, "", ts.STE(n_init=1), 0, maps=_MAPS)


#: What goes wrong there if trials are torn apart.
_LEAKING = (
    "cross-validation", "learning curve, last point", "Compare: d = 5 less d = 2",
    "error after an exclusion", "tuned setting",
)
#: Those whose interval is over participants or over answers.
_WITH_UNIT = (
    "cross-validation", "cross-validation, kernel k2", "learning curve, last point",
    "the data's own split", "Compare: d = 5 less d = 2", "exclusion of guessers",
    "direction test",
)


@contextmanager
def questions_alone() -> Iterator[None]:
    """Folds as they would be if nobody knew of trials."""
    with patch.object(Answers, "groups", property(lambda self: self.questions)):
        yield


def found_by(name: str, crowd: crowds.Crowd, sets: int) -> pd.DataFrame:
    """What an estimate says of some crowds: ``said``, ``low``, ``high`` and ``true``."""
    guessing = 2 if name == "exclusion of guessers" else 0
    table = pd.DataFrame(
        [
            crowds.ESTIMATES[name](replace(crowd, seed=seed, guessing=guessing))
            for seed in range(sets)
        ],
        columns=["said", "low", "high", "true"],
    )
    if table["true"].isna().all():
        table["true"] = table.groupby(table.index % crowd.maps)["said"].transform("mean")
    return table


def coverage(table: pd.DataFrame) -> str:
    """Per cent, with twice the standard error; the mean error where there is no interval."""
    if table["low"].isna().all():
        return f"({(table['said'] - table['true']).mean():+.3f})"
    held = table["true"].between(table["low"], table["high"])
    return f"{100 * held.mean():.0f}±{200 * held.std(ddof=1) / np.sqrt(len(held)):.1f}"


def coverages(sets: int) -> None:
    """Print a table of every estimate."""
    print("| task | objects × trials | estimate | mean | fresh answers | participants | answers | "
          "questions alone |")
    print("| --- | --- | --- | --: | --: | --: | --: | --: |")
    for task in crowds.TASKS:
        for crowd, names in ((_FEW, _LEAKING), (_MANY, crowds.ESTIMATES)):
            for name in names:
                if name == "plan" and task != crowds.TASKS[0]:
                    continue  # it simulates answers of its own
                about = replace(crowd, task=task)
                whole = found_by(name, about, sets)
                columns = [coverage(whole), "", ""]
                if name in _WITH_UNIT:
                    columns[1] = coverage(found_by(name, replace(about, unit="answers"), sets))
                if names is _LEAKING:
                    with questions_alone():
                        columns[2] = coverage(found_by(name, about, sets))
                print(
                    f"| {task.replace('_', ' ')} | {about.n_objects} × "
                    f"{about.people * about.each} | {name} | {whole['said'].mean():.3f} | "
                    f"{whole['true'].mean():.3f} | " + " | ".join(columns) + " |", flush=True,
                )


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sets", type=int, default=120, help="data sets behind every coverage")
    given = parser.parse_args()
    means()
    print()
    coverages(given.sets)


def means() -> None:
    """Print the error by the product, by questions alone and on fresh answers."""
    print("| task | trials | method | whole trials | questions alone | fresh answers |")
    print("| --- | --- | --- | --- | --- | --- |")
    for task, draw, n in (("odd one out", odd_ones_out, 30), ("2 of 8", nearest_of_many, 20)):
        for n_trials in (100, 300, 1_000):
            for method in (ts.STE(), ts.TSTE(n_components=5)):
                found = []
                for seed in range(_DATA_SETS):
                    rng = np.random.default_rng(seed)
                    positions = rng.normal(size=(n, 2)) * 1.3
                    data, fresh = draw(positions, n_trials, rng), draw(positions, _FRESH, rng)
                    found.append((
                        ts.cross_validate(method, data).error,
                        ts.cross_validate(method, without_trials(data)).error,
                        ts.triplet_error(method.fit(data), fresh),
                    ))
                means = pd.DataFrame(found).mean()
                print(
                    f"| {task} | {n_trials:,} | {method.title}, d = {method.n_components} | "
                    + " | ".join(f"{value:.3f}" for value in means) + " |", flush=True,
                )


if __name__ == "__main__":
    main()
