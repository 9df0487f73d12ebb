"""What was seen of an experiment while it ran: the error of the map at every look, and the map."""

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
    """An error, and when it was looked at (ISO 8601, UTC)."""

    at: str
    found: CollectedError


@dataclass(frozen=True)
class KeptMap:
    """The newest map: positions (n, 2) of the experiment's objects, of so many answers."""

    positions: np.ndarray
    n_answers: int


def kept_looks(folder: Path) -> list[KeptLook]:
    """All looks at an experiment in their order; none where the file is not there, or damaged."""
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
    """Write down what was seen; on a full disk it was seen all the same."""
    looks = [*kept_looks(folder), KeptLook(
        datetime.now(UTC).isoformat(timespec="seconds"), found
    )]
    with suppress(OSError), whole_file(folder / FILE) as file:
        file.write(json.dumps([asdict(one) for one in looks], indent=1).encode())


def kept_map(folder: Path) -> KeptMap | None:
    """The newest map of an experiment; None where there is none, or its file is damaged."""
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
    """Write down the newest map; on a full disk it was seen all the same."""
    rows = [[None if np.isnan(x) else x for x in row] for row in found.positions.tolist()]
    with suppress(OSError), whole_file(folder / MAP) as file:
        file.write(json.dumps({"positions": rows, "n_answers": found.n_answers}).encode())
