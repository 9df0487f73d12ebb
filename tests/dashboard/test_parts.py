"""What undocumented parts of Streamlit and plotly have to do, whatever their version."""

from __future__ import annotations

import json
import re

import pytest
import streamlit as st
from plotly.offline import get_plotlyjs
from streamlit import auth_util
from streamlit.web.server.starlette import starlette_app_utils
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

from tests.paths import ROOT
from tripletscope.dashboard import streamlit_parts as parts


def test_outside_of_a_server_nobody_is_there():
    assert parts.script_id() == ""
    assert not parts.user_of_script()
    assert not parts.is_shown("")
    assert not parts.is_shown("somebody")


def test_a_script_knows_its_tab_and_its_person(monkeypatch):
    class Context:
        session_id, user_info = "tab", {"person": "ann@example.org"}

    monkeypatch.setattr(parts, "get_script_run_ctx", lambda suppress_warning: Context)
    assert parts.script_id() == "tab"
    assert parts.user_of_script()["person"] == "ann@example.org"


def test_contexts_have_what_is_read_of_them():
    from streamlit.runtime.scriptrunner import ScriptRunContext

    fields = ScriptRunContext.__dataclass_fields__
    assert {"session_id", "user_info"} <= {*fields}
    assert callable(parts.Runtime.exists)
    assert callable(parts.Runtime.is_active_session)
    assert issubclass(type(st.sidebar), parts.DeltaGenerator)


def test_a_signed_cookie_is_read_and_a_forged_one_is_not():
    claims = {"email": "ann@example.org", "iat": 1}
    sign = starlette_app_utils.create_signed_value
    signed = sign("secret", USER_COOKIE_NAME, json.dumps(claims))
    cookies = {USER_COOKIE_NAME: signed.decode() if isinstance(signed, bytes) else signed}
    assert parts.signed_in(cookies, "secret") == claims
    assert parts.signed_in(cookies, "another secret") == {}
    assert parts.signed_in({}, "secret") == {}


def test_the_way_to_sign_in_names_the_provider():
    assert parts.can_sign_in()
    token = re.fullmatch(r"/auth/login\?provider=(.+)", parts.sign_in_path())[1]
    assert auth_util.decode_provider_token(token)["provider"] == "default"


SCRIPT = (ROOT / "dashboard" / "ui" / "assets" / "plotly.js").read_text()
USED = {*re.findall(r"\._(\w+)", SCRIPT), "l2p", "d2p", "cameraParams", "dataScale", "glplot"}


@pytest.mark.parametrize("name", sorted(USED))
def test_plotly_still_has_what_charts_use(name):
    assert re.search(rf"[._]{name}\b", get_plotlyjs())


def test_nothing_around_a_figure_asks_what_is_inside_of_it():
    """With :has, each line that was drawn had the whole page styled anew: 25 times a redraw."""
    askers = re.findall(r"([^\s{},]+):has\(", (ROOT / "dashboard/ui/assets/page.css").read_text())
    assert {*askers} <= {'[data-testid="stElementContainer"]'}
