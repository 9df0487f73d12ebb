"""What a table is, and the readings under which it has answers, by the evidence of all kinds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial

from tripletscope.core.data.errors import DataError
from tripletscope.core.reading.columns.alternatives import meaning
from tripletscope.core.reading.columns.guess import SAMPLE_ROWS, complete, side_roles
from tripletscope.core.reading.columns.practice import Practice, practice_in, trials_alone
from tripletscope.core.reading.columns.reading import Reading, can_be_kept
from tripletscope.core.reading.columns.values import Columns
from tripletscope.core.reading.formats.several import file_column
from tripletscope.core.reading.kinds import CERTAIN, LIKELY, POSSIBLE, Claim, Sign, kinds
from tripletscope.core.reading.languages import FORMS
from tripletscope.core.reading.names import listing
from tripletscope.core.reading.table import Table

#: Different values of a column that are kept in any case.
MANY_VALUES = 200_000
#: Rows from which a sample shows first whether a column says something else in each.
_MANY = 1_000_000
#: Of a table whose columns are still to be chosen.
NO_READING = Reading("chosen", "Columns to be chosen")
#: Readings that are shown where a table is ambiguous.
_SHOWN = 6


@dataclass(frozen=True)
class Recognition:
    """What a table may be, the best supported first."""

    table: str  # name of the file
    columns: tuple[str, ...]
    found: tuple[Claim, ...]

    @property
    def tied(self) -> tuple[Claim, ...]:
        """Those that nothing tells apart: the best one and those that are as strong."""
        return tuple(one for one in self.found if one.points == self.found[0].points)

    @property
    def clear(self) -> Claim | None:
        """What is clearly ahead of everything else."""
        if not self.found or self.found[0].points == POSSIBLE or len(self.tied) > 1:
            return None
        return self.found[0]

    @property
    def is_of_others(self) -> bool:
        """Whether the best supported meanings, if there are any, all are no answers."""
        return all(one.reading is None for one in self.tied)

    @property
    def readings(self) -> tuple[Reading, ...]:
        """All readings as answers about objects."""
        return tuple(one.reading for one in self.found if one.reading is not None)

    @property
    def undecided(self) -> tuple[Reading, ...]:
        """Readings among which the answers themselves may decide; none if another kind is likely.

        A table that may be no answers at all is not decided so: noise prefers a reading, too.
        """
        if not self.found or self.found[0].points < LIKELY or any(
            one.reading is None for one in self.tied
        ):
            return ()
        return tuple(one.reading for one in self.tied)

    def with_first(self, reading: Reading, sign: Sign) -> Recognition:
        """The same with a reading that the answers have chosen."""
        chosen = next(one for one in self.found if one.reading == reading)
        told = replace(
            chosen, points=CERTAIN, signs=(sign, *chosen.signs),
            reading=replace(reading, reasons=(sign.said(), *reading.reasons)),
        )
        rest = (replace(one, points=min(one.points, LIKELY)) for one in self.found
                if one is not chosen)
        return replace(self, found=(told, *rest))

    def the_one(self) -> Claim:
        """What the table is.

        Raises
        ------
        AmbiguousTable
            If it may be several things.
        OtherTask
            If it has no answers about objects.
        """
        if (clear := self.clear) is not None:
            if clear.reading is None:
                raise refusal(clear, self.table)
            return clear
        if not self.found:
            raise nothing(self)
        if self.is_of_others:
            raise refusal(self.found[0], self.table)
        raise AmbiguousTable(self)


class OtherTask(DataError):
    """A table that is something other than comparisons of objects; one can insist."""


class MeasuredGiven(OtherTask):
    """Ratings, confusions, piles or arrangements, as for `read_measured`."""


class MatrixGiven(OtherTask):
    """A square table of similarities or distances, as for `read_matrix`."""


class ConjointGiven(OtherTask):
    """Comparisons of stimuli with several properties, as for `read_conjoint`."""


class AmbiguousTable(DataError):
    """A table that may mean several things: `found` has each with its evidence.

    Attributes
    ----------
    found : tuple of Claim
        The best supported first; `Claim.arguments` are those of `tripletscope.read`.
    """

    def __init__(self, recognition: Recognition) -> None:
        self.found = recognition.found
        shown = (*recognition.found[:_SHOWN], *(
            one for one in recognition.found[_SHOWN:] if one.reading is None))
        super().__init__(
            "it may be read in several ways, and nothing in it says which is right",
            file=recognition.table,
            remedy="Say which: " + "; ".join(
                f"{one.title[:1].lower()}{one.title[1:]}: {one.arguments()}" for one in shown
            ) + ".",
        )


_REFUSED = {"ratings": MeasuredGiven, "confusions": MeasuredGiven, "piles": MeasuredGiven,
            "arrangements": MeasuredGiven, "matrix": MatrixGiven, "conjoint": ConjointGiven}
_INSIST = "If the table does compare objects, choose the columns yourself."


def refusal(found: Claim, name: str) -> OtherTask:
    """The error for a table of another kind."""
    kind = kinds()[found.kind]
    why = found.signs[0].said().rstrip(".") if found.signs else ""
    # Names of columns stay as they are.
    if not any(why.startswith(str(value)) for value in found.signs[0].values.values()):
        why = f"{why[:1].lower()}{why[1:]}"
    about = FORMS["kinds"][found.read_as]
    holds = "may hold" if found.points == POSSIBLE else "holds"
    return _REFUSED.get(found.kind, OtherTask)(
        f"it {holds} {found.title or kind.title}{about['clause']}: {why}", file=name,
        remedy=f"{about['remedy']} {_INSIST}", python=about.get("python"),
    )


def told(found: Claim) -> str:
    """A sentence on what a table may be instead of answers, and what then reads it."""
    return f"{refusal(found, '').problem}. {FORMS['kinds'][found.read_as]['remedy']}"


def nothing(recognition: Recognition) -> OtherTask:
    """The error for a table that no kind claims."""
    return OtherTask(
        "nothing in it looks like judgements of similarity (its columns are "
        f"{listing(recognition.columns, 8)})", file=recognition.table,
        remedy=_INSIST,
    )


def recognise(table: Table) -> Recognition:
    """What a table is, by the evidence of all kinds."""
    columns = Columns(table)
    kept = cache(partial(is_kept, table))  # of millions of rows, counting takes longest
    practice = practice_in(columns)
    found = [
        one for kind in kinds().values() for part in kind.evidence(columns)
        for one in _completed(table, part, kept, practice)
    ]
    ranks = {name: kind.rank for name, kind in kinds().items()}
    found.sort(key=lambda one: (-one.points, ranks[one.kind]))
    return Recognition(table.name, tuple(table.columns), tuple(_told_apart(_distinct(found))))


def propose(table: Table, *, insist: bool = False) -> list[Reading]:
    """Readings that fit a table, best first.

    insist: Whether also of a table that is something else; its columns are then to be chosen.
    """
    recognition = recognise(table)
    if not insist and (clear := recognition.clear) is not None and clear.reading is None:
        raise refusal(clear, table.name)
    if not insist and not recognition.found:
        raise nothing(recognition)
    return list(recognition.readings) or [to_be_chosen(table)]


def to_be_chosen(table: Table) -> Reading:
    """A reading without objects; what is beside them is what it is called, and is kept."""
    roles, reasons = side_roles(table, {})
    return keeping_all(table, replace(NO_READING, roles=roles, reasons=tuple(reasons)))


def _completed(
    table: Table, found: Claim, kept: Callable[[str], bool], practice: Sequence[Practice]
) -> list[Claim]:
    """Claims whose readings have coding, unit and further columns."""
    if found.reading is None:
        return [found]
    completed = []
    for k, reading in enumerate(complete(table, found.reading)):
        completed.append(replace(
            found, title=reading.title, reading=replace(
                keeping_all(table, reading, kept), only=trials_alone(table, reading, practice)
            ),
            # Codings that fit as well are as likely, unless the kind was certain of one.
            points=found.points if not k else min(found.points, LIKELY),
        ))
    return completed


def _distinct(found: Iterable[Claim]) -> list[Claim]:
    """The first of those that give the same answers."""
    kept: dict[tuple, Claim] = {}
    for one in found:
        about = meaning(one.reading) if one.reading else (one.kind, tuple(one.roles.items()))
        kept.setdefault(about, one)
    return [*kept.values()]


def _told_apart(found: list[Claim]) -> list[Claim]:
    """The same with titles that differ: a form names readings by them."""
    alike: dict[str, list[Claim]] = {}
    for one in found:
        alike.setdefault(one.title, []).append(one)
    told: list[Claim] = []
    for one in found:
        if one.reading is None:
            told.append(one)
            continue
        title, others = one.title, [o.reading for o in alike[one.title] if o.reading is not None]
        # Only what differs is said.
        parts = zip(*(reading.in_words() for reading in others), strict=True)
        differ = [k for k, words in enumerate(parts) if len(set(words)) > 1]
        said = [one.reading.in_words()[k] for k in differ]
        title = f"{title}: {', '.join(filter(None, said))}" if said else title
        told.append(replace(one, title=title, reading=replace(one.reading, title=title)))
    return told


def keeping_all(
    table: Table, reading: Reading, kept: Callable[[str], bool] | None = None
) -> Reading:
    """The reading that keeps every column without a role, but those with too many values."""
    kept = kept or partial(is_kept, table)
    further = (column for column in unused(table, reading) if kept(column))
    return replace(reading, keep=tuple(dict.fromkeys((*reading.keep, *further))))


def unused(table: Table, reading: Reading) -> list[str]:
    """Columns of the file without a role; which of several files a row is from is none of them."""
    added = file_column(table) if table.files else None
    return [column for column in can_be_kept(table, reading) if column != added]


def is_kept(table: Table, column: str) -> bool:
    """Whether a column without a role is kept without a request.

    One that says something else in nearly each of very many rows, such as a clock, only if wanted.
    """
    return not table.is_blank(column) and not has_many_values(table, column)


def has_many_values(table: Table, column: str) -> bool:
    """Whether a column differs in most of so many rows that it takes much room."""
    if table.n_rows <= MANY_VALUES or table.n_values_at_most(column) <= MANY_VALUES:
        return False
    if table.n_rows > _MANY and all(
        part.n_different(column) == part.n_rows
        for part in (table.head(SAMPLE_ROWS), table.spread([column], SAMPLE_ROWS, by_lot=True))
    ):  # half as many values as rows would recur in so many rows, which are counted faster
        return True
    return table.n_different(column) > max(table.n_rows // 2 + 1, MANY_VALUES)
