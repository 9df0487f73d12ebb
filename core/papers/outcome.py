"""What rebuilding an item gave, as it is kept."""

from __future__ import annotations

import io
import json
import time
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cache, cached_property
from pathlib import Path

import pandas as pd

from tripletscope import __version__
from tripletscope.core.computing.progress import Progress, silent
from tripletscope.core.papers.item import Assessment
from tripletscope.core.papers.registry import items, original

#: Where outcomes of full runs are shipped, and beside them what they show, so that lists of all
#: items need not compute it.
SHIPPED = Path(__file__).with_name("outcomes")
ASSESSED = Path(__file__).with_name("assessments.json")


@dataclass(frozen=True)
class Outcome:
    """The table of a rebuilt item, and how it was made.

    Attributes
    ----------
    item : str
        Key.
    quick : bool
        Whether it was made with the settings that take seconds.
    seed : int
    version : str
        Of this package.
    created : str
        When, ISO 8601, UTC.
    seconds : float
        How long it took.
    rows : str
        The table, as CSV.
    """

    item: str
    quick: bool
    seed: int
    version: str
    created: str
    seconds: float
    rows: str

    @cached_property
    def table(self) -> pd.DataFrame:
        """What was measured, a row for each number."""
        return pd.read_csv(io.StringIO(self.rows), keep_default_na=False, na_values=[""])

    @property
    def assessment(self) -> Assessment:
        """What the table shows."""
        return items()[self.item].check(self.table)

    @property
    def is_readable(self) -> bool:
        """Whether this version can draw it and tell what it shows: one of another may not."""
        item = items().get(self.item)
        if item is None or item.check is None:
            return False
        columns = {name for chart in item.charts for name in chart.columns}
        try:
            return columns <= set(self.table.columns) and bool(self.assessment.verdict)
        except (LookupError, ValueError, TypeError, ArithmeticError):
            return False

    def text(self) -> str:
        """As JSON."""
        return json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n"

    @classmethod
    def of(cls, text: str) -> Outcome:
        """From `text`."""
        return cls(**json.loads(text))


def rebuild(
    key: str, *, quick: bool = False, seed: int = 0, progress: Progress = silent
) -> Outcome:
    """Rebuild an item.

    Parameters
    ----------
    key : str
        As ``python benchmarks/seeds.py --list`` has them, or the page Papers.
    quick : bool
        Smaller settings, which take seconds.
    seed : int
    progress : Progress

    Returns
    -------
    Outcome

    Raises
    ------
    DataError
        If it needs data that are not on this machine.
    ValueError
        If there is nothing to compute.
    Stopped
        If `progress` asked to stop.

    Examples
    --------
    >>> import tripletscope as ts
    >>> outcome = ts.rebuild("uncertainty-figure-8", quick=True)
    >>> outcome.assessment.verdict
    'holds'
    >>> list(outcome.table)
    ['x', 'y']
    """
    item = original(items()[key])
    if item.experiment is None:
        raise ValueError(f"{item.label} is stated, not measured: there is nothing to compute.")
    begun, created = time.perf_counter(), datetime.now(UTC)
    table = item.experiment(seed=seed, progress=progress, **item.settings(quick))
    return Outcome(
        item=item.key, quick=quick, seed=seed, version=__version__,
        created=created.isoformat(timespec="seconds"),
        seconds=round(time.perf_counter() - begun, 1),
        rows=table.to_csv(index=False, float_format="%.6g"),
    )


def shipped(key: str) -> Outcome | None:
    """What a full run gave when this version was made; None if there was none."""
    path = SHIPPED / f"{original(items()[key]).key}.json"
    return Outcome.of(path.read_text("utf-8")) if path.exists() else None


@cache
def assessments() -> dict[str, Assessment]:
    """What the shipped outcomes show, and what is stated, by the key of the item."""
    said = json.loads(ASSESSED.read_text("utf-8"))
    return {key: Assessment(**fields) for key, fields in said.items()}


def assess_shipped() -> None:
    """Write `ASSESSED` anew, from the outcomes and the checks as they are."""
    said = {}
    for item in items().values():
        outcome = shipped(item.key)
        known = original(item).assessment or (outcome.assessment if outcome else None)
        if known is not None:
            said[item.key] = asdict(known)
    ASSESSED.write_text(json.dumps(said, indent=1, ensure_ascii=False) + "\n", "utf-8")
    assessments.cache_clear()
