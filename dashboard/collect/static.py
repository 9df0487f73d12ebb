"""An experiment as a ZIP that runs without a server of ours."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.question_kinds import ABOUT_OBJECTS
from tripletscope.core.studies.experiment.experiment import STIMULI, Experiment
from tripletscope.core.studies.experiment.items import WHEN
from tripletscope.core.studies.experiment.lists import person_list
from tripletscope.core.studies.experiment.question import KINDS
from tripletscope.core.studies.experiment.results import answers_table
from tripletscope.dashboard.collect import jspsych
from tripletscope.dashboard.collect.texts import CLIENT, page_data


@dataclass(frozen=True)
class Sending:
    """Where answers go.

    name: As in client/elsewhere.js.
    scripts: Those of the place, which the page loads before ours.
    """

    name: str
    title: str
    readme: str
    scripts: tuple[str, ...] = ()


SENDINGS = {
    "file": Sending("file", "A computer of the lab: a CSV for each person", """\
Unpack the ZIP on the computer and open index.html in a browser; no network is needed. After the
last question, the browser saves answers-ID.csv in its downloads. "Next person" begins again. Chrome
and Firefox can save without a dialog: see their settings of downloads. Read all files together with
TripletScope, or one by one.
"""),
    "post": Sending("post", "Any address that takes a POST", """\
Copy everything to any web server. After each answer the page sends rows, as a list of objects in
JSON (Content-Type text/plain), to your address; a status of 200 to 299 says that they are stored.
It sends other rows again: store each id once. An address of another host has to send
Access-Control-Allow-Origin. Read the stored rows, as a list or as lines of JSON, with TripletScope.
"""),
    "jatos": Sending("jatos", "JATOS", """\
In JATOS make a study with one component, copy everything into the study's assets folder, and name
index.html as the component's HTML file. Make study links with the parameters of your panel. Export
the results as plain text and read that with TripletScope.
""", ("jatos.js",)),
    "pavlovia": Sending("pavlovia", "Pavlovia", """\
Make a project of your own on Pavlovia, copy everything into it, and set the format of saving to
CSV. Pavlovia adds the script that the page loads from lib. Read the CSV files of the folder data
with TripletScope.
""", ("lib/jspsych-7-pavlovia-2022.1.1.js",)),
}
_README = """\
{title}
{line}

This experiment runs without TripletScope. {how}
Every person gets one of {n} lists of questions: that of the address (index.html?list=3), else
{which}. To test it, open index.html?preview or index.html?simulate=visual; nothing is sent then.
The first of these parameters in the address identifies a participant: {parameters}.
{adaptive}
The files contain the correct answers to catch and gold questions; failing them excludes nobody. The
experiment is made with jsPsych (jspsych/LICENSES.txt); nothing is loaded from anywhere else.
"""


def static_zip(
    experiment: Experiment, folder: Path, sending: str = "file", address: str = "",
    n_lists: int = 100,
) -> bytes:
    """A ZIP that runs wherever it is put.

    sending: Of `SENDINGS`.
    address: Of the sending ``post``.
    n_lists: Lists of questions; balanced ones if the experiment is adaptive.
    """
    missing = jspsych.missing()
    if missing:
        raise DataError(missing, file=experiment.title)
    way = SENDINGS[sending]
    if sending == "post" and not address.startswith(("https://", "http://", "/", "./")):
        raise DataError("answers need an address that they are sent to", file=experiment.title,
                        remedy="Give one that begins with https://.")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("index.html", _page(way))
        data = _data(experiment, way, address, n_lists)
        # A script, because a page from a disk may read no other file.
        file.writestr("data.js", f"window.COLLECT = {_in_script(data)};\n")
        file.writestr("README.txt", _readme(experiment, way, n_lists))
        for path in sorted(CLIENT.glob("*.*")):
            if path.name != "page.html":
                file.write(path, f"client/{path.name}")
        for name in (*jspsych.SCRIPTS, *jspsych.STYLES, jspsych.LICENCES):
            file.write(jspsych.FOLDER / name, f"jspsych/{name}")
        for name in sorted(experiment.files):
            try:
                # Stimuli are compressed already.
                file.write(folder / STIMULI / name, f"{STIMULI}/{name}", zipfile.ZIP_STORED)
            except OSError:
                raise DataError(f"the stimulus {name} is missing", file=experiment.title,
                                remedy=f"Put it into {folder / STIMULI}.") from None
    return packed.getvalue()


def _page(way: Sending) -> str:
    scripts = ["data.js", *way.scripts, "client/elsewhere.js"]
    tags = "\n".join(f'<script src="{name}"></script>' for name in scripts)
    return (CLIENT / "page.html").read_text(encoding="utf-8").replace("<!-- more -->", tags)


def _data(experiment: Experiment, way: Sending, address: str, n_lists: int) -> dict[str, Any]:
    fixed = experiment.changed(source="balanced") if experiment.is_adaptive else experiment
    places = {one.id: k for k, one in enumerate(experiment.objects)}
    kinds, sources = list(KINDS), []
    lists = []
    for person in range(n_lists):
        questions = [one for one in person_list(fixed, person).questions if one and not one.item]
        sources += sorted({one.source for one in questions} - {*sources})
        lists.append([
            [kinds.index(one.kind), sources.index(one.source),
             [places[name] for name in one.shown], list(one.correct)]
            for one in questions
        ])
    # Browsers go on with the same questions in a new ZIP, and begin again with others.
    items = {when: [vars(one) for one in getattr(experiment, when)] for when in WHEN}
    content = [experiment.title, experiment.task, list(places), lists]
    content += [items] * bool(experiment.before or experiment.after)
    name = hashlib.sha256(json.dumps(content).encode()).hexdigest()[:16]
    return {
        "told": page_data(experiment, name), "lists": lists, "items": items, "kinds": kinds,
        "sources": sources, "aboutObjects": ABOUT_OBJECTS,
        "columns": list(answers_table(experiment, []).columns), "sending": way.name,
        "address": address, "code": experiment.completion_code,
        "returnAddress": experiment.return_address,
    }


def _in_script(data: Any) -> str:
    """JSON without the end of a script."""
    return json.dumps(data, ensure_ascii=True, separators=(",", ":")).replace("</", "<\\/")


def _readme(experiment: Experiment, way: Sending, n_lists: int) -> str:
    return _README.format(
        title=experiment.title, line="=" * len(experiment.title), how=f"\n\n{way.readme}",
        n=n_lists, parameters=", ".join(experiment.parameters) or "none",
        which="the next one" if way.name == "file" else "a random one",
        adaptive="\nWithout a server, questions cannot depend on answers: they are balanced, and "
        "not adaptive.\n" if experiment.is_adaptive else "",
    )
