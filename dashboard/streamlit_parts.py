"""Parts of Streamlit that it does not document, behind names of ours.

Nothing else imports them. They may change with any of its versions: pyproject.toml bounds these,
and tests/dashboard/test_parts.py says what is needed of a newer one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from streamlit import auth_util
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime import Runtime
from streamlit.runtime.scriptrunner import StopException as Interrupted
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.web.server.starlette.starlette_app_utils import decode_signed_value
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

__all__ = [
    "DeltaGenerator", "Interrupted", "can_sign_in", "has_server", "is_shown", "script_id",
    "sign_in_path", "signed_in", "user_of_script",
]


def script_id() -> str:
    """Identifier of the browser tab whose script runs in this thread; empty outside of a server."""
    context = get_script_run_ctx(suppress_warning=True)
    return context.session_id if context is not None else ""


def user_of_script() -> Mapping[str, Any]:
    """What the server's door said of the person whose script runs; empty outside of a server."""
    context = get_script_run_ctx(suppress_warning=True)
    return context.user_info if context is not None else {}


def has_server() -> bool:
    return Runtime.exists()


def is_shown(script: str) -> bool:
    """Whether a browser tab is still open."""
    return bool(script) and Runtime.exists() and Runtime.instance().is_active_session(script)


def can_sign_in() -> bool:
    """Whether authlib is installed."""
    return auth_util.is_authlib_installed()


def sign_in_path() -> str:
    """Path and query that send a browser to the provider."""
    return f"/auth/login?provider={auth_util.encode_provider_token('default')}"


def signed_in(cookies: Mapping[str, str], secret: str) -> dict[str, Any]:
    """Claims of the person in the signed cookie; empty if there is none, or another's."""

    def part(name: str) -> bytes | None:
        value = cookies.get(name)
        if value is None:
            return None
        return decode_signed_value(secret, name, value.encode("latin-1", "replace"))

    kept = auth_util.get_cookie_with_chunks(part, USER_COOKIE_NAME)
    return json.loads(kept) if kept else {}
