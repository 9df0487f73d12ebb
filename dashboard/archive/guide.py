"""The README of an archive: its files and how to use them."""

from __future__ import annotations

from collections.abc import Sequence

from tripletscope import __version__
from tripletscope.dashboard.archive.terms import LICENCES, Terms
from tripletscope.dashboard.store.dataset import DatasetInfo
from tripletscope.dashboard.words import literal

#: Contents by prefix; missing ones are not listed.
_WHERE = {
    "data/": "tables as CSV, each with a description of its columns (Psych-DS)",
    "participants.tsv": "participants, one per row (BIDS)",
    "participants.json": "description of the columns of this table",
    "dataset_description.json": "description of the data set for machines (Psych-DS, schema.org)",
    "analysis/": "a script and a notebook that compute the results again; their provenance",
    "analysis/plan": "the analysis plan, what was computed of it, and deviations",
    "tables/": "the numbers behind the figures of every result, as CSV; `contents.csv` tells which",
    "environment/": "the versions of the software, for pip, uv and conda",
    "pictures/": "pictures of the objects",
    "products/": "reports and other files that were added",
    "about.json": "the data set as TripletScope keeps it, with `*.parquet` and `features/`",
    "results/": "a folder for each result: its settings, and its numbers as NPZ",
    "pages.json": "settings of the pages of TripletScope",
    "LICENSE": "licence",
    "CITATION.cff": "how to cite it",
}


def readme(
    terms: Terms, info: DatasetInfo, files: Sequence[str], name: str, left: Sequence[str]
) -> str:
    """The text, in Markdown; `left` are missing things, as sentences."""
    there = [
        f"| `{start}` | {what} |" for start, what in _WHERE.items()
        if any(file.startswith(start) for file in files)
    ]
    by = f"by {literal(', '.join(terms.authors))}\n\n" if terms.authors else ""
    report = [f"- {literal(line)}" for line in info.report]
    excluded = [f"- {literal(info.left_out)}"] if info.left_out else []
    missing = ["## Not included", "", *(f"- {literal(line)}" for line in left), ""] if left else []
    names = (
        ["Participants are called `sub-001` and so on, in the order of their names.", ""]
        if terms.pseudonyms else []
    )
    return "\n".join([
        f"# {literal(terms.title)}", "",
        f"{by}Licence: {LICENCES[terms.licence].name} (`LICENSE`).", "",
        "## Files", "", "| file | content |", "| --- | --- |", *there,
        "| `manifest-sha256.txt` | sums of all files: `sha256sum -c manifest-sha256.txt` |", "",
        "## The data", "", *report, *excluded, "", *names, *missing,
        "## Compute the results again", "",
        f"TripletScope {__version__} computed them. In the folder `analysis`:", "",
        "```", "pip install -r ../environment/requirements.txt", f"python {name}.py", "```", "",
        f"or, without installing anything, `uv run {name}.py`. The notebook "
        f"`{name}.ipynb` has the same steps, and figures. Both check that each result is the same "
        "as then.", "",
        "The script, `environment/requirements.txt` and `environment.yml` name the versions of "
        "everything that was installed for it.", "",
        "## Look at them", "",
        "Upload this file on the start page of TripletScope, or unpack it into a new folder in "
        "the folder of its workspace: data, exclusions, pictures and results return without "
        "computing anything again. In Python, `tripletscope.open(\"FOLDER\")` opens that folder.",
        "",
    ])
