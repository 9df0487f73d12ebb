"""Engines by name, and how they say what is wrong."""

from __future__ import annotations

import os

import pytest

from tripletscope.core.engine import crews
from tripletscope.core.engine import engine as module
from tripletscope.core.engine.engine import VARIABLE, engine, refuse_others
from tripletscope.core.engine.parallel import CancelToken, in_parallel
from tripletscope.core.engine.pieces import EngineError, versions


def process(number: int, halt: CancelToken) -> int:
    return os.getpid()


@pytest.mark.parametrize("name", [
    "", "threads:", "threads:0", "threads:two", "Threads", "loky:-1", "dask", "dask://host",
    "dask://host:port", "tcp://host:8786", "dask:", "ray", "loky:8 threads",
])
def test_names_of_nothing(name):
    if not name:
        assert engine(name).name == "threads"
        return
    with pytest.raises(ValueError, match=f"no engine “{name}”. Write it as threads, threads:4"):
        engine(name)


def test_the_variable_names_the_engine_of_those_who_name_none(monkeypatch):
    monkeypatch.setenv(VARIABLE, " threads:3 ")
    assert engine() is engine("threads:3")
    assert engine("threads:2").status().workers[0].cores == 2
    monkeypatch.delenv(VARIABLE)
    assert engine().name == "threads"


@pytest.mark.parametrize(("name", "extra"), [
    ("dask://h:8786", "dask"), ("tls://[::1]:8786", "dask"), ("dask:/tmp/it.json", "dask"),
])
def test_a_library_that_is_not_there(name, extra, monkeypatch):
    def missing(name: str) -> None:
        raise ImportError

    monkeypatch.setattr(module, "import_module", missing)
    monkeypatch.setattr(module, "_engines", {})
    with pytest.raises(ValueError, match=rf"pip install '\.\[{extra}\]'"):
        engine(name)


def test_nobody_answers():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_PATIENCE", 0.3)
        patch.setattr(module, "_GLANCE", 0.3)
        nobody = engine("dask://127.0.0.1:9")
        with pytest.raises(EngineError, match="no Dask scheduler at tcp://127"):
            nobody.in_use().__enter__()
        assert "no Dask scheduler" in nobody.status().problem
        with pytest.raises(EngineError, match=r"no Dask scheduler at nowhere\.json"):
            engine("dask:nowhere.json").in_use().__enter__()


def test_which_worker_has_which_version():
    refuse_others({"one": versions()})
    with pytest.raises(EngineError) as error:
        refuse_others({
            "one": versions(), "two": {**versions(), "numba": "0.50"}, "three": ImportError("x"),
        })
    said = str(error.value)
    assert f"worker two has numba 0.50 instead of {versions()['numba']}" in said
    assert f"worker three has no tripletscope {versions()['tripletscope']}" in said
    assert "worker one" not in said


def test_an_engine_is_that_of_its_context_alone(monkeypatch):
    monkeypatch.setattr(crews, "_loaded", lambda: [])
    items = [(k,) for k in range(6)]
    with engine("loky:2").in_use():
        found = set(in_parallel(process, items))
    assert os.getpid() not in found
    assert set(in_parallel(process, items)) == {os.getpid()}
