"""The process beside the server that keeps adaptive questions ready: nobody waits for a fit."""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
from pathlib import Path

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.studies.experiment.experiment import Experiment
from tripletscope.core.studies.experiment.live import hardly_answered, live_map, next_questions
from tripletscope.core.studies.experiment.results import gathered_answers
from tripletscope.dashboard.collect import answer_log

log = logging.getLogger(__name__)

#: Growth of the answers, and least number of new ones, after which questions are chosen again.
_GROWTH, _NEW = 1.05, 20
#: Least number of questions chosen at a time; and number left at which more are chosen.
_LEAST, _LOW = 100, 20
_EVERY = 1.0  # seconds


def refill(folder: Path, n_before: int = 0) -> int:
    """Choose questions again if answers have grown or were deleted, or few questions are left.

    n_before: Number of answers from which the last questions were chosen; returns the new number.
    """
    n_answers = answer_log.n_answers(folder)
    new = n_answers - n_before
    # Questions chosen from the answers of a person who was deleted go, too.
    grown = new >= max(_NEW, (_GROWTH - 1.0) * n_before) or new < 0
    if not new or not (grown or answer_log.state(folder).n_queued < _LOW):
        return n_before
    experiment = Experiment.load(folder)
    records = answer_log.records(folder)
    answers = gathered_answers(experiment, records)
    live = live_map(answers, seed=experiment.seed) if isinstance(answers, Triplets) else None
    if live is None:
        return min(n_before, n_answers)
    wanted = max(_LEAST, 2 * round((_GROWTH - 1.0) * n_answers))
    questions = next_questions(
        experiment, live, wanted, seed=experiment.seed + n_answers,
        without=hardly_answered(experiment, records),
    )
    answer_log.add_to_queue(folder, [(shown, experiment.source) for shown in questions], n_answers)
    return n_answers


def main() -> None:
    """Keep questions ready while the server lives; after a failure random ones stand in."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(name)s: %(message)s")
    threading.Thread(target=_end_with_server, daemon=True).start()
    folder, n_answers = Path(sys.argv[1]), 0
    while True:
        time.sleep(_EVERY)
        try:
            n_answers = refill(folder, n_answers)
        except Exception:
            log.exception("choosing questions failed; it is tried again")
            time.sleep(10 * _EVERY)


def _end_with_server() -> None:
    sys.stdin.buffer.read()  # the pipe closes however the server ends
    os._exit(0)  # also during a fit


if __name__ == "__main__":
    main()
