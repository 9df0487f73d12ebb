"""Where a map is weak: pairs, comparisons and answers, the weakest first."""

from __future__ import annotations

import numpy as np
import pandas as pd

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.inference.uncertainty.samples import Samples

#: Most rows of a table.
LISTED = 200


def undecided_pairs(samples: Samples, triplets: Triplets, k: int = LISTED) -> pd.DataFrame:
    """Pairs of objects whose distance is hardest to rank among those from the same objects.

    Columns: ``first``, ``second`` (positions), their labels, ``distance`` and ``sd`` over the maps,
    ``uncertainty``: mean probability that the maps order it and another distance wrongly.
    """
    comparisons = samples.calibrated
    both = (comparisons.uncertainty + comparisons.uncertainty.T) / 2
    first, second = np.triu_indices(len(both), 1)
    values = both[first, second]
    order = np.argsort(-values, kind="stable")[:k]
    order = order[np.isfinite(values[order])]
    first, second = first[order], second[order]
    labels = np.array(triplets.labels, dtype=object)
    return pd.DataFrame({
        "first": first, "second": second, "first_label": labels[first],
        "second_label": labels[second], "distance": comparisons.mean[first, second],
        "sd": comparisons.sd[first, second], "uncertainty": both[first, second],
    })


def undecided_comparisons(samples: Samples, triplets: Triplets, k: int = LISTED) -> pd.DataFrame:
    """Comparisons of all objects whose order is least certain.

    Columns: ``anchor``, ``near``, ``far`` (positions), their labels, ``order_certainty``.
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
    """Answers with the lowest response probability or, without a response model, order certainty.

    Columns: ``answer`` (position), ``anchor``, ``near``, ``far`` (labels), ``response_probability``
    (may be missing), ``order_certainty`` of the answer as given, and the answer's own columns, with
    "(data)" after names that would stand twice.
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
    columns = triplets.answers.iloc[result].reset_index(drop=True)
    return table.join(columns.rename(columns={name: f"{name} (data)" for name in table}))
