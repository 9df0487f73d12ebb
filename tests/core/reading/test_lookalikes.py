"""Names that look the same: told apart, and named in the report."""

from __future__ import annotations

import pandas as pd
import pytest

from tripletscope.core.reading import Reading, load, propose, read_matrix
from tripletscope.core.reading.interpretation.interpret import interpret
from tripletscope.core.reading.names import lookalikes, seen, spelled

PAIRS = {
    "zero width": ("cat", "c\u200bat", "cat and c[U+200B]at"),
    "mark of direction": ("cat", "cat\u200e", "cat and cat[U+200E]"),
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


@pytest.mark.parametrize("names", [("caf\u00e9", "cafe\u0301"), ("\ud55c", "\u1112\u1161\u11ab")])
def test_composed_and_decomposed_letters_are_one_object(names):
    one, other = names
    rows = f"{one},dog,car,{other}\n{other},car,dog,dog\ndog,{one},car,{other}\n"
    found = interpret(load(f"target,dog1,x,y\n{rows}".encode()), Reading(
        "chosen", "", {"anchor": "target", "near": "dog1", "far": "x"}
    ), pd.DataFrame({"id": [other, "dog", "car"]}))
    assert sorted(found.triplets.ids) == sorted([one, "dog", "car"])
    assert len(found.triplets) == 3
    matrix = read_matrix(f",{one},dog,car\n{other},0,1,2\ndog,1,0,3\ncar,2,3,0\n".encode())
    assert matrix.ids == [one, "dog", "car"]


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
