"""A script, with its data, that computes again what was computed."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from typing import Any

import pandas as pd
from pandas.api.types import is_numeric_dtype

from tripletscope import __version__
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.io.columns.reading import SIDE_ROLES
from tripletscope.core.io.writing import WRITERS, write_answers
from tripletscope.core.method import Inner, Method, parameters, unfitted
from tripletscope.core.quality import Cleaning
from tripletscope.core.run import TASKS, Run, key
from tripletscope.dashboard import export
from tripletscope.dashboard.drawing import UNCERTAIN, MapFigure
from tripletscope.dashboard.keeping.catalogue import DatasetInfo

#: What was computed before an option was there to choose.
_BEFORE = {"unit": "answers"}
#: Columns of answers that reading recognises by their names.
_ROLES = (*SIDE_ROLES, "side", "trial")


def reproduction(
    info: DatasetInfo, cleaning: Cleaning, runs: Sequence[Run], pairs: Quadruples | None = None,
    drawn: MapFigure | None = None,
) -> dict[str, bytes]:
    """Files that together reproduce some results of a data set, by name.

    Parameters
    ----------
    info : DatasetInfo
    cleaning : Cleaning
        Its imported answers, and what is left out.
    runs : sequence of Run
        Results. Those of uploaded distances are left out: the distances are not kept.
    pairs : Quadruples, optional
        Its comparisons of pairs, if there are triplets too.
    drawn : MapFigure, optional
        The figure of a map, which the script draws again: of the first result, with the
        uncertainty of the second one, if that has any.
    """
    name = export.file_name(info.name)
    if isinstance(cleaning.raw, Quadruples):
        pairs = cleaning.raw
    runs = [run for run in runs if "distances" not in run.options]
    objects = cleaning.raw.objects.drop(columns="image", errors="ignore")
    files = {f"{name}-objects.csv": export.csv(objects)}
    sources = {"objects": f"{name}-objects.csv"}
    if isinstance(cleaning.raw, Triplets) and len(cleaning.raw):
        sources["answers"] = _written(cleaning.raw, f"{name}-imported-answers", files)
    if pairs is not None:
        sources["pairs"] = f"{name}-comparisons-of-pairs.csv"
        rows = pd.DataFrame(pairs.rows, columns=list("ijkl"))
        files[sources["pairs"]] = export.csv(pd.concat([rows, pairs.answers], axis=1))
    if info.exclusions:
        files[f"{name}-exclusions.json"] = json.dumps(info.exclusions, indent=2).encode()
        if cleaning.catch_trials is not None:
            files[f"{name}-catch-trials.csv"] = export.csv(cleaning.catch_trials)
            sources["catch"] = f"{name}-catch-trials.csv"
        if cleaning.gold is not None:
            sources["gold"] = _written(cleaning.gold, f"{name}-gold", files)
    files[f"{name}-settings.json"] = export.settings(
        {f"{k}-{run.task}": run for k, run in enumerate(runs, 1)}, info.record
    )
    data = [_data_of(run, cleaning, pairs) for run in runs]
    has_columns = sources.get("answers", "").endswith(WRITERS["anchored"].suffix)
    told = {
        "answers": [c for c in cleaning.raw.answers if has_columns and c not in _ROLES],
        "pairs": [] if pairs is None else [
            name for name, column in pairs.answers.items() if not is_numeric_dtype(column)
        ],
    }
    given = {"answers": cleaning.triplets, "pairs": pairs or cleaning.triplets, "None": None}
    found = [(run, of, _is_of_now(run, given[of])) for run, of in zip(runs, data, strict=True)]
    if drawn is not None:
        sources["figure"] = f"{name}-map-figure.json"
        files[sources["figure"]] = drawn.to_json().encode()
    files[f"{name}.py"] = _script(info, name, found, sources, told).encode()
    return files


def _is_of_now(run: Run, given: Triplets | Quadruples | None) -> bool:
    """Whether this version computes a result under the same key; an earlier one had others."""
    if _later_options(run):
        return False
    try:
        return key(run.task, run.fresh(), given, run.options) == run.key
    except (DataError, ValueError):  # an option that is not there any more
        return False


def _written(triplets: Triplets, name: str, files: dict[str, bytes]) -> str:
    """Add answers to `files`, by name where names can be read again; what the file is called."""
    layout = "npy" if WRITERS["anchored"].problem(triplets) else "anchored"
    file = f"{name}{WRITERS[layout].suffix}"
    files[file] = write_answers(triplets, layout)
    return file


def _data_of(run: Run, cleaning: Cleaning, pairs: Quadruples | None) -> str:
    """What the script calls the data that a result is of."""
    if not run.data:
        return "None"
    if isinstance(cleaning.raw, Quadruples):
        return "pairs"
    if pairs is not None:
        task = TASKS[run.task]
        if task.fingerprint(run.fresh(), pairs, run.options) == run.data:
            return "pairs"
    return "answers"


def _script(
    info: DatasetInfo, name: str, runs: Sequence[tuple[Run, str, bool]],
    sources: dict[str, str], told: dict[str, list[str]],
) -> str:
    """The script.

    Parameters
    ----------
    info : DatasetInfo
    name : str
        With which the names of files begin.
    runs : sequence of (Run, str, bool)
        Each with what the data that it is of are called, and whether this version keeps it under
        the same key.
    sources : dict of str to str
        Files by what is in them.
    told : dict of str to list of str
        Columns of answers that are kept though they have no role, and of comparisons of pairs
        that are no numbers.
    """
    imports = {"import numpy as np", "import tripletscope as ts"}
    lines = []
    if "answers" in sources:
        keep = f", keep={told['answers']!r}" if told["answers"] else ""
        lines.append(
            f"answers = ts.read({sources['answers']!r}, objects={sources['objects']!r}{keep})"
        )
    if "pairs" in sources:
        imports.add("import pandas as pd")
        texts = dict.fromkeys(told["pairs"], "str")
        lines += [
            f"table = pd.read_csv({sources['pairs']!r}, dtype={texts!r})",
            'pairs = ts.Quadruples(table[list("ijkl")], answers=table.drop(columns=list("ijkl")),',
            f"                      objects=ts.read_objects({sources['objects']!r}))",
        ]
    if info.exclusions:
        imports.add("import json")
        of = "answers" if "answers" in sources else "pairs"
        given = f"{of}, json.load(open({f'{name}-exclusions.json'!r}))"
        if "catch" in sources:
            imports.add("import pandas as pd")
            given += f", catch_trials=pd.read_csv({sources['catch']!r})"
        if "gold" in sources:
            given += f", gold=ts.read_gold({sources['gold']!r}, answers)[0]"
        lines.append(f"{of} = ts.Cleaning.from_log({given}).triplets")
    taken: dict[str, str] = {}
    for found, data, is_of_now in runs:
        result, method = _name(f"{found.task} {found.method}", taken), _source(found.fresh())
        taken[result] = found.task
        lines += ["", f"{result} = ts.run({found.task!r}, {method}, {data}{_options(found)})"]
        if not is_of_now:
            lines.append("# An earlier version computed this, from the same answers.")
        elif found.complete:
            lines.append(f"assert {result}.key == {found.key!r}, 'computed from something else'")
        else:
            lines.append("# This result was stopped early in the program; here it runs to the end.")
        lines.append(f"np.savez('{name}-{result}.npz', **{result}.arrays)")
        lines.append(f"print({result}.task, {result}.method, {result}.numbers)")
    if "figure" in sources:
        imports.add("from tripletscope.dashboard.drawing import MapFigure")
        first, *rest = taken
        uncertain = next((name for name in rest if taken[name] in UNCERTAIN), None)
        lines += [
            "", "# The map as it was composed; a name that ends in .html needs no browser.",
            f"figure = MapFigure.load({sources['figure']!r})",
            f"figure.save('{name}-map-again.pdf', {first}, {uncertain}, answers.objects)",
        ]
    head = (
        f'"""Computes again what TripletScope {__version__} computed of {_plain(info.name)}.\n\n'
        f"Run it in this folder, in an environment in which TripletScope {__version__} is "
        'installed.\nResults are printed; arrays go to .npz files.\n"""\n'
    )
    return "\n".join([head, *sorted(imports), "", *lines, ""])


def _source(method: Method) -> str:
    """The expression that makes a method."""
    owner, words = type(method), []
    for parameter in parameters(owner):
        value = getattr(method, parameter.name)
        if isinstance(parameter.spec, Inner) and value is not None:
            text = _source(unfitted(value))
        elif value == parameter.default:
            continue
        else:
            text = repr(value)
        words.append(f"{parameter.name}={text}")
    return f"ts.{owner.__name__}({', '.join(words)})"


def _options(run: Run) -> str:
    options = {**run.options, **_later_options(run)}
    return f", {options!r}" if options else ""


def _later_options(run: Run) -> dict[str, Any]:
    """Options that came after a result was kept, as it would have them."""
    known = {parameter.name for parameter in parameters(TASKS[run.task].function)}
    return {
        name: value for name, value in _BEFORE.items() if name in known - run.options.keys()
    }


def _name(words: str, taken: Collection[str]) -> str:
    """A variable's name that was not given yet."""
    base = re.sub(r"\W+", "_", words)
    name, number = base, 1
    while name in taken:
        number += 1
        name = f"{base}_{number}"
    return name


def _plain(text: str) -> str:
    return text.replace("\\", " ").replace('"', "'")
