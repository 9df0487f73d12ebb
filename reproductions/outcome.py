"""What rebuilding an item gave, as it is kept."""

from __future__ import annotations

import gzip
import io
import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import pandas as pd

from tripletscope import __version__
from tripletscope.core.data.lazy import cached_property
from tripletscope.core.data.named import named
from tripletscope.core.engine.progress import Progress, Stopped, part, silent
from tripletscope.core.engine.short_repr import short_repr
from tripletscope.reproductions.dependence import code_of
from tripletscope.reproductions.item import Observation
from tripletscope.reproductions.registry import items
from tripletscope.reproductions.verdict import SEEDS, Conclusion, verdict

#: Where outcomes of full runs are shipped, and beside them what is known of every item, so that
#: lists of all need not compute it.
SHIPPED = Path(__file__).with_name("outcomes")
KNOWN = Path(__file__).with_name("verdicts.json")


@short_repr
@dataclass(frozen=True)
class Outcome:
    """The tables of a rebuilt item, one a seed, and how they were made.

    Attributes
    ----------
    item : str
        Key.
    quick : bool
        Whether it was made with the settings that take seconds.
    seeds : tuple of int
    version : str
        Of this package.
    code : str
        Hash of the code that it depends on, see `code_of`; empty of one in short.
    created : str
        When, ISO 8601, UTC.
    seconds : float
        How long a seed took.
    rows : str
        The tables, as CSV, below one another; their first column is the seed.
    """

    item: str
    quick: bool
    seeds: tuple[int, ...]
    version: str
    code: str
    created: str
    seconds: float
    rows: str

    @cached_property
    def tables(self) -> dict[int, pd.DataFrame]:
        """What was measured, a row for each number, by the seed."""
        all_seeds = pd.read_csv(io.StringIO(self.rows), keep_default_na=False, na_values=[""])
        return {
            seed: rows.drop(columns="seed of the run").reset_index(drop=True)
            for seed, rows in all_seeds.groupby("seed of the run", sort=False)
        }

    @property
    def table(self) -> pd.DataFrame:
        """What the first seed gave, which is drawn."""
        return self.tables[self.seeds[0]]

    @cached_property
    def observations(self) -> list[Observation]:
        """What each seed shows."""
        check = items()[self.item].check
        return [check(self.tables[seed]) for seed in self.seeds]

    @property
    def verdict(self) -> Conclusion:
        """What they show together."""
        return verdict(items()[self.item], self.observations)

    @property
    def is_readable(self) -> bool:
        """Whether this version can tell what it shows: one of another may not."""
        item = items().get(self.item)
        if item is None or item.check is None:
            return False
        try:
            return bool(self.observations)
        except Exception:  # tables of other versions may lack anything
            return False

    @property
    def is_current(self) -> bool:
        """Whether the code that it depends on is as it was."""
        return self.code == code_of(items()[self.item])

    def text(self) -> str:
        """As JSON."""
        return json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n"

    @classmethod
    def of(cls, text: str) -> Outcome:
        """From `text`."""
        said = json.loads(text)
        return cls(**{**said, "seeds": tuple(said["seeds"])})


def rebuild(
    key: str, *, quick: bool = False, seeds: Sequence[int] = (0,), progress: Progress = silent
) -> Outcome:
    """Rebuild an item.

    Parameters
    ----------
    key : str
        As ``python -m tripletscope.reproductions list`` has them, or the page Papers.
    quick : bool
        Smaller settings, which take seconds.
    seeds : sequence of int
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
    >>> outcome = ts.reproductions.rebuild("uncertainty-figure-8", quick=True)
    >>> outcome.observations[0].shows
    'holds'
    >>> list(outcome.table)
    ['x', 'y']
    """
    item = named(items(), key, "item of a paper")
    if item.experiment is None:
        raise ValueError(f"{item.label} is stated, not measured: there is nothing to compute.")
    begun, created = time.perf_counter(), datetime.now(UTC)
    tables = []
    for number, seed in enumerate(seeds):
        if number and progress(number / len(seeds)):
            raise Stopped
        here = part(progress, number / len(seeds), (number + 1) / len(seeds))
        tables.append(item.experiment(seed=seed, progress=here, **item.settings(quick)))
    for seed, table in zip(seeds, tables, strict=True):
        table.insert(0, "seed of the run", seed)
    return Outcome(
        item=item.key, quick=quick, seeds=tuple(seeds), version=__version__,
        code="" if quick else code_of(item),
        created=created.isoformat(timespec="seconds"),
        seconds=round((time.perf_counter() - begun) / len(seeds), 1),
        rows=pd.concat(tables).to_csv(index=False, float_format="%.6g"),
    )


def seeds_of(key: str) -> tuple[int, ...]:
    """Seeds that a verdict of an item is over."""
    return SEEDS[:1] if items()[key].exact else SEEDS


def _path(key: str) -> Path:
    return SHIPPED / f"{key}.json.gz"


def shipped(key: str) -> Outcome | None:
    """What full runs gave when this version was made; None if there were none."""
    try:
        return Outcome.of(gzip.decompress(_path(key).read_bytes()).decode())
    except FileNotFoundError:
        return None


def ship(outcome: Outcome) -> None:
    """Keep what full runs gave with the program."""
    SHIPPED.mkdir(exist_ok=True)
    _path(outcome.item).write_bytes(gzip.compress(outcome.text().encode(), mtime=0))


def computed(key: str) -> Conclusion:
    """What the shipped outcome of an item shows, or that it is stated."""
    outcome = shipped(key)
    return verdict(items()[key], outcome.observations if outcome else ())


@cache
def verdicts() -> dict[str, Conclusion]:
    """What is known of every item as the program is shipped, by its key."""
    said = json.loads(KNOWN.read_text("utf-8"))
    return {key: Conclusion(**fields) for key, fields in said.items()}


def write_verdicts() -> None:
    """Write `KNOWN` anew, from the outcomes and the checks as they are."""
    said = {key: asdict(computed(key)) for key in items()}
    KNOWN.write_text(json.dumps(said, indent=1, ensure_ascii=False) + "\n", "utf-8")
    verdicts.cache_clear()
