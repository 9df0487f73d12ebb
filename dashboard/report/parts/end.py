"""Limitations, checklist and software."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from importlib.metadata import version

import numpy as np

from tripletscope import __version__
from tripletscope.core.inference.held_out.compare import is_chance
from tripletscope.core.inference.held_out.units import ENOUGH, participants_of
from tripletscope.core.studies.preregistration.deviations import Standing
from tripletscope.dashboard.report.document import Block, Listed, TextTable, joined
from tripletscope.dashboard.report.material import Material
from tripletscope.dashboard.report.parts.part import part
from tripletscope.dashboard.results.doubts import doubts_of
from tripletscope.dashboard.words import unmarked, words

#: Libraries and their sources.
_LIBRARIES = {"numpy": "NumPy [@harris2020]", "scipy": "SciPy [@virtanen2020]",
              "scikit-learn": "scikit-learn [@pedregosa2011]"}


@part("limitations", "end", 1)
def limitations(material: Material) -> Iterator[Block]:
    sentences = [words(key, **fields) for key, fields in _limits(material)]
    yield Listed(tuple(sentences)) if sentences else joined(words("no limits"))


def _limits(material: Material) -> Iterator[tuple[str, dict]]:
    answers, quality = material.answers, material.quality
    people = participants_of(answers)[1]
    if not people:
        yield "nobody known", {}
    elif people < ENOUGH:
        yield "few people", {"people": words.count(people, "participant")}
    tests = [run.result() for task in ("cross_validate", "split_error")
             for run in material.all_of(task)]
    if people and any(error.n_units is None for error in tests):
        yield "errors over answers", {}
    if any(error.n_units and len(error.fold_errors) for error in tests):
        yield "errors of the learned", {}
    told = ("guessing", "unfinished")  # with the error and the fit
    error = material.of_map("split_error", "cross_validate")
    for doubt in doubts_of(material.shown(), material.map, error):
        if doubt.code not in told:
            yield f"doubt {doubt.code}", doubt.values
    if quality.coverage.never_asked:
        yield "never asked", {"number": words.count(len(quality.coverage.never_asked), "object")}
    if not quality.ceiling.is_precise:
        yield "vague ceiling", {}
    if "sampler" in answers.answers and answers.answers["sampler"].nunique() > 1:
        yield "selected", {}
    yield from _of_map(material)
    if not all(run.complete for run in material.runs):
        yield "stopped", {}
    if not material.cleaning.exclusions:
        yield "nobody excluded", {}


def _of_map(material: Material) -> Iterator[tuple[str, dict]]:
    fit, run, error = material.map, material.uncertainty, material.error
    if fit is None:
        return
    d = material.dimensions
    needed = material.quality.coverage.needed.get(d)
    if needed and material.quality.coverage.independent < needed:
        few = "few pairs" if material.answers.are_rated else "few answers"
        yield few, {"needed": words.whole(round(needed)), "d": d}
    if error is None:
        yield "not predicted", {}
    elif is_chance(error):
        yield "no better than guessing", {}
    if not fit.numbers["converged_"]:
        yield "not converged", {}
    if run is None:
        yield "uncertainty unknown", {}
    elif run.task != "bootstrap":
        yield "one observer", {}
    elif run.samples().unit == "answers":
        yield "same people", {}
    elif np.isnan(run.samples().radius(0.95)):
        yield "no regions", {"people": words.count(run.samples().n_units, "participant"), "d": d}
    if material.suggestion is not None and material.suggestion.n_components == d:
        yield "chosen by the same answers", {}
    yield "never covered", {}


@part("checklist", "end", 2)
def checklist(material: Material) -> Iterator[Block]:
    """Reviewers' questions about triplet studies, and whether the report answers them."""
    checks = {
        "check people": participants_of(material.answers)[1] > 0,
        "check exclusions": True,
        "check stated before": material.standing is not None and _is_stated_before(
            material.standing
        ),
        "check answers": True,
        "check error": material.error is not None or bool(material.alike),
        "check ceiling": all(
            bound is not None and np.isfinite(bound.value)
            for bound in (material.quality.ceiling.lower, material.quality.ceiling.upper)
        ),
        **({"check dimension": material.suggestion is not None} if material.map else {}),
        "check uncertainty": material.uncertainty is not None or any(
            map(material.all_of, ("bootstrap_scale", "ordinal_scale"))
        ),
        "check code": False,
    }
    yield joined(words("checklist"))
    yield Listed(tuple(words(key) for key in checks), tuple(checks.values()))


def _is_stated_before(standing: Standing) -> bool:
    """Whether answers were collected under the plan, and excluded by its rules alone."""
    is_first = all(one.code != "followed before" for one in standing.deviations)
    return (standing.is_collected and is_first and not standing.is_late
            and standing.has_planned_exclusions)


@part("software", "end", 3)
def software(material: Material) -> Iterator[Block]:
    libraries = [
        f"{cited.split(' [')[0]} {version(name)} [{cited.split('[')[1]}"
        for name, cited in _LIBRARIES.items()
    ]
    yield joined(words(
        "computed by", version=__version__, python=platform.python_version(),
        libraries=words.listing(libraries),
    ))
    rows = []
    for run in material.runs:
        chosen = {**run.parameters, **run.options}
        settings = ", ".join(f"{name} = {_setting(value)}" for name, value in chosen.items()
                             if value is not None)
        name = ", ".join((
            run.fresh().title, run.task, *(() if run.complete else (words("incomplete"),))
        ))
        rows.append((name, unmarked(settings), run.version))
    if rows:
        columns = tuple(words(f"settings {name}") for name in ("result", "set", "version"))
        yield TextTable("settings", words("settings caption"), columns, tuple(rows))


def _setting(value: object) -> str:
    if isinstance(value, dict) and "method" in value:
        return str(value["method"])
    return str(value)
