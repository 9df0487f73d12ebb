"""Choices, ratings, piles and arrangements of the same objects in one set of answers."""

from __future__ import annotations

import numpy as np
import pandas as pd

from tripletscope.core.data.answers import HELD_TOGETHER
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets, as_triplets
from tripletscope.core.ratings.dissimilarities import RatedDissimilarities


def pool_ratings(
    choices: Triplets, *others: Triplets | RatedDissimilarities, name: str = ""
) -> Triplets:
    """Answers of several experiments about the same objects, for one map of all.

    Measured data become comparisons, see `RatedDissimilarities.triplets`, with weights that add up
    to the number of independent ones: a hundred ratings count as much as fifty choices, although
    they make thousands of comparisons.

    Parameters
    ----------
    choices : Triplets
        Its objects come first, with their metadata.
    *others : Triplets, Ratings, Confusions, Piles or Arrangements
        Objects with the same id are the same.
    name : str
        By default that of `choices`.

    Returns
    -------
    Triplets
        With a column ``source`` that counts the experiments from 1. Participants of the same name
        count as the same people.

    Raises
    ------
    DataError
        If an experiment has no object in common with those before.

    Examples
    --------
    >>> import pandas as pd
    >>> import tripletscope as ts
    >>> choices = ts.Triplets.from_array([[0, 1, 2]], ids=["cat", "dog", "bus"])
    >>> table = pd.DataFrame({"item1": ["cat", "cat", "dog"], "item2": ["dog", "bus", "bus"],
    ...                       "rating": [7, 1, 2]})
    >>> both = ts.ratings.pool_ratings(choices, ts.ratings.Ratings(table))
    >>> both.answers["source"].tolist()
    [1, 2, 2, 2]
    >>> both.weight.tolist()  # three ratings make one and a half independent comparisons
    [1.0, 0.5, 0.5, 0.5]
    """
    parts = [as_triplets(choices)]
    parts += [other.triplets() if isinstance(other, RatedDissimilarities) else as_triplets(other)
              for other in others]
    objects = parts[0].objects
    rows, answers, trials = [], [], 0
    for number, part in enumerate(parts, 1):
        ids = objects["id"].tolist()
        if number > 1 and not set(ids) & set(part.ids):
            raise DataError(
                f"no object of {part.name} is one of {parts[0].name}",
                remedy="Call the objects the same in both files.",
            )
        new = part.objects[~part.objects["id"].isin(ids)]
        objects = pd.concat([objects, new], ignore_index=True)
        place = {text: i for i, text in enumerate(objects["id"])}
        rows.append(np.array([place[text] for text in part.ids], dtype=np.int64)[part.rows])
        table = part.answers.assign(source=number, weight=part.weight)
        # Trials of two experiments may have the same numbers.
        numbers = np.arange(len(part)) if part.trials is None else part.trials
        table["trial"] = numbers + trials
        if HELD_TOGETHER in table:
            table[HELD_TOGETHER] = table["trial"].where(table[HELD_TOGETHER].notna())
        trials += int(numbers.max(initial=-1)) + 1
        for column in table.columns[table.dtypes == "category"]:
            table[column] = table[column].astype("str")
        answers.append(table)
    return Triplets(
        np.concatenate(rows), objects, pd.concat(answers, ignore_index=True),
        name or parts[0].name,
    )
