"""Whether the standard error of predicted labels covers other objects of the same kind.

    python benchmarks/classification.py [--repeats 40]

Data sets of 40 objects, with labels that the distances say little about. Both standard errors are
divided by the spread of the error over data sets; the peer is the plain spread over folds, as one
would compute it first.
"""

from __future__ import annotations

import argparse

import numpy as np
from report import print_table

from tripletscope.core.kernel import K1
from tripletscope.core.kernel.classification import classify_labels
from tripletscope.core.models.simulation.simulate import simulate


def main() -> None:
    """The table of both."""
    command = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    command.add_argument("--repeats", type=int, default=40)
    side = np.repeat([0, 1], 20)
    errors, ours, plain = [], [], []
    for seed in range(command.parse_args().repeats):
        positions = np.random.default_rng(seed).normal(size=(40, 2)) + side[:, None]
        fitted = K1().fit(simulate(positions, 3000, seed=seed))
        found = classify_labels(fitted, side, algorithm="knn", folds=5, seed=seed)
        errors.append(found.error)
        ours.append(found.standard_error)
        plain.append(found.fold_errors.std(ddof=1) / found.fold_errors.size**0.5)
    spread = np.std(errors, ddof=1)
    print_table(("standard error", "of the spread"), [
        (name, f"{np.mean(errors_said) / spread:.2f}")
        for name, errors_said in (("ours", ours), ("folds alone", plain))
    ])


if __name__ == "__main__":
    main()
