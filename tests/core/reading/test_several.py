"""Files that belong together: one for each participant, answers and their code book."""

from __future__ import annotations

import pytest

from tests.core.reading.layouts import JSPSYCH, MLDS, matrix_of_signs, named_rows, odd
from tripletscope.core.data.errors import DataError
from tripletscope.core.reading import can_be_kept, load_several, propose
from tripletscope.core.reading.interpretation.interpret import interpret


def test_one_file_per_participant():
    parts = [("p1.csv", JSPSYCH.encode()),
             ("p2.csv", JSPSYCH.replace(",w1,", ",w2,").replace("success,", "timeout,").encode())]
    table = load_several(parts)
    imported = interpret(table, propose(table)[0])
    assert len(imported.triplets) == 4
    assert imported.report.n_participants == 2
    assert imported.file_rows.tolist() == [4, 7, 4, 7]
    assert set(table.preview(99)["file"]) == {"p1", "p2"}


def test_what_separates_is_in_the_first_row_too():
    """A browser's name has a semicolon in every row, and the header has none."""
    row = 'a,b,c,b,"Mozilla/5.0 (X11; Linux x86_64)"\n'
    files = [(f"s{i}.csv", f"center,left,right,answer,browser\n{3 * row}".encode()) for i in (1, 2)]
    table = load_several(files)
    assert (table.delimiter, table.n_rows, len(table.columns)) == (",", 6, 6)


def test_files_without_a_participant_are_told_apart_by_their_names():
    parts = [(f"s{i}.csv", f"center,left,right,answer\na,b,c,{x}\n".encode())
             for i, x in enumerate("bcb")]
    table = load_several(parts)
    reading = propose(table)[0]
    assert reading.roles["participant"] == "file"
    assert interpret(table, reading).triplets.answers["participant"].tolist() == ["s0", "s1", "s2"]


def test_f38_a_code_book_is_joined():
    answers = "cond,subj,trial,triad,resp,rt\n1,1,1,t2,1,900\n1,1,2,t1,3,950\n1,2,1,t1,2,800\n"
    book = "triad,top1,left1,right1\nt1,ant,bee,cat\nt2,dog,bee,ant\nt3,dog,cat,ant\n"
    table = load_several([("answers.txt", answers.encode()), ("codes.txt", book.encode())])
    reading = propose(table)[0]
    assert (reading.layout, reading.task) == ("informants", "odd_one_out")
    expected = odd([("dog", "bee", "ant"), ("ant", "bee", "cat"), ("ant", "bee", "cat")], [0, 2, 1])
    assert named_rows(interpret(table, reading)) == expected


def test_files_that_do_not_fit_together():
    with pytest.raises(DataError, match=r"2 different tables: a\.csv and b\.csv"):
        load_several([("a.csv", b"center,left,right,answer\na,b,c,b\n"),
                      ("b.csv", b"id,size,colour,shape\na,1,red,x\nb,2,red,x\n")])


def test_matrices_of_signs_may_be_several_and_tell_which_were_left_out():
    signs = matrix_of_signs(MLDS, 5).encode()
    files = [("a.csv", signs), ("b.csv", signs), ("broken.csv", b"\x89PNG\r\n\x1a\n")]
    table = load_several(files, tolerant=True)
    assert (table.files, list(table.refused)) == (("a.csv", "b.csv"), ["broken.csv"])
    reading = propose(table)[0]
    assert reading.task == "larger_difference"
    answers = interpret(table, reading).triplets.answers
    assert answers["participant"].tolist() == ["a"] * 4 + ["b"] * 4


def test_triad_tests_in_several_files_are_one_table():
    """The same column is the same participant; who saw only one of the files has no answer else."""
    files = [
        ("one.csv", b"item1,item2,item3,ann,bob\ncat,dog,car,car,car\ndog,cat,bus,bus,cat\n"),
        ("two.csv", b"item1,item2,item3,ann,cy\ncar,bus,cat,cat,bus\n"),
    ]
    table = load_several(files)
    imported = interpret(table, propose(table)[0])
    assert (imported.report.n_answers, imported.report.n_participants) == (6, 3)
    answers = imported.triplets.answers
    assert answers["participant"].tolist()[::2] == ["ann", "bob", "ann", "bob", "ann", "cy"]
    assert "file" in can_be_kept(table, propose(table)[0])


def test_tables_of_two_columns_that_do_not_fit_together():
    files = [("a.csv", b"a,b\n1,2\n"), ("b.csv", b"c,d\n1,2\n")]
    table = load_several(files, tolerant=True)
    assert table.columns == ["a", "b"]
    assert list(table.refused) == ["b.csv"]
