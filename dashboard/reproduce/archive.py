"""All of a data set in one file: for OSF and Zenodo, for others to compute again, and to open.

What people and other programs read stands in CSV with a codebook in the style of Psych-DS; what
this program opens again stands in ``tripletscope``, as the workspace has it.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from tripletscope import __version__
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Judgements, Triplets
from tripletscope.core.io import MeasuredTable
from tripletscope.core.ratings import Measured
from tripletscope.core.ratings.kinds import measured
from tripletscope.core.run import TASKS, Run, key
from tripletscope.core.studies.quality import Cleaning
from tripletscope.dashboard import export
from tripletscope.dashboard.door.archive import (
    ABOUT,
    COMPOSER,
    FORMAT,
    INSIDE,
    MANIFEST,
    SETTINGS_OF,
    manifest,
    table_file,
    triplet_files,
)
from tripletscope.dashboard.keeping.dataset import DatasetInfo, RunInfo, WorkspaceError
from tripletscope.dashboard.keeping.dimension_names import (
    NAMES_KEPT,
    kept_names,
    names_of_fits,
)
from tripletscope.dashboard.keeping.workspace import Workspace
from tripletscope.dashboard.reproduce import codebook, guide
from tripletscope.dashboard.reproduce.environment import environment_files
from tripletscope.dashboard.reproduce.pseudonyms import (
    pseudonyms,
    renamed,
    renamed_cleaning,
)
from tripletscope.dashboard.reproduce.recipe import Steps, programs
from tripletscope.dashboard.reproduce.tables import result_tables
from tripletscope.dashboard.reproduce.terms import LICENCES, Terms

#: What a file of data holds, by the word for it in Psych-DS's names.
_ABOUT = {
    "objects": "The objects that were compared.",
    "answers": "Every imported answer: what is nearer to the anchor, and what is farther.",
    "pairs": "Every imported comparison of two pairs of objects.",
    "catch": "Trials with a correct response by construction.",
    "gold": "Questions with an answer that every attentive participant gives.",
}
_WORDS = {"catch": "catchtrials"}
#: What is noted of a data set that cannot name participants.
_NAMELESS = ("asked", "reading", "columns", "trials", NAMES_KEPT)
#: Names of pictures that are also names of files everywhere.
_SAFE = re.compile(r"[\w][\w .-]{0,80}\.(png|jpe?g|gif|webp|bmp)", re.IGNORECASE | re.ASCII)


@dataclass(frozen=True)
class Deposit:
    """What an archive is made of.

    pairs: Comparisons of pairs beside triplets.
    runs: Without arrays; what the script computes.
    kept: With arrays: what is opened again.
    left: What is not in it that one may look for, as sentences.
    measured: Ratings and so on that the answers were made of.
    features: Tables of features that are kept beside them.
    """

    info: DatasetInfo
    cleaning: Cleaning
    pairs: Quadruples | None
    pictures: dict[str, bytes]
    runs: list[Run]
    kept: list[tuple[RunInfo, Run]]
    left: list[str] = field(default_factory=list)
    measured: Measured | None = None
    features: list[MeasuredTable] = field(default_factory=list)

    @classmethod
    def of(cls, workspace: Workspace, info: DatasetInfo) -> Deposit:
        """What a workspace has of a data set."""
        kept, left = [], []
        listed = workspace.runs(info.id)[::-1]
        for one in listed:
            try:
                run = workspace.run(info.id, one.key)
            except WorkspaceError:
                run = None
            if run is None:
                left.append(f"{one.name}: its file in the workspace was damaged.")
            else:
                kept.append((one, run))
        pairs = None if info.has_only_pairs else workspace.pairs(info)
        return cls(
            info, workspace.cleaning(info), pairs, workspace.pictures(info),
            [Run(**one.record) for one in listed], kept, left,
            workspace.measured(replace(info, exclusions=[])), _tables(workspace, info),
        )

    @property
    def tables(self) -> list[pd.DataFrame | None]:
        """All tables that may name participants."""
        cleaning, pairs = self.cleaning, self.pairs
        return [
            cleaning.raw.answers, cleaning.catch_trials, pairs and pairs.answers,
            cleaning.gold and cleaning.gold.answers, self.measured and self.measured.table,
        ]

    @property
    def steps(self) -> Steps:
        """What computes the results again."""
        return Steps(self.info, self.cleaning, self.runs, self.pairs, named=self.named,
                     tables=self.features)

    @property
    def named(self) -> dict[str, dict[int, str]]:
        """What people call dimensions, by the key of their fit."""
        fits = [run for _, run in self.kept if (run.task, run.kind) == ("fit", "dimensions")]
        return names_of_fits(self.info, fits[::-1])

    def under_pseudonyms(self) -> Deposit:
        """The same with other names for the participants.

        Results that depend on the names are left out: the script computes them again.
        """
        names = pseudonyms(*self.tables)
        cleaning = renamed_cleaning(self.cleaning, names)
        pairs = self.pairs and Quadruples(
            self.pairs.rows, name=self.pairs.name, objects=self.pairs.objects,
            answers=renamed(self.pairs.answers, names),
        )
        # What was written for a report may name them, too.
        extra = {name: self.info.extra[name] for name in _NAMELESS if name in self.info.extra}
        left, kept = list(self.left), []
        new = {run.key: _of(run, cleaning.triplets, pairs) for run in self.runs}
        if NAMES_KEPT in extra:
            extra[NAMES_KEPT] = {
                new[key].key: names for key, names in kept_names(self.info).items() if key in new
            }
        info = replace(self.info, exclusions=cleaning.log(), extra=extra)
        for one, run in self.kept:
            if new[run.key].key == run.key:
                kept.append((one, run))
            else:
                left.append(f"{one.name}: it depends on who answered; the script computes it.")
        given = self.measured and measured(
            self.measured.kind, renamed(self.measured.table, names), self.measured.options
        )
        return replace(
            self, info=info, cleaning=cleaning, pairs=pairs, left=left, kept=kept, measured=given,
            runs=[new[run.key] for run in self.runs],
        )


def _tables(workspace: Workspace, info: DatasetInfo) -> list[MeasuredTable]:
    """Tables of features with a row for each object; damaged ones are missing."""
    about, found = workspace.cleaning(info).raw, []
    for kept in workspace.tables(info):
        with suppress(WorkspaceError):
            found.append(workspace.table(info, kept, about))
    return found


def _of(run: Run, *answers: Judgements | None) -> Run:
    """The run under the key that it has with the participants' new names."""
    if not run.data or "distances" in run.options:
        return run
    found = []
    for one in filter(None, answers):
        try:
            data = TASKS[run.task].fingerprint(run.fresh(), one, run.options)
            found.append(replace(run, data=data, key=key(run.task, run.fresh(), one, run.options)))
        except (DataError, ValueError):  # it is of the other answers, or of an earlier version
            continue
    same = [one for one in found if one.data == run.data]
    if same:
        return run
    return found[0] if found else run


def archive(
    workspace: Workspace, info: DatasetInfo, terms: Terms, *,
    files: Mapping[str, bytes] | None = None, settings: Mapping[str, Any] | None = None,
) -> bytes:
    """A data set with everything that belongs to it, as one ZIP.

    info: One of the workspace.
    files: Further files, such as a report, which go to the folder ``products``.
    settings: What was set on pages, as plain values by the keys of widgets.
    Returns: See its ``README.md`` for what is where. `restored` opens it.
    """
    deposit = Deposit.of(workspace, info)
    if terms.pseudonyms:
        deposit = deposit.under_pseudonyms()
    name = export.file_name(info.name)
    steps = deposit.steps
    found = {**_analysis(deposit, steps, name), **_inside(deposit, settings or {})}
    tables = _described(deposit, found)
    found["dataset_description.json"] = codebook.dataset_description(tables, _about(deposit, terms))
    people = codebook.participants(deposit.cleaning.raw.answers, deposit.cleaning.kept)
    if people is not None:
        found["participants.tsv"] = codebook.tab_separated(people[0])
        found["participants.json"] = json.dumps(
            people[1], indent=2, ensure_ascii=False
        ).encode()
    found |= {f"environment/{file}": text for file, text in environment_files().items()}
    found |= {f"products/{file}": content for file, content in (files or {}).items()}
    found["LICENSE"] = terms.licence_file()
    if terms.authors:
        found["CITATION.cff"] = terms.citation_file()
    left = [*deposit.left, *_not_computed(deposit, steps)]
    text = guide.readme(terms, deposit.info, sorted(found), name, left)
    found["README.md"] = text.encode()
    found = dict(sorted(found.items()))
    return export.bundle({**found, MANIFEST: manifest(found)})


def _not_computed(deposit: Deposit, steps: Steps) -> list[str]:
    """Which results of features the script does not compute, and which tables open with none."""
    names = {run.key: one.name for one, run in deposit.kept}
    left = [
        f"{names[run.key]}: its features are no columns of the objects, nor tables that are kept, "
        "so that the script does not compute it; its result is in here."
        for run in steps.unknown if run.key in names
    ]
    if deposit.features:
        left.append(
            "Tables of features: TripletScope opens this file without them. Those that results "
            "need are in `analysis`, as features-1.npz and so on, and can be uploaded again."
        )
    return left


def _analysis(deposit: Deposit, steps: Steps, name: str) -> dict[str, bytes]:
    """Data in CSV, what computes the results of them, and what they are in CSV."""
    study = re.sub(r"[^a-zA-Z0-9]", "", deposit.info.name)[:40] or "triplets"

    def place(what: str, ending: str) -> str:
        if ending == ".csv":
            return f"../data/study-{study}_description-{_WORDS.get(what, what)}_data.csv"
        return f"{what}{ending}"

    sources = steps.sources(place)
    files = {**sources.files, **programs(steps, sources.paths, name)}
    files["settings.json"] = steps.settings()
    found = {
        path.removeprefix("../") if path.startswith("../") else f"analysis/{path}": content
        for path, content in files.items()
    }
    # Names that cannot be read again stand in a table all the same, for people.
    answers = place("answers", ".csv").removeprefix("../")
    if "answers" in sources.paths and answers not in found:
        found[answers] = export.csv(_by_name(deposit.cleaning.raw))
    runs = [run for _, run in deposit.kept]
    tables = result_tables(steps, runs)
    return found | {f"results/{file}": content for file, content in tables.items()}


def _by_name(triplets: Triplets) -> pd.DataFrame:
    names = np.array(triplets.ids, dtype=object)[triplets.rows]
    rows = pd.DataFrame(names, columns=["anchor", "near", "far"])
    return pd.concat([rows, triplets.answers], axis=1)


def _described(deposit: Deposit, found: dict[str, bytes]) -> dict[str, pd.DataFrame]:
    """Every table in ``data``; what describes its columns is added beside it."""
    tables = {}
    raw, cleaning = deposit.cleaning.raw, deposit.cleaning
    given = {
        "objects": raw.objects.drop(columns="image", errors="ignore"),
        "answers": _by_name(raw) if isinstance(raw, Triplets) else None,
        "pairs": None, "catch": cleaning.catch_trials,
        "gold": None if cleaning.gold is None else _by_name(cleaning.gold),
    }
    for path in [path for path in found if path.startswith("data/")]:
        word = path.split("description-")[1].removesuffix("_data.csv")
        what = next(what for what in _ABOUT if _WORDS.get(what, what) == word)
        columns = pd.read_csv(io.BytesIO(found[path]), nrows=0).columns
        table = given[what] if given[what] is not None else pd.read_csv(io.BytesIO(found[path]))
        # A file may have other columns than the table: response times in milliseconds.
        wide = pd.read_csv(io.BytesIO(found[path])) if set(columns) - set(table) else table
        tables[path] = wide[list(columns)]
        found[f"{path.removesuffix('.csv')}.json"] = codebook.sidecar(
            tables[path], _ABOUT[what]
        )
    return tables


def _about(deposit: Deposit, terms: Terms) -> dict[str, Any]:
    """What schema.org's ``Dataset`` says of the archive."""
    info = deposit.info
    amount = f"{info.n_pairs:,} comparisons of pairs" if info.has_only_pairs else (
        f"{info.n_answers:,} answers"
    )
    chosen = LICENCES[terms.licence]
    found: dict[str, Any] = {
        "name": terms.title,
        "description": f"Comparisons of similarity: {amount} about {info.n_objects:,} objects"
        + (f" by {info.n_participants:,} participants" if info.n_participants else "")
        + (f". {info.left_out}" if info.left_out else "."),
    }
    if terms.authors:
        found["creator"] = [{"@type": "Person", "name": author} for author in terms.authors]
    if chosen.address:
        found["license"] = chosen.address
    return found


def _inside(deposit: Deposit, settings: Mapping[str, Any]) -> dict[str, bytes]:
    """What this program opens again."""
    info, cleaning = deposit.info, deposit.cleaning
    found: dict[str, bytes] = {}
    raw, pairs = cleaning.raw, deposit.pairs
    if isinstance(raw, Quadruples):
        raw, pairs = Triplets(np.zeros((0, 3)), raw.objects), raw
    found |= triplet_files(raw, "imported")
    if cleaning.gold is not None:
        found |= triplet_files(cleaning.gold, "gold")
    if pairs is not None:
        rows = pd.DataFrame(pairs.rows, columns=list("ijkl"))
        found["pairs.parquet"] = table_file(pd.concat([rows, pairs.answers], axis=1))
    if cleaning.catch_trials is not None:
        found["catch-trials.parquet"] = table_file(cleaning.catch_trials)
    if deposit.measured is not None:
        found["measured.parquet"] = table_file(deposit.measured.table)
    pictures, places = {}, {}
    for number, (name, content) in enumerate(deposit.pictures.items()):
        file = name if _SAFE.fullmatch(name) else f"picture-{number:05}.{_ending(name)}"
        places[name] = f"materials/{file}"
        pictures[places[name]] = content
    runs = []
    for one, run in deposit.kept:
        file = f"runs/{run.key}.npz"
        buffer = io.BytesIO()
        np.savez_compressed(buffer, **run.arrays)
        found[file] = buffer.getvalue()
        runs.append({"name": one.name, "file": f"{INSIDE}{file}", "record": one.record})
    about = {
        "format": FORMAT, "version": __version__,
        "dataset": {
            "name": info.name, "origin": info.origin, "report": info.report,
            "exclusions": info.exclusions, "extra": info.extra, **_measured(deposit.measured),
            "imported": raw.fingerprint, "pictures": places,
        },
        "runs": runs, "settings": kept_settings(info, deposit.runs, settings),
    }
    return {
        **{f"{INSIDE}{file}": content for file, content in found.items()}, **pictures,
        ABOUT: json.dumps(about, indent=1, ensure_ascii=False).encode(),
    }


def _measured(given: Measured | None) -> dict[str, Any]:
    return {} if given is None else {"measured": {"kind": given.kind, "options": given.options}}


def _ending(name: str) -> str:
    ending = name.rpartition(".")[2].lower()
    return ending if ending in ("png", "jpg", "jpeg", "gif", "webp", "bmp") else "png"


def kept_settings(
    info: DatasetInfo, runs: Sequence[Run], settings: Mapping[str, Any]
) -> dict[str, Any]:
    """What was set on pages for a data set and its results, whatever it is called elsewhere."""
    own = (info.id, *(run.key for run in runs))
    chosen = {
        name: value for name, value in settings.items()
        if any(word in name for word in own)
        or (name.startswith(COMPOSER) and isinstance(value, dict))
    }
    return json.loads(json.dumps(chosen).replace(info.id, SETTINGS_OF))
