"""The server of an experiment, as the dashboard stops and follows it."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tripletscope.core.data.errors import DataError
from tripletscope.core.studies.experiment.experiment import Experiment
from tripletscope.dashboard.collecting import answer_log, running
from tripletscope.dashboard.wording import ENGLISH

#: Seconds after which the state is looked at anew, and after which the page shows more.
_LOOK, _SHOW = 2.0, 10.0


def stop_server(folder: Path) -> None:
    """End the server of an experiment; that it is gone is then no surprise."""
    running.stop(folder)
    (folder / running.FILE).unlink(missing_ok=True)


def restart_server(folder: Path) -> None:
    """Let a server that runs serve what has been changed, at the same address."""
    server = running.running(folder)
    if server is not None:
        place = urlsplit(server.address)
        running.stop(folder)
        running.start(folder, place.port or 0, place.hostname or "127.0.0.1")


def ended_by_itself(folder: Path) -> str:
    """What a server said before it ended without being stopped here; empty if none did."""
    try:
        about = json.loads((folder / running.FILE).read_text(encoding="utf-8"))
        if about["folder"] != str(folder.resolve()):  # of what this is a copy of
            return ""
    except (OSError, ValueError, KeyError, TypeError):
        return ""
    try:
        said = (folder / running.PRINTED).read_text(encoding="utf-8", errors="replace")
    except OSError:
        said = ""
    return said.strip()[-500:] or "It said nothing."


def has_answers(folder: Path) -> bool:
    """Whether a participant who is not simulated has answered anything."""
    return answer_log.n_answers(folder) > 0 and answer_log.state(folder).n_answers > 0


def state_told(folder: Path) -> Mapping[str, Any] | None:
    """How a running experiment stands, as the browser follows it; None if there is none.

    The page runs anew at most every ten seconds, however many answers come in.
    """
    try:
        words, share, active = _state(folder, int(time.monotonic() / _LOOK))
        step = _step(folder, int(time.monotonic() / _SHOW))
    except DataError:
        return None
    return {"words": words, "share": share, "step": step, "active": active}


@lru_cache(maxsize=64)
def _state(folder: Path, moment: int) -> tuple[str, float, bool]:
    """The same for everybody who asks at one moment."""
    found, most = answer_log.state(folder), Experiment.load(folder).most_people
    words = (
        f"{found.state.capitalize()}: {ENGLISH.count(found.n_people, 'participant')}, "
        f"{found.n_finished:,} of {most:,} finished; {ENGLISH.count(found.n_answers, 'answer')}, "
        f"{found.n_last_minute:,} in the last minute"
    )
    return words, min(found.n_finished / most, 1.0), running.running(folder) is not None


@lru_cache(maxsize=64)
def _step(folder: Path, moment: int) -> int:
    return answer_log.n_answers(folder)


def forget_states() -> None:
    """Look anew at once, after something was done here."""
    _state.cache_clear()
    _step.cache_clear()

