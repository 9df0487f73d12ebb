"""The page Start, and what every page says where there are no data."""

from __future__ import annotations

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from tests.core.scales.test_conjoint import judged
from tests.dashboard.upload.uploads import png
from tests.pages.harness import (
    APP,
    PAGES,
    settled,
    start,
    unfold,
    words,
)
from tests.paths import ROOT
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.reading import TASKS
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.store import services as services_module
from tripletscope.dashboard.store.samples import samples
from tripletscope.dashboard.store.services import WORKSPACE_VARIABLE

CSV = (
    b"subject,head,left,right,winner\n"
    b"ann,cat,dog,car,dog\nbob,car,bus,dog,bus\nann,dog,cat,bus,cat\n"
)


def test_a_workspace_that_cannot_be_opened_is_said_in_a_sentence(tmp_path, monkeypatch):
    monkeypatch.setenv(WORKSPACE_VARIABLE, str(tmp_path / "file"))
    services_module._services.cache_clear()
    (tmp_path / "file").write_text("")
    app = start()
    assert "file cannot be written" in app.error[0].value.replace("\\", "")
    assert not words(app)


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page not in ("simulate", "collect", "computing")]
)
def test_without_data_every_page_says_what_to_do(services, page):
    app = start(page)
    assert app.title[0].value
    if page != "start":
        assert "No data set is open" in words(app)


def test_start_lists_samples_and_recent_data(services, opened):
    app = start()
    text = words(app)
    for sample in samples():
        assert sample.title.split("'")[0] in text
    assert "Things" in text
    assert "30 objects" in text


def test_older_data_are_drawn_when_they_are_asked_for(services):
    def add(number):
        data = Triplets.from_array([[0, 1, 2], [1, 2, 0]], 3, name=f"set {number}")
        return services.workspace.add_dataset(data, origin="a.csv", report=[])

    first, *_ = [add(number) for number in range(6)]
    app = start()
    assert app.expander[-1].label == "Older"
    assert "set 5" in words(app)
    assert "set 0" not in words(app)
    assert "set 0" in words(unfold(app, "Older"))
    add(6)  # by somebody else, before the click
    app.button(key=f"open.{first.id}").click().run()
    assert services.workspace.datasets()[0].id == first.id, "it was opened"


def test_a_sample_opens_with_one_click(services):
    app = start()
    app.button(key="sample.ekman_colors").click().run()
    assert not app.exception
    settled(app, services)
    assert app.title[0].value == "Ekman's colours"
    assert "are predicted with an error of" in words(app)


def test_an_address_can_ask_for_a_sample(services, holding):
    app = AppTest.from_file(APP, default_timeout=180)
    app.query_params["sample"] = "ekman_colors"
    with holding():
        app.run()
        assert not app.exception
        assert app.title[0].value == "Ekman's colours"
        services.jobs.shutdown()


def test_an_upload_is_shown_before_it_is_kept(services):
    app = start()
    app.file_uploader(key="upload").upload("pets.csv", CSV, "text/csv")
    app.run()
    assert not app.exception
    assert app.title[0].value == r"Reading pets\.csv"
    assert "ann saw *cat*; said *dog* is more similar than *car*" in words(app).replace("\\", "")
    assert services.workspace.datasets() == []

    app.selectbox(key=next(b.key for b in app.selectbox if b.label == "Participant")).select(
        "—"
    ).run()
    assert "Somebody saw" in words(app)

    app.text_input[0].set_value("My pets")
    next(b for b in app.button if b.label == "Keep this data set").click().run()
    settled(app, services)
    (info,) = services.workspace.datasets()
    assert (info.name, info.n_answers, info.n_participants) == ("My pets", 3, 0)
    assert app.title[0].value == "My pets"


def test_a_wrong_choice_of_columns_is_explained_and_can_be_undone(services):
    app = start()
    app.file_uploader(key="upload").upload("pets.csv", CSV, "text/csv")
    app.run()
    anchor = next(b for b in app.selectbox if b.label == "Anchor")
    anchor.select("winner").run()
    assert app.error
    assert "pets" in app.error[0].value
    keep = next(b for b in app.button if b.label == "Keep this data set")
    assert keep.disabled
    next(b for b in app.selectbox if b.label == "Anchor").select("head").run()
    assert not app.error


def test_a_discarded_upload_is_gone(services):
    app = start()
    app.file_uploader(key="upload").upload("pets.csv", CSV, "text/csv")
    app.run()
    next(b for b in app.button if b.label == "Discard").click().run()
    assert list((services.workspace.folder / "uploads").iterdir()) == []
    assert services.workspace.datasets() == []


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("empty.csv", b"", "empty"),
        ("picture.csv", b"\x89PNG\r\n\x1a\n" + bytes(100), "PNG"),
        ("two.csv", b"a,b\n1,2\n", "column"),
    ],
)
def test_what_is_no_answers_is_refused_and_nothing_is_lost(
    services, opened, name, content, message
):
    app = start()
    app.file_uploader(key="upload").upload(name, content, "text/csv")
    app.run()
    assert not app.exception
    (error,) = app.error
    assert name in error.value.replace("\\", "")
    assert message in error.value
    assert not [b for b in app.button if "columns" in b.label], "nothing to insist on"
    assert [info.name for info in services.workspace.datasets()] == ["Things"]


def test_answers_to_another_question_can_be_insisted_on(services):
    triangle = b"image1,image2,image3,choice\n1,1,3,3\n4,5,5,1\n7,8,7,2\n"
    app = start()
    app.file_uploader(key="upload").upload("triangle.csv", triangle, "text/csv")
    app.run()
    assert "triangle test" in app.error[0].value
    next(b for b in app.button if b.label == "Choose columns manually").click().run()
    assert not app.exception
    assert app.title[0].value == r"Reading triangle\.csv"


def test_what_was_asked_is_recognised_and_can_be_changed(services):
    odd = b"image1,image2,image3,choice\n1,2,3,3\n4,5,6,1\n7,8,9,2\n3,5,7,1\n"
    app = start()
    app.file_uploader(key="upload").upload("odd.csv", odd, "text/csv")
    app.run()
    assert not app.exception
    assert "is the odd one out" in words(app)
    asked = next(b for b in app.selectbox if b.label == "Task")
    assert asked.value == list(TASKS).index("odd_one_out")
    asked.select(list(TASKS).index("most_central")).run()
    assert not app.exception
    assert not app.error
    assert "is the most central" in words(app)
    next(b for b in app.button if b.label == "Keep this data set").click().run()
    (info,) = services.workspace.datasets()
    assert info.n_answers == 8


@pytest.mark.parametrize("page", ["data", "embedding", "kernel", "clusters", "scale", "compare"])
def test_damaged_answers_are_a_sentence_on_their_page(services, opened, page):
    (info,) = services.workspace.datasets()
    (services.workspace.folder / info.id / "answers.parquet").write_bytes(b"")
    services.workspace._answers.clear()
    services.workspace._compared.clear()
    app = start(page, opened)
    said = " ".join(element.value.replace("\\", "") for element in app.error)
    assert f"{info.id}/answers.parquet of the workspace is damaged" in said
    assert "Things" in words(start("start", opened))


def test_what_became_of_the_workspace_is_said_until_it_is_hidden(services, opened):
    services.workspace.notes.append("Its description was damaged.")
    services.workspace.news = ("There are views.",)
    app = start()
    assert app.warning[0].value.replace("\\", "") == "Its description was damaged."
    assert "There are views." in app.info[0].value
    app.button(key="notes.hide").click().run()
    assert not app.exception
    assert not app.warning
    assert not app.info


def test_the_trash_is_emptied_where_the_disk_is_full(services, opened, monkeypatch):
    monkeypatch.setattr("tripletscope.dashboard.store.trash._LITTLE", 2**63)
    entry = services.workspace.trash.folder / "2026-01-01T000000-0123abcd"
    entry.mkdir(parents=True)
    (entry / "large").write_bytes(bytes(2_000_000))
    app = start()
    assert "nearly full" in app.warning[0].value
    button = app.button(key="trash.empty")
    assert button.label == "Empty the trash (2 MB)"
    button.click().run()
    assert not app.exception
    assert not entry.exists()
    assert not app.warning


def test_a_damaged_picture_is_a_sentence_in_the_gallery(services, planted):
    objects = planted.objects.assign(image=[f"{k}.png" for k in range(30)])
    info = services.workspace.add_dataset(
        Triplets(planted.rows, objects, planted.answers, "Things"), origin="a.csv", report=[],
        pictures={f"{k}.png": png(k) for k in range(3)},
    )
    session = Session("test-session")
    session.open(info.id)
    session.save()
    (services.workspace.folder / info.id / "pictures" / "1.png").write_bytes(b"damaged")
    services.workspace._compared.clear()
    app = unfold(start("data", session.id), "About the data set")
    (said,) = [element.value.replace("\\", "") for element in app.error]
    assert "pictures/1.png of the workspace is damaged" in said
    assert "3 pictures" in words(app), "and the others are shown"


def test_conjoint_measurement_leads_to_its_page(services):
    """Nothing is wrong with it; it needs no data set."""
    app = start()
    table = judged(np.random.default_rng(0), 90, lambda a, b: 0.8 * a + 0.5 * b)
    app.file_uploader(key="upload").upload(
        "joint.csv", table.to_csv(index=False).encode(), "text/csv"
    ).run()
    assert not app.exception
    assert not app.error
    assert "it holds conjoint measurement" in app.info[0].value
    next(b for b in app.button if b.label == "Go to Scale, Conjoint").click().run()
    assert not app.exception
    assert "Conjoint measurement" in [one.value for one in app.header]


def test_preferences_are_said_to_be_no_similarities(services):
    app = start()
    content = (ROOT / "tests" / "fixtures" / "measured" / "preferences.csv").read_bytes()
    app.file_uploader(key="upload").upload("p.csv", content, "text/csv")
    app.run()
    told = app.error[0].value.replace("\\", "")
    assert "what is liked, not what is alike" in told
    assert "BradleyTerry2" in told
    assert "choix" in told
