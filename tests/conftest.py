"""What tests share."""

from __future__ import annotations

import contextlib
import functools
import gc
import math
import os
import threading
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from joblib import cpu_count
from streamlit import config
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import local_script_runner
from xdist.scheduler import LoadFileScheduling

from tests.paths import SAMPLES
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.core.studies.quality.importing import read
from tripletscope.dashboard.jobs.queue import Job, Step
from tripletscope.dashboard.store import services as services_module
from tripletscope.dashboard.store.services import WORKSPACE_VARIABLE
from tripletscope.dashboard.upload import ingest

# How long an example takes says more of the machine than of the code. The same examples are tried
# everywhere, so that a failure is one of the change at hand; others with
# `pytest --hypothesis-profile fresh`.
settings.register_profile("fresh", deadline=None)
settings.register_profile("same", deadline=None, derandomize=True)
settings.load_profile("same")

#: Files that share a server, and what it has computed: one process takes all of them.
HOUSE = [
    "tests/journeys/test_main_path.py",
    "tests/journeys/test_sample.py",
    "tests/journeys/test_window.py",
    "tests/journeys/test_addresses.py",
    "tests/journeys/test_collecting.py",
]
#: Files of few tests that take long, the longest first. Processes that share the tests get whole
#: files, and the last of them is to be a short one.
LONG = [
    *HOUSE,
    "tests/journeys/test_calm.py",
    "tests/journeys/test_leaving.py",
    "tests/docs/test_documents.py",
    "tests/docs/test_site.py",
    "tests/core/engine/test_same_bits.py",
    "tests/test_package.py",
    "tests/dashboard/serve/test_cli.py",
    "tests/dashboard/collect/",
    "tests/pages/",
    "tests/dashboard/upload/test_ingest.py",
    "tests/core/models/optimise/test_minimise.py",
    "tests/core/trees/test_forest.py",
    "tests/core/similarity/kernels/test_kernel.py",
    "tests/core/inference/uncertainty/test_posterior.py",
    "tests/core/trees/test_tree_results.py",
]


#: Files of tests that wait for browsers and servers for most of their time.
WAITING = ("tests/journeys/", "tests/dashboard/collect/", "tests/dashboard/serve/")


class _Files(LoadFileScheduling):
    """Hands out whole files, those that share a server together.

    Half of the processes get tests that wait, as long as there are any: the others compute
    meanwhile, and are not in each other's way.
    """

    def __init__(self, config: pytest.Config, log: Any) -> None:
        super().__init__(config, log)
        self._waits: dict[Any, bool] = {}

    def _split_scope(self, nodeid: str) -> str:
        file = super()._split_scope(nodeid)
        return HOUSE[0] if file in HOUSE else file

    def _assign_work_unit(self, node: Any) -> None:
        elsewhere = sum(waits for other, waits in self._waits.items() if other is not node)
        wanted = elsewhere < len(self.nodes) / 2
        file = next(
            (file for file in self.workqueue if file.startswith(WAITING) == wanted),
            next(iter(self.workqueue)),
        )
        self.workqueue.move_to_end(file, last=False)
        self._waits[node] = file.startswith(WAITING)
        super()._assign_work_unit(node)

    def remove_node(self, node: Any) -> str | None:
        self._waits.pop(node, None)
        return super().remove_node(node)


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Two for each processor, as tests wait; no more than the memory of a laptop takes."""
    return min(2 * cpu_count(), 8)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> _Files:
    return _Files(config, log)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Hand out what takes longest first, then what has most tests; alone, keep the order."""
    if not hasattr(config, "workerinput"):
        return
    sizes = Counter(item.path for item in items)

    def place(item: pytest.Item) -> tuple[int, int]:
        known = [k for k, start in enumerate(LONG) if item.nodeid.startswith(start)]
        return min(known, default=len(LONG)), -sizes[item.path]

    items.sort(key=place)


gc.disable()  # until all tests are known


def pytest_collection_finish() -> None:
    """Look through all objects for garbage seldom, and never through what stays: they are many."""
    gc.freeze()
    gc.enable()
    gc.set_threshold(700, 10, 1000)


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name files by their argument: what is in them may depend on the time, and be long."""
    return argname if isinstance(val, bytes) else None


@pytest.fixture(scope="session", autouse=True)
def _no_test_touches_the_users_workspace(tmp_path_factory):
    os.environ[WORKSPACE_VARIABLE] = str(tmp_path_factory.mktemp("nobody"))


@pytest.fixture(scope="session", autouse=True)
def _pages_are_read_as_the_server_reads_them():
    config.set_option("runner.magicEnabled", False)


@pytest.fixture(scope="session", autouse=True)
def _pages_wait_for_files_on_a_busy_machine():
    ingest.SOON = 60.0


@pytest.fixture(scope="session", autouse=True)
def _packages_are_searched_for_components_once():
    """A server does that when it starts; the harness would for every app, for half of its time."""
    manifest_scanner.scan_component_manifests = functools.cache(
        manifest_scanner.scan_component_manifests
    )


@pytest.fixture(scope="session", autouse=True)
def _pages_run_undisturbed():
    """The harness asks a thousand times a second whether a page has ended, beside the page."""
    def wait(runner: local_script_runner.LocalScriptRunner, timeout: float = 3) -> None:
        runner._script_thread.join(timeout)
        if not runner.script_stopped():
            runner.request_stop()
            raise AssertionError(f"the page has not ended after {timeout:g} s")

    local_script_runner.require_widgets_deltas = wait


@pytest.fixture(scope="session")
def eggs() -> Triplets:
    """The alien eggs: 17,611 human answers on 300 objects with a known physical scale."""
    folder = SAMPLES / "alien_eggs"
    return read(folder / "responses.csv", objects=folder / "objects.csv")


@pytest.fixture(scope="session")
def truth() -> np.ndarray:
    """Planted positions of 30 objects in the plane."""
    return np.random.default_rng(7).normal(size=(30, 2)) * 1.3


@pytest.fixture(scope="session")
def planted(truth: np.ndarray) -> Triplets:
    """Plenty of answers by STE's model about the planted positions."""
    return simulate(truth, 2500, noise="logistic", seed=3)


@pytest.fixture
def services(tmp_path, monkeypatch):
    """The dashboard's services on an empty workspace."""
    monkeypatch.setenv(WORKSPACE_VARIABLE, str(tmp_path / "workspace"))
    services_module._services.cache_clear()
    services_module._jobs.cache_clear()
    found = services_module.services()
    yield found
    found.close()
    found.jobs._pool.shutdown(wait=True)  # a job at its end asks for the workspace once more
    services_module._services.cache_clear()
    services_module._jobs.cache_clear()


@pytest.fixture
def holding(services):
    """Jobs wait for as long as this context lasts, however fast the machine is."""
    @contextlib.contextmanager
    def held():
        gate = threading.Event()
        services.jobs.long = math.inf  # what takes long lets others by
        for number in range(services.jobs.workers):
            step = Step("waits", lambda _: gate.wait())
            services.jobs.submit(Job(f"nobody {number}", "place", "holds others", [step]))
        try:
            yield
        finally:
            gate.set()

    return held
