"""The kinds of measured dissimilarities."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from tripletscope.core.ratings.arrangements import Arrangements
from tripletscope.core.ratings.confusions import Confusions
from tripletscope.core.ratings.dissimilarities import RatedDissimilarities
from tripletscope.core.ratings.piles import Piles
from tripletscope.core.ratings.ratings import Ratings

#: By name.
KINDS: dict[str, type[RatedDissimilarities]] = {
    kind.kind: kind for kind in (Arrangements, Confusions, Piles, Ratings)
}


def measured(kind: str, table: pd.DataFrame, options: Mapping[str, Any]) -> RatedDissimilarities:
    """The measured dissimilarities of a kind, from their table and options."""
    return KINDS[kind](table, **options)
