"""A Dask cluster of two workers on this machine, for all tests that want one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tripletscope.core.computing import parallel
from tripletscope.core.computing.engine import Engine, engine


@pytest.fixture(scope="session")
def dask() -> Iterator[Engine]:
    """The engine of a cluster whose workers are processes with one thread each."""
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=":0",
        memory_limit="2GB",
    ) as cluster:
        found = engine(cluster.scheduler_address.replace("tcp", "dask"))
        yield found
        found.close()


@pytest.fixture
def all_is_sent(monkeypatch):
    """However little there is to do, and nothing is known of how long it takes."""
    monkeypatch.setattr(parallel, "_seconds", {})
    monkeypatch.setattr(parallel, "_WORTH", 0)
