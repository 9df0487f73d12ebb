"""Agreement of clusters with labels by the number of answers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.progress import Stopped
from tripletscope.core.models.embedding import STE
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.core.similarity.clusters import KMeans
from tripletscope.core.similarity.clusters.agreement import agreement_curve, label_agreement


@pytest.fixture(scope="module")
def clouds() -> Triplets:
    rng = np.random.default_rng(0)
    truth = np.repeat([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]], 8, axis=0) + rng.normal(size=(24, 2))
    answers = simulate(truth, 4_000, noise="flip", level=0.1, seed=1)
    objects = pd.DataFrame({"id": [f"o{i}" for i in range(24)], "cloud": np.repeat(list("abc"), 8),
                            "same": "x"})
    return Triplets(answers.rows, objects)


def test_more_answers_make_purer_clusters(clouds):
    method = KMeans(basis=STE(n_init=1))
    curve = agreement_curve(method, clouds, labels="cloud", points=3, repeats=4)
    assert curve.n_answers.tolist() == [40, 400, 4000]
    mean = curve.purity.mean(axis=0)
    assert mean[0] < mean[-1]
    assert mean[-1] > 0.95
    assert curve.adjusted_rand.mean(axis=0)[-1] > 0.85
    assert 0.34 <= curve.chance.mean() < 0.6
    whole = method.set_params(n_clusters=3).fit(clouds)
    assert curve.purity[0, -1] == label_agreement(whole.labels_, clouds.objects["cloud"]).purity
    band = curve.band()
    assert (band["low"] <= band["mean"]).all()
    assert (band["high"] <= 1.0).all()


def test_what_cannot_be_learned_is_said(clouds):
    with pytest.raises(DataError, match="fewer than two labels"):
        agreement_curve(KMeans(), clouds, labels="same")
    with pytest.raises(DataError, match="too few"):
        agreement_curve(KMeans(), clouds.take(np.arange(30)), labels="cloud")
    with pytest.raises(Stopped):
        agreement_curve(
            KMeans(), clouds, labels="cloud", points=2, repeats=2,
            progress=lambda fraction, **_: True,
        )
