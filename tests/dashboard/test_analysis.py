"""Pieces of work: long ones leave a first result before the whole."""

from __future__ import annotations

import pytest

from tripletscope.core.engine.progress import silent
from tripletscope.core.models.embedding import STE
from tripletscope.dashboard import analysis
from tripletscope.dashboard.state import Session

PIECE = (STE(), "bootstrap", {"replicates": 12})


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
    assert few.options["replicates"] == 12
    first.work(silent)
    assert kept(session).created == few.created, "what is there is a first result, too"
    whole.work(silent)
    run = kept(session)
    assert run.complete
    assert len(run.samples().embeddings) == 12
    first.work(silent)
    assert kept(session).complete, "a first result replaces no whole one"


def test_quick_results_come_at_once(submitted):
    _, submit = submitted
    assert len(submit().steps) == 1
