"""Names as figures show them: short, whole letters, and never two that read the same."""

from __future__ import annotations

import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tripletscope.dashboard.figures.fonts import width_of
from tripletscope.dashboard.figures.labels import joined, short_labels, short_names, shorten

#: Short ones, long ones, and long ones that differ little.
names = st.one_of(
    st.text(max_size=12), st.text("ab …#1", max_size=60),
    st.builds(
        "{} number {} of the {} list".format,
        st.sampled_from(["stimulus", "picture", "刺激"]), st.integers(0, 2000),
        st.sampled_from(["first", "second", "👩🏽‍🚀👩🏽‍🚀👩🏽‍🚀👩🏽‍🚀👩🏽‍🚀👩🏽‍🚀👩🏽‍🚀"]),
    ),
)


@given(st.lists(names, max_size=40), st.floats(4.0, 20.0))
def test_different_names_stay_different_and_fit(labels, width):
    short = short_labels(labels, width)
    assert len(short) == len(labels)
    assert len(set(zip(labels, short, strict=True))) == len(set(labels)) == len(set(short))
    assert not labels or width_of(short).max() <= width + 1e-9
    assert short_labels(short, width) == short, "what fits is left alone"


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=80), st.floats(1.0, 20.0))
def test_no_letter_is_cut_apart(text, width):
    short = shorten(text, width)
    assert width_of([short])[0] <= width + 1e-9
    if short != text:
        assert not joined(text, short.index("…")) or short.startswith("…")
        head, tail = next(
            (short[:k], short[k + 1 :]) for k, c in enumerate(short)
            if c == "…" and text.startswith(short[:k]) and text.endswith(short[k + 1 :])
        )
        assert not joined(text, len(head))
        assert not joined(text, len(text) - len(tail))


@pytest.mark.parametrize(("labels", "short"), [
    ([f"stimulus number {k:04d} of the first list" for k in (1, 20, 547)],
     ["…0001…", "…0020…", "…0547…"]),
    ([*(f"stimulus number {k} of the first list" for k in (12, 13)), "practice"],
     ["…12…", "…13…", "practice"]),
    ([f"{kind} number {k} of the first list" for k in (1, 2) for kind in ("stimulus", "picture")],
     ["stimulus…1…", "picture…1…", "stimulus…2…", "picture…2…"]),
    ([f"session {k} of participant {j} in the first room" for k, j in ((1, 3), (20, 44))],
     ["…1…3…", "…20…44…"]),
    ([f"/data/stimuli/set_one/img_{k:04d}.png" for k in (3, 4)], ["…0003.png", "…0004.png"]),
    ([f"第一张图片里的一只{animal}在桌子上面睡觉" for animal in "猫狗"], ["…猫…", "…狗…"]),
    ([f"{'long ago ' * 9}{x}" for x in "ab"], ["…a", "…b"]),
    (["x" * 60, "x" * 59 + "y"], ["xxxxxxxxxxxxxx…xxxxxxxx", "xxxxxxxxxxxxxx…xxxxxxxy"]),
    (["short", "labels"], ["short", "labels"]),
    (["a pressure cooker of copper and steel", "a frying pan of iron and enamel, large"],
     ["a pressure cooker of co…", "a frying pan of iron and…"]),
    ([f"{kind}{'_of_glass' * 3}_{k:04d}ml" for kind in ("cup", "jar") for k in (1000, 1200)],
     ["cup_of_glass_o…1000ml", "cup_of_glass_o…1200ml", "jar_of_glass_of…1000ml",
      "jar_of_glass_of…1200ml"]),
    ([], []),
])
def test_what_tells_names_apart_is_kept(labels, short):
    assert short_labels(labels) == short


def test_flags_and_families_stay_whole():
    flags = ["🇩🇪" * 12, "🇩🇪" * 11 + "🇫🇷"]
    for short in short_labels(flags, 6.0):
        head, tail = short.split("…")
        assert len(head) % 2 == len(tail) % 2 == 0
    family = "👨‍👩‍👧‍👦"
    assert shorten(family * 9, 9.5).replace("…", "").replace(family, "") == ""
    accents = unicodedata.normalize("NFD", "é" * 60)
    assert shorten(accents).replace("…", "").replace("e\u0301", "") == ""


def test_equal_names_have_the_same_label():
    short = short_labels(["y" * 100] * 2)
    assert short == short_labels(["y" * 100]) * 2


def test_names_that_are_wanted_are_told_apart_among_very_many():
    labels = [f"stimulus number {k} of the first list" for k in range(30_000)]
    found = short_names(labels, [29_999, 7, 12])
    assert found == {29_999: "…29999…", 7: "…7…", 12: "…12…"}
    few = labels[:100]
    assert list(short_names(few, range(100)).values()) == short_labels(few)
    assert short_names([], []) == {}


def test_wide_letters_make_a_label_shorter():
    assert len(shorten("i" * 100)) > 2 * len(shorten("W" * 100))
    assert np.isclose(width_of(["文" * 4])[0], 4.0)
