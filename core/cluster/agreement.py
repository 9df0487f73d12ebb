"""How well clusters agree with labels, or with other clusters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from tripletscope.core.data.errors import DataError


@dataclass(frozen=True)
class LabelAgreement:
    """Clusters beside labels.

    purity: Share of objects that bear the most frequent label of their cluster. Grows with the
        number of clusters.
    adjusted_rand: Pairs on which both agree, corrected for chance: 0 by chance, 1 if equal (Hubert
        & Arabie 1985).
    mutual_information: Normalised by the mean of the two entropies: 0 to 1.
    table: Number of objects by cluster (rows) and label (columns).
    """

    purity: float
    adjusted_rand: float
    mutual_information: float
    table: pd.DataFrame


def agreement(clusters: np.ndarray, labels: Any) -> LabelAgreement:
    """Compare clusters with labels.

    clusters (n,): -1 for objects without a cluster.
    labels (n,): Missing values mean that the label is not known. Such objects are left out.
    """
    from sklearn.metrics import (  # imported late: slow to import
        adjusted_rand_score,
        normalized_mutual_info_score,
    )

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
