"""The form of an upload: the shape of its table, several files, direction."""

from __future__ import annotations

import io
import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from tests.core.reading.test_encodings import NAMES, file_of
from tests.core.reading.test_hostile import GOOD, zipped
from tests.dashboard.upload.uploads import OTHERS, PEOPLE, forget, png
from tests.pages.harness import settled, start, unfold, words
from tripletscope.core.data.errors import DataError
from tripletscope.core.reading import Reading, load, load_several
from tripletscope.core.studies.quality.importing import read
from tripletscope.dashboard.sandbox.questions import gather_pictures
from tripletscope.dashboard.state import _KEY
from tripletscope.dashboard.store.samples import open_sample, samples
from tripletscope.dashboard.upload import waiting_upload

# The shape of the table


@pytest.mark.parametrize(("name", "widgets"), [
    ("a.parquet", []), ("a.json", []), ("a.xlsx", ["header"]),
    ("a.csv", ["header", "delimiter"]),
])
def test_only_what_can_be_cut_in_another_way_is_asked_for(services, name, widgets):
    frame = pd.DataFrame({"anchor": list("abc"), "near": list("bca"), "far": list("cab")})
    buffer = io.BytesIO()
    write = {"parquet": frame.to_parquet, "xlsx": lambda b: frame.to_excel(b, index=False),
             "json": lambda b: b.write(frame.to_json(orient="records").encode()),
             "csv": lambda b: frame.to_csv(b, index=False)}[name.split(".")[1]]
    write(buffer)
    app = start()
    app.file_uploader(key="upload").upload(name, buffer.getvalue(), "text/csv").run()
    unfold(app, "Rows and columns")
    shown = [w.key for w in [*app.toggle, *app.selectbox] if w.key in ("header", "delimiter")]
    assert shown == widgets
    if widgets:
        app.toggle(key="header").set_value(False).run()
        assert not app.exception
        assert "4 answers" in words(app)


def test_a_guessed_encoding_is_shown_and_can_be_changed(services):
    app = start()
    app.file_uploader(key="upload").upload("a.csv", file_of(NAMES["cp1251"], "cp1251"), "text/csv")
    app.run()
    unfold(app, "Rows and columns")
    box = app.selectbox(key="encoding")
    assert box.options[box.value] == "Cyrillic (Windows)"
    assert "Names as read: яблоко" in words(app).replace("\\", "")
    box.set_value(box.options.index("KOI8-R")).run()
    assert not app.exception
    assert "яблоко" not in words(app)
    box = app.selectbox(key="encoding")
    assert box.options[box.value] == "KOI8-R"
    box.set_value(box.options.index("Cyrillic (Windows)")).run()
    assert "яблоко" in words(app)
    app = start()
    app.file_uploader(key="upload").upload("a.csv", file_of("ä ö ü", "utf-8"), "text/csv").run()
    assert "encoding" not in [box.key for box in app.selectbox]


def test_a_reading_that_was_saved_is_loaded_in_the_form(services):
    app = start()
    app.file_uploader(key="upload").upload("pets.csv", GOOD, "text/csv").run()
    unfold(app, "Save or load how a file is read")
    turned = Reading.from_roles(anchor="far", near="near", far="anchor")
    for content in (b"[]", json.dumps(turned.to_dict()).encode()):
        app.file_uploader(key="import.reading").upload("mine.json", content, "application/json")
        app.run()
        assert not app.exception
        assert bool(app.error) == (content == b"[]")
    assert waiting_upload.waiting(app.session_state[_KEY].id).reading == turned


# Several files


def test_of_several_files_the_unreadable_are_named_and_left_out():
    with pytest.raises(DataError, match=r"broken\.csv: this is a PNG picture"):
        load_several([*PEOPLE, *OTHERS])
    with pytest.raises(DataError, match="4 different tables"):
        load_several([*PEOPLE, OTHERS[1]])
    inside = load(zipped(*PEOPLE, *OTHERS), "all.zip", tolerant=True)
    beside = load_several([*OTHERS, *PEOPLE], tolerant=True)
    for table, folder in ((inside, "all.zip/"), (beside, "")):
        assert table.files == tuple(folder + name for name, _ in PEOPLE)
        reasons = {name.removeprefix(folder): why for name, why in table.refused.items()}
        assert reasons == {
            "broken.csv": "this is a PNG picture, not a table of answers",
            "notes.csv": "its columns are others: id, size, colour and age",
        }
        assert set(table.preview(9)["file"]) == {"session_p0", "session_p1", "session_p2"}
    with pytest.raises(DataError, match=r"none of 2 files can be read; of a\.csv, the file is em"):
        load_several([("a.csv", b""), ("b.csv", b"")], tolerant=True)
    alone = load_several([("a.csv", GOOD)], tolerant=True)
    assert (alone.files, alone.refused) == ((), {})


def test_many_files_take_time_in_proportion(monkeypatch):
    """Each file is compared with all others only by the names of its columns."""
    from tripletscope.core.reading.table import Table

    calls = []
    codes = Table.codes
    monkeypatch.setattr(Table, "codes", lambda *a: calls.append(a) or codes(*a))
    load_several([(f"s{i}.csv", PEOPLE[0][1]) for i in range(60)], reshape=False)
    assert len(calls) <= 60 * 5


def test_an_upload_of_several_files_with_pictures(services):
    upload = waiting_upload.take_in("s", [*PEOPLE, *OTHERS, ("dog.png", png()), ("elk.png", png())])
    assert upload.name == "session"
    assert set(waiting_upload.opened(upload).album.names) == {"dog.png", "elk.png"}
    answers = waiting_upload.answers(upload)
    who = answers.triplets.answers["participant"].tolist()
    assert who == ["session_p0", "session_p1", "session_p2"]
    look = waiting_upload.look(upload)
    assert (look.missing, look.unused) == (["car", "cat"], ["elk.png"])
    assert any("1 unused: elk.png" in line for line in answers.report)
    files = [("all.zip", zipped(*PEOPLE, ("pictures/dog.png", png())))]
    zipped_up = waiting_upload.take_in("s", files)
    assert waiting_upload.opened(zipped_up).album.names == ["dog.png"]
    assert waiting_upload.answers(zipped_up).triplets.objects["image"].notna().sum() == 1
    app = start()
    app.file_uploader(key="upload").set_value([
        (name, data, "text/csv") for name, data in [*PEOPLE, *OTHERS]
    ])
    app.run()
    assert not app.exception
    assert [w.value.replace("\\", "").split(":")[0] for w in app.warning] == [
        "broken.csv was omitted", "notes.csv was omitted",
    ]
    assert "3 files read as one table" in [e.label for e in app.expander]


def test_many_files_that_are_left_out_are_one_message(services):
    app = start()
    app.file_uploader(key="upload").set_value([
        (name, data, "text/csv") for name, data in [*PEOPLE, *((f"b{i}.csv", b"") for i in range(5))
    ]])
    app.run()
    assert not app.exception
    assert [w.value for w in app.warning] == ["5 of 8 files were omitted."]
    unfold(app, "Which, and why")
    reasons = next(f.value for f in app.dataframe if "because" in f.value)
    assert set(reasons["because"]) == {"the file is empty"}


@pytest.mark.parametrize(("names", "together"), [
    (["a.csv"], "a.csv"), (["p01.csv", "p02.csv"], "2 files"),
    (["exp_a_01.csv", "exp_b_01.csv"], "exp"), (["eggs-1.csv", "eggs-22.csv"], "eggs"),
])
def test_several_files_are_called_by_what_their_names_share(services, names, together):
    assert waiting_upload.take_in("s", [(name, PEOPLE[0][1]) for name in names]).name == together


def test_uploads_without_a_picture_say_why():
    with pytest.raises(DataError, match=r"No picture was found \(a.txt: "):
        gather_pictures([("a.txt", b"hello")])
    assert set(gather_pictures([("a.png", png()), ("b", b"x")])) == {"a.png"}


# Direction


def misread(app, services):
    """Choose a wrong order of three columns."""
    layout = next(b for b in app.selectbox if b.label == "Layout")
    wrong = layout.options.index("Three columns: anchor, nearer, farther")
    layout.set_value(wrong).run()
    settled(app, services)


def test_a_table_that_may_be_several_things_is_asked_about(services):
    """Keeping it waits until somebody has said what it is."""
    rng = np.random.default_rng(0)
    rows = "".join(
        f"{','.join(rng.permutation(list('abcdefgh'))[:3])},{rng.choice(['q', 'z9'])}\n"
        for _ in range(60)
    )
    app = start()
    app.file_uploader(key="upload").upload("x.csv", f"p,q,r,choice\n{rows}".encode(), "text/csv")
    app.run()
    assert not app.exception
    assert "What is this?" in [one.value for one in app.header]
    keep = next(b for b in app.button if b.label == "Keep this data set")
    assert keep.disabled
    choices = [b for b in app.button if b.label == "It is this"]
    assert len(choices) > 1
    wanted = waiting_upload.waiting(app.session_state[_KEY].id).readings[1]
    choices[1].click().run()
    assert not app.exception
    settled(app, services)
    assert not [b for b in app.button if b.label == "It is this"]
    next(b for b in app.button if b.label == "Keep this data set").click().run()
    (info,) = services.workspace.datasets()
    assert wanted.roles.items() <= info.extra["reading"]["roles"].items()
    assert info.extra["reading"]["choice_coding"] == wanted.choice_coding


def test_questions_without_responses_are_among_what_a_table_may_be(services):
    """Nothing is counted as answers as long as nobody has said that there are some."""
    rng = np.random.default_rng(0)
    rows = "".join(f"{','.join(rng.permutation(list('abcdefgh'))[:3])}\n" for _ in range(60))
    app = start()
    app.file_uploader(key="upload").upload(
        "x.csv", f"Stim1,Stim2,Stim3\n{rows}".encode(), "text/csv"
    )
    app.run()
    assert not app.exception
    said = [one.value.replace("\\", "") for one in app.caption]
    assert any(text.startswith("Or something else: it may hold questions without responses")
               for text in said)
    assert not any("60 answers" in one.value for one in app.markdown)


def test_values_of_a_response_are_assigned_one_by_one(services):
    rows = "".join(f"a,b,c,{'up' if k % 3 else 'down'}\nb,c,a,down\n" for k in range(30))
    app = start()
    app.file_uploader(key="upload").upload(
        "x.csv", f"anchor,left,right,choice\n{rows}".encode(), "text/csv"
    )
    app.run()
    assert not app.exception
    coding = next(b for b in app.selectbox if b.label == "Response coding")
    coding.set_value(coding.options.index("Value by value")).run()
    up = next(b for b in app.selectbox if b.label.startswith("up ("))
    assert "20 rows" in up.label
    assert up.options == ["no response", "b", "c"] or up.options == ["no response", "left", "right"]
    up.set_value(2).run()
    next(b for b in app.selectbox if b.label.startswith("down (")).set_value(1).run()
    assert not app.exception
    reading = waiting_upload.waiting(app.session_state[_KEY].id).reading
    assert reading.choice_coding == {"up": 2, "down": 1}


def test_the_form_warns_of_a_wrong_direction_and_turns_it_round(services, anchor_last):
    app = start()
    app.file_uploader(key="upload").upload("bare.csv", anchor_last, "text/csv")
    app.run()
    assert not app.exception
    settled(app, services)
    assert "Read correctly" in app.success[0].value, "the answers have decided"
    misread(app, services)
    (warning,) = app.warning
    assert "Probably read wrongly" in warning.value
    right = "anchor column 3, nearer column 1, farther column 2"
    assert right in warning.value
    assert len(unfold(app, "All readings of these columns").table[0].value) == 12
    app.button(key="direction.use").click().run()
    settled(app, services)
    assert not app.warning
    layout = next(b for b in app.selectbox if b.label == "Layout")
    assert layout.options[layout.value] == right.capitalize()
    assert "Read correctly" in app.success[0].value
    roles = {b.label: b.value for b in app.selectbox}
    assert (roles["Anchor"], roles["Nearer"], roles["Farther"]) == (
        "column 3", "column 1", "column 2"
    )
    next(b for b in app.button if b.label == "Keep this data set").click().run()
    (info,) = services.workspace.datasets()
    kept = services.workspace.triplets(info)
    assert (kept.rows == read(anchor_last, {"near": "column 1", "far": "column 2",
                                            "anchor": "column 3"}).rows).all()

    # The next file of the experiment may be read the same way.
    upload = waiting_upload.take_in("s", [("next.csv", anchor_last)])
    assert upload.readings[0].title != "As in bare", "columns without names are no proof"
    assert upload.readings[-1].title == "As in bare"


def test_the_form_goes_on_where_the_server_has_forgotten_the_upload(services, anchor_last):
    app = start()
    app.file_uploader(key="upload").upload("bare.csv", anchor_last, "text/csv").run()
    settled(app, services)
    misread(app, services)
    forget()
    app.button(key="direction.use").click().run()
    settled(app, services)
    layout = next(b for b in app.selectbox if b.label == "Layout")
    right = "Anchor column 3, nearer column 1, farther column 2"
    assert layout.options[layout.value] == right
    forget()
    app.run()
    layout = next(b for b in app.selectbox if b.label == "Layout")
    assert layout.options[layout.value] == right
    forget()
    app.button(key=f"keep.go.{waiting_upload.waiting(app.session_state[_KEY].id).id}").click().run()
    assert not app.exception
    (info,) = services.workspace.datasets()
    assert info.extra["reading"]["roles"]["anchor"] == "column 3"


def test_a_test_of_another_reading_is_given_up(services, anchor_last):
    upload = waiting_upload.take_in("s", [("bare.csv", anchor_last)])
    first = waiting_upload.direction("s", upload)
    assert waiting_upload.direction("s", upload) is first
    upload = waiting_upload.use("s", upload, upload.readings[1])
    second = waiting_upload.direction("s", upload)
    assert second is not first
    assert first.stopping or first.state == "done"
    assert second.wait(300)
    assert second.state == "done", second.message
    forget()
    assert waiting_upload.direction("s", upload) is second
    assert second.results[0].readings[0] == upload.reading
    third = waiting_upload.direction("s", upload, again=True)
    assert third is not second
    waiting_upload.discard("s", upload)
    assert third.stopping


def test_a_change_of_who_answered_needs_no_new_test(services, anchor_last):
    upload = waiting_upload.take_in("s", [("bare.csv", anchor_last)])
    first = waiting_upload.direction("s", upload)
    reading = Reading.from_dict(
        {**upload.reading.to_dict(), "roles": {**upload.reading.roles, "participant": "column 1"}}
    )
    assert waiting_upload.direction("s", replace(upload, reading=reading)) is first


def test_a_file_waits_beside_a_data_set_that_is_opened_after_it(services):
    """Data still showed a file that could not be read, while another data set was open."""
    app = start()
    app.file_uploader(key="upload").upload(
        "notes.csv", b"anchor,near,far\na,b,c\nb,c,a\nc,a,b\n", "text/csv"
    ).run()
    current = app.session_state[_KEY]
    current.open(open_sample(next(one for one in samples() if one.name == "ekman_colors")).id)
    current.save()
    app = start("data", current.id)
    assert not app.exception
    assert "is still to be read" in words(app)
    assert not app.title[0].value.startswith("Reading")
    (go,) = [one for one in app.button if one.label == "Go on"]
    go.click().run()
    assert app.title[0].value.startswith("Reading notes")
    app = start("data", current.id)
    assert app.title[0].value.startswith("Reading notes")


def test_the_data_set_that_is_open_is_shown_when_it_is_opened_again(services):
    opened = open_sample(next(one for one in samples() if one.name == "ekman_colors"))
    app = start()
    current = app.session_state[_KEY]
    current.open(opened.id)
    current.save()
    app = start("start", current.id)
    app.file_uploader(key="upload").upload(
        "notes.csv", b"anchor,near,far\na,b,c\nb,c,a\nc,a,b\n", "text/csv"
    ).run()
    current = app.session_state[_KEY]
    assert start("data", current.id).title[0].value.startswith("Reading")
    current.open(opened.id)
    current.save()
    app = start("data", current.id)
    assert not app.title[0].value.startswith("Reading")
    assert "is still to be read" in words(app)
