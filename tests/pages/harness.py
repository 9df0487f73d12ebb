"""What tests of pages share: the app in Streamlit's own test harness, and what is on it."""

from __future__ import annotations

import base64
import json
from dataclasses import replace

import numpy as np
import pandas as pd
from streamlit.testing.v1 import AppTest

from tests.paths import ROOT
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.core.run import Run
from tripletscope.dashboard.state import _KEY, Session
from tripletscope.dashboard.store.dataset import DatasetInfo

APP = str(ROOT / "dashboard" / "app.py")
PAGES = {name: f"../pages/{name}/{name}.py" for name in (
    "start", "data", "embedding", "dimensions", "kernel", "clusters", "trees", "scale", "people",
    "features", "compare", "simulate", "collect", "computing",
)}


def start(page: str = "start", session: str | None = None, tab: str = "") -> AppTest:
    """The app on a page, with what was saved of a session, and on a tab."""
    app = AppTest.from_file(APP, default_timeout=180)
    if session:
        app.query_params["session"] = session
    if tab:
        app.query_params["tab"] = tab
    if page != "start":
        app.switch_page(PAGES.get(page, f"../pages/{page}/{page}.py"))
    app.run()
    assert not app.exception
    return app


def on_tab(app: AppTest, page: str, tab: str) -> AppTest:
    """The app on a tab of the page that it shows."""
    tabs = app.segmented_control(key=f"{page}.view")
    if tabs.value != tab:
        tabs.set_value(tab).run()
    assert not app.exception
    return app


def unfold(app: AppTest, *titles: str) -> AppTest:
    """The app with some boxes unfolded, one after the other: the next may be in the last."""
    for title in titles:
        (box,) = [box for box in app.expander if box.label == title]
        app.session_state[box.proto.id.split("-", 2)[-1]] = True
        app.run()
    assert not app.exception
    return app


def settled(app: AppTest, services) -> AppTest:
    """The app once the job of its session has ended."""
    for job in services.jobs.of(app.session_state[_KEY].id):
        assert job.wait(300)  # a machine may be busy
    app.run()
    assert not app.exception
    return app


def stopped(services) -> tuple[DatasetInfo, Run]:
    """The one map of the one data set as if it had been stopped: of the same key, and another."""
    (info,) = services.workspace.datasets()
    (listed,) = services.workspace.runs(info.id, "fit")
    found = services.workspace.run(info.id, listed.key)
    turned = {name: array[::-1] for name, array in found.arrays.items()}
    return info, replace(found, complete=False, arrays=turned)


def words(app: AppTest) -> str:
    return " ".join(str(element.value) for kind in ("markdown", "caption", "title", "header")
                    for element in app.get(kind))


def figure(app: AppTest, key: str) -> dict:
    """The figure that a chart was given."""
    (found,) = [c for c in app.get("bidi_component") if c.proto.id.endswith(key)]
    return json.loads(json.loads(found.proto.json)["figure"])


def numbers(encoded: dict | list) -> np.ndarray:
    """An array of a figure, which plotly encodes where it is long."""
    if isinstance(encoded, dict):
        return np.frombuffer(base64.b64decode(encoded["bdata"]), encoded["dtype"])
    return np.array(encoded, dtype=float)


def session_on(services, triplets: Triplets, **further) -> str:
    """Id of a saved session in which these answers are open."""
    info = services.workspace.add_dataset(
        triplets, origin="a.csv", report=["All was read."], **further
    )
    session = Session("test-session")
    session.open(info.id)
    session.save()
    return session.id


def repeated_crowd(n: int = 10, questions: int = 400, times: int = 8) -> Triplets:
    """Answers of as many people to the same questions, who respond as STE has it."""
    rng = np.random.default_rng(0)
    truth = rng.normal(size=(n, 2))
    asked = np.array([rng.choice(n, 3, replace=False) for _ in range(questions)])
    rows = np.repeat(asked, times, axis=0)
    near, far = (np.sum((truth[rows[:, 0]] - truth[rows[:, k]]) ** 2, axis=1) for k in (1, 2))
    turned = rng.random(len(rows)) > 1 / (1 + np.exp(near - far))
    rows[turned, 1:] = rows[turned, :0:-1]
    who = pd.DataFrame({"participant": [f"p{k}" for k in range(times)] * questions})
    return Triplets(rows, pd.DataFrame({"id": [str(k) for k in range(n)]}), who, "Repeated")


def crowd(n: int, n_answers: int, *, people: int = 4, label: str = "{}") -> Triplets:
    """Answers of some people about objects of a class and a size."""
    truth = np.random.default_rng(n).normal(size=(n, 2))
    answers = simulate(truth, n_answers, noise="logistic", seed=1)
    who = pd.DataFrame({"participant": [f"person {k % people}" for k in range(n_answers)]})
    objects = pd.DataFrame({
        "id": [label.format(k) for k in range(n)], "size": np.arange(n, dtype=float),
        "kind": np.resize(["round", "square"], n),
    })
    return Triplets(answers.rows, objects, who, f"{n} things")
