"""Start: recent data sets are told apart and shown small, and files that are understood are."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from tests.pages.harness import session_on, settled, start, stopped, unfold, words
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.reading import load, propose
from tripletscope.core.reading.interpretation.interpret import interpret
from tripletscope.core.studies.quality import Exclusion
from tripletscope.dashboard.figures.labels import short_people
from tripletscope.dashboard.ui.dataset_words import about, answers_of, size_of
from tripletscope.dashboard.upload.ingest import accept_matrix, suggested_name
from tripletscope.pages.start.recent import _thumbnail, small_map, told_apart
from tripletscope.pages.start.understood import EXAMPLES

CSV = (
    b"subject,head,left,right,winner\n"
    b"ann,cat,dog,car,dog\nbob,car,bus,dog,bus\nann,dog,cat,bus,cat\n"
)
#: Task and roles that the example lines stand for, in their order.
MEANT = (
    ("nearer", {"participant", "anchor", "left", "right", "choice"}),
    ("nearer", {"anchor", "near", "far"}),
    ("odd_one_out", {"item1", "item2", "item3", "choice"}),
    ("larger_difference", {"item1", "item2", "item3", "choice"}),
    ("nearer", {"anchor", "left", "right", "left_votes", "right_votes"}),
)


def keep(services, name: str = "pets.csv", content: bytes = CSV):
    app = start()
    app.file_uploader(key="upload").upload(name, content, "text/csv")
    app.run()
    next(b for b in app.button if b.label == "Keep this data set").click().run()
    return settled(app, services)


def test_the_same_file_read_in_the_same_way_is_kept_once(services):
    keep(services)
    app = keep(services)
    assert len(services.workspace.datasets()) == 1
    assert app.title[0].value == "pets"
    # Nothing of the upload waits on; another file of this name is another data set.
    assert list((services.workspace.folder / "uploads").iterdir()) == []
    keep(services, content=CSV + b"bob,bus,car,cat,car\n")
    assert len(services.workspace.datasets()) == 2


def test_what_was_left_out_is_not_taken_over_by_a_new_upload(services):
    keep(services)
    workspace = services.workspace
    (info,) = workspace.datasets()
    cleaning = workspace.cleaning(info)
    workspace.update_dataset(info, cleaning.excluding(Exclusion("manual", participants=("bob",))))
    keep(services)
    assert sorted(info.n_answers for info in workspace.datasets()) == [2, 3]


def test_equal_names_are_told_apart_by_time(services):
    triplets = Triplets(np.array([[0, 1, 2]]), pd.DataFrame({"id": [*"abc"]}))
    one, two = (services.workspace.add_dataset(triplets.renamed("pets"), origin="a", report=[])
                for _ in range(2))
    other = services.workspace.add_dataset(triplets.renamed("cars"), origin="b", report=[])
    names = told_apart([one, two, other])
    assert names[other.id] == "cars"
    assert all(names[info.id].startswith("pets (kept ") for info in (one, two))
    assert "cars" in words(start())


@pytest.mark.parametrize(("file", "name"), [
    ("answers.json", "answers"), ("folder/eggs.csv.gz", "eggs"), ("v1.5.tsv", "v1.5"),
    ("next.json.zip", "next"), ("2 files", "2 files"), (".csv", ".csv"),
])
def test_names_have_no_endings_of_files(file, name):
    assert suggested_name(file) == name


@pytest.mark.parametrize("n_components", [1, 2, 3])
def test_a_thumbnail_holds_its_points(n_components):
    positions = np.random.default_rng(0).normal(size=(30, n_components)) * [1e-3] * n_components
    positions[3] = np.nan
    drawn = ElementTree.fromstring(small_map(positions)).findall(".//{*}circle")
    at = np.array([[float(c.get("cx")), float(c.get("cy"))] for c in drawn])
    assert len(at) == 29
    assert at.min() >= 5
    assert (at.max(axis=0) <= [79, 51]).all()
    assert np.corrcoef(at[:, 0], np.delete(positions, 3, axis=0)[:, 0])[0, 1] > 0.99


def test_a_thumbnail_is_that_of_the_map_as_it_is_now(services, mapped):
    info, other = stopped(services)
    whole = _thumbnail(info)
    services.workspace.add_run(info, other, "")
    assert _thumbnail(info) != whole


def test_an_empty_map_has_an_empty_frame():
    assert "circle" not in small_map(np.empty((0, 2)))


@pytest.mark.parametrize(("example", "meant"), [*zip(EXAMPLES, MEANT, strict=True)])
def test_example_lines_are_read_as_they_say(example, meant):
    _, columns, row = example
    table = load(f"{columns}\n{row}\n".encode(), "answers.csv")
    reading = propose(table)[0]
    assert (reading.task, set(reading.roles)) == meant
    assert len(interpret(table, reading).triplets) >= 1


def test_start_says_what_is_understood(services):
    app = unfold(start(), "Which files are understood?")
    assert all(columns in words(app) for _, columns, _ in EXAMPLES)


def test_what_gives_several_answers_is_counted_in_trials(services):
    odd = b"object1,object2,object3,odd\ncat,dog,car,car\ncat,bus,car,cat\ndog,bus,cat,bus\n"
    keep(services, "odd.csv", odd)
    (info,) = services.workspace.datasets()
    assert (info.n_answers, info.n_trials) == (6, 3)
    assert size_of(info) == "4 objects, 6 answers in 3 trials"
    assert about(info).startswith("odd: 4 objects, 6 answers in 3 trials")
    assert info.report[0].startswith("3 trials on 4 objects")
    assert info.report[1].startswith("They hold 6 answers")
    cleaning = services.workspace.cleaning(info)
    left = services.workspace.update_dataset(info, cleaning.excluding(Exclusion(answers=(0, 1))))
    assert (left.n_answers, left.n_trials) == (4, 2)


def test_an_answer_in_a_trial_of_its_own_is_an_answer(services):
    keep(services)
    (info,) = services.workspace.datasets()
    assert info.n_trials is None
    assert size_of(info) == "4 objects, 3 answers, 2 participants"


def test_the_same_matrix_is_listed_once(services):
    content = b",a,b,c,d\na,0,1,2,3\nb,1,0,4,5\nc,2,4,0,6\nd,3,5,6,0\n"
    first = accept_matrix("apart.csv", content, similarities=False)
    assert accept_matrix("apart.csv", content, similarities=False).id == first.id
    other = content.replace(b"6", b"1.5")
    second = accept_matrix("apart.csv", other, similarities=False)
    assert (second.name, first.name) == ("apart (2)", "apart")
    assert accept_matrix("apart.csv", other, similarities=False).id == second.id
    assert len(services.workspace.datasets()) == 2


def test_codes_of_participants_are_shortened_and_stay_different():
    codes = [f"5f{k:02d}a{'0123456789abcdef' * 3}e{k:03d}" for k in range(9)]
    short = short_people(codes)
    assert list(short) == codes
    assert len(set(short.values())) == 9
    assert max(map(len, short.values())) <= 30 < 50 < min(map(len, codes))


def test_trials_of_two_answers_are_named_with_them(services):
    rows = np.array([[0, 1, 2], [1, 0, 2]] * 4)
    trials = pd.DataFrame({"trial": np.repeat(range(4), 2)})
    triplets = Triplets(rows, pd.DataFrame({"id": list("abc")}), trials, "Odd ones")
    session_on(services, triplets)
    (info,) = services.workspace.datasets()
    assert answers_of(info) == "8 answers in 4 trials"
