"""Names that look the same: told apart, and named in the report."""

from __future__ import annotations

import pytest

from tripletscope.core.reading import load, propose
from tripletscope.core.reading.interpretation.interpret import interpret
from tripletscope.core.reading.names import lookalikes, seen, spelled

PAIRS = {
    "zero width": ("cat", "c\u200bat", "cat and c[U+200B]at"),
    "mark of direction": ("cat", "cat\u200e", "cat and cat[U+200E]"),
    "composition": ("caf\u00e9", "cafe\u0301", "caf\u00e9 and cafe[U+0301]"),
    "no-break space": ("red cat", "red\u00a0cat", "red cat and red[U+00A0]cat"),
    "two spaces": ("red cat", "red  cat", "red cat and red[U+0020][U+0020]cat"),
    "soft hyphen": ("cat", "c\u00adat", "cat and c[U+00AD]at"),
}


@pytest.mark.parametrize(("one", "other", "told"), PAIRS.values(), ids=PAIRS)
def test_names_that_look_the_same_are_named_in_the_report(one, other, told):
    text = f"anchor,near,far\n{one},dog,car\n{other},car,dog\ndog,{one},{other}\n"
    table = load(text.encode())
    found = interpret(table, propose(table)[0])
    assert found.triplets.n_objects == 4, "they are different objects"
    (note,) = [line for line in found.report.summary() if "look the same" in line]
    assert note.startswith("1 name of objects is written in several ways")
    assert told in note.replace(spelled(other) + " and " + spelled(one), told)


def test_names_that_differ_visibly_are_not_mentioned():
    names = ["cat", "Cat", "c\u00e1t", "cats", "\u0441at"]
    assert lookalikes(names) == []
    assert seen("caf\u00e9") == seen("cafe\u0301") == "caf\u00e9"


def test_only_the_first_few_are_spelled_out():
    names = [f"{k}{end}" for k in range(9) for end in ("", "\u200b")]
    text = "anchor,near,far\n" + "".join(
        f"{names[k]},{names[(k + 1) % 18]},{names[(k + 5) % 18]}\n" for k in range(18)
    )
    table = load(text.encode())
    (note,) = [n for n in interpret(table, propose(table)[0]).report.notes if "look the" in n]
    assert "; and 6 more." in note
