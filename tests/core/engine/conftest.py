"""A Dask cluster of two workers on this machine, for all tests that want one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from tripletscope.core.engine import parallel
from tripletscope.core.engine.engine import Engine, engine

if TYPE_CHECKING:
    from distributed import LocalCluster


@contextmanager
def two_workers() -> Iterator[LocalCluster]:
    """Two workers, which are processes with one thread each."""
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=":0",
        memory_limit="2GB",
    ) as found:
        yield found
        engine(address(found)).close()


@pytest.fixture(scope="session")
def cluster() -> Iterator[LocalCluster]:
    """The workers of all tests that leave them as they are."""
    with two_workers() as found:
        yield found


def address(cluster: LocalCluster) -> str:
    return cluster.scheduler_address.replace("tcp", "dask")


@pytest.fixture
def dask(cluster) -> Engine:
    return engine(address(cluster))


@pytest.fixture
def all_is_sent(monkeypatch):
    """However little there is to do, and nothing is known of how long it takes."""
    monkeypatch.setattr(parallel, "_seconds", {})
    monkeypatch.setattr(parallel, "_WORTH", 0)
