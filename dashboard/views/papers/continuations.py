"""Where a reader of an item goes on: pages of the program, with its data and settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.embedding import GNMDS, SOE, STE, TSTE
from tripletscope.core.kernel import K1, K2
from tripletscope.core.method import Method
from tripletscope.reproductions.crowd import designs, example
from tripletscope.reproductions.crowd import people as crowd
from tripletscope.reproductions.forests.objects import wine_features, wines
from tripletscope.reproductions.kernels import definitions, digits, known_sets
from tripletscope.reproductions.kernels import people as things
from tripletscope.reproductions.scales.circle import circle_answers, published_embeddings
from tripletscope.reproductions.scales.observer import SHARES, SIGMAS
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
    """A page of the program that goes on with an item.

    Attributes
    ----------
    page : str
        Name of the page.
    answers : callable, optional
        ``answers()`` makes the data set that the page opens.
    method : Method, optional
        With the paper's settings; the page Embedding begins with it.
    begin : mapping of str to value
        Of the page Simulate: what its forms begin with, by the names of the parameters of
        `tripletscope.core.design.scenario.Scenario` and of the tasks.
    tab : str
        Of the page; by default the one that was open last.
    """

    page: str
    answers: Callable[[], Triplets] | None = None
    method: Method | None = None
    begin: Mapping[str, Any] = field(default_factory=dict)
    tab: str = ""


def _scale(truth: str, n: int = 10) -> Continuation:
    """A scale of `n` stimuli whose answers become more and noisier, as in the thesis."""
    triples = n * (n - 1) * (n - 2) / 6
    return Continuation("simulate", tab="How much noise?", begin={
        "n_objects": n, "truth": truth, "noise": "positions", "level": 0.1,
        "lowest": min(SIGMAS), "highest": max(SIGMAS), "steps": 6,
        "fewest": round(min(SHARES) * triples), "most": round(triples), "points": 2,
        "repeats": 10,
    })


_ROUND = Continuation("embedding", circle_answers, published_embeddings(2)["STE"])
_FEW = Continuation("embedding", designs.few_objects, SOE(n_components=3))
_WINES = Continuation("trees", wines, wine_features())

#: By the key of the item.
CONTINUATIONS = {
    "thesis-figure-1.1": Continuation("embedding", example.colour_answers, TSTE()),
    "thesis-figure-1.2": Continuation("embedding", example.colour_answers, TSTE()),
    "thesis-figure-4.3": _ROUND,
    "thesis-figure-4.4": _scale("sigmoid"),
    "thesis-figure-4.5": _scale("polynomial"),
    "thesis-figure-4.6": _ROUND,
    "thesis-figure-5.1": _FEW,
    "thesis-figure-5.2": _FEW,
    "thesis-figure-5.5": Continuation("embedding", crowd.egg_answers, TSTE()),
    "thesis-figure-5.6": Continuation("embedding", crowd.crowd_answers, TSTE()),
    "thesis-figure-5.7": Continuation("embedding", crowd.egg_answers, TSTE()),
    "thesis-figure-a.2": _scale("cubic"),
    "thesis-figure-a.3": _scale("sinusoid"),
    "thesis-algorithm-1": Continuation("trees", digit_answers),
    "thesis-algorithm-2": Continuation("trees", digit_answers),
    "forests-figure-2": _WINES,
    "forests-table-1": _WINES,
    "uncertainty-figure-2": Continuation("simulate", tab="noise", begin={
        "truth": "mixture", "noise": "lognormal", "n_objects": 50, "vary": "level",
        "lowest": 0.05, "highest": 4.0, "steps": 5, "most": 588, "points": 1,
    }),
    "uncertainty-figure-3": Continuation("uncertainty", prediction.mixture_answers, STE()),
    "uncertainty-figure-4": Continuation("simulate", tab="noise", begin={
        "truth": "observer", "noise": "none", "n_objects": 20, "vary": "length_scale",
        "lowest": min(psychophysics.LENGTH_SCALES), "highest": max(psychophysics.LENGTH_SCALES),
        "steps": 3, "participants": 50, "most": 5000, "points": 1,
    }),
    "uncertainty-figure-5": Continuation("uncertainty", active.digit_answers, STE(n_components=5)),
    "uncertainty-figure-6": Continuation(
        "uncertainty", psychophysics.observer_answers, STE(n_components=1)
    ),
    "uncertainty-figure-7": Continuation(
        "uncertainty", dimension.digit_answers, STE(n_components=4)
    ),
    "uncertainty-figure-9": Continuation("uncertainty", calibration.noisy_answers, TSTE()),
    "uncertainty-figure-10": Continuation("uncertainty", prediction.mixture_answers, STE()),
    "uncertainty-figure-11": Continuation(
        "uncertainty", active.cancer_answers, STE(n_components=5)
    ),
    "uncertainty-figure-12": Continuation("uncertainty", active.mnist_answers, STE(n_components=5)),
    "uncertainty-figure-13": Continuation(
        "uncertainty", active.digit_answers, TSTE(n_components=5)
    ),
    "uncertainty-appendix-b": Continuation("uncertainty", distances.distance_answers, STE()),
    "kernels-figure-2": Continuation("kernel", definitions.row_answers, K1(reduce_diagonal=False)),
    "kernels-figure-3": Continuation("kernel", known_sets.cloud_answers, K1()),
    "kernels-figure-4": Continuation("kernel", things.egg_answers, K1()),
    "kernels-figure-5": Continuation("kernel", digits.three_digit_answers, K1()),
    "kernels-figure-6": Continuation("kernel", known_sets.cloud_answers, K1()),
    "kernels-figure-7": Continuation("kernel", digits.three_digit_answers, K1()),
    "kernels-figure-9": Continuation("embedding", things.thing_answers, GNMDS()),
    "kernels-figure-10": Continuation("kernel", things.thing_answers, K1()),
    "kernels-figure-11": Continuation("kernel", things.thing_answers, K2()),
    "kernels-figure-12": Continuation("embedding", things.thing_answers, GNMDS()),
    "kernels-figure-13": Continuation("kernel", things.thing_answers, K1()),
    "kernels-figure-14": Continuation("kernel", things.thing_answers, K2()),
}
