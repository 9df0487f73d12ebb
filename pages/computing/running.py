"""Jobs at work and in the queue, the engine that they use, and what it has of memory."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from tripletscope.core.engine.engine import Status, engine
from tripletscope.dashboard.jobs.pool import JobProcess, pool
from tripletscope.dashboard.jobs.queue import Job
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui.context import Context
from tripletscope.dashboard.ui.page import tab
from tripletscope.dashboard.ui.panels import plain
from tripletscope.dashboard.ui.watching import place_in_queue
from tripletscope.dashboard.words.formats import count


@tab("computing", "Running", 1, slot=None)
def show_running(context: Context) -> None:
    """The jobs of everybody, and where they run."""
    current = engine()
    with st.spinner("Asking the engine"):
        status = current.status()
    st.markdown(_where(status, current.remote))
    if status.problem:
        st.error(plain(status.problem), icon=":material/error:")
    st.header("Jobs", anchor=False)
    jobs = services().jobs.active()
    if jobs:
        _table(jobs_table(context.session, jobs, pool().busy), "computing.jobs")
    else:
        st.caption("Nothing is being computed.")
    if current.remote and status.workers:
        st.header("Workers", anchor=False)
        _table(workers_table(status), "computing.workers")


def _where(status: Status, remote: bool) -> str:
    most = pool().most
    limit = f", which may take up to {_size(most)} of memory" if most else ""
    if not remote:
        return (
            f"Every job runs in a process of its own{limit}, and computes in "
            f"{plain(status.workers[0].name)} of this machine."
        )
    cores = sum(worker.cores for worker in status.workers)
    page = f" [The cluster’s own page]({status.page})" if status.page else ""
    return (
        f"Jobs run on {plain(status.name)}: {count(len(status.workers), 'worker')} with "
        f"{count(cores, 'core')}. A process here controls each{limit}.{page}"
    )


def jobs_table(session: Session, jobs: list[Job], busy: list[JobProcess]) -> pd.DataFrame:
    """A row for every job, those of other sessions without titles, and columns of what is known."""
    at = {worker.job.id: worker for worker in busy if worker.job is not None}
    table = pd.DataFrame([
        {
            "job": job.title if job.owner == session.id else "of another session",
            "state": _state(job),
            "step": f"{job.step + 1} of {len(job.steps)}",
            "memory": _size(at[job.id].held) if job.id in at else "",
            "in parallel": ", ".join(at[job.id].pieces) if job.id in at else "",
        }
        for job in jobs
    ])
    return table.loc[:, (table != "").any()]


def workers_table(status: Status) -> pd.DataFrame:
    """A row for every worker of the engine."""
    return pd.DataFrame([
        {
            "worker": worker.name, "machine": worker.host, "cores": worker.cores,
            "memory": _of(worker.memory, worker.memory_limit),
            "at work on": ", ".join(dict.fromkeys(worker.running)),
        }
        for worker in status.workers
    ])


def _state(job: Job) -> str:
    if job.state == "waiting":
        return f"waiting, {place_in_queue(job.place)} in the queue"
    return "stopping" if job.stopping else f"{job.share_done:.0%}"


def _size(size: int | None) -> str:
    if not size:
        return ""
    return f"{size / 2**30:.1f} GB" if size >= 2**30 else f"{size / 2**20:.0f} MB"


def _of(used: int | None, most: int | None) -> str:
    return " of ".join(filter(None, [_size(used), _size(most)]))


def _table(table: pd.DataFrame, key: str) -> None:
    st.dataframe(table, hide_index=True, placeholder="", key=key)
