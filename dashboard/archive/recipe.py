"""The steps that compute results again, with the data that they need."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pprint import pformat
from typing import Any

import pandas as pd
from pandas.api.types import is_numeric_dtype

from tripletscope import __version__
from tripletscope._names import place_of
from tripletscope.core.data.answers import HELD_TOGETHER
from tripletscope.core.data.cells import is_formula
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.lazy import cached_property
from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Answers, Triplets
from tripletscope.core.engine.declared import parameters
from tripletscope.core.engine.method import Method, MethodParameter, make_method
from tripletscope.core.engine.task import OfMarked
from tripletscope.core.features.feature_model import FeatureModel
from tripletscope.core.presets import published_in
from tripletscope.core.ratings import RatedDissimilarities
from tripletscope.core.reading import FeatureTable
from tripletscope.core.reading.columns.reading import SIDE_ROLES
from tripletscope.core.run import TASKS, Run, key, key_of_distances
from tripletscope.core.scales import ConjointComparisons
from tripletscope.core.studies.quality import Cleaning
from tripletscope.core.writing import WRITERS, roles_of, write_answers
from tripletscope.dashboard.archive.cells import Cell, notebook, script
from tripletscope.dashboard.archive.environment import environment_files, script_header
from tripletscope.dashboard.archive.features import (
    SpaceSource,
    array_file,
    contents_of,
    space_sources,
    table_file,
    table_of,
)
from tripletscope.dashboard.files import export
from tripletscope.dashboard.print.composition import Composition
from tripletscope.dashboard.results.maps import DrawnMap
from tripletscope.dashboard.store.dataset import DatasetInfo, ExclusionLog
from tripletscope.dashboard.words import literal

_LINE = 92  # characters
#: Columns of positions of objects.
_POSITIONS = "ijkl"
#: Columns of answers that reading recognises by their names.
_ROLES = (*SIDE_ROLES, "side", "trial")

#: Compares a result in a script with the stored one.
_CONFIRM = f'''confirmed = []


def confirm(result, key, data):
    """Check by its key that a result is what was computed: same data, settings and version."""
    if result.key == key:
        confirmed.append(result.task)
        return
    assert ts.__version__ != {__version__!r}, f"{{result.task}}: computed from something else"
    same = "from the same data" if result.data == data else "and reads other data or columns"
    print(f"{{result.task}}: TripletScope {{ts.__version__}} computes this {{same}}, but not as "
          "{__version__} did: numbers may differ.")'''


#: Names of files of data beside a script, by content.
BESIDE = {
    "objects": "objects", "answers": "imported-answers", "pairs": "comparisons-of-pairs",
    "measured": "measured", "exclusions": "exclusions", "catch": "catch-trials", "gold": "gold",
    "figure": "map-figure",
}


@dataclass(frozen=True)
class Sources:
    """Files that the steps read.

    files: By path from the folder of the script.
    paths: By content, one of `BESIDE`.
    """

    files: dict[str, bytes]
    paths: dict[str, str]


@dataclass(frozen=True)
class Steps:
    """Steps of an analysis.

    info, cleaning: The data set, its imported answers and exclusions; None of simulations.
    runs: Results, except those of `unknown`.
    pairs: Comparisons of pairs, if there are triplets too.
    measured: Ratings and so on behind the answers, where results are of them.
    drawn: See `map_on_paper`, of the map of these results.
    named: Names of dimensions, by position, by the key of their fit.
    looks: How results are shown, by their key.
    tables: Kept tables of features and distances.
    unknown: Results of marked answers whose marks are not known, of features that are neither
        columns of the objects nor kept tables, and of distances that are not kept.
    """

    info: DatasetInfo | None
    cleaning: Cleaning | None
    runs: Sequence[Run]
    pairs: Quadruples | None = None
    measured: RatedDissimilarities | None = None
    drawn: Mapping[str, Any] | None = None
    named: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    looks: Mapping[str, Any] = field(default_factory=dict)
    tables: Sequence[FeatureTable] = ()
    unknown: list[Run] = field(default_factory=list, init=False)
    _spaces: dict[str, SpaceSource] = field(default_factory=dict, init=False)
    _beside: dict[str, FeatureTable | ConjointComparisons] = field(default_factory=dict, init=False)
    _taken: dict[str, str] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        contents = contents_of(self.runs)
        sources = space_sources(
            self._raw, self.tables, {fingerprint for _, fingerprint in contents.values()}
        )
        self._spaces.update({
            text: sources[fingerprint] for text, (_, fingerprint) in contents.items()
            if fingerprint in sources
        })
        if isinstance(self._raw, Quadruples):
            object.__setattr__(self, "pairs", self._raw)
        for run in self.runs:
            table = table_of(run, self.tables, self._raw) if run.table else None
            if table is not None:
                self._beside[run.key] = table
        self.unknown.extend(
            run for run in self.runs if (run.table and run.key not in self._beside) or (
                _is_of_marked(run) and self._variable(run) is None
            ) or (
                run.kind == FeatureModel.kind
                and not set(run.parameters["content"]) <= self._spaces.keys()
            )
        )
        unknown = {run.key for run in self.unknown}
        kept = [run for run in self.runs if run.key not in unknown]
        object.__setattr__(self, "runs", kept)

    @property
    def _raw(self) -> Answers | None:
        """The imported answers; None of results of no data set."""
        return self.cleaning and self.cleaning.raw

    def sources(self, place: Callable[[str, str], str]) -> Sources:
        """Files with the data.

        place: Path of a file from the folder of the script, by content and ending.
        """
        files: dict[str, bytes] = {}
        paths: dict[str, str] = {}

        def add(what: str, ending: str, content: bytes) -> None:
            paths[what] = place(what, ending)
            files[paths[what]] = content

        raw, cleaning = self._raw, self.cleaning
        if raw is not None:
            objects = raw.objects.drop(columns="image", errors="ignore")
            add("objects", ".csv", export.csv(objects))
        if isinstance(raw, Triplets) and len(raw):
            if self._are_numbered:
                add("answers", ".csv", export.csv(position_table(raw)))
            else:
                add("answers", *_written(raw))
        if self.pairs is not None:
            add("pairs", ".csv", export.csv(position_table(self.pairs)))
        if self._left is not None:
            add("measured", ".csv", export.csv(self._left.table))
        if cleaning is not None and self.info.exclusions:
            add("exclusions", ".json", json.dumps(self.info.exclusions, indent=2).encode())
            if cleaning.catch_trials is not None:
                add("catch", ".csv", export.csv(cleaning.catch_trials))
            if cleaning.gold is not None:
                add("gold", *_written(cleaning.gold))
        for file, source in self._table_files().items():
            add(file, ".npz", source.content)
        for file, table in self._files_beside().items():
            if isinstance(table, ConjointComparisons):
                add(file, ".csv", export.csv(table.table))
            else:
                add(file, ".npz", table_file(table, raw))
        for k, run in enumerate(self._of_marked, 1):
            add(f"marks-{k}", ".npy", array_file(run.arrays["marks"]))
        if self.drawn is not None:
            add("figure", ".json", json.dumps(self.drawn, ensure_ascii=False).encode())
        return Sources(files, paths)

    @property
    def _are_numbered(self) -> bool:
        """Whether triplets stand in a file by positions: their names could not be read again."""
        return bool(WRITERS["anchored"].problem(self.cleaning.raw))

    @cached_property
    def _left(self) -> RatedDissimilarities | None:
        """What was measured of those who are not excluded; None if no result is of that."""
        if self.measured is None or not any(
            run.of_measured and not run.table for run in self.runs
        ):
            return None
        return measured_of_left(self.measured, self.info.exclusions)

    def _table_files(self) -> dict[str, SpaceSource]:
        """Kept tables that results need, by the names of their files."""
        needed = {
            source.table.name: source for source in self._needed.values()
            if source.table is not None
        }
        return {f"features-{k}": source for k, source in enumerate(needed.values(), 1)}

    @property
    def _needed(self) -> dict[str, SpaceSource]:
        """Feature spaces of the results that are computed, as results note them."""
        return {text: self._spaces[text] for text in contents_of(self.runs)}

    def _files_beside(self) -> dict[str, FeatureTable | ConjointComparisons]:
        """Tables beside the answers that results are of, by the names of their files."""
        return {f"table{k}": table for k, table in enumerate(self._beside.values(), 1)}

    def _tables_beside(self, paths: Mapping[str, str]) -> list[str]:
        """Lines that read them."""
        lines = []
        for file, table in self._files_beside().items():
            if isinstance(table, ConjointComparisons):
                lines.append(call(f"{file} = ts.ratings.ConjointComparisons",
                                  _reading(table.table, paths[file]), repr(table.source)))
            else:
                lines.append(call(f"({file},) = ts.features.read_feature_tables",
                                  repr(paths[file]), self._usual))
        return lines

    @property
    def _of_marked(self) -> list[Run]:
        return [run for run in self.runs if _is_of_marked(run)]

    def settings(self) -> bytes:
        named = {f"{k}-{run.task}": run for k, run in enumerate(self.runs, 1)}
        return export.settings(named, self.info.record)

    def cells(self, paths: Mapping[str, str], results: str) -> list[Cell]:
        """The steps, in order; `results` begins the names of files of results."""
        self._taken.clear()
        imports = {"import numpy as np", "import tripletscope as ts"}
        if {"pairs", "catch", "measured"} & paths.keys() or (
            "answers" in paths and self._are_numbered
        ) or any(isinstance(table, ConjointComparisons) for table in self._beside.values()):
            imports.add("import pandas as pd")
        if {"exclusions", "figure"} & paths.keys():
            imports.add("import json")
        cells = [Cell("code", "\n".join(sorted(imports)))]
        if self.cleaning is not None:
            cells += [Cell("words", "## Data"), Cell("code", "\n".join(self._data(paths)))]
        if "exclusions" in paths:
            cells += [Cell("words", f"## Exclusions\n\n{literal(self.info.left_out)}"),
                      Cell("code", self._exclusions(paths))]
        spaces = self._feature_spaces(paths)
        if spaces:
            cells += [Cell("words", "## Features"), Cell("code", "\n".join(spaces))]
        if self._beside:
            cells += [Cell("words", "## Tables"),
                      Cell("code", "\n".join(self._tables_beside(paths)))]
        if self.runs:
            cells += [Cell("words", "## Results"), Cell("code", _CONFIRM)]
        drawn: dict[str, list[str]] = {}
        for run in self.runs:
            name = _name(f"{run.task} {run.method}", self._taken)
            self._taken[name] = run.task
            cells += self._result(run, name, results, paths)
            if run.data and self.cleaning is not None:
                drawn.setdefault(self.shown_with(run), []).append(name)
        if self.runs:
            cells.append(Cell("code", (
                f'print(f"{{len(confirmed)}} of {len(self.runs)} results are of the same data, "\n'
                '      "settings and version as then.")'
            )))
        if drawn:
            cells += _figures(drawn, self.info.titled, self._how())
        if "figure" in paths:
            cells += self._map(paths["figure"], drawn[self._usual], results)
        return cells

    def _data(self, paths: Mapping[str, str]) -> list[str]:
        lines, raw = [], self.cleaning.raw
        if "answers" in paths and self._are_numbered:
            lines += _from_positions("answers", raw, paths["answers"], paths["objects"])
        elif "answers" in paths:
            named = []
            further = [c for c in raw.answers if c not in (*_ROLES, HELD_TOGETHER)]
            if further:
                # Kept columns may look like responses.
                roles = roles_of(raw) | {"keep": further}
                listed = pformat(roles, width=_LINE - 10, compact=True, sort_dicts=False)
                lines.append(f"columns = {listed.replace(chr(10), chr(10) + ' ' * 10)}")
                named.append("columns")
            lines.append(call("answers = ts.read", repr(paths["answers"]), *named,
                              f"objects={paths['objects']!r}"))
        if "measured" in paths:
            table = self._left.table
            options = [f"{name}={value!r}" for name, value in self._left.options.items()]
            lines += [
                f"rated = {_reading(table, paths['measured'])}",
                call(f"measured = {public_name(type(self._left))}", "rated", *options),
            ]
        if "pairs" in paths:
            lines += _from_positions("pairs", self.pairs, paths["pairs"], paths["objects"])
        return lines

    def _exclusions(self, paths: Mapping[str, str]) -> str:
        of = "answers" if "answers" in paths else "pairs"
        arguments = [of, f"json.load(open({paths['exclusions']!r}))"]
        if "catch" in paths:
            read = f"catch_trials=pd.read_csv({paths['catch']!r})"
            arguments.append(read + without_marks(self.cleaning.catch_trials))
        if "gold" in paths:
            arguments.append(f"gold=ts.experiment.read_gold({paths['gold']!r}, answers)[0]")
        is_needed = any(self._variable(run)[0] == "collected" for run in self._of_marked)
        left = call(f"{of} = ts.Cleaning.from_log", *arguments)
        return f"collected = {of}\n" * is_needed + f"{left}.triplets"

    def _feature_spaces(self, paths: Mapping[str, str]) -> list[str]:
        """Lines that make the feature spaces, space_1 and so on."""
        data = "answers" if "answers" in paths else "pairs"
        files = {source.table.name: paths[file] for file, source in self._table_files().items()}
        lines = []
        for k, (text, source) in enumerate(self._needed.items(), 1):
            file = "" if source.table is None else files[source.table.name]
            start, *arguments = source.expression(contents_of(self.runs)[text][0], data, file)
            lines.append(call(f"space_{k} = {start}", *arguments))
        return lines

    def _method(self, run: Run) -> str:
        if run.kind != FeatureModel.kind:
            return source_of(run.fresh())
        places = list(self._needed)
        spaces = [f"space_{places.index(text) + 1}" for text in run.parameters["content"]]
        return f"ts.features.FeatureModel.of([{', '.join(spaces)}])"

    def _result(
        self, run: Run, name: str, results: str, paths: Mapping[str, str]
    ) -> list[Cell]:
        method, (given, data) = run.fresh(), self._given(run)
        start, arguments = "ts.run", [repr(run.task), self._method(run), given, *_options(run)]
        if "distances" in run.options:
            start = "ts.features.cluster_distances"
            arguments = [self._method(run), given, repr(run.table)]
        cited = published_in(run.task, run.options) or published_in(run.method, run.parameters)
        lines = [f"# Settings as in {cited}."] if cited else []
        if _is_of_marked(run):
            path = paths[f"marks-{1 + self._of_marked.index(run)}"]
            columns = ", ".join(
                f"{column!r}: marks[:, {k}]"
                for k, column in enumerate(TASKS[run.task].marking(run.options))
            )
            lines += [f"marks = np.load({path!r})", call(
                f"marked = {self._variable(run)[0]}.with_columns", f"{{{columns}}}",
            )]
        lines.append(call(f"{name} = {start}", *arguments))
        if not self._is_of_now(run, data):
            lines.append("# An earlier version computed this, from the same answers.")
        elif run.complete:
            lines.append(f"confirm({name}, {run.key!r}, {run.data!r})")
        else:
            lines.append("# This result was incomplete in the program; here it runs to the end.")
        lines.append(f"np.savez('{results}-{name}.npz', **{name}.arrays)")
        lines.append(f"print({name}.task, {name}.method, {name}.numbers)")
        title = f"### {run.task.replace('_', ' ').capitalize()}: {type(method).title}"
        return [Cell("words", title), Cell("code", "\n".join(lines))]

    def _how(self) -> str:
        """Names of dimensions, and looks of maps, as arguments of the figures."""
        fits = {run.key for run in self.runs}
        how = {
            "named": {key: dict(names) for key, names in self.named.items() if names},
            "looks": {key: look for key, look in self.looks.items() if look != type(look)()},
        }
        some = ((name, {key: value for key, value in each.items() if key in fits})
                for name, each in how.items())
        return "".join(f",\n    {name}={each!r}" for name, each in some if each)

    def _map(self, path: str, names: Sequence[str], results: str) -> list[Cell]:
        how = self._how()
        imports = [
            "from dataclasses import replace\n",
            "from tripletscope.dashboard.print.composition import Composition", *_needed(how),
        ]
        call = _drawings(names, self._usual, self.info.name, (
            f'{how},\n    selected=figure["selected"], pictures=pictures,\n'
        ))
        return [
            Cell("words", "## The map as it was composed\n\n"
                 "A name that ends in .html needs no browser."),
            Cell("code", "\n".join([
                *imports, "", f"figure = json.load(open({path!r}))",
                'pictures = {int(i): picture for i, picture in figure["pictures"].items()}',
                f'drawing = next(one for one in {call} if one.name == "map")',
                'drawing = replace(drawing, ratio=figure["ratio"], note=figure["note"])',
                f"drawing.save('{results}-map-again.pdf', "
                'Composition.from_dict(figure["composition"]))',
            ])),
        ]

    def _variable(self, run: Run) -> tuple[str, Answers] | None:
        """Variable of the answers that a result is of, and these with its marks, if known."""
        task = TASKS[run.task]
        for name in ("pairs", "answers", "collected"):
            answers = self.answers_of(name)
            data = answers and task.data_of(answers, run.options, run.arrays)
            if data is not None and task.fingerprint(run.fresh(), data, run.options) == run.data:
                return name, data
        return None

    def shown_with(self, run: Run) -> str:
        """Variable of the answers whose objects a result is about; "None" of simulations."""
        if not run.data:
            return "None"
        of_answers = not (run.table or run.of_measured or _is_of_marked(run))
        found = self._variable(run) if of_answers else None
        return found[0] if found and found[0] != "collected" else self._usual

    @property
    def _usual(self) -> str:
        """Variable of the answers in use."""
        return "pairs" if isinstance(self._raw, Quadruples) else "answers"

    def answers_of(self, variable: str) -> Answers | None:
        if variable == "collected":
            return self.cleaning.raw
        return self.cleaning.triplets if variable == self._usual else {"pairs": self.pairs}.get(
            variable
        )

    def _given(self, run: Run) -> tuple[str, Any]:
        """What a result is computed of, as an expression of the script, and as it is."""
        if not run.data:
            return "None", None
        if run.table:
            table, name = self._beside[run.key], f"table{1 + [*self._beside].index(run.key)}"
            if run.task == "fit":
                return name, table
            return f"{name}.ratings({self._usual}, {run.table!r})", table.ratings(self.cleaning.raw)
        if run.of_measured:
            ordered = f".among({self._usual}.ids)" * (not TASKS[run.task].of_measured)
            return f"measured{ordered}", rated_for(run, self._left, self._raw)
        if _is_of_marked(run):
            return "marked", self._variable(run)[1]
        name = self.shown_with(run)
        return name, self.answers_of(name)

    def _is_of_now(self, run: Run, data: Any) -> bool:
        """Whether this version computes it under the same key."""
        try:
            if "distances" in run.options:
                return key_of_distances(run.fresh(), data) == run.key
            return key(run.task, run.fresh(), data, run.options) == run.key
        except (DataError, ValueError):  # an option that is not there any more
            return False


def _is_of_marked(run: Run) -> bool:
    return isinstance(TASKS[run.task], OfMarked) and bool(TASKS[run.task].marking(run.options))


def _figures(
    drawn: Mapping[str, Sequence[str]], name: str, further: str
) -> list[Cell]:
    """One call for all figures of the results of each data."""
    lines = ["from tripletscope.dashboard.archive.showing import show", *_needed(further), "", *(
        f"show({_drawings(names, data, name, further)})" for data, names in drawn.items()
    )]
    return [Cell("words", "## Figures", shows=True), Cell("code", "\n".join(lines), shows=True)]


def _drawings(names: Sequence[str], data: str, name: str, further: str) -> str:
    return f"ts.drawings([{', '.join(names)}], {data}, name={name!r}{further})"


def _needed(further: str) -> list[str]:
    """The import that arguments of figures need, if any."""
    used = set(re.findall(r"\b(\w+Look|Turn)\(", further))
    names = ", ".join(sorted(used))
    return [f"from tripletscope.dashboard.results import {names}"] if names else []


def map_on_paper(
    drawn: DrawnMap, composition: Composition, ratio: float, note: str
) -> dict[str, Any]:
    """What a script needs for the figure of a map beside its results and look."""
    pictures = drawn.shown.pictures or drawn.shown.embed()
    return {
        "composition": composition.to_dict(), "ratio": ratio, "note": note,
        "selected": list(drawn.shown.selected),
        "pictures": dict(pictures) if drawn.style.marks == "pictures" else {},
    }


def reproduction(
    info: DatasetInfo, cleaning: Cleaning, runs: Sequence[Run], **further: Any,
) -> dict[str, bytes]:
    """Files that together reproduce some results of a data set, by name; see `Steps`."""
    name = export.file_name(info.name)
    steps = Steps(info, cleaning, runs, **further)
    sources = steps.sources(lambda what, ending: f"{name}-{BESIDE.get(what, what)}{ending}")
    return {
        **sources.files, f"{name}-settings.json": steps.settings(),
        **programs(steps, sources.paths, name), **environment_files(),
    }


def reproduction_of_none(runs: Sequence[Run], name: str) -> dict[str, bytes]:
    """Files that together reproduce results of no data set, such as simulations."""
    steps = Steps(None, None, runs)
    sources = steps.sources(lambda what, ending: f"{name}-{what}{ending}")
    return {**sources.files, **programs(steps, sources.paths, name), **environment_files()}


def programs(steps: Steps, paths: Mapping[str, str], name: str) -> dict[str, bytes]:
    cells, title = steps.cells(paths, name), steps.info.name if steps.info else name
    about = f"Computes again what TripletScope {__version__} computed of {_plain(title)}."
    how = "Run it in this folder: results are printed, and arrays go to .npz files beside it."
    head = f'{script_header()}\n"""{about}\n\n{how}\n"""\n'
    return {
        f"{name}.py": script(head, cells),
        f"{name}.ipynb": notebook([
            Cell("words", f"# {literal(title)}\n\n{literal(about)}"), *cells
        ]),
    }


def rated_for(run: Run, rated: RatedDissimilarities, answers: Answers) -> RatedDissimilarities:
    """What was measured as a result is of it: if of each object, in the order of the data set."""
    return rated if TASKS[run.task].of_measured else rated.among(answers.ids)


def measured_of_left(
    measured: RatedDissimilarities, exclusions: ExclusionLog
) -> RatedDissimilarities:
    """What was measured of those who are not excluded entirely."""
    gone = {who for step in exclusions for who in step["removed_participants"]}
    if not gone.intersection(measured.raters):
        return measured
    return measured.of_raters([who for who in measured.raters if who not in gone])


def _reading(table: pd.DataFrame, path: str) -> str:
    """The call that reads a table as it is."""
    texts = {c: "str" for c, column in table.items() if not is_numeric_dtype(column)}
    return call("pd.read_csv", repr(path), f"dtype={texts!r}", "keep_default_na=False",
                'na_values=[""]') + without_marks(table)


def position_table(answers: Answers) -> pd.DataFrame:
    """Triplets or comparisons of pairs, by the positions of their objects, with their columns."""
    rows = pd.DataFrame(answers.rows, columns=list(_POSITIONS[: answers.rows.shape[1]]))
    return pd.concat([rows, answers.answers], axis=1)


def _from_positions(name: str, answers: Answers, path: str, objects: str) -> list[str]:
    """Lines that make answers of a `position_table`."""
    texts = {
        column: "str" for column, values in answers.answers.items() if not is_numeric_dtype(values)
    }
    positions = f'list("{_POSITIONS[: answers.rows.shape[1]]}")'
    return [
        f"table = pd.read_csv({path!r}, dtype={texts!r})" + without_marks(answers.answers),
        call(f"{name} = {public_name(type(answers))}", f"table[{positions}]",
             f"answers=table.drop(columns={positions})",
             f"objects=ts.features.read_objects({objects!r})"),
    ]


def _written(triplets: Triplets) -> tuple[str, bytes]:
    """Suffix and content of a file of answers; positions, where names cannot be read again."""
    layout = "npy" if WRITERS["anchored"].problem(triplets) else "anchored"
    return WRITERS[layout].suffix, write_answers(triplets, layout)


def without_marks(table: pd.DataFrame) -> str:
    """The call that removes marks of formulas from a table, if it has any."""
    has = any(
        is_formula(str(value)) for _, column in table.items() if not is_numeric_dtype(column)
        for value in column.dropna().unique()
    )
    return """.replace(r"^'(?='*[=+@-])", "", regex=True)""" if has else ""


def public_name(kind: type) -> str:
    return place_of(kind.__name__).replace("tripletscope", "ts", 1)


def source_of(method: Method) -> str:
    owner, words = type(method), []
    for parameter in parameters(owner):
        value = getattr(method, parameter.name)
        if isinstance(parameter.spec, MethodParameter) and value is not None:
            text = source_of(make_method(value))
        elif value == parameter.default:
            continue
        else:
            text = repr(value)
        words.append(f"{parameter.name}={text}")
    return f"{public_name(owner)}({', '.join(words)})"


def _options(run: Run) -> list[str]:
    return [repr(run.options)] if run.options else []


def call(start: str, *arguments: str) -> str:
    """A call, with its arguments on separate lines where one line is too short."""
    line = f"{start}({', '.join(arguments)})"
    if len(line) <= _LINE:
        return line
    return "\n".join([f"{start}(", *(f"    {one}," for one in arguments), ")"])


def _name(words: str, taken: Collection[str]) -> str:
    base = re.sub(r"\W+", "_", words)
    name, number = base, 1
    while name in taken:
        number += 1
        name = f"{base}_{number}"
    return name


def _plain(text: str) -> str:
    return text.replace("\\", " ").replace('"', "'")
