"""Agreement of clusters with labels or with other clusters, and the answers that it takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pandas as pd
from sklearn.base import clone

from tripletscope.core.data.errors import DataError, refuse_lengths
from tripletscope.core.data.named import column_of, one_of
from tripletscope.core.data.triplets import Triplets, as_triplets
from tripletscope.core.engine.declared import Column, Number, Seed
from tripletscope.core.engine.parallel import CancelToken, results_of
from tripletscope.core.engine.progress import Progress, silent
from tripletscope.core.engine.short_repr import short_repr
from tripletscope.core.engine.task import task
from tripletscope.core.inference.held_out.paired import mean_with_half_width
from tripletscope.core.similarity.clusters.clustering import Clustering

#: Fewest answers of a subset.
_FEWEST = 10


@short_repr
@dataclass(frozen=True)
class LabelAgreement:
    """Clusters beside labels.

    purity: Share of objects with the most frequent label of their cluster; grows with the number of
        clusters.
    adjusted_rand: 0 by chance, 1 if equal (Hubert & Arabie 1985).
    mutual_information: Normalised by the mean of the two entropies: 0 to 1.
    table: Number of objects by cluster (rows) and label (columns).
    """

    purity: float
    adjusted_rand: float
    mutual_information: float
    table: pd.DataFrame


def label_agreement(clusters: np.ndarray, labels: Any) -> LabelAgreement:
    """Compare clusters with labels.

    Parameters
    ----------
    clusters : array-like of int, shape (n,)
        -1 for objects without a cluster.
    labels : array-like, shape (n,)
        Objects with a missing label are left out.

    Raises
    ------
    DataError
        If no object has both.
    ValueError
        If there are not as many labels as clusters.

    Examples
    --------
    >>> import tripletscope as ts
    >>> agreement = ts.label_agreement([0, 0, 1, 1, 1], ["cup", "cup", "fork", "fork", "cup"])
    >>> agreement.purity
    0.8
    """
    from sklearn.metrics import (  # imported late: slow to import
        adjusted_rand_score,
        normalized_mutual_info_score,
    )

    refuse_lengths(clusters=clusters, labels=labels)
    labels = pd.Series(np.asarray(labels, dtype=object))
    both = (np.asarray(clusters) >= 0) & labels.notna().to_numpy()
    if not both.any():
        raise DataError("no object has both a cluster and a label", remedy="Choose another column.")
    clusters, labels = np.asarray(clusters)[both], labels[both].astype(str).to_numpy()
    table = pd.crosstab(pd.Series(clusters, name="cluster"), pd.Series(labels, name="label"))
    return LabelAgreement(
        float(table.to_numpy().max(axis=1).sum() / both.sum()),
        float(adjusted_rand_score(labels, clusters)),
        float(normalized_mutual_info_score(labels, clusters)),
        table,
    )


@dataclass(frozen=True)
class AgreementCurve:
    """Agreement of clusters with labels, against the number of answers.

    Attributes
    ----------
    n_answers : ndarray of int, shape (p,)
    purity, adjusted_rand : ndarray, shape (r, p)
        `LabelAgreement` of r random subsets; objects without answers form one more cluster.
    chance : ndarray, shape (r,)
        Purity of as many random clusters of equal size.
    """

    n_answers: np.ndarray
    purity: np.ndarray
    adjusted_rand: np.ndarray
    chance: np.ndarray

    def band(self, quantity: str = "purity") -> pd.DataFrame:
        """``answers``, ``mean``, ``low``, ``high``: 95 % t interval of the mean over subsets.

        All answers are one subset: there the interval covers only the method's random starts.

        quantity {"purity", "adjusted_rand"}.
        """
        values = getattr(self, one_of(("purity", "adjusted_rand"), quantity, "quantity"))
        mean, half_width = mean_with_half_width(values)
        return pd.DataFrame({
            "answers": self.n_answers, "mean": mean, "low": mean - half_width,
            "high": np.minimum(mean + half_width, 1.0),
        })


@task("Clustering more and more answers", "cluster")
def agreement_curve(
    method: Clustering, triplets: Triplets, *,
    labels: Annotated[str, Column("Labels", "Categories of the objects.")],
    points: Annotated[int, Number(2, 20, "Points", "Numbers of answers.", advanced=True)] = 5,
    repeats: Annotated[
        int, Number(2, 100, "Repeats", "Random subsets of the answers.", advanced=True)
    ] = 5,
    seed: Seed = 0, progress: Progress = silent,
) -> AgreementCurve:
    """Cluster random subsets of the answers into as many clusters as there are labels.

    Numbers of answers rise geometrically from a hundredth to all (Kleindessner & von Luxburg 2017,
    figure 5). The method's own number of clusters does not matter.
    """
    triplets = as_triplets(triplets)
    categories = column_of(triplets.objects, labels, triplets.name)
    n_labels = categories.nunique()
    if n_labels < 2:
        raise DataError(
            f"column {labels!r} has fewer than two labels", file=triplets.name,
            remedy="Choose another column.",
        )
    if len(triplets) < points * _FEWEST:
        raise DataError(
            f"{len(triplets):,} answers are too few for {points} subsets", file=triplets.name,
            remedy="Use more answers.",
        )
    fewest = max(len(triplets) // 100, _FEWEST)
    sizes = np.unique(np.geomspace(fewest, len(triplets), points).round().astype(int))
    method = clone(method).set_params(n_clusters=n_labels)
    pieces, chance = [], []
    for child in np.random.SeedSequence(seed).spawn(repeats):
        rng = np.random.default_rng(child)
        order = rng.permutation(len(triplets))
        pieces += [(method, triplets, order[:size], categories) for size in sizes]
        random = rng.permutation(np.arange(len(categories)) % n_labels)
        chance.append(label_agreement(random, categories).purity)
    curves = list(results_of(_agreed, pieces, progress))
    purity, adjusted = np.reshape(curves, (repeats, len(sizes), 2)).transpose(2, 0, 1)
    return AgreementCurve(sizes, purity, adjusted, np.array(chance))


def _agreed(
    method: Clustering, triplets: Triplets, chosen: np.ndarray, labels: pd.Series, halt: CancelToken
) -> tuple[float, float]:
    """Purity and adjusted Rand index of the clusters of some of the answers."""
    clusters = clone(method).fit(triplets.take(chosen), progress=halt).labels_
    # Objects without answers are a cluster, too: without it, few answers would seem to tell more.
    result = label_agreement(np.where(clusters < 0, clusters.max() + 1, clusters), labels)
    return result.purity, result.adjusted_rand
