"""Where a map is weak: pairs, comparisons and answers, the weakest first."""

from __future__ import annotations

import numpy as np
import pandas as pd

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.uncertainty.samples import Samples

#: Rows of every table, at most.
LISTED = 200


def undecided_pairs(samples: Samples, triplets: Triplets, k: int = LISTED) -> pd.DataFrame:
    """Pairs of objects whose distance is the hardest to rank among those from the same objects.

    Returns
    -------
    DataFrame, up to k rows
        ``first``, ``second`` (positions), their labels, ``distance`` and ``sd`` (over the maps),
        ``uncertainty``: how likely, on average, a comparison of this distance with another from
        either object is answered wrongly.
    """
    known = samples.calibrated
    both = (known.uncertainty + known.uncertainty.T) / 2
    first, second = np.triu_indices(len(both), 1)
    values = both[first, second]
    order = np.argsort(-values, kind="stable")[:k]
    order = order[np.isfinite(values[order])]
    first, second = first[order], second[order]
    labels = np.array(triplets.labels, dtype=object)
    return pd.DataFrame({
        "first": first, "second": second, "first_label": labels[first],
        "second_label": labels[second], "distance": known.mean[first, second],
        "sd": known.sd[first, second], "uncertainty": both[first, second],
    })


def undecided_comparisons(samples: Samples, triplets: Triplets, k: int = LISTED) -> pd.DataFrame:
    """Comparisons whose answer is least certain, of all there are.

    Returns
    -------
    DataFrame, up to k rows
        ``anchor``, ``near``, ``far`` (positions), their labels, ``probability`` of this order.
    """
    rows, probability = samples.calibrated.most_uncertain(k)
    labels = np.array(triplets.labels, dtype=object)
    names = ("anchor", "near", "far")
    return pd.DataFrame({
        **dict(zip(names, rows.T, strict=True)),
        **{f"{name}_label": labels[column] for name, column in zip(names, rows.T, strict=True)},
        "probability": probability,
    })


def answers_against(
    samples: Samples, triplets: Triplets, k: int = LISTED, *, spread: str = "joint"
) -> pd.DataFrame:
    """Answers that the maps hold to be the least probable.

    Parameters
    ----------
    samples : Samples
    triplets : Triplets
    k : int
    spread : str
        See `Samples.probability`.

    Returns
    -------
    DataFrame, up to k rows
        ``answer`` (position), ``anchor``, ``near``, ``far`` (labels), ``probability``, and all
        that is known of the answer, such as ``participant``; "(data)" follows the names of
        columns that would stand twice.
    """
    probability = samples.probability(triplets, spread=spread)
    order = np.argsort(probability, kind="stable")[:k]
    order = order[probability[order] < 0.5]
    labels = np.array(triplets.labels, dtype=object)
    anchor, near, far = (labels[column] for column in triplets.rows[order].T)
    table = pd.DataFrame({
        "answer": order, "anchor": anchor, "near": near, "far": far,
        "probability": probability[order],
    })
    known = triplets.answers.iloc[order].reset_index(drop=True)
    return table.join(known.rename(columns={name: f"{name} (data)" for name in table}))
