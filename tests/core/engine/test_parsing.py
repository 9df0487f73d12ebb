"""Threads that parse Python at once do not disturb each other."""

from __future__ import annotations

import ast
import gc
import io
import sys

import numpy as np
import pytest

from tests.paths import ROOT
from tests.sources import tree_of
from tripletscope.core.engine.parsing import undisturbed
from tripletscope.core.reading.formats.arrays import arrays_in
from tripletscope.dashboard.files import storage
from tripletscope.dashboard.sandbox import wire


@pytest.fixture
def disturbed():
    """Something else parses in searches for garbage while a tree is made, as a thread may."""
    done = []

    def parse(phase, info):
        if sys._getframe(1).f_code is ast.parse.__code__ and phase == "start" and len(done) < 5:
            done.append(phase)
            ast.parse("1")

    before = gc.get_threshold()
    gc.callbacks.append(parse)
    gc.set_threshold(1)
    yield done
    gc.set_threshold(*before)
    gc.callbacks.remove(parse)


def test_what_is_disturbed_is_parsed_again(disturbed):
    assert len(tree_of(ROOT / "tests" / "sources.py").body) == 8
    assert disturbed


@pytest.mark.parametrize("read", ["result", "message", "upload"])
def test_arrays_are_read_though_something_else_parses(read, disturbed, tmp_path):
    values = np.arange(6.0).reshape(2, 3)
    content = io.BytesIO()
    np.save(content, values)
    storage.write_arrays(tmp_path / "a.npz", {"a": values})
    packed = wire.pack(values)
    found = {
        "result": lambda: storage.read_arrays(tmp_path / "a.npz")["a"],
        "message": lambda: wire.unpack(packed),
        "upload": lambda: arrays_in(content.getvalue(), "a.npy")[""],
    }[read]()
    assert disturbed
    assert (found == values).all()


def test_what_fails_of_itself_fails():
    def fail():
        raise SystemError("no")

    with pytest.raises(SystemError, match="no"):
        undisturbed(fail)
