"""What files are understood, in words and by an example line each."""

from __future__ import annotations

import streamlit as st

from tripletscope.dashboard.ui import panels

#: What a row holds, the columns, and one row; every one is read as it says (there is a test).
EXAMPLES = (
    ("An anchor, two options and the one that was chosen, by name, side or position",
     "participant,anchor,left,right,choice", "ann,cat,dog,car,dog"),
    ("The anchor, the nearer and the farther object", "anchor,near,far", "cat,dog,car"),
    ("Three objects and the odd one out, or the most central, or the most similar pair",
     "object1,object2,object3,odd", "cat,dog,car,car"),
    ("Difference scaling (MLDS): three or four levels of one dimension, and which pair "
     "differs more", "s1,s2,s3,response", "0.1,0.4,0.9,1"),
    ("Votes for either option", "anchor,left,right,votes_left,votes_right", "cat,dog,car,14,3"),
)
PROGRAMS = (
    "Salmon, NEXT, tripletTools, jsPsych, PsychoPy and Pavlovia, Gorilla, Meadows, MLDS in R, "
    "cblearn, SPoSE and VICE, THINGS, ANTHROPAC, forms of Google, Qualtrics and SurveyMonkey"
)
FORMATS = "CSV, TSV, text, JSON, Excel, Parquet, NumPy, HDF5 or MATLAB, also as .gz or .zip"


def show_understood() -> None:
    """What can be uploaded, folded away."""
    if not (box := panels.folded("Which files are understood?", "understood")):
        return
    with box:
        rows = "\n".join(f"| {what} | `{columns}` | `{row}` |" for what, columns, row in EXAMPLES)
        st.markdown(f"| One row per answer | Columns, for example | A row |\n|---|---|---|\n{rows}")
        st.markdown(
            f"- As they are: files of {PROGRAMS}.\n- {FORMATS}; with or without a header, which "
            "may be in English, German, French, Spanish, Italian, Portuguese, Dutch, Polish, "
            "Turkish, Russian, Japanese or Chinese.\n- A square matrix of similarities, "
            "distances or confusions; ratings of pairs, sorting into piles, rankings, or one "
            "column per participant.\n"
            "- Beside the answers: a table of the objects, and their pictures."
        )
