"""Where a reader of an item goes on: a page of the program with its answers and settings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.method import Method
from tripletscope.core.models.embedding import GNMDS, SOE, STE, TSTE
from tripletscope.core.similarity.kernels import K1, K2
from tripletscope.reproductions.crowd import designs, example
from tripletscope.reproductions.crowd import people as crowd
from tripletscope.reproductions.data import vectors
from tripletscope.reproductions.forests.objects import wine_features, wines
from tripletscope.reproductions.kernels import definitions, digits, known_sets
from tripletscope.reproductions.kernels import people as things
from tripletscope.reproductions.scales.circle import circle_answers, published_embeddings
from tripletscope.reproductions.trees.searching import digit_answers
from tripletscope.reproductions.uncertainty import (
    active,
    calibration,
    dimension,
    distances,
    prediction,
    psychophysics,
)


@dataclass(frozen=True)
class Continuation:
    """A page of the program, and its tab, that go on with an item.

    answers: Makes the data set that the page opens.
    method: With the paper's settings; the page Embedding begins with it.
    """

    page: str
    tab: str
    answers: Callable[[], Triplets]
    method: Method | None = None


def _known_digits() -> Triplets:
    """Landmark answers about three digits, with the digit that each object is."""
    answers = digits.three_digit_answers()
    digit = vectors("digits").of_classes([1, 2, 3]).target
    return answers.with_objects(answers.objects.assign(digit=digit.astype(str)))


#: Pages that open answers of an item with a method.
_uncertainty = partial(Continuation, "embedding")
_adaptive = partial(Continuation, "simulate", "questions")
_kernel = partial(Continuation, "kernel")
_map = partial(Continuation, "embedding", "embedding")
_COLOURS = _map(example.colour_answers, TSTE())
_ROUND = _map(circle_answers, published_embeddings(2)["STE"])
_FEW = _map(designs.few_objects, SOE(n_components=3))
_WINES = Continuation("trees", "prediction", wines, wine_features())
_SEARCH = Continuation("trees", "search", digit_answers)

#: By the key of the item.
CONTINUATIONS = {
    "thesis-figure-1.1": _COLOURS,
    "thesis-figure-1.2": _COLOURS,
    "thesis-figure-2.1": _SEARCH,
    "thesis-figure-2.2": _SEARCH,
    "thesis-figure-4.3": _ROUND,
    "thesis-figure-4.6": _ROUND,
    "thesis-figure-5.1": _FEW,
    "thesis-figure-5.2": _FEW,
    "thesis-figure-5.6": Continuation("data", "quality", crowd.crowd_answers),
    "thesis-figure-5.7": Continuation("compare", "dimensions", crowd.egg_answers),
    "thesis-algorithm-1": Continuation("trees", "tree", digit_answers),
    "thesis-algorithm-2": _SEARCH,
    "forests-figure-2": _WINES,
    "forests-table-1": _WINES,
    "uncertainty-figure-3": _uncertainty("predictions", prediction.mixture_answers, STE()),
    "uncertainty-figure-5": _adaptive(active.digit_answers, STE(n_components=5)),
    "uncertainty-figure-6": _uncertainty(
        "positions", psychophysics.observer_answers, STE(n_components=1)
    ),
    "uncertainty-figure-7": _uncertainty("positions", dimension.digit_answers, STE(n_components=4)),
    "uncertainty-figure-9": _uncertainty("trust", calibration.noisy_answers, TSTE()),
    "uncertainty-figure-10": _uncertainty("predictions", prediction.mixture_answers, STE()),
    "uncertainty-figure-11": _adaptive(active.cancer_answers, STE(n_components=5)),
    "uncertainty-figure-12": _adaptive(active.mnist_answers, STE(n_components=5)),
    "uncertainty-figure-13": _adaptive(active.digit_answers, TSTE(n_components=5)),
    "uncertainty-appendix-b": _uncertainty("positions", distances.distance_answers, STE()),
    "kernels-figure-2": _kernel("similarities", definitions.row_answers, K1(reduce_diagonal=False)),
    "kernels-figure-3": _kernel("similarities", known_sets.cloud_answers, K1()),
    "kernels-figure-4": _kernel("map", things.egg_answers, K1()),
    "kernels-figure-5": _kernel("similarities", _known_digits, K1()),
    "kernels-figure-6": _kernel("similarities", known_sets.cloud_answers, K1()),
    "kernels-figure-7": _kernel("similarities", _known_digits, K1()),
    "kernels-figure-9": _map(things.egg_answers, GNMDS()),
    "kernels-figure-10": _kernel("map", things.egg_answers, K1()),
    "kernels-figure-11": _kernel("map", things.egg_answers, K2()),
    "kernels-figure-13": _kernel("similarities", things.egg_answers, K1()),
    "kernels-figure-14": _kernel("similarities", things.egg_answers, K2()),
}
