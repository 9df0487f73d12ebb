"""What the rows of the catalogue are filled with, and which files they mention."""

from __future__ import annotations

from typing import Any

import pandas as pd
from sqlalchemy import Row, Select, select

from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.io import Pairs
from tripletscope.dashboard.keeping.catalogue import DatasetRow, RunRow
from tripletscope.dashboard.keeping.storage import File, file_of

PAIR_ROLES = ["i", "j", "k", "l"]
#: Where a data set mentions files of data.
DATA = ("fingerprint", "imported", "gold", "catch_trials", "pairs")


def files_of(row: DatasetRow | Row) -> set[File]:
    """The files that a data set mentions, without those of its runs."""
    data = {file_of("data", name) for column in DATA if (name := getattr(row, column))}
    return data | {file_of("pictures", file) for file in row.pictures.values()}


def facts(triplets: Triplets, pairs: Pairs | Quadruples | None) -> dict[str, Any]:
    """The columns of a data set that follow from its content."""
    # Comparisons of pairs hold all answers, also those that are triplets.
    answers = triplets.answers if pairs is None else pairs.answers
    participants = answers.get("participant", pd.Series(dtype=str))
    return {
        "fingerprint": triplets.fingerprint,
        "n_objects": triplets.n_objects,
        "n_answers": len(triplets),
        "n_participants": int(participants.nunique()),
        "n_pairs": len(pairs or ()),
    }


def trials_of(triplets: Triplets) -> dict[str, int]:
    """How many trials gave the answers, where that is another number."""
    return {} if triplets.trials is None else {"trials": triplets.n_trials}


def pair_table(pairs: Pairs) -> pd.DataFrame:
    """Comparisons of pairs as they are kept."""
    rows = pd.DataFrame(pairs.rows, columns=PAIR_ROLES)
    return pd.concat([rows, pairs.answers.reset_index(drop=True)], axis=1)


def run_of(dataset: str | None, key: str) -> Select[tuple[RunRow]]:
    """The run of a data set, or of none, with a key."""
    # SQLAlchemy writes "IS NULL" where this is None.
    return select(RunRow).where(RunRow.dataset == dataset, RunRow.key == key)


def same_method(other: RunRow, fit: RunRow) -> bool:
    """Whether a run goes when a fit goes: it was computed for the same method."""
    if other.exclusions != fit.exclusions:
        return False
    names = ("kind", "method", "parameters")
    # A method that was fitted to uploaded distances has nothing to do with the answers.
    uploaded = [run.record["options"].get("distances") for run in (other, fit)]
    return (
        other.id != fit.id and uploaded[0] == uploaded[1]
        and all(other.record[n] == fit.record[n] for n in names)
    )
