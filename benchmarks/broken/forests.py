"""Comparison forests that are broken."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.dummy import DummyRegressor

from benchmarks.broken import Broken


def _pivots_of_any_class(original: Callable[..., Any]) -> Callable[..., Any]:
    return lambda leaf_size, **how: original(leaf_size)


def _leaves_of_others(original: Callable[..., Any]) -> Callable[..., Any]:
    """Each object comes to the leaf of another one."""

    def leaves(*given: Any) -> list[np.ndarray]:
        rng = np.random.default_rng(0)
        return [rng.permutation(leaf) for leaf in original(*given)]

    return leaves


def _of_others(original: Callable[..., Any]) -> Callable[..., Any]:
    """Each object has the response of another one."""

    def learn(self: Any, y: np.ndarray, *given: Any) -> Any:
        return original(self, np.random.default_rng(0).permutation(y), *given)

    return learn


def _blind(original: Any) -> Callable[..., Any]:
    return lambda *_, **__: DummyRegressor()


def _where_it_began(original: Callable[..., Any]) -> Callable[..., Any]:
    """A map that is random."""

    def fit(self: Any, answers: Any, **_: Any) -> Any:
        rng = np.random.default_rng(self.seed)
        self.embedding_ = rng.normal(size=(answers.n_objects, self.n_components))
        return self

    return fit


def _without_share(original: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *given, share=1.0, **how: original(*given, **how)


def _a_hundred_times(original: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *given: [original(*given) for _ in range(100)][-1]


_FOREST = "tripletscope.core.trees.forest"
_RULE, _LEAVES = f"{_FOREST}:SplitRule", f"{_FOREST}:find_leaves"
_FORESTS = "tripletscope.reproductions.forests"
_IGNORES = Broken("pivots ignore the classes", {_RULE: _pivots_of_any_class})
_SHUFFLED = "objects reach other objects' leaves"
_RANDOM = Broken(_SHUFFLED, {_LEAVES: _leaves_of_others})

BROKEN = {
    "forests-figure-1": _IGNORES,
    "forests-figure-2": _RANDOM,
    # It does not hold; noise makes larger leaves better, and it hold in short.
    "forests-figure-3": Broken(
        "responses are shuffled among objects",
        {"tripletscope.core.trees:ComparisonForestRegressor._learn": _of_others},
    ),
    "forests-figure-4": Broken(_SHUFFLED, {_LEAVES: _leaves_of_others}, full=True),
    "forests-table-1": _IGNORES,
    "forests-table-2": Broken(
        "the other forest ignores the features",
        {f"{_FORESTS}.accuracy:RandomForestRegressor": _blind}, full=True,
    ),
    "forests-table-3": replace(_RANDOM, full=True),  # in short another rule judges
    "forests-algorithm-1": _IGNORES,
    "forests-algorithm-2": _RANDOM,
    "forests-supplement-figure-9": Broken(
        "t-STE stays at a random map",
        {"tripletscope.core.models.embedding:TSTE.fit": _where_it_began},
    ),
    "forests-supplement-figure-10": Broken(
        "every tree uses all objects", {f"{_FORESTS}.parameters:forest_error":
                                               _without_share},
    ),
    # It does not hold; what is broken makes it hold.
    "forests-supplement-table-1": Broken(
        "each map is computed a hundred times", {f"{_FORESTS}.triplets:_embedded":
                                                 _a_hundred_times},
    ),
}
