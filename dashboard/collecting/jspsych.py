"""jsPsych, with which experiments run in browsers: where it is, and what to do where it is not.

It is in no repository. `packaging/backend.py` brings it into the package when that is built.
"""

from __future__ import annotations

from pathlib import Path

import tripletscope

#: Where the builder of the package puts it.
FOLDER = Path(tripletscope.__file__).parent / "jspsych"
#: What the participant's page loads, in this order.
SCRIPTS = (
    "jspsych.js", "plugin-browser-check.js", "plugin-call-function.js",
    "plugin-html-button-response.js", "plugin-instructions.js", "plugin-preload.js",
)
STYLES = ("jspsych.css",)
LICENCES = "LICENSES.txt"


def missing() -> str:
    """What is missing to run experiments, and the remedy, in sentences; empty if nothing is."""
    absent = [name for name in (*SCRIPTS, *STYLES) if not (FOLDER / name).is_file()]
    if not absent:
        return ""
    return (
        "jsPsych, with which experiments run in the browser, was not there when TripletScope was "
        f"installed ({', '.join(absent)}). Everything else works. Install TripletScope again with "
        "a connection to the package indexes of Python and npm; in a copy of the repository, "
        "python packaging/backend.py is enough."
    )
