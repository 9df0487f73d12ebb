"""Lists of stimuli, questions without responses, and tests of discrimination."""

from __future__ import annotations

import re

import numpy as np

from tripletscope.core.reading.columns.guess import numbered_columns
from tripletscope.core.reading.columns.object_columns import TELLING, is_called_response
from tripletscope.core.reading.columns.pair_columns import is_beside
from tripletscope.core.reading.columns.values import NEARLY_ALL, Columns, differ, share
from tripletscope.core.reading.kinds import CERTAIN, LIKELY, MARKED, POSSIBLE, Claim, Kind, Sign
from tripletscope.core.reading.names import listing, named

_DIMENSION = re.compile(r"(dim(ension)?|pc|mds|comp)?[\W_]?[0-9]+|x|y|z", re.IGNORECASE)
#: Names of columns that name the objects of a map.
_TARGETS = ("targetid", "targethtml", "item", "target", "stimulus", "object")


def _stimuli(columns: Columns) -> list[Claim]:
    """A row for each stimulus: its picture, or its coordinates."""
    names = {name.rpartition("/")[2]: name for name in columns.names}
    sign = (Sign("lists"),)
    if "stimulus_id" in names and names.keys() & {"stimulus_filepath", "filepath"}:  # psiz's
        return [Claim("stimuli", "a list of stimuli and their files", CERTAIN, sign)]
    target = named(columns.names, _TARGETS)
    coordinates = [name for name in columns.names if _DIMENSION.fullmatch(name)
                   and columns[name].is_numeric]
    others = [one for one in columns.but(target, *coordinates)
              if not (is_beside(one.name) or one.is_constant)]
    if target and len(coordinates) >= 2 and columns[target].is_unique and not others:
        return [Claim("stimuli", "coordinates of objects", CERTAIN, sign, {"item": target})]
    pictures = [one for one in columns if one.are_pictures]
    if len(pictures) == 1 and pictures[0].is_unique and len(columns.names) <= 4:
        return [Claim("stimuli", "a list of pictures", LIKELY, sign, {"item": pictures[0].name})]
    return []


def _questions(columns: Columns) -> list[Claim]:
    """Three or more columns of the same objects, numbered, and nothing that may be a response."""
    if not columns.table.header:
        return []
    for group in numbered_columns(columns.names).values():
        objects = [columns[name] for name in group]
        others = [one for one in columns.but(*group) if is_called_response(one.name) or not (
            is_beside(one.name) or one.counts_rows or one.is_constant
            or (one.is_unique and one.n_written >= TELLING)
        )]
        if len(group) < 3 or others or any(one.is_numeric for one in objects):
            continue
        if all(share(objects[0], one) >= 0.5 for one in objects[1:]) and differ(objects) > 0.95:
            sign = Sign("asks", {"columns": listing(group)})
            return [Claim("questions", "questions without responses", POSSIBLE, (sign,))]
    return []


def _triangles(columns: Columns) -> list[Claim]:
    """Triangle tests of sensory science: two of three samples are the same."""
    if not columns.table.header:
        return []
    trios = [names for names in numbered_columns(columns.names).values() if len(names) == 3]
    # Two objects that are made of features may have the same level of one.
    if not trios or not all(_two_alike(columns, names) for names in trios):
        return []
    return [Claim("triangle", "", MARKED, (Sign("two_alike", {"columns": listing(trios[0])}),))]


def _two_alike(columns: Columns, names: list[str]) -> bool:
    """Whether two of three cells are the same in each row, and the third is another."""
    first, second, third = (columns[name].texts for name in names)
    written = (first != "") & (second != "") & (third != "")
    alike = (first == second).astype(int) + (second == third) + (first == third)
    return bool(written.any() and np.mean(alike[written] == 1) > NEARLY_ALL)


STIMULI = Kind("stimuli", "lists of stimuli, features or coordinates", 22, _stimuli)
QUESTIONS = Kind("questions", "questions without responses", 60, _questions)
TRIANGLE = Kind("triangle", "a triangle test", 20, _triangles)
