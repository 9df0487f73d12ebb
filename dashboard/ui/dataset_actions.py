"""What can be done with a data set as a whole, beside its name."""

from __future__ import annotations

from functools import partial

import streamlit as st

from tripletscope.dashboard.store.dataset import DatasetInfo
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.controls import renamed
from tripletscope.dashboard.ui.dataset_words import answers_of
from tripletscope.dashboard.words.formats import count


def rename(info: DatasetInfo) -> None:
    """Ask for another name."""
    name = renamed(f"name.{info.id}", info.name)
    if name != info.name:
        services().workspace.rename_dataset(info.id, name)
        st.rerun()


def delete(info: DatasetInfo) -> None:
    """Delete after asking."""
    workspace = services().workspace
    panels.ask_to_delete(
        "this data set", f"{info.name}: {answers_of(info)} and "
        f"{count(len(workspace.runs(info.id)), 'result')} will be deleted. "
        f"{workspace.trash.what_becomes}", partial(workspace.delete_dataset, info.id),
    )
