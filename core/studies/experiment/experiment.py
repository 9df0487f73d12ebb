"""An experiment as one record: stimuli, questions, numbers, and conditions of its end."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Annotated, Any

from tripletscope.core.data.cells import reads_as_itself, writable
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.question_kinds import UNANSWERED
from tripletscope.core.engine.declared import Choice, Number, Seed, Switch, checked, parameters
from tripletscope.core.engine.docstrings import parametric
from tripletscope.core.engine.short_repr import short_repr
from tripletscope.core.studies.experiment.items import WHEN, SurveyItem
from tripletscope.core.studies.experiment.question import ASKINGS, MOST_ON_TABLE

#: The file of an experiment in its folder.
FILE = "experiment.json"
#: The folder of its stimuli beside that file.
STIMULI = "stimuli"
#: Kinds of stimuli.
MEDIA = {
    "text": "Text", "colour": "Colour", "picture": "Picture", "sound": "Sound", "video": "Video",
}
#: Languages of participants’ pages.
LANGUAGES = {"en": "English", "de": "Deutsch", "fr": "Français", "es": "Español"}
SOURCES = {
    "balanced": "Balanced over objects and sides", "random": "Random",
    "landmark": "Landmarks", "list": "My list",
    "uncertain": "Adaptive: most uncertain", "gain": "Adaptive: information gain",
}
#: Sources that depend on the answers so far, and their tasks.
ADAPTIVE = ("uncertain", "gain")
ADAPTIVE_TASKS = ("triplet", "odd_one_out", "similar_pair")
#: Names of texts for participants, all of which may be rewritten.
TEXTS = (
    "title", "consent", "instructions", "question", "practice", "right", "wrong", "break", "end",
    "excluded", "closed", "paused", "elsewhere", "scale_low", "scale_high",
)
#: Names of other words on their pages, such as buttons and errors; a file of another language may
#: have all of them.
WORDS = (
    "language", "how", "practised", "feedback", "no_feedback", "full", "other_browser", "wrong_id",
    "declined", "desktop_only", "offline",
    "no_connection", "saving", "not_loaded", "wrong_address", "agree", "disagree", "continue",
    "back", "done", "try_again", "go_on_here", "return", "your_code", "download", "next_person",
    "loading", "progress", "anchor", "option", "play", "kept", "preview", "simulated", "same",
    "different", "pile", "number_range", "understood", "which_number", "not_a_number",
    "out_of_range", "answer_needed", "too_long", "left_open", "perceive_first", "skip", "how_skip",
    "how_limit", "how_unanswered", "unanswered", "seconds_left", "time_over", "still_there",
)
_ID = re.compile(r"[^\x00-\x1f\x7f]{1,200}")
_FILE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,150}")
#: Pictures in Markdown, perhaps with a title.
_IN_TEXTS = re.compile(rf"\]\({STIMULI}/({_FILE.pattern})[\s)]")


@dataclass(frozen=True)
class Stimulus:
    """One object as participants see or hear it.

    Attributes
    ----------
    id : str
        As in the table of objects.
    medium : str
        Of `MEDIA`.
    content : str
        The text; a colour as ``#rrggbb``; or the name of a file in the folder of stimuli.
    label : str
        For labels below stimuli, and for screen readers.

    Examples
    --------
    >>> from tripletscope.experiment import Stimulus
    >>> Stimulus("445 nm", "colour", "#2800ff", label="violet").medium
    'colour'
    """

    id: str
    medium: str
    content: str
    label: str = ""

    def __post_init__(self) -> None:
        if self.medium not in MEDIA:
            raise DataError(f"{self.medium!r} is no medium; use {', '.join(MEDIA)}", file=self.id)
        if not _ID.fullmatch(self.id):
            raise DataError("an id has 1 to 200 characters in one line", file=self.id[:40])
        if not reads_as_itself(self.id):
            raise DataError(
                f"the id {self.id!r} would change when read from a file of answers",
                file=self.id[:40],
                remedy="Begin and end ids with a visible character, and call no object none or "
                "n/a, nor by a whole number with a decimal point.",
            )
        if writable(self.id) != self.id:
            raise DataError("the id holds half a character", file=writable(self.id)[:40])
        if self.medium == "colour" and not re.fullmatch("#[0-9a-fA-F]{6}", self.content):
            raise DataError(f"{self.content!r} is no colour like #1f77b4", file=self.id)
        if self.is_file and not _FILE.fullmatch(self.content):
            raise DataError(f"{self.content!r} is no plain name of a file", file=self.id)

    @property
    def is_file(self) -> bool:
        """Whether the content is the name of a file."""
        return self.medium in ("picture", "sound", "video")


@short_repr
@parametric
@dataclass(frozen=True, kw_only=True)
class Experiment:
    """Stimuli, questions, numbers, and conditions of the end of an experiment.

    Attributes
    ----------
    title : str
    objects : tuple of Stimulus
    texts : mapping of str to str
        In Markdown, by the names in `TEXTS` and `WORDS`; by default those of the language.
    questions : tuple of mapping
        With the source ``list``: `Question.described`, perhaps with ``list``, a number from 0.
    gold : tuple of mapping
        Questions with right answers: `Question.described`.
    before, after : tuple of SurveyItem
        Questionnaires.
    parameters : tuple of str
        Names in the address that are recorded, the participant's id first.
    return_address : str
        Where participants go in the end, with the code for ``{code}``, and values from the address
        for names of `parameters` in braces.
    completion_code : str
        Shown in the end; empty for a code of each participant.
    salt : str
        For hashing ids before they are written; empty to write ids as they are.
    keep_until : str
        The day (YYYY-MM-DD) after which personal data are to be deleted; empty for none.
    background : str
        Colour behind the stimuli.

    Examples
    --------
    >>> from tripletscope.experiment import Experiment, Stimulus
    >>> objects = tuple(Stimulus(name, "text", name) for name in ("cup", "mug", "fork"))
    >>> experiment = Experiment(title="Dishes", objects=objects, task="odd_one_out")
    >>> experiment.n_shown, experiment.n_chosen
    (3, 1)
    """

    title: str
    objects: tuple[Stimulus, ...]
    task: Annotated[str, Choice(
        {name: asking.title for name, asking in ASKINGS.items()}, "Task",
        "\n\n".join(f"**{asking.title}**: {asking.question}" for asking in ASKINGS.values()),
    )] = "triplet"
    n_options: Annotated[int, Number(
        2, 8, "Options", "Objects beside the anchor, in a ranking.", advanced=True
    )] = 4
    n_ranked: Annotated[int, Number(
        1, 7, "Chosen", "Number of objects to put in order, in a ranking.", advanced=True
    )] = 2
    n_levels: Annotated[int, Number(
        2, 100, "Levels", "Of a rating. Up to 11 are buttons, more a slider.", advanced=True
    )] = 7
    n_on_table: Annotated[int | None, Number(
        3, MOST_ON_TABLE, "Objects on a table", "For more objects than people can sort at once, "
        "several tables with a part of them each.", automatic="all", advanced=True,
    )] = None
    source: Annotated[str, Choice(
        SOURCES, "Questions", "In simulations, adaptive questions needed fewer answers for the "
        "same map. With the most uncertain ones, ellipses were too small: information gain is "
        "safer.",
    )] = "balanced"
    n_questions: Annotated[int, Number(
        1, 10_000, "Questions per participant", "Without practice, repeats, catch and gold "
                                                "questions."
    )] = 100
    repeated: Annotated[float, Number(
        0.0, 0.5, "Share of repeats", "Share of the questions that are asked again, in addition."
    )] = 0.1
    catch: Annotated[float, Number(
        0.0, 1.0, "Catch questions", "Number per question, with the anchor, or the same object "
        "twice, among the options. Attentive people answer them correctly. “Same or different?” "
        "needs many, or the answer is always “different”.",
    )] = 0.05
    gold_share: Annotated[float, Number(
        0.0, 0.3, "Gold questions", "Number per question of your own questions with a correct "
                                    "answer."
    )] = 0.0
    random_share: Annotated[float, Number(
        0.05, 1.0, "Random share", "Share of random questions among adaptive ones: only these "
        "measure without bias how well a map predicts.", advanced=True,
    )] = 0.2
    n_landmarks: Annotated[int, Number(2, 1000, "Landmarks", advanced=True)] = 10
    n_practice: Annotated[int, Number(0, 50, "Practice questions", "Random questions; gold "
        "questions, with feedback, if their share is 0.")] = 3
    break_every: Annotated[int, Number(
        0, 10_000, "Break after", "Number of questions; 0 for no breaks.", advanced=True
    )] = 50
    fails: Annotated[int, Number(
        0, 100, "Stop after failed checks", "Number of wrong answers to catch and gold questions "
        "that stops a person; 0 for never.",
    )] = 3
    most_people: Annotated[int, Number(1, 100_000, "Participants", "The experiment is full after "
                                                                   "this number.")] = 100
    enough_error: Annotated[float | None, Number(
        0.001, 0.5, "Enough at an error of", "Error in predicting held-out random questions, "
        "chosen before the first answer.", automatic="never: the number of participants decides",
        advanced=True,
    )] = None
    language: Annotated[str, Choice(LANGUAGES, "Language")] = "en"
    size: Annotated[int, Number(20, 1000, "Size", "Size of every stimulus, in CSS pixels.")] = 200
    labels: Annotated[bool, Switch("Labels", "Under each stimulus.", advanced=True)] = False
    least_ms: Annotated[int, Number(
        0, 10_000, "Minimum display time", "In milliseconds, before an answer counts.",
        advanced=True,
    )] = 200
    skip: Annotated[bool, Switch(
        "Offer “Cannot say”", "A button below each question. A skipped question counts as asked, "
        "as missing in every analysis, and as neither right nor wrong if it is a check.",
        advanced=True,
    )] = False
    time_limit: Annotated[int | None, Number(
        1, 3600, "Time limit (s)", "For a question, from when all of it is there; the clock "
        "stands still while the page is hidden. Then the next one comes, and this one counts as "
        "missing. Some people need longer (WCAG 2.2.1): send them the address with &more_time=3 "
        "for three times as long, or with &more_time=0 for no limit.", automatic="none",
        advanced=True,
    )] = None
    desktop_only: Annotated[bool, Switch(
        "Desktop only", "Turn away phones and tablets.", advanced=True
    )] = False
    one_browser: Annotated[bool, Switch(
        "One browser per person", "An id that began in one browser cannot go on in another, so "
        "nobody can answer for others by guessing their id.", advanced=True,
    )] = True
    texts: Mapping[str, str] = field(default_factory=dict)
    questions: tuple[Mapping[str, Any], ...] = ()
    gold: tuple[Mapping[str, Any], ...] = ()
    before: tuple[SurveyItem, ...] = ()
    after: tuple[SurveyItem, ...] = ()
    parameters: tuple[str, ...] = ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")
    return_address: str = ""
    completion_code: str = ""
    salt: str = ""
    keep_until: str = ""
    background: str = "#ffffff"
    seed: Seed = 0

    def __post_init__(self) -> None:
        checked(Experiment, {p.name: getattr(self, p.name) for p in parameters(Experiment)})
        ids = [stimulus.id for stimulus in self.objects]
        needed = self.n_shown
        if len(ids) < max(needed, 3):
            raise DataError(
                f"there are {len(ids):,} objects, and a question shows {needed}", file=self.title,
                remedy="Add objects.",
            )
        often = Counter(ids).most_common(1)
        if often[0][1] > 1:
            raise DataError(f"the object {often[0][0]!r} is there twice", file=self.title,
                            remedy="Give every object its own id.")
        if needed > MOST_ON_TABLE:
            raise DataError(
                f"one table would hold {needed:,} objects, and at most {MOST_ON_TABLE} have room",
                file=self.title, remedy="Set how many objects are on a table.",
            )
        if self.task == "ranking" and self.n_ranked >= self.n_options:
            raise DataError(
                f"{self.n_ranked} of {self.n_options} options cannot be put in order: one must "
                "remain", file=self.title,
            )
        if self.unanswered and not ASKINGS[self.task].has_care:
            raise DataError(
                "a table can neither be skipped nor have a time limit: all of it would be lost",
                file=self.title, remedy="Switch both off, or choose another task.",
            )
        if self.is_adaptive and self.task not in ADAPTIVE_TASKS:
            raise DataError(
                "adaptive questions are about three objects", file=self.title,
                remedy="Choose another task, or balanced questions.",
            )
        names = [one.name for one in (*self.before, *self.after)]
        if len({*names}) < len(names):
            raise DataError("two items of the questionnaires have one name", file=self.title,
                            remedy="Give every item a name of its own.")
        unknown = sorted({*self.texts} - {*TEXTS, *WORDS})
        if unknown:
            raise DataError(f"there is no text {unknown[0]!r}", file=self.title,
                            remedy=f"Texts are {', '.join(TEXTS)}.")

    @property
    def n_shown(self) -> int:
        """Objects in a question."""
        asking = ASKINGS[self.task]
        if asking.is_table:
            return self.n_on_table or len(self.objects)
        return asking.n_shown or self.n_options + 1

    @property
    def n_chosen(self) -> int:
        """Values of an answer: see `Question.n_chosen`."""
        asking = ASKINGS[self.task]
        if asking.is_table:
            return self.n_shown * (1 + (asking.answer == "positions"))
        return asking.n_chosen or self.n_ranked

    @property
    def files(self) -> list[str]:
        """Files in the folder of stimuli, of objects or in texts."""
        shown = (one.content for one in self.objects if one.is_file)
        return list(dict.fromkeys([*shown, *_IN_TEXTS.findall("\n".join(self.texts.values()))]))

    @property
    def levels(self) -> int:
        """Levels of an answer that is a number, else 0."""
        return self.n_levels if ASKINGS[self.task].answer == "number" else 0

    @property
    def unanswered(self) -> tuple[str, ...]:
        """Words of `UNANSWERED` for which a question may have no answer."""
        offered = (self.skip, self.time_limit is not None)
        return tuple(why for why, is_offered in zip(UNANSWERED, offered, strict=True) if is_offered)

    @property
    def is_adaptive(self) -> bool:
        """Whether questions depend on the answers so far."""
        return self.source in ADAPTIVE

    def save(self, folder: Path) -> Path:
        """Write the record into its folder, which is made if needed; whole or not at all."""
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / FILE
        draft = file.with_suffix(".new")
        draft.write_text(json.dumps(asdict(self), ensure_ascii=False, indent=1), encoding="utf-8")
        draft.replace(file)
        return file

    @classmethod
    def load(cls, folder: Path) -> Experiment:
        """The experiment of a folder; DataError if there is none, or its file is invalid."""
        file = folder / FILE
        try:
            record = json.loads(file.read_text(encoding="utf-8"))
        except OSError:
            raise DataError("there is no experiment here", file=str(file),
                            remedy="Name a folder made by the page Collect.") from None
        except (ValueError, RecursionError) as error:
            raise DataError(f"the file is damaged: {error}", file=str(file)) from None
        return cls.from_record(record)

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Experiment:
        """An experiment of plain data, as in its file; DataError if they are not as declared."""
        names = {one.name for one in fields(cls)}
        try:
            strange = sorted({*record} - names)
            if strange:
                raise DataError(f"an experiment has no {strange[0]!r}", file=FILE)
            values = {name: _fixed(value) for name, value in record.items()}
            for name in ("questions", "gold"):
                values[name] = tuple(
                    {key: _fixed(value) for key, value in one.items()}
                    for one in record.get(name, ())
                )
            values["objects"] = tuple(Stimulus(**one) for one in record["objects"])
            for when in WHEN:
                values[when] = tuple(SurveyItem(**one) for one in record.get(when, ()))
            return cls(**values)
        except (KeyError, TypeError, ValueError) as error:
            if isinstance(error, DataError):
                raise
            raise DataError(f"this is no experiment: {error}", file=FILE) from None

    def changed(self, **values: Any) -> Experiment:
        """The same with some values changed."""
        return replace(self, **values)


def _fixed(value: Any) -> Any:
    """A value of a file as it was before it was written."""
    return tuple(value) if isinstance(value, list) else value
