"""Several people at once: nobody waits for what another one's page computes."""

from __future__ import annotations

import threading
from contextlib import suppress

import numpy as np
import pandas as pd
import pytest

from tests.dashboard.upload.uploads import png
from tripletscope.core.data.lazy import cached_property
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.models.embedding import STE
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.core.reading import FeatureTable
from tripletscope.core.run import run
from tripletscope.core.studies.quality import Cleaning, Exclusion
from tripletscope.dashboard.files import storage
from tripletscope.dashboard.files.errors import WorkspaceError
from tripletscope.dashboard.store import feature_tables
from tripletscope.dashboard.store.workspace import Workspace

_LONG = 120.0  # seconds, which only what stands still takes


@pytest.fixture
def workspace(tmp_path):
    workspace = Workspace(tmp_path / "ws")
    yield workspace
    workspace.close()


@pytest.fixture
def answers(truth) -> Triplets:
    triplets = simulate(truth, 300, seed=0)
    return triplets.with_columns({"participant": np.arange(300) % 6, "rt": np.arange(300.0)})


def test_six_threads_clean_and_switch_views_of_three_data_sets(workspace, answers):
    infos = [workspace.add_dataset(answers, origin="a.csv", report=[]) for _ in range(3)]
    rounds, ended, errors = 5, [], []

    def change(dataset: str) -> None:
        for number in range(rounds):
            info = workspace.dataset(dataset)
            with suppress(WorkspaceError):  # somebody else was faster
                cleaning = workspace.cleaning(info)
                step = Exclusion("manual", participants=[f"{number % 6}"], reason="away")
                workspace.update_dataset(info, cleaning.excluding(step))
                workspace.use_view(workspace.dataset(dataset), "All answers")

    def look(dataset: str) -> None:
        raw = workspace.cleaning(workspace.dataset(dataset)).raw
        steps = tuple(
            Exclusion("manual", participants=[f"{who}"], reason="away") for who in range(3)
        )
        for _ in range(20 * rounds):
            cleaning = Cleaning(raw, exclusions=steps)
            assert len(cleaning.triplets) == 150
            assert Cleaning(raw, exclusions=steps[:2]).preview(steps[2]).n_answers == 50

    def work(task, dataset: str) -> None:
        try:
            task(dataset)
            ended.append(task)
        except BaseException as error:
            errors.append(error)
            raise

    threads = [
        threading.Thread(target=work, args=(task, info.id), daemon=True)
        for task in (change, look) for info in infos
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(_LONG)
    assert not errors
    assert len(ended) == 6, "threads stand still"


def test_nothing_is_computed_or_written_in_full_under_the_lock(workspace, answers, monkeypatch):
    """Others' changes wait for the lock: what takes time comes before it."""
    computed = []

    def outside(name: str, function):
        def guarded(*given, **more):
            computed.append(name)
            assert not workspace._changes.lock._is_owned(), f"{name} is computed under the lock"
            return function(*given, **more)
        return guarded

    monkeypatch.setattr(cached_property, "__get__", outside("property", cached_property.__get__))
    monkeypatch.setattr(pd.DataFrame, "to_parquet", outside("table", pd.DataFrame.to_parquet))
    monkeypatch.setattr(pd, "read_parquet", outside("reading", pd.read_parquet))
    monkeypatch.setattr(feature_tables, "write_arrays", outside("arrays", storage.write_arrays))

    info = workspace.add_dataset(answers, origin="a.csv", report=[])
    workspace._cleanings.clear()
    workspace._answers.clear()
    cleaning = workspace.cleaning(info).excluding(
        Exclusion("manual", participants=["1"], reason="away")
    )
    info = workspace.update_dataset(info, cleaning, {"1.png": png()})
    info = workspace.update_dataset(info, workspace.cleaning(info).with_gold(answers.take([1, 2])))
    raw = workspace.cleaning(info).raw
    renamed = raw.with_objects(raw.objects.assign(group="a"))
    info = workspace.update_dataset(info, Cleaning(renamed))
    workspace.add_views(info.id, {"some": cleaning.log()})
    workspace.rename_view(info.id, "some", "others")
    info = workspace.use_view(workspace.dataset(info.id), "others")
    workspace.rename_dataset(info.id, "Other")
    table = FeatureTable("sizes", np.ones((answers.n_objects, 1)), None, ["size"], [], [])
    workspace.add_tables(info, answers, [table], "a.csv")
    workspace.remove_table(info, "sizes")
    workspace.add_run(info, run("fit", STE(seed=0), answers), "map")
    workspace.delete_run(workspace.runs(info.id, of_any_exclusions=True)[0].id)
    info = workspace.renew_dataset(workspace.dataset(info.id), answers, report=[])
    workspace.delete_dataset(info.id)
    assert {*computed} == {"property", "table", "reading", "arrays"}
