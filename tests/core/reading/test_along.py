"""What a file brings along is said: copies, people of several files, practice, units, names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from tripletscope.core.reading import Imported, Reading, load, load_several, recognise
from tripletscope.core.reading.columns.times import times_of
from tripletscope.core.reading.interpretation import interpret as interpretation
from tripletscope.core.reading.interpretation import proposal
from tripletscope.core.reading.interpretation.copies import _repeated
from tripletscope.core.reading.interpretation.interpret import interpret
from tripletscope.core.reading.table import Table
from tripletscope.core.studies.quality.importing import read

HEADERS = {
    "en": ("participant", "anchor", "left", "right", "choice", "rt"),
    "de": ("Versuchsperson", "Referenz", "links", "rechts", "Antwort", "Reaktionszeit"),
    "es": ("participante", "referencia", "izquierda", "derecha", "respuesta", "tiempo de reacción"),
}


def answers(
    seed: int, n: int = 120, people: Sequence[str] = ("p0", "p1", "p2"),
    names: Sequence[str] = ("cup", "mug", "pan", "pot", "jar", "bowl", "dish"), lang: str = "en",
    median: float = 1400.0,
) -> pd.DataFrame:
    """Answers in random order with response times in whole milliseconds."""
    rng = np.random.default_rng(seed)
    rows = np.array([rng.choice(len(names), 3, replace=False) for _ in range(n)])
    chosen = rows[np.arange(n), rng.integers(1, 3, n)]
    named = np.array(names, dtype=object)
    times = np.round(rng.lognormal(np.log(median), 0.4, n))
    columns = [rng.choice(list(people), n), *named[rows].T, named[chosen], times.astype(int)]
    return pd.DataFrame(dict(zip(HEADERS[lang], columns, strict=True)))


def csv(frame: pd.DataFrame, **how: object) -> bytes:
    return frame.to_csv(index=False, **how).encode()


def imported(table, **settings: object) -> Imported:
    table = load(table) if isinstance(table, bytes) else table
    reading = recognise(table).readings[0]
    return interpret(table, replace(reading, **settings))


def codes(found: Imported) -> list[str]:
    """Of notes on rows: which columns are kept is another matter."""
    return [note.code for note in found.report.brought if note.code != "kept"]


# Copies ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", HEADERS)
def test_an_export_that_is_there_twice_counts_once_and_is_said(lang):
    frame = answers(1, 90, lang=lang)
    table = load(csv(pd.concat([frame, frame])))
    found = imported(table)
    assert codes(found) == ["copies"]
    assert found.report.brought[0].said().startswith("90 rows repeat an earlier one")
    once = imported(csv(frame)).triplets
    dropped = imported(table, copies=False)
    for each in (found, dropped):
        assert np.array_equal(each.triplets.rows, once.rows)
        assert [one.count for one in each.report.omissions] == [90]
    assert codes(dropped) == []
    kept = imported(table, copies=True)
    assert codes(kept) == ["copies_kept"]
    assert len(kept.triplets) == 180
    assert not kept.report.omissions


def test_a_few_rows_that_occur_twice_are_counted_whatever_numbers_the_rows():
    frame = answers(2, 100)
    frame = pd.concat([frame[:60], frame[10:13], frame[60:]], ignore_index=True)
    found = imported(csv(frame.rename_axis("row").reset_index()))
    assert codes(found) == ["copies"]
    assert "3 rows" in found.report.brought[0].said()
    assert len(found.triplets) == 100


def test_without_times_only_long_runs_are_copies():
    frame = answers(3, 80).drop(columns="rt")
    assert "80 rows" in imported(csv(pd.concat([frame, frame]))).report.brought[0].said()
    # The same people answer the same questions alike, in another order.
    again = frame.sample(frac=1, random_state=1)
    assert codes(imported(csv(pd.concat([frame, again])))) == []


@pytest.mark.parametrize("rounded", [1, 100, 500])
def test_repeats_of_a_question_are_no_copies(rounded):
    frame = answers(4, 400, people=["ann"], names=["a", "b", "c", "d"])
    frame["rt"] = frame["rt"] // rounded * rounded
    assert codes(imported(csv(frame))) == []
    others = frame.assign(participant="bob")
    assert codes(imported(csv(pd.concat([frame, others])))) == [], "others answer alike"


def test_columns_about_the_objects_make_no_copies():
    frame = answers(26, 300, people=["ann"], names=["a", "b", "c", "d"]).drop(columns="rt")
    about = frame.assign(picture=frame["anchor"] + ".png", question=frame["anchor"]
                         + frame["left"] + frame["right"])
    assert codes(imported(csv(about))) == []


def test_counts_that_were_written_as_rows_are_no_copies():
    frame = answers(5, 40).drop(columns=["rt", "participant"])
    assert codes(imported(csv(frame.loc[frame.index.repeat(7)]))) == []


def test_a_file_that_was_given_twice_is_said():
    frame = answers(6, 50)
    table = load_several([("day.csv", csv(frame)), ("day (1).csv", csv(frame))])
    found = imported(table)
    assert codes(found) == ["same_files", "copies"]
    assert found.report.brought[0].said() == "File day (1) holds the same rows as file day."
    assert len(imported(table, copies=False).triplets) == 50
    # Files are participants: the second copy is nobody else.
    without = frame.drop(columns="participant")
    table = load_several([("s1.csv", csv(without)), ("s2.csv", csv(answers(7, 50).iloc[:, 1:])),
                          ("s1 copy.csv", csv(without))])
    found = imported(table, copies=False)
    assert "same_files" in codes(found)
    assert len(found.triplets) == 100
    assert found.report.n_participants == 2


def test_files_of_people_who_answered_alike_are_no_copies():
    few = answers(8, 6).drop(columns=["rt", "participant"])
    table = load_several([("ann.csv", csv(few)), ("bob.csv", csv(few))])
    assert codes(imported(table)) == []


def test_python_warns_until_somebody_has_decided():
    frame = answers(9, 60)
    twice = csv(pd.concat([frame, frame]))
    roles = dict(zip(HEADERS["en"], HEADERS["en"], strict=True))
    roles |= {"response_time": roles.pop("rt"), "choice_coding": "item"}
    with pytest.warns(UserWarning, match="60 rows repeat an earlier one"):
        assert len(read(twice, roles)) == 60
    assert len(read(twice, {**roles, "copies": False})) == 60
    assert len(read(twice, {**roles, "copies": True})) == 120


# People of several files -------------------------------------------------------------------------


def test_the_same_ids_in_several_files_are_asked_about():
    files = [("north.csv", csv(answers(10, people=["1", "2", "3"]))),
             ("south.csv", csv(answers(11, people=["3", "2", "4"])))]
    table = load_several(files)
    found = imported(table)
    assert codes(found) == ["same_ids"]
    assert found.report.n_participants == 4
    assert found.report.brought[0].asks
    assert "2 participant ids" in found.report.brought[0].said()
    divided = imported(table, apart=True)
    assert codes(divided) == []
    assert divided.report.n_participants == 6
    assert set(divided.triplets.answers["participant"]) == {
        "1", "4", "2 (north)", "3 (north)", "2 (south)", "3 (south)",
    }
    united = imported(table, apart=False)
    assert codes(united) == []
    assert united.report.n_participants == 4


def test_files_that_are_called_by_their_participant_are_of_one_person():
    files = [(f"{who}_day{day}.csv", csv(answers(day, people=[who])))
             for who, day in (("ann", 1), ("ann", 2), ("bob", 3), ("bob", 4))]
    assert codes(imported(load_several(files))) == []
    others = [(f"lab{k}.csv", csv(answers(k, people=[f"s{k}{i}" for i in range(3)])))
              for k in range(3)]
    assert codes(imported(load_several(others))) == []


def test_decisions_are_stored_and_written_as_arguments():
    reading = Reading("x", "", copies=False, apart=True)
    assert Reading.from_dict(reading.to_dict()) == reading
    said = {"copies": False, "apart": True}
    assert reading.short() == Reading("x", "").short() | said
    assert not said.keys() & Reading("x", "").short().keys()
    with pytest.raises(ValueError, match="copies is 'no'"):
        Reading("x", "", copies="no")


# Response times ----------------------------------------------------------------------------------


def test_each_person_has_times_in_their_own_unit():
    frame = answers(20, 300, people=["n1", "n2", "n3", "n4", "n5"], lang="de")
    seconds = frame["Versuchsperson"].isin(["n2", "n5"])
    truth = frame["Reaktionszeit"] / 1000
    frame["Reaktionszeit"] = frame["Reaktionszeit"].where(~seconds, truth)
    found = imported(csv(frame))
    np.testing.assert_allclose(found.triplets.answers["response_time"], truth)
    assert codes(found) == ["units"]
    assert "seconds of n2 and n5" in found.report.brought[0].said()
    assert codes(imported(csv(frame), response_time_unit="each")) == ["units_each"]
    assert codes(imported(csv(frame), response_time_unit="ms")) == []


def test_each_file_has_times_in_its_own_unit():
    one, other = answers(21, 200), answers(22, 200)
    both = pd.concat([one, other])["rt"].to_numpy() / 1000
    files = [("ms.csv", csv(one)), ("s.csv", csv(other.assign(rt=other["rt"] / 1000)))]
    found = imported(load_several(files), apart=True)
    np.testing.assert_allclose(found.triplets.answers["response_time"], both)
    assert codes(found) == ["units"]


@pytest.mark.parametrize("slower", [5, 30])
@pytest.mark.parametrize("per", [1, 1000])
def test_slow_people_have_the_unit_of_the_others(slower, per):
    frame = answers(23, 300)
    slow = frame["participant"] == "p1"
    frame["rt"] = frame["rt"].where(~slow, slower * frame["rt"]) / per
    found = imported(csv(frame))
    assert codes(found) == []
    np.testing.assert_allclose(found.triplets.answers["response_time"], frame["rt"] * per / 1000)


WRITTEN = {
    "thousands and decimals": (",", lambda x: f"{x:,.2f}"),
    "thousands": (",", lambda x: f"{x:,.0f}"),
    "German thousands": (";", lambda x: f"{x:,.0f}".replace(",", ".")),
    "German thousands and decimals": (
        ";", lambda x: f"{x:,.2f}".translate(str.maketrans(",.", ".,"))
    ),
    "decimal comma": (";", lambda x: f"{x:.1f}".replace(".", ",")),
    "quoted decimal comma": (",", lambda x: f"{x:.1f}".replace(".", ",")),
    "French": (";", lambda x: f"{x:,.1f}".replace(",", "\u202f").replace(".", ",")),
    "Swiss": (",", lambda x: f"{x:,.2f}".replace(",", "'")),
    "seconds": (",", lambda x: f"{x / 1000:.3f}"),
    "German seconds": (";", lambda x: f"{x / 1000:.3f}".replace(".", ",")),
    "short seconds": (",", lambda x: f"{x / 1000:g}"),
}


@pytest.mark.parametrize(("delimiter", "write"), WRITTEN.values(), ids=WRITTEN)
def test_no_time_is_lost_by_how_it_is_written(delimiter, write):
    frame = answers(24, 300, median=900)
    truth = frame["rt"] / 1000
    frame["rt"] = frame["rt"].map(write)
    found = imported(csv(frame, sep=delimiter))
    np.testing.assert_allclose(found.triplets.answers["response_time"], truth, atol=1e-4)
    assert codes(found) == []


def test_people_write_thousands_differently():
    frame = answers(25, 300, median=1200)
    truth = frame["rt"] / 1000
    german = frame["participant"] == "p2"
    frame["rt"] = [f"{x:,}".replace(",", ".") if of else f"{x / 1000:.3f}"
                   for x, of in zip(frame["rt"], german, strict=True)]
    times = imported(csv(frame)).triplets.answers["response_time"]
    np.testing.assert_allclose(times, truth)


# Objects -----------------------------------------------------------------------------------------


def test_sets_that_are_never_compared_are_said():
    birds, tools = [f"bird {k}" for k in range(5)], [f"tool {k}" for k in range(6)]
    two = pd.concat([answers(30, 80, names=birds), answers(31, 80, names=tools)])
    found = imported(csv(two.sample(frac=1, random_state=0)))
    assert codes(found) == ["sets"]
    assert found.report.brought[0].said().startswith("2 sets of objects")
    one_link = answers(32, 3, names=[birds[0], tools[0], tools[1]])
    assert codes(imported(csv(pd.concat([two, one_link])))) == []


def test_blocks_of_questions_that_share_objects_are_one_set():
    names = [f"o{k}" for k in range(12)]
    blocks = [answers(k, 60, people=[f"p{k}"], names=names[3 * k : 3 * k + 6]) for k in range(3)]
    assert codes(imported(csv(pd.concat(blocks)))) == []


def test_times_of_a_table_without_names_are_read_by_person():
    """Numbers of a column that is read at once are not written over."""
    table = load(csv(answers(3, 40).assign(rt=[f"1,{k:03d}.5" for k in range(40)])))
    groups = np.zeros(table.n_rows, dtype=np.int64)
    before = table.numbers("rt").copy()
    assert times_of(table, "rt", groups).tolist() == before.tolist()
    assert (table.numbers("rt") == before).all()


# Names and practice ------------------------------------------------------------------------------


def of_countries(name, empty=0):
    """300 answers about eight names, the first of which may look like a missing cell."""
    rng = np.random.default_rng(4)
    names = np.array([name, "DE", "FR", "IT", "BR", "MX", "ES", "US"], dtype=object)
    shown = names[np.array([rng.permutation(8)[:3] for _ in range(300)])]
    frame = pd.DataFrame(shown, columns=["anchor", "left", "right"])
    frame["choice"] = np.where(rng.random(300) < 0.5, frame["left"], frame["right"])
    frame.iloc[:empty, 1] = ""
    return frame.to_csv(index=False).encode()


@pytest.mark.parametrize("name", ["NA", "None", "null", "nan"])
def test_an_object_may_be_called_as_what_is_missing(name):
    found = interpret(load(of_countries(name)), recognise(load(of_countries(name))).clear.reading)
    assert found.triplets.n_objects == 8
    assert len(found.triplets) == 300
    assert any("read as the name of an object" in line for line in found.report.summary())


def test_what_is_missing_is_no_object():
    """Where cells are empty, and where most of a row is missing, as R writes it."""
    table = load(of_countries("NA", empty=5))
    assert interpret(table, recognise(table).clear.reading).triplets.n_objects == 7
    text = of_countries("UK").decode() + "NA,NA,NA,NA\n" * 60
    table = load(text.encode())
    found = interpret(table, recognise(table).clear.reading)
    assert (found.triplets.n_objects, len(found.triplets)) == (8, 300)


@pytest.mark.parametrize(("column", "practice", "main"), [
    ("Comment", "practice", "main"), ("phase", "Übung", "Versuch"),
    ("trial_type", "practice_1", "t"),
    ("part", "Training", "Main"), ("test_part", "demo", "real"), ("Übung", "ja", "nein"),
    ("is_practice", "true", "false"), ("block", "warm-up", "b1"), ("Bloque", "práctica", "prueba"),
])
def test_practice_is_left_out_and_said(column, practice, main):
    lines = of_countries("UK").decode().splitlines()
    parts = [column] + [practice if k < 20 else main for k in range(300)]
    text = "\n".join(f"{line},{part}" for line, part in zip(lines, parts, strict=True))
    table = load(f"{text}\n".encode())
    found = interpret(table, recognise(table).clear.reading)
    assert len(found.triplets) == 280
    (omission,) = found.report.omissions
    assert (omission.count, column in omission.reason) == (20, True)


@pytest.mark.parametrize(("column", "one", "other"), [
    ("group", "trained", "control"), ("split", "train", "test"),
    ("profession", "practitioner", "x"), ("group", "training", "control"),
])
def test_conditions_are_no_practice(column, one, other):
    lines = of_countries("UK").decode().splitlines()
    parts = [column] + [one if k % 3 else other for k in range(300)]
    text = "\n".join(f"{line},{part}" for line, part in zip(lines, parts, strict=True))
    table = load(f"{text}\n".encode())
    assert len(interpret(table, recognise(table).clear.reading).triplets) == 300


def test_practice_of_half_the_trials_is_kept_and_said():
    lines = of_countries("UK").decode().splitlines()
    parts = ["phase"] + ["practice" if k < 200 else "main" for k in range(300)]
    text = "\n".join(f"{line},{part}" for line, part in zip(lines, parts, strict=True))
    table = load(f"{text}\n".encode())
    found = interpret(table, recognise(table).clear.reading)
    assert len(found.triplets) == 300
    assert any("are practice (phase: practice)" in line for line in found.report.summary())


def test_practice_is_no_response():
    """A column that tells practice from trials would turn the answers of practice round."""
    rng = np.random.default_rng(1)
    positions = rng.normal(size=(9, 2))
    rows = np.array([rng.permutation(9)[:3] for _ in range(400)])
    first, second = (np.linalg.norm(positions[rows[:, 0]] - positions[rows[:, k]], axis=1)
                     for k in (1, 2))
    rows[:, 1:] = np.where((first < second)[:, None], rows[:, 1:], rows[:, :0:-1])
    frame = pd.DataFrame(rows, columns=["object1", "object2", "object3"])
    frame["tipo"] = np.where(np.arange(400) < 40, "práctica", "experimental")
    found = read(frame.to_csv(index=False).encode())
    assert len(found) == 360
    assert (found.rows == np.searchsorted(np.unique(rows), rows[40:])).all()


# What is left over ------------------------------------------------------------------------------


def test_people_whose_objects_nobody_else_judges_are_named():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame([rng.permutation(8)[:3] for _ in range(120)],
                         columns=["anchor", "near", "far"])
    frame["participant"] = [f"p{k % 3}" for k in range(120)]
    lines = report_of(frame)
    assert not any("with anybody else" in line for line in lines)
    frame.iloc[frame["participant"] == "p1", :3] += 20
    assert any("1 participant shares no object with anybody else: p1." in line
               for line in report_of(frame))


def test_columns_without_a_role_are_kept_and_listed():
    """Clocks, identifiers and free text, too; of a reading that names columns, only these."""
    n = 240
    rng = np.random.default_rng(3)
    rows = np.array([rng.permutation(8)[:3] for _ in range(n)])
    frame = pd.DataFrame({
        "when": pd.date_range("2024-02-03 10:00:00", periods=n, freq="17s").astype(str),
        "anchor": rows[:, 0], "experiment": "main", "near": rows[:, 1],
        "comentario": [f"me parece, {k} “así”" for k in rng.permutation(n)],
        "far": rows[:, 2], "run id": [f"{k:04x}f" for k in rng.permutation(n)], "spare": "",
        "half": np.where(np.arange(n) % 2, "", "=1+1"), "lista": np.arange(n) % 4,
    })
    further = ["when", "experiment", "comentario", "run id", "half", "lista"]
    content = frame.to_csv(index=False).encode()
    found = imported(content)
    assert list(found.triplets.answers) == further
    for name in further:
        there = found.triplets.answers[name].astype("str")
        assert there.where(there.notna(), "").tolist() == frame[name].astype(str).tolist()
    said = found.report.summary()
    assert "Columns that are kept with the answers: when, experiment, comentario, run id, " \
           "half and lista." in said
    assert "Columns in which nothing is written, which are not kept: spare." in said
    roles = {"anchor": "anchor", "near": "near", "far": "far"}
    assert list(read(content, roles).answers) == further
    only = interpret(load(content), Reading.from_roles(**roles, keep=["lista"]))
    assert list(only.triplets.answers) == ["lista"]
    assert "Columns that are not kept: when, experiment, comentario, run id and half. Choose " \
           "them to keep them with the answers." in only.report.summary()
    (note,) = (one for one in only.report.brought if one.code == "unused")
    assert note.said_in_python() == f"{note.said()} In Python: keep=[…]."


def test_kept_columns_whose_names_have_a_meaning_get_others():
    """A weight of the objects is none of the answers."""
    frame = answers(8, 90)
    frame["weight"], frame["near"] = [f"kg {k % 45}" for k in range(90)], frame["anchor"]
    found = imported(csv(frame)).triplets.answers
    assert found["weight (file)"].tolist() == frame["weight"].tolist()
    assert found["near (file)"].tolist() == frame["near"].tolist()
    frame["weight (file)"] = "x"
    found = imported(csv(frame)).triplets.answers
    assert set(found["weight (file)"]) == {"x"}
    assert found["weight (file) (file)"].tolist() == frame["weight"].tolist()


def test_columns_that_differ_in_nearly_each_of_very_many_rows_are_said_to_be_left(monkeypatch):
    monkeypatch.setattr(proposal, "MANY_VALUES", 3_000)
    n = 4_000
    rng = np.random.default_rng(1)
    rows = np.array([rng.permutation(60)[:3] for _ in range(n)])
    frame = pd.DataFrame(rows, columns=["anchor", "near", "far"])
    frame["clock"], frame["pair"] = 1.7e9 + np.arange(n) * 0.37, np.arange(n) // 2
    frame["code"], frame["gap"] = [f"{k:05}" for k in range(n)], np.where(frame["pair"] % 2, 7, 0)
    monkeypatch.setattr(interpretation, "MANY_VALUES", 1_000)
    frame["pair"] = frame["pair"].astype(object).mask(frame["pair"] == 3, "")
    content = frame.to_csv(index=False).encode()
    found = imported(content)
    assert list(found.triplets.answers) == ["pair", "gap"]
    assert found.triplets.answers["pair"].dtype.kind == "f", "numbers, with a gap"
    assert found.triplets.answers["pair"].fillna(3).tolist() == [k // 2 for k in range(n)]
    assert any(line.startswith("Columns that are not kept, because they differ in most rows")
               and ": clock and code." in line for line in found.report.summary())
    kept = read(content, keep=["clock", "code"]).answers
    assert kept["clock"].nunique() == n
    assert kept["code"].tolist() == frame["code"].tolist(), "texts with zeros in front"


def report_of(frame: pd.DataFrame) -> list[str]:
    table = load(csv(frame))
    reading = next(one for one in recognise(table).readings if "near" in one.roles)
    return interpret(table, reading).report.summary()


@pytest.mark.parametrize(("times", "left"), [(1, True), (2, False), (3, False)])
def test_of_many_rows_a_column_is_kept_whose_values_recur(times, left, monkeypatch):
    """However far apart they recur; a sample says so of a clock."""
    monkeypatch.setattr(proposal, "_MANY", 100_000)
    monkeypatch.setattr(proposal, "MANY_VALUES", 30_000)
    n = 120_000
    values = np.tile(np.arange(n // times), times).astype(str)
    for column in (values, np.sort(values)):
        table = Table("t", pa.table({"c": pa.array(column)}), True, ",", None, [], 2)
        assert proposal.has_many_values(table, "c") == left


@pytest.mark.parametrize("n_keys", [1, 50, 10**6, 2**60])
def test_keys_that_recur_are_those_that_pandas_finds(n_keys):
    rng = np.random.default_rng(0)
    key = rng.integers(0, n_keys, 3_000).astype(np.uint64)
    key[:30] = key[-30:]
    among = rng.random(len(key)) < 0.7
    expected = np.zeros(len(key), dtype=bool)
    expected[among] = pd.Series(key[among]).duplicated(keep=False).to_numpy()
    np.testing.assert_array_equal(_repeated(key, among), expected)
    assert not _repeated(key, np.zeros(len(key), dtype=bool)).any()
