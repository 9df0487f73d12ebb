"""All of a data set in one file: for OSF and Zenodo, to compute again, and to open.

It is the data set's folder in the workspace, with CSV, codebook, scripts and licence.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Answers, Triplets
from tripletscope.core.engine.task import OfMarked
from tripletscope.core.ratings import RatedDissimilarities
from tripletscope.core.ratings.kinds import measured
from tripletscope.core.reading import FeatureTable
from tripletscope.core.run import TASKS, Run, key
from tripletscope.core.studies.quality import Cleaning
from tripletscope.dashboard.archive import codebook, guide
from tripletscope.dashboard.archive.environment import environment_files
from tripletscope.dashboard.archive.page_settings import kept_settings
from tripletscope.dashboard.archive.pseudonyms import (
    pseudonyms,
    renamed,
    renamed_answers,
    renamed_cleaning,
    reworded,
    tables_of,
)
from tripletscope.dashboard.archive.recipe import Steps, measured_of_left, programs, rated_for
from tripletscope.dashboard.archive.terms import LICENCES, Terms
from tripletscope.dashboard.files import export
from tripletscope.dashboard.files.errors import WorkspaceError
from tripletscope.dashboard.results import drawings
from tripletscope.dashboard.results.preregistration import standing_text
from tripletscope.dashboard.sandbox.archive import MANIFEST, PAGES, manifest
from tripletscope.dashboard.store.change import ABOUT, TABLES
from tripletscope.dashboard.store.dataset import ALL_ANSWERS, DatasetInfo, RunInfo, state_of
from tripletscope.dashboard.store.description import (
    COLLECTED,
    DESIGN,
    FIRST_ANSWER,
    FORMER_PLANS,
    LOOKED_AT,
    MAP_CHOSEN,
    MEASURED,
    NAMES_KEPT,
    PLAN,
    UPLOADED,
    info_of,
)
from tripletscope.dashboard.store.dimension_names import kept_names, names_of_fits
from tripletscope.dashboard.store.feature_tables import free_name
from tripletscope.dashboard.store.folder import RESULTS, RUN, DataFolder
from tripletscope.dashboard.store.plans import standing_of
from tripletscope.dashboard.store.workspace import Workspace, keep_views
from tripletscope.dashboard.words import uncited

#: Contents of files of data, by the word in Psych-DS's names.
_ABOUT = {
    "objects": "The objects that were compared.",
    "answers": "Every imported answer: the nearer and the farther object.",
    "pairs": "Every imported comparison of two pairs of objects.",
    "measured": "Ratings, piles and the like, of which the answers were made.",
    "catch": "Trials with a correct response by construction.",
    "gold": "Questions with an answer that every attentive participant gives.",
    "beside": "Comparisons of stimuli that vary in several dimensions.",
}
_WORDS = {"catch": "catchtrials"}
#: Notes on a data set that cannot name participants.
_NAMELESS = (
    "asked", "reading", "columns", "features", NAMES_KEPT, TABLES, MEASURED, MAP_CHOSEN, PLAN,
    FIRST_ANSWER, UPLOADED, FORMER_PLANS, LOOKED_AT, DESIGN,
    COLLECTED,
)
#: Most rows of a table: a matrix of thousands of objects is left out.
_MOST = 200_000


@dataclass(frozen=True)
class Deposit:
    """Content of an archive.

    runs: Without arrays, which the script computes, but for those that hold their data.
    kept: With arrays, to be opened again.
    left: Missing things, as sentences.
    measured: Ratings and so on behind the answers.
    names: Pseudonyms of participants; empty where they keep their names.
    views: With the workspace's state of their results.
    looks: See `Steps`.
    """

    folder: DataFolder
    about: dict[str, Any]
    info: DatasetInfo
    cleaning: Cleaning
    pairs: Quadruples | None
    runs: list[Run]
    kept: list[tuple[RunInfo, Run]]
    left: list[str] = field(default_factory=list)
    measured: RatedDissimilarities | None = None
    features: list[FeatureTable] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    views: dict[str, tuple[str, Cleaning]] = field(default_factory=dict)
    looks: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, workspace: Workspace, dataset: str) -> Deposit:
        """A data set of a workspace, without what is damaged."""
        folder = DataFolder(workspace.folder / dataset)
        about = folder.about()
        info = info_of(dataset, about, None)
        cleaning, left = workspace.cleaning(info), []

        def whole(name: str, read: Callable[..., Any], *arguments: Any) -> Any:
            try:
                return read(*arguments)
            except WorkspaceError:
                left.append(f"{name}: its file in the workspace was damaged.")

        about["pictures"] = {name: place for name, place in about["pictures"].items()
                             if whole(name, folder.checked, about, place)}
        tables = [(kept, whole(kept.name, workspace.table, info, kept, cleaning.raw))
                  for kept in workspace.tables(info)]
        if tables:
            about["extra"][TABLES] = [vars(kept) for kept, table in tables if table is not None]
        views = {}
        for view, steps in info.views.items():
            of = cleaning.with_log(steps)
            try:
                of.log()
                views[view] = state_of(steps, info.gold), of
            except DataError as error:
                left.append(f"View “{view}”: {error}")
        states = {state for state, _ in views.values()}
        listed = [one for one in workspace.runs(info.id, of_any_exclusions=True)[::-1]
                  if any(map(one.is_of, states)) or info.has(one)]
        results = [(one, whole(one.name, workspace.run, info.id, one.key)) for one in listed]
        whole_ones = {run.key: run for _, run in results if run is not None and run.holds_data}
        return cls(
            folder, about, info_of(dataset, about, None), cleaning,
            None if info.has_only_pairs else workspace.pairs(info),
            [whole_ones.get(one.key, Run(**one.record)) for one in listed
             if info.has(one)],
            [(one, run) for one, run in results if run is not None], left,
            workspace.measured(replace(info, exclusions=[])),
            [table for _, table in tables if table is not None], views=views,
        )

    def files(self) -> dict[str, bytes]:
        """The folder as a workspace keeps it, by the places of its files."""
        with TemporaryDirectory() as new:
            folder = DataFolder(Path(new))
            with folder.draft() as draft, folder.changing(self.about) as change:
                change.about["extra"] = dict(self.info.extra)
                if self.names:
                    draft.keep_answers(self.cleaning, self.pairs)
                    if self.measured is not None:
                        draft.keep_table(MEASURED, self.measured.table)
                    change.keep(draft)
                    keep_views(change, {v: of.log() for v, (_, of) in self.views.items()},
                               self.info.view)
            about, made = change.about, {place: Path(new, place) for place in change.about["sums"]}
            files = {
                place: (path if path.exists() else self.folder.checked(about, place)).read_bytes()
                for place, path in made.items()
            }
            files[ABOUT] = Path(new, ABOUT).read_bytes()
        new = info_of("", about, None)
        states = {
            state: state_of(new.views[view], new.gold) for view, (state, _) in self.views.items()
        }
        for one, _ in self.kept:
            said = self.folder.result(one.key)
            place = f"{RESULTS}/{one.key}/{said['file']}"
            files[place] = self.folder.checked({"sums": {place: said["sum"]}}, place).read_bytes()
            options = said["run"]["options"]
            also = said.pop("also", [])
            if options.get("views"):
                said["state"] = new.state_for(options)
            elif said["state"] is not None:  # of the views that go along, and of no others
                known = [states[one] for one in (said["state"], *also) if one in states]
                said["state"] = known[0] if known else new.state
                said |= {"also": known[1:]} if known[1:] else {}
            files[f"{RESULTS}/{one.key}/{RUN}"] = json.dumps(
                said, indent=1, ensure_ascii=False
            ).encode()
        return files

    @property
    def steps(self) -> Steps:
        return Steps(self.info, self.cleaning, self.runs, self.pairs, self.measured,
                     named=self.named, tables=self.features, looks=self.looks)

    @property
    def named(self) -> dict[str, dict[int, str]]:
        fits = [run for _, run in self.kept if (run.task, run.kind) == ("fit", "dimensions")]
        return names_of_fits(self.info, fits[::-1])

    def under_pseudonyms(self) -> Deposit:
        """The same with other names for the participants.

        Results that depend on the names are left out: the script computes them again.
        """
        names = pseudonyms(*(
            table for _, of in self.views.values()
            for table in tables_of(of, self.pairs, self.measured)
        ))
        called = {ALL_ANSWERS: ALL_ANSWERS}  # where somebody is called “answers”, too
        for view in self.views:
            called.setdefault(view, free_name(reworded(view, names), {*called.values()}))
        views = {called[view]: (state, renamed_cleaning(of, names))
                 for view, (state, of) in self.views.items()}
        left_by = {state: of.triplets for state, of in views.values()}
        cleaning = renamed_cleaning(self.cleaning, names)
        pairs = self.pairs and renamed_answers(self.pairs, names)
        left, kept = [reworded(sentence, names) for sentence in self.left], []
        ratings = self.measured and measured(
            self.measured.kind, renamed(self.measured.table, names), self.measured.options
        )
        new = {
            run.key: _of(run, (
                next((left for state, left in left_by.items()
                      if one.state is not None and one.is_of(state)), cleaning.triplets),
                pairs, cleaning.raw,
            ), ratings)
            for one, run in self.kept
        }
        of_runs = ratings
        if ratings is not None and any(run.of_measured for run in self.runs):
            of_runs = measured_of_left(ratings, cleaning.log())
        new = {
            run.key: _of(run, (cleaning.triplets, pairs, cleaning.raw), of_runs)
            for run in self.runs
        } | new
        said = {
            "name": reworded(self.info.name, names), "origin": reworded(self.info.origin, names),
            "report": [reworded(sentence, names) for sentence in self.info.report],
        }
        info = replace(
            self.info, exclusions=cleaning.log(), view=called[self.info.view],
            extra=_nameless(self.info, names, new), **said,
        )
        for one, run in self.kept:
            if new[run.key].key == run.key:
                kept.append((one, run))
            else:
                by_script = one.is_of(self.info.state)
                left.append(f"{reworded(one.name, names)}: it depends on who answered"
                            f"{'; the script computes it' * by_script}.")
        return replace(
            self, about={**self.about, **said}, info=info, cleaning=cleaning, pairs=pairs,
            left=left, kept=kept, measured=ratings, names=names, views=views,
            runs=[new[run.key] for run in self.runs],
            looks={new[key].key: look for key, look in self.looks.items() if key in new},
        )


def _nameless(
    info: DatasetInfo, names: Mapping[str, str], runs: Mapping[str, Run]
) -> dict[str, Any]:
    """Notes on a data set without names of participants; texts of a report may have them, too."""
    extra = {name: info.extra[name] for name in _NAMELESS if name in info.extra}
    if NAMES_KEPT in extra:
        extra[NAMES_KEPT] = {
            runs[key].key: called for key, called in kept_names(info).items() if key in runs
        }
    if "only" in extra.get("reading", {}):
        extra["reading"] = {**extra["reading"], "only": {
            column: values for column, values in extra["reading"]["only"].items()
            if not names.keys() & set(values)
        }}
    return extra


def _of(run: Run, answers: Sequence[Answers | None], rated: RatedDissimilarities | None) -> Run:
    """The run under its key with the participants' new names."""
    task = TASKS[run.task]
    if not run.data or run.table:
        return run
    renewed = []
    given = [rated and rated_for(run, rated, answers[0])] if run.of_measured else [
        task.data_of(one, run.options, run.arrays) for one in answers if one is not None
    ]
    for one in filter(None, given):
        try:
            renewed.append(replace(
                run, data=task.fingerprint(run.fresh(), one, run.options),
                key=key(run.task, run.fresh(), one, run.options),
            ))
        except (DataError, ValueError):  # it is of the other answers, or of an earlier version
            continue
    same = [one for one in renewed if one.data == run.data]
    if same:
        return run
    return renewed[0] if renewed else run


def archive(
    workspace: Workspace, info: DatasetInfo, terms: Terms, *,
    files: Mapping[str, bytes] | None = None, settings: Mapping[str, Any] | None = None,
    looks: Mapping[str, Any] | None = None,
) -> bytes:
    """A data set with everything that belongs to it, as one ZIP, for `restore` and for workspaces.

    files: Further files, such as a report, for the folder ``products``.
    settings: Of pages, as plain values by the keys of widgets.
    looks: How results are shown, by their key.
    """
    deposit = replace(Deposit.of(workspace, info.id), looks=looks or {})
    if terms.pseudonyms:
        deposit = deposit.under_pseudonyms()
        terms = replace(terms, title=reworded(terms.title, deposit.names))
    name = export.file_name(deposit.info.name)
    steps = deposit.steps
    contents = {**_analysis(deposit, steps, name), **deposit.files()}
    chosen = kept_settings(info, deposit.runs, settings or {}, hidden=deposit.names)
    if chosen:
        contents[PAGES] = json.dumps(chosen, indent=1, ensure_ascii=False).encode()
    if (followed := standing_of(workspace, info)) is not None:
        contents["analysis/plan.json"] = followed.plan.to_json().encode()
        contents["analysis/plan.txt"] = reworded(standing_text(followed), deposit.names).encode()
    tables = _described(deposit, contents)
    contents["dataset_description.json"] = codebook.dataset_description(
        tables, _about(deposit, terms)
    )
    people = codebook.participants(deposit.cleaning.raw.answers, deposit.cleaning.kept)
    if people is not None:
        contents["participants.tsv"] = codebook.tab_separated(people[0])
        contents["participants.json"] = json.dumps(
            people[1], indent=2, ensure_ascii=False
        ).encode()
    contents |= {f"environment/{file}": text for file, text in environment_files().items()}
    contents |= {f"products/{file}": content for file, content in (files or {}).items()}
    contents["LICENSE"] = terms.licence_file()
    if terms.authors:
        contents["CITATION.cff"] = terms.citation_file()
    left = [*deposit.left, *_not_computed(deposit, steps)]
    text = guide.readme(terms, deposit.info, sorted(contents), name, left)
    contents["README.md"] = text.encode()
    contents = dict(sorted(contents.items()))
    return export.bundle({**contents, MANIFEST: manifest(contents)})


def _not_computed(deposit: Deposit, steps: Steps) -> list[str]:
    """Sentences on results that the script does not compute."""
    names = {run.key: one.name for one, run in deposit.kept}
    return [
        f"{names[run.key]}: " + (
            "an earlier version did not note which answers it marks"
            if isinstance(TASKS[run.task], OfMarked) else
            "its distances are of no kept table" if run.table else
            "its features are neither columns of the objects nor kept tables"
        ) + ", so the script does not compute it; its result is included."
        for run in steps.unknown if run.key in names
    ]


def _analysis(deposit: Deposit, steps: Steps, name: str) -> dict[str, bytes]:
    """Data in CSV, programs that compute the results, and results in CSV."""
    study = re.sub(r"[^a-zA-Z0-9]", "", deposit.info.name)[:40] or "triplets"

    def place(what: str, ending: str) -> str:
        if ending == ".csv":
            return f"../data/study-{study}_description-{_WORDS.get(what, what)}_data.csv"
        return f"{what}{ending}"

    sources = steps.sources(place)
    files = {**sources.files, **programs(steps, sources.paths, name)}
    files["settings.json"] = steps.settings()
    contents = {
        path.removeprefix("../") if path.startswith("../") else f"analysis/{path}": content
        for path, content in files.items()
    }
    # A table for people also has names that cannot be read again.
    answers = place("answers", ".csv").removeprefix("../")
    if "answers" in sources.paths and answers not in contents:
        contents[answers] = export.csv(_by_name(deposit.cleaning.raw))
    computed = {run.key for run in deposit.runs}
    runs = [run for _, run in deposit.kept if run.key in computed]
    tables = result_tables(steps, runs)
    return contents | {f"tables/{file}": content for file, content in tables.items()}


def _by_name(triplets: Triplets) -> pd.DataFrame:
    names = np.array(triplets.ids, dtype=object)[triplets.rows]
    rows = pd.DataFrame(names, columns=["anchor", "near", "far"])
    return pd.concat([rows, triplets.answers], axis=1)


def _described(deposit: Deposit, contents: dict[str, bytes]) -> dict[str, pd.DataFrame]:
    """Every table in ``data``; descriptions of columns are added to `contents`."""
    tables = {}
    raw, cleaning = deposit.cleaning.raw, deposit.cleaning
    frames = {
        "objects": raw.objects.drop(columns="image", errors="ignore"),
        "answers": _by_name(raw) if isinstance(raw, Triplets) else None,
        "pairs": None, "measured": None, "catch": cleaning.catch_trials,
        "gold": None if cleaning.gold is None else _by_name(cleaning.gold),
    }
    for path in [path for path in contents if path.startswith("data/")]:
        word = path.split("description-")[1].removesuffix("_data.csv")
        what = next((what for what in _ABOUT if _WORDS.get(what, what) == word), "beside")
        columns, table = list(pd.read_csv(io.BytesIO(contents[path]), nrows=0)), frames.get(what)
        # A file may have other columns than the table: response times in milliseconds.
        if table is None or set(columns) - set(table):
            table = pd.read_csv(io.BytesIO(contents[path]))
        tables[path] = table[columns]
        contents[f"{path.removesuffix('.csv')}.json"] = codebook.sidecar(
            tables[path], _ABOUT[what]
        )
    return tables


def _about(deposit: Deposit, terms: Terms) -> dict[str, Any]:
    info = deposit.info
    amount = f"{info.n_pairs:,} comparisons of pairs" if info.has_only_pairs else (
        f"{info.n_answers:,} answers"
    )
    chosen = LICENCES[terms.licence]
    properties: dict[str, Any] = {
        "name": terms.title,
        "description": f"Comparisons of similarity: {amount} about {info.n_objects:,} objects"
        + (f" by {info.n_participants:,} participants" if info.n_participants else "")
        + (f". {info.left_out}" if info.left_out else "."),
    }
    if terms.authors:
        properties["creator"] = [{"@type": "Person", "name": author} for author in terms.authors]
    if chosen.address:
        properties["license"] = chosen.address
    return properties


def result_tables(steps: Steps, runs: Sequence[Run]) -> dict[str, bytes]:
    """Tables as CSV, by file name, of results with their arrays, and one of what each shows."""
    groups: dict[str, list[Run]] = {}
    for run in runs:
        groups.setdefault(steps.shown_with(run), []).append(run)
    files: dict[str, bytes] = {}
    contents = []
    for data, some in groups.items():
        if data == "None":
            continue
        for drawing in drawings(
            some, steps.answers_of(data), name=steps.info.name, named=dict(steps.named),
            looks=steps.looks,
        ):
            table = drawing.table()
            if len(table) <= _MOST:
                name = drawing.name if len(groups) == 1 else f"{data}-{drawing.name}"
                file = f"{export.file_name(name)}.csv"
                files[file] = export.csv(table)
                contents.append({
                    "file": file, "figure": drawing.title,
                    "caption": uncited(drawing.caption).replace("*", ""),
                })
    if contents:
        files["contents.csv"] = export.csv(pd.DataFrame(contents))
    return files
