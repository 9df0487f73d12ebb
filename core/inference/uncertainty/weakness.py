"""Where a map is weak: pairs, comparisons and answers, the weakest first."""

from __future__ import annotations

import numpy as np
import pandas as pd

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.inference.uncertainty.samples import Samples

#: Rows of every table, at most.
LISTED = 200


def undecided_pairs(samples: Samples, triplets: Triplets, k: int = LISTED) -> pd.DataFrame:
    """Pairs of objects whose distance is the hardest to rank among those from the same objects.

    Returns: ``first``, ``second`` (positions), their labels, ``distance`` and ``sd`` (over the
        maps), ``uncertainty``: how likely, on average, the maps order this distance and another
        from either object wrongly (one minus order certainty: it is about the map).
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
    """Comparisons whose order is least certain, of all there are.

    Returns: ``anchor``, ``near``, ``far`` (positions), their labels, and ``order_certainty``:
        further answers can raise it, which they cannot where people find two distances alike.
    """
    rows, certainty = samples.most_uncertain(k, spread="independent")
    labels = np.array(triplets.labels, dtype=object)
    names = ("anchor", "near", "far")
    return pd.DataFrame({
        **dict(zip(names, rows.T, strict=True)),
        **{f"{name}_label": labels[column] for name, column in zip(names, rows.T, strict=True)},
        "order_certainty": certainty,
    })


def answers_against(samples: Samples, triplets: Triplets, k: int = LISTED) -> pd.DataFrame:
    """Answers that are the least probable, given the maps.

    By response probability, because it is about what a person did: an answer against a certain
    order may still be a usual one. Without a response model, by order certainty.

    Returns: ``answer`` (position), ``anchor``, ``near``, ``far`` (labels), ``response_probability``
        (missing without a response model) and ``order_certainty`` of the answer as given, and all
        that is known of the answer, such as ``participant``; "(data)" follows the names of columns
        that would stand twice.
    """
    order = samples.order_certainty(triplets)
    response = np.full(len(order), np.nan)
    if samples.knows_responses:
        response = samples.response_probability(triplets)
    decides = response if samples.knows_responses else order
    result = np.argsort(decides, kind="stable")[:k]
    result = result[decides[result] < 0.5]
    labels = np.array(triplets.labels, dtype=object)
    anchor, near, far = (labels[column] for column in triplets.rows[result].T)
    table = pd.DataFrame({
        "answer": result, "anchor": anchor, "near": near, "far": far,
        "response_probability": response[result], "order_certainty": order[result],
    })
    known = triplets.answers.iloc[result].reset_index(drop=True)
    return table.join(known.rename(columns={name: f"{name} (data)" for name in table}))
