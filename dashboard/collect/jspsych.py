"""Files of jsPsych, which runs experiments in browsers; `packaging/backend.py` installs them."""

from __future__ import annotations

from pathlib import Path

import tripletscope

FOLDER = Path(tripletscope.__file__).parent / "jspsych"
#: In the order in which the page loads them.
SCRIPTS = (
    "jspsych.js", "plugin-browser-check.js", "plugin-call-function.js",
    "plugin-html-button-response.js", "plugin-instructions.js", "plugin-preload.js",
)
STYLES = ("jspsych.css",)
LICENCES = "LICENSES.txt"


def missing() -> str:
    """Which files are missing, and the remedy, in sentences; empty if none is."""
    absent = [name for name in (*SCRIPTS, *STYLES) if not (FOLDER / name).is_file()]
    if not absent:
        return ""
    return (
        "This installation lacks jsPsych, which runs experiments in the browser "
        f"({', '.join(absent)}). Everything else works. Install TripletScope again with a "
        "connection to the package indexes of Python and npm; in a copy of the repository, "
        "python packaging/backend.py is enough."
    )
