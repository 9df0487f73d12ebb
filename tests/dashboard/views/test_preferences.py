"""Paired preferences on the page Scale."""

from __future__ import annotations

from tests.dashboard.views.harness import figure, numbers, settled, start, words
from tests.paths import ROOT

FILE = ROOT / "tests" / "fixtures" / "measured" / "preferences.csv"
PLACE = "scale.preferences"


def scaled(app, services, content: bytes):
    app.file_uploader(key=PLACE).upload("tea.csv", content, "text/csv")
    app.run()
    app.button(key=f"{PLACE}.run").click().run()
    return app if app.error else settled(app, services)


def test_preferences_need_no_data_set(services):
    app = start("scale")
    assert "No preferences yet" in words(app)
    app = scaled(app, services, FILE.read_bytes())
    text = words(app).replace("\\", "")
    assert "Bradley-Terry (logistic) scale of 6 objects from 45 comparisons, tea.csv" in text
    assert "bootstrap over comparisons, not people" in text
    assert "one scale" in text
    (dots,) = figure(app, "scale.preference-scale")["data"]
    values = numbers(dots["x"])
    assert len(values) == 6
    assert (values[:-1] >= values[1:]).all()
    app = scaled(app, services, b"x,y\n1,2\n")
    assert "are not those of preferences" in app.error[0].value.replace("\\", "")


def test_they_have_a_tab_beside_other_scales(services, opened):
    app = start("scale", opened)
    app.segmented_control(key="scale.view").set_value("preferences").run()
    assert not app.exception
    assert "No preferences yet" in words(app)


def test_the_start_page_says_where_preferences_belong(services):
    app = start()
    app.file_uploader(key="upload").upload("p.csv", FILE.read_bytes(), "text/csv")
    app.run()
    assert not app.error
    assert "on the page Scale, at Preferences" in app.info[0].value.replace("\\", "")
    app.button(key="preferences.go").click().run()
    assert app.title[0].value == "Scale"
