"""What strangers put into folders runs nowhere in the dashboard, nor on a page for participants."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from urllib.request import urlopen

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Error, Page, sync_playwright
from starlette.datastructures import Headers
from starlette.responses import Response
from streamlit.web.server.starlette import starlette_app

from tests.browser import CHROMIUM, needs_browser
from tests.dashboard.collect.serving import serving
from tests.server import UNHURRIED, running
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.studies.experiment.experiment import STIMULI, Experiment, Stimulus
from tripletscope.dashboard.collect.server import make_experiment_server
from tripletscope.dashboard.files.storage import sum_of
from tripletscope.dashboard.sandbox.outgoing import MEDIA, POLICY
from tripletscope.dashboard.serve import server
from tripletscope.dashboard.serve.guard import Guard
from tripletscope.dashboard.store.experiments import NAME
from tripletscope.dashboard.store.workspace import Workspace

RUNS = "document.title = 'ran'; fetch('/ran')"
PAGE = f"<!doctype html><title>evil</title><script>{RUNS}</script><script src='evil.js'></script>"
EVIL = {
    "evil.svg": f"<svg xmlns='http://www.w3.org/2000/svg' onload=\"{RUNS}\"><script>{RUNS}</script>"
    "<script href='evil.js'/><circle r='9'/></svg>",
    "evil.html": PAGE, "evil.xhtml": PAGE, "evil": PAGE, "evil.js": RUNS, "evil.pdf": PAGE,
    "evil.xml": f"<x xmlns:h='http://www.w3.org/1999/xhtml'><h:script>{RUNS}</h:script></x>",
}


def evil_files(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in EVIL.items():
        (folder / name).write_text(content)


def evil_experiment(folder: Path) -> Path:
    """An experiment whose stimuli are called like that."""
    evil_files(folder / STIMULI)
    Experiment(title="Evil", n_questions=3, objects=tuple(
        Stimulus(f"o{k}", "picture", name) for k, name in enumerate(EVIL)
    )).save(folder)
    return folder


def evil_dataset(workspace: Path) -> list[str]:
    """A copied folder with such pictures, and their addresses."""
    made = Workspace(workspace)
    objects = pd.DataFrame({"id": [f"o{k}" for k in range(4)]})
    info = made.add_dataset(
        Triplets(np.array([[0, 1, 2], [1, 2, 3]]), objects, name="evil"), origin="a", report=[])
    made.close()
    folder = workspace / info.id
    evil_files(folder / "pictures")
    about = json.loads((folder / "about.json").read_text())
    for name in EVIL:
        place = f"pictures/{name}"
        about["pictures"][name], about["sums"][place] = place, sum_of(folder / place)
    (folder / "about.json").write_text(json.dumps(about))
    return [f"tripletscope/pictures/{info.id}/{about['sums'][f'pictures/{name}']}/{name}{size}"
            for name in EVIL for size in ("", "?size=64")]


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """Addresses of such files, and of the server."""
    workspace = tmp_path_factory.mktemp("evil")
    pictures = evil_dataset(workspace)
    evil_experiment(workspace / NAME / "evil")
    places = [*pictures, *(f"tripletscope/experiments/evil/{name}" for name in EVIL)]
    with running(workspace, command=UNHURRIED) as address:
        yield [f"{address}/{place}" for place in places]


def is_held(headers) -> bool:
    """Whether nothing in a file that comes with these headers can run."""
    shown = headers["content-type"].partition(";")[0] in MEDIA.values()
    return (
        headers["content-security-policy"] == POLICY
        and headers["x-content-type-options"] == "nosniff"
        and (shown or headers["content-disposition"].startswith("attachment"))
    )


def test_files_of_users_come_without_rights(served):
    answers = [urlopen(address, timeout=300) for address in served]  # a reader has to start
    assert len(answers) == 3 * len(EVIL)
    assert all(is_held(one.headers) for one in answers)


def is_shown(page: Page, address: str) -> bool:
    """Whether a browser shows what is at an address, and does not save it."""
    try:
        page.goto(address)
    except Error as error:
        if "Download is starting" not in str(error):
            raise
        return False
    return True


@pytest.mark.browser
@needs_browser
def test_no_script_in_them_runs(served, tmp_path):
    """Opened in a tab, by the person whose dashboard it is, or by a participant."""
    with serving(evil_experiment(tmp_path)) as port, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        context = browser.new_context()
        context.set_default_timeout(300_000)
        ran = []
        context.on("request", lambda one: ran.append(one.url) if one.url.endswith("/ran") else 0)
        page = context.new_page()
        shown = 0
        for address in [*served, *(f"http://127.0.0.1:{port}/stimuli/{name}" for name in EVIL)]:
            if not is_shown(page, address):
                continue
            shown += "evil.svg" in address
            assert page.title() != "ran", address
            page.goto("about:blank")
        assert shown == 4, "pictures are still shown"
        assert not ran
        browser.close()


# Every address ---------------------------------------------------------------------------------

#: What gives out no file of a user, of the dashboard, of participants' server, and of Streamlit.
OWN = {
    f"/tripletscope/plotly-{server.get_plotlyjs_version()}.min.js",
    "/tripletscope/experiments/{slug}", "/tripletscope/jobs/{job}",
    "/tripletscope/jobs/{job}/{view}", "/tripletscope/health", "/help",
    "/", "/health", "/experiment.json", "/client/{file}", "/jspsych/{file}", "/begin", "/next",
    "/answers", "/events", "/end",
    "/_stcore/health", "/_stcore/script-health-check", "/_stcore/metrics", "/_stcore/host-config",
    "/_stcore/upload_file/{session_id}/{file_id}", "/_stcore/bidi-components/{path:path}",
    "/component/{path:path}", "/_stcore/stream", "", "/auth/login", "/auth/logout",
    "/oauth2callback",
}
USERS = {
    "/tripletscope/pictures/{file:path}", "/tripletscope/experiments/{slug}/{file}",
    "/stimuli/{file}", "/media/{file_id:path}",
}


def test_every_address_is_known(tmp_path):
    """A new one gives out what is ours, or sends what is not by `held`, and is tried above."""
    evil_experiment(tmp_path)
    ours = [*server.routes(), *make_experiment_server(tmp_path).routes]
    found = {one.path for one in ours}
    assert found <= OWN | USERS
    assert {*USERS} - {"/media/{file_id:path}"} <= found
    runtime = server.make_app()._create_runtime()
    streamlit = {
        one.path for one in starlette_app.create_streamlit_routes(runtime)
        if "agent" not in one.path
    }
    assert streamlit <= OWN | USERS, "what Streamlit gives out has grown"
    assert "/media/{file_id:path}" in streamlit


@pytest.mark.parametrize(("kind", "disposition"), [
    ("image/svg+xml", None), ("text/html", None), ("application/xhtml+xml", "inline"),
    ("text/html", "attachment; filename=report.html"), ("application/pdf", None), (None, None),
])
@pytest.mark.parametrize("base", ["", "/below"])
def test_what_streamlit_gives_out_has_no_rights_either(kind, disposition, base):
    given = {"Content-Disposition": disposition} if disposition else {}

    async def media(scope, receive, send):
        await Response(PAGE, media_type=kind, headers=given)(scope, receive, send)

    sent = []

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": f"{base}/media/a",
             "headers": [(b"host", b"localhost")]}
    asyncio.run(Guard(media)(scope, None, send))
    names = [name for name, _ in sent[0]["headers"]]
    assert len(names) == len({*names}), "two policies"
    headers = Headers(raw=sent[0]["headers"])
    assert is_held({"content-type": "", **headers})
    if disposition and disposition.startswith("attachment"):
        assert headers["content-disposition"] == disposition
