"""The job beside the server that keeps adaptive questions ready: nobody waits for a fit."""

from __future__ import annotations

import logging
import os
import sys
import threading
from pathlib import Path

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.studies.experiment.experiment import Experiment
from tripletscope.core.studies.experiment.live import live_map, next_questions
from tripletscope.core.studies.experiment.results import gathered_answers
from tripletscope.dashboard.collecting import answer_log

log = logging.getLogger(__name__)

#: Growth of the answers, and new ones at least, after which questions are chosen anew.
_GROWTH, _NEW = 1.05, 20
#: Questions chosen at a time, at least; and questions left at which more are chosen.
_LEAST, _LOW = 100, 20
#: Seconds between looks.
_EVERY = 1.0


def refill(folder: Path, known: int = 0) -> int:
    """Choose questions anew if there is reason to.

    There is, when a twentieth more answers have come, when some were deleted, or when few questions
    are left.

    folder: Of the experiment.
    known: Answers that the last questions were chosen by.
    Returns: Answers that the questions which now wait were chosen by.
    """
    n_answers = answer_log.n_answers(folder)
    new = n_answers - known
    # Where somebody was deleted, what was chosen by their answers is not to be asked, either.
    grown = new >= max(_NEW, (_GROWTH - 1.0) * known) or new < 0
    if not new or not (grown or answer_log.state(folder).n_queued < _LOW):
        return known
    experiment = Experiment.load(folder)
    answers = gathered_answers(experiment, answer_log.records(folder))
    live = live_map(answers, seed=experiment.seed) if isinstance(answers, Triplets) else None
    if live is None:
        return min(known, n_answers)
    wanted = max(_LEAST, 2 * round((_GROWTH - 1.0) * n_answers))
    found = next_questions(experiment, live, wanted, seed=experiment.seed + n_answers)
    answer_log.add_to_queue(folder, [(shown, experiment.source) for shown in found], n_answers)
    return n_answers


def keep_full(folder: Path, ended: threading.Event) -> None:
    """Keep questions ready until told that it has ended.

    What goes wrong once, such as a disk that is full, is written to the log and tried again:
    meanwhile questions by lot stand in.
    """
    known = 0
    while not ended.wait(_EVERY):
        try:
            known = refill(folder, known)
        except Exception:
            log.exception("choosing questions failed; it is tried again")
            ended.wait(10 * _EVERY)


def main() -> None:
    """Serve one experiment as long as the process that began this one lives."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(name)s: %(message)s")
    ended = threading.Event()

    def watch() -> None:
        # The server holds the other end of the pipe: it closes however the server ends.
        sys.stdin.buffer.read()
        ended.set()
        os._exit(0)  # a fit is not waited for

    threading.Thread(target=watch, daemon=True).start()
    keep_full(Path(sys.argv[1]), ended)


if __name__ == "__main__":
    main()
