"""Looks at a running experiment: the error of the map at each, and the newest map."""

from __future__ import annotations

import json
import logging
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from tripletscope.core.studies.experiment.live import CollectedError
from tripletscope.dashboard.keeping.files import whole_file

log = logging.getLogger(__name__)

FILE, MAP = "looks.json", "map.json"


@dataclass(frozen=True)
class KeptLook:
    """An error, and its time (ISO 8601, UTC)."""

    at: str
    found: CollectedError


@dataclass(frozen=True)
class KeptMap:
    """The newest map: positions (n, 2) of the experiment's objects, and its number of answers."""

    positions: np.ndarray
    n_answers: int


def kept_looks(folder: Path) -> list[KeptLook]:
    """In order; none where the file is damaged."""
    with suppress(OSError):
        try:
            return [
                KeptLook(one["at"], CollectedError(**one["found"]))
                for one in json.loads((folder / FILE).read_text(encoding="utf-8"))
            ]
        except (ValueError, KeyError, TypeError):
            log.warning("%s is damaged", folder / FILE)
    return []


def keep_look(folder: Path, found: CollectedError) -> None:
    """Add a look, if the disk has room."""
    looks = [*kept_looks(folder), KeptLook(
        datetime.now(UTC).isoformat(timespec="seconds"), found
    )]
    with suppress(OSError), whole_file(folder / FILE) as file:
        file.write(json.dumps([asdict(one) for one in looks], indent=1).encode())


def kept_map(folder: Path) -> KeptMap | None:
    """None where its file is missing or damaged."""
    try:
        found = json.loads((folder / MAP).read_text(encoding="utf-8"))
        positions = np.array(found["positions"], dtype=float)  # null is NaN
        return KeptMap(positions.reshape(-1, 2), int(found["n_answers"]))
    except OSError:
        return None
    except (ValueError, KeyError, TypeError):
        log.warning("%s is damaged", folder / MAP)
        return None


def keep_map(folder: Path, found: KeptMap) -> None:
    """Replace the map, if the disk has room."""
    rows = [[None if np.isnan(x) else x for x in row] for row in found.positions.tolist()]
    with suppress(OSError), whole_file(folder / MAP) as file:
        file.write(json.dumps({"positions": rows, "n_answers": found.n_answers}).encode())
