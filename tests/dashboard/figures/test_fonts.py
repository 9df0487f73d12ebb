"""Widths of texts, and lines that hold them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tripletscope.dashboard.figures import fonts
from tripletscope.dashboard.figures.fonts import font_file, width_of, wrapped

texts = st.text(alphabet=st.characters(codec="utf-8"))


def test_the_font_of_the_pages_is_there():
    assert font_file() is not None, "Streamlit keeps it elsewhere now: widths are guessed"


def test_widths_are_those_of_the_font():
    assert 1.5 * width_of(["i"])[0] < width_of(["a"])[0] < width_of(["W"])[0]
    assert np.isclose(width_of(["stimulus"], 13.0)[0], 13 * width_of(["stimulus"])[0])
    assert 2.9 < width_of(["stimulus"])[0] < 4.0
    assert width_of(["文字", ""]).tolist() == [2.0, 0.0], "what the font lacks is as wide as high"
    assert width_of([]).shape == (0,)
    assert width_of(["e\u0301"])[0] == width_of(["e"])[0]


@given(st.lists(texts, max_size=5))
def test_widths_add_up(some):
    assert np.isclose(width_of(some).sum(), width_of(["".join(some)])[0], rtol=1e-6)
    assert all(width_of(some) >= 0)


def test_without_the_font_widths_are_guessed(monkeypatch):
    monkeypatch.setattr(fonts, "font_file", lambda: None)
    fonts._font.cache_clear()
    try:
        assert fonts._measured("i") == fonts._measured("W") == 0.5
        assert fonts._measured("文") == 1.0
    finally:
        fonts._font.cache_clear()


@given(texts, st.floats(30.0, 300.0), st.floats(5.0, 20.0))
def test_lines_fit_and_lose_nothing(text, width, size):
    lines = wrapped(text, width, size)
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert all(width_of(lines, size) <= width + 1e-6)


@pytest.mark.parametrize("width", [120.0, 250.0, 700.0])
def test_lines_break_between_words_and_are_full(width):
    text = " ".join(["a caption with method, parameters and data, as long as captions are"] * 4)
    lines = wrapped(text, width, 10.0)
    assert " ".join(lines) == text
    for line, following in itertools.pairwise(lines):
        longer = f"{line} {following.split()[0]}"
        assert width_of([longer], 10.0)[0] > width, "there was room for another word"
