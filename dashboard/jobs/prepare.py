"""Compiled code and typeface, ready before anybody waits for them."""

from __future__ import annotations

import gc
import warnings
from functools import cache
from itertools import permutations

import numpy as np
import pandas as pd

from tripletscope.core.data.landmarks import landmark_questions
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.method import methods
from tripletscope.core.inference.uncertainty import calibrate, sample_posterior
from tripletscope.core.models.dimensions import VICE, SPoSE
from tripletscope.core.models.embedding import STE
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.core.similarity.clusters import ComparisonLinkage
from tripletscope.core.similarity.kernels import K1, K2
from tripletscope.core.similarity.kernels.kernel import SINGLE_ABOVE
from tripletscope.core.trees import (
    ComparisonForestClassifier,
    ComparisonForestRegressor,
    ComparisonTree,
)
from tripletscope.core.trees.oracle import Observer
from tripletscope.dashboard.print.typeface import face_for


def compile_all() -> None:
    for part in PARTS:
        part()
    face_for("")  # it takes a second
    forget_what_stays()


def forget_what_stays() -> None:
    """Exempt modules and compiled code from garbage collection.

    Looking through them took a third of a second, with the interpreter held, after every run of a
    page.
    """
    gc.collect()
    gc.freeze()


def _positions() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(6, 2))


def _odd_ones() -> Triplets:
    """Which of three objects is the odd one, each told by two triplets."""
    rows = [row for a, b, c in permutations(range(6), 3) for row in ((a, b, c), (b, a, c))]
    objects = pd.DataFrame({"id": list("abcdef")})
    return Triplets(rows, objects, pd.DataFrame({"trial": np.arange(len(rows)) // 2}))


@cache  # copies of a process have it
def compile_embeddings() -> None:
    """Losses and their minimisation."""
    triplets = simulate(_positions(), 60)
    for method in methods("embedding").values():
        method(n_init=1, max_iter=2).fit(triplets)
    STE(n_init=1, max_iter=2).fit(_odd_ones())


def compile_kernels() -> None:
    """Kernels, in double and in single precision, and linkage from triplets."""
    for n_objects in (SINGLE_ABOVE // 2, SINGLE_ABOVE + 1):
        for kernel in (K1, K2):
            questions = landmark_questions(n_objects, np.arange(3), kernel.name)
            kernel().fit(Triplets.from_array(questions, n_objects))
    triplets = simulate(_positions(), 60)
    K2().fit(triplets)
    ComparisonLinkage(rule="clusters").fit(triplets)


def compile_uncertainty() -> None:
    """Samplers, and sums over all comparisons."""
    triplets = simulate(_positions(), 60)
    samples = sample_posterior(STE(), triplets, effective=20, most=100)
    samples.average_uncertainty  # noqa: B018 - to compile it
    calibrate(STE(), triplets, source="laplace", data_sets=2, maps=20)
    sample_posterior(STE(), _odd_ones(), effective=20, most=100)


def compile_dimensions() -> None:
    SPoSE(n_components=2, penalty=1.0, max_iter=2).fit(_odd_ones())
    VICE(n_components=2, max_iter=40).fit(_odd_ones())


def compile_trees() -> None:
    positions = _positions()
    objects = np.arange(len(positions))
    for forest in (ComparisonForestClassifier, ComparisonForestRegressor):
        with warnings.catch_warnings(action="ignore"):  # of a single tree
            forest(n_estimators=1).fit(positions, objects).predict(positions)
    ComparisonTree(metric=Observer(positions), leaf_size=1).fit(objects)


#: Maps come first.
PARTS = (
    compile_embeddings, compile_uncertainty, compile_kernels, compile_trees, compile_dimensions,
)
