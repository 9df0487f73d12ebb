"""How the dashboard stops and follows the server of an experiment."""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tripletscope.core.data.errors import DataError
from tripletscope.core.studies.experiment.experiment import Experiment
from tripletscope.dashboard.collect import answer_log, running
from tripletscope.dashboard.words import words

#: Seconds between looks at the state, and between runs of the page.
_LOOK, _SHOW = 2.0, 10.0


def stop_server(folder: Path) -> None:
    """End the server; its end is then expected, see `ended_by_itself`."""
    running.stop(folder)
    (folder / running.FILE).unlink(missing_ok=True)


def restart_server(folder: Path) -> None:
    """Let a running server serve changes, at the same address."""
    server = running.running(folder)
    if server is not None:
        place = urlsplit(server.address)
        running.stop(folder)
        running.start(folder, place.port or 0, place.hostname or "127.0.0.1")


def ended_by_itself(folder: Path) -> str:
    """Last words of a server that was not stopped here; empty if there is none."""
    if running.announced(folder) is None:
        return ""
    try:
        output = (folder / running.PRINTED).read_text(encoding="utf-8", errors="replace")
    except OSError:
        output = ""
    return output.strip()[-500:] or "It said nothing."


def has_answers(folder: Path) -> bool:
    """Whether a real participant has answered anything."""
    return answer_log.n_answers(folder) > 0 and answer_log.state(folder).n_answers > 0


def state_told(folder: Path) -> Mapping[str, Any] | None:
    """State of an experiment for the browser, which runs the page again when `step` changes."""
    try:
        text, share, active = _state(folder, int(time.monotonic() / _LOOK))
        step = _step(folder, int(time.monotonic() / _SHOW))
    except DataError:
        return None
    return {"words": text, "share": share, "step": step, "active": active}


@lru_cache(maxsize=64)
def _state(folder: Path, moment: int) -> tuple[str, float, bool]:
    """Text, share of finished people, and whether the server runs; cached by `moment`."""
    state, most = answer_log.state(folder), Experiment.load(folder).most_people
    text = (
        f"{state.state.capitalize()}: {words.count(state.n_people, 'participant')}, "
        f"{state.n_finished:,} of {most:,} finished; {words.count(state.n_answers, 'answer')}, "
        f"{state.n_last_minute:,} in the last minute"
    )
    return text, min(state.n_finished / most, 1.0), running.running(folder) is not None


@lru_cache(maxsize=64)
def _step(folder: Path, moment: int) -> int:
    return answer_log.n_answers(folder)


def forget_states() -> None:
    """Look again at once, after a change."""
    _state.cache_clear()
    _step.cache_clear()

