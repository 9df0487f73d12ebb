"""Results are fetched from a JATOS server, beside the upload of files."""

from __future__ import annotations

from functools import partial

import streamlit as st

from tripletscope.core.data.errors import DataError
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.store.jatos import JatosStudy, fetch, fetched
from tripletscope.dashboard.store.services import is_shared, services
from tripletscope.dashboard.ui.controls import number, pressed
from tripletscope.dashboard.ui.panels import plain
from tripletscope.dashboard.upload import ingest
from tripletscope.dashboard.words.formats import count


def ask_jatos(current: Session) -> ingest.Opening | None:
    """Ask for a study and a token; what is being read of it, once that was begun."""
    folder = services().workspace.folder
    with st.expander("Fetch from JATOS", key="jatos"):
        where, study_id, secret = st.columns([3, 1, 2])
        address = where.text_input(
            "Address", current.remembered("jatos.address", ""), key="jatos.address",
            persist_state="session", placeholder="https://…",
        )
        with study_id:
            study = number(current, "jatos.study", "Study ID", 1, 2**31 - 1, 1)
        token = secret.text_input(
            "API token", type="password", key="jatos.token", autocomplete="off",
            help="From your user menu in JATOS. It is sent to this server alone and never kept.",
        )
        source = JatosStudy(address, study or 1)
        try:
            if address and source.url:  # which has no secret in it
                current.remember("jatos.address", address)
            for batch in fetched(folder, source) if address else ():
                st.caption(plain(
                    f"{batch['at']}: {count(len(batch['results']), 'new result')}, "
                    f"{batch['unfinished']:,} not finished"
                ))
        except DataError as error:
            st.caption(plain(str(error)))
            return None
        if pressed(
            current, "jatos.fetch", "Fetch new results", icon=":material/cloud_download:",
            why="" if address and token else "Address and API token are needed.",
            help="Finished results that were not fetched before, and all fetched earlier.",
        ):
            most = st.get_option("server.maxUploadSize") * 2**20
            files = partial(fetch, folder, source, token, is_shared=is_shared(), most=most)
            ingest.begin(current.id, f"jatos {source.name}", files, insist=False, name=source.name)
    begun = ingest.opening(current.id)
    return begun if begun is not None and begun.key.startswith("jatos ") else None
