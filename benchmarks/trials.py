"""Held-out error where a trial makes several answers, against the error on fresh answers.

    python benchmarks/trials.py

Odd ones out among three of 30 objects (two answers a trial), and the two nearest of eight options
(twelve answers a trial), by simulated observers of planted positions in the plane. The error is
cross-validated as the product does it, with questions and trials held out together; with questions
alone, as it was before; and measured on fresh trials.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).parent.parent))

import tripletscope as ts
from tests.core.data.test_trials import nearest_of_many, odd_ones_out, without_trials

_DATA_SETS = 12
_FRESH = 2_000


def main() -> None:
    print("| task | trials | method | questions and trials | questions alone | fresh |")
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
