"""A Dask cluster of two workers on this machine, for all tests that want one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tripletscope.core.computing import parallel
from tripletscope.core.computing.engine import Engine, engine

if TYPE_CHECKING:
    from distributed import LocalCluster


@pytest.fixture(scope="session")
def cluster() -> Iterator[LocalCluster]:
    """Two workers, which are processes with one thread each."""
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=":0",
        memory_limit="2GB",
    ) as found:
        yield found
        engine(address(found)).close()


def address(cluster: LocalCluster) -> str:
    return cluster.scheduler_address.replace("tcp", "dask")


@pytest.fixture
def dask(cluster) -> Engine:
    """The engine of the cluster, with all of its workers, whatever a test before did to them."""
    cluster.wait_for_workers(2, timeout=120)
    return engine(address(cluster))


@pytest.fixture
def all_is_sent(monkeypatch):
    """However little there is to do, and nothing is known of how long it takes."""
    monkeypatch.setattr(parallel, "_seconds", {})
    monkeypatch.setattr(parallel, "_WORTH", 0)
