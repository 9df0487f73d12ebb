"""What the rows of the catalogue are filled with, and which files they mention."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd
from sqlalchemy import Row, Select, select

from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Triplets
from tripletscope.dashboard.keeping.catalogue import DatasetInfo, DatasetRow, RunRow
from tripletscope.dashboard.keeping.storage import File, file_of

if TYPE_CHECKING:
    from tripletscope.core.io import Pairs
    from tripletscope.core.ratings import Measured

PAIR_ROLES = ["i", "j", "k", "l"]
#: Where a data set mentions files of data.
DATA = ("fingerprint", "imported", "gold", "catch_trials", "pairs")
#: What else of a data set mentions files: pictures, and in plain values the tables of features.
FURTHER = ("pictures", "extra")
#: Where the plain values list tables of features, each with its file.
TABLES = "tables"

#: Under which name a data set notes what was measured of it: ratings, piles and so on.
MEASURED = "measured"


def files_of(row: DatasetRow | Row) -> set[File]:
    """The files that a data set mentions, without those of its runs."""
    data = {file_of("data", name) for column in DATA if (name := getattr(row, column))}
    data |= {file_of("data", file) for file in _files_in([row.extra.get(MEASURED)])}
    tables = {file_of("runs", file) for file in table_files(row.extra)}
    return data | tables | {file_of("pictures", file) for file in row.pictures.values()}


def table_files(extra: Mapping[str, Any]) -> list[str]:
    """The files of the tables of features that a data set mentions in its plain values."""
    return _files_in(extra.get(TABLES))


def _files_in(entries: Any) -> list[str]:
    """The files that entries mention, whatever another version or a damaged entry holds."""
    return [
        entry["file"] for entry in (entries if isinstance(entries, list) else ())
        if isinstance(entry, dict) and isinstance(entry.get("file"), str)
    ]


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


def note_of(
    given: Measured | None, keep: Callable[[pd.DataFrame], str | None]
) -> dict[str, Any]:
    """What is noted of ratings and so on; their table is a file."""
    if given is None:
        return {}
    return {MEASURED: {"kind": given.kind, "options": given.options, "file": keep(given.table)}}


def measured_of(
    info: DatasetInfo, read: Callable[[str], pd.DataFrame]
) -> Measured | None:
    """Ratings and so on as they were noted, without participants who are left out entirely."""
    noted = info.extra.get(MEASURED)
    if noted is None:
        return None
    from tripletscope.core.ratings.kinds import measured

    table = read(noted["file"])
    out = {who for step in info.exclusions for who in step["removed_participants"]}
    if out and "participant" in table:
        table = table[~table["participant"].astype("str").isin(out)]
    return measured(noted["kind"], table, noted["options"])


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
