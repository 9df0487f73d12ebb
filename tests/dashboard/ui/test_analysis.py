"""Pieces of work: long ones leave a first result before the whole."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace

import pytest

from tripletscope.core.engine.progress import Stopped, silent
from tripletscope.core.models.embedding import STE
from tripletscope.dashboard.jobs.pool import JobProcess
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.ui import analysis

PIECE = (STE(), "bootstrap", {"replicates": 40})


@pytest.fixture
def submitted(services, planted, monkeypatch):
    """A session, and what makes a job that waits to be begun by hand."""
    session = Session("s")
    session.open(services.workspace.add_dataset(planted, origin="a.csv", report=[]).id)
    monkeypatch.setattr(services.jobs, "submit", lambda job: job)
    return session, lambda: analysis.submit(
        session, session.dataset, session.triplets(), "page", "Ellipses", [PIECE]
    )


def kept(session):
    return analysis.find(session.dataset, session.triplets(), *PIECE)


def test_a_long_result_is_preceded_by_a_first_one(submitted, monkeypatch):
    session, submit = submitted
    monkeypatch.setattr(analysis, "_FIRST_WITHIN", 0.0)
    first, whole = submit().steps
    assert first.title == f"{whole.title}, a first result"
    first.work(silent)
    few = kept(session)
    assert not few.complete
    assert len(few.samples().embeddings) == 10
    assert few.options["replicates"] == 40
    first.work(silent)
    assert kept(session).created == few.created, "what is there is a first result, too"
    whole.work(silent)
    run = kept(session)
    assert run.complete
    assert len(run.samples().embeddings) == 40
    first.work(silent)
    assert kept(session).complete, "a first result replaces no whole one"


def test_what_is_stopped_replaces_nothing_that_was_computed_for_longer(submitted, monkeypatch):
    session, submit = submitted
    monkeypatch.setattr(analysis, "_FIRST_WITHIN", 0.0)
    first, whole = submit().steps
    first.work(silent)
    run = kept(session)
    compute = JobProcess.compute
    for seconds, replaces in ((run.seconds / 2, False), (run.seconds * 2, True)):
        monkeypatch.setattr(JobProcess, "compute", lambda *given, _seconds=seconds, **how: replace(
            compute(*given, **how), complete=False, seconds=_seconds
        ))
        with nullcontext() if replaces else pytest.raises(Stopped):
            whole.work(silent)
        assert len(kept(session).samples().embeddings) == (40 if replaces else 10)


def test_of_any_options_a_whole_result_comes_first(submitted, monkeypatch):
    session, submit = submitted
    monkeypatch.setattr(analysis, "_FIRST_WITHIN", 0.0)
    (method, task, options), seen = PIECE, (session.dataset, session.triplets())
    analysis.step_of(*seen, (method, task, {"replicates": 5}), "STE", "Ellipses").work(silent)
    submit().steps[0].work(silent)
    assert analysis.find(*seen, method, task).options["replicates"] == 5
    assert not analysis.find(*seen, method, task, options).complete


def test_quick_results_come_at_once(submitted):
    _, submit = submitted
    assert len(submit().steps) == 1
