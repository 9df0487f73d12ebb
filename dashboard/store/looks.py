"""Looks at a running experiment: the error of the map at each, and the newest map."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from tripletscope.core.studies.experiment.live import CollectedError
from tripletscope.dashboard.files.contents import content_of, json_of
from tripletscope.dashboard.files.storage import write_json

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
    return _read(folder / FILE, lambda looks: [
        KeptLook(one["at"], CollectedError(**one["found"])) for one in looks
    ]) or []


def keep_look(folder: Path, error: CollectedError) -> None:
    """Add a look, if the disk has room."""
    look = KeptLook(datetime.now(UTC).isoformat(timespec="seconds"), error)
    with suppress(OSError):
        write_json(folder / FILE, [asdict(one) for one in (*kept_looks(folder), look)])


def kept_map(folder: Path) -> KeptMap | None:
    """None where its file is missing or damaged."""
    return _read(folder / MAP, lambda kept: KeptMap(  # null is NaN
        np.array(kept["positions"], dtype=float).reshape(-1, 2), int(kept["n_answers"])
    ))


def keep_map(folder: Path, kept: KeptMap) -> None:
    """Replace the map, if the disk has room."""
    rows = [[None if np.isnan(x) else x for x in row] for row in kept.positions.tolist()]
    with suppress(OSError):
        write_json(folder / MAP, {"positions": rows, "n_answers": kept.n_answers})


def _read(path: Path, made: Callable[[Any], Any]) -> Any:
    """What is made of a file's content; None where it is missing or damaged."""
    try:
        return made(json_of(content_of(path)))
    except OSError:
        return None
    except (ValueError, KeyError, TypeError):
        log.warning("%s is damaged", path)
        return None
