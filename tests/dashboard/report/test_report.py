"""A report says what was found, in the words and the order that somebody wants."""

import re
from dataclasses import replace
from datetime import UTC, datetime
from itertools import combinations, pairwise

import numpy as np
import pandas as pd
import pytest

import tripletscope as ts
from tests.core.people.guessers import guessers
from tests.core.studies.quality.test_verdict import crowd as who_are_right
from tests.dashboard.report.telling import text_of
from tests.paths import ROOT
from tripletscope.core.inference.held_out.compare import Suggestion
from tripletscope.core.inference.held_out.paired import PairedDifference
from tripletscope.core.inference.held_out.share import Share
from tripletscope.core.ratings.kinds import measured
from tripletscope.core.studies.preregistration.deviations import Deviation
from tripletscope.dashboard.report.document import Listed, Paragraph, TextTable
from tripletscope.dashboard.report.material import Material
from tripletscope.dashboard.report.parts.part import CHAPTERS
from tripletscope.dashboard.report.parts.parts import PARTS
from tripletscope.dashboard.report.report import ReportSettings, document, written
from tripletscope.dashboard.results import Drawing
from tripletscope.dashboard.results.comparison import dimensions_told
from tripletscope.dashboard.results.map_recipe import MapLook, Turn
from tripletscope.dashboard.words import words


@pytest.fixture(scope="module")
def sections(material):
    return written(material)


@pytest.fixture(scope="module")
def made(material, sections):
    return document(ReportSettings(), sections, material.name)


def test_every_part_has_something_to_say(sections):
    assert set(sections) == set(PARTS)


def test_references_within_the_report_lead_somewhere(made):
    """No figure, table or reference is named that there is not."""
    for block in made.blocks():
        texts = {Paragraph: lambda b: [b.text], Listed: lambda b: b.items,
                 TextTable: lambda b: [b.caption, b.note]}.get(type(block), lambda b: [b.caption])
        for text in texts(block):
            for piece, style, _ in made.pieces(text):
                assert style == "reference" or not any(
                    mark in piece for mark in ("@fig", "@tab", "[@", "{", "}")
                ), text


def test_every_figure_is_named_in_the_text(made):
    told = " ".join(block.text for block in made.blocks() if isinstance(block, Paragraph))
    main = {"map", "dimensions", "learning-curve", "scale"}
    assert main <= made.figures.keys()
    assert all(f"@fig-{name}" in told for name in main)


def test_numbers_are_those_of_the_results(material, sections):
    error = material.by_dimension[2]
    assert words.share(error.error) in text_of(sections["map"])
    assert words.estimate(error.error, error.low, error.high) in text_of(sections["map"])
    uncertain = material.uncertainty.samples()
    assert words.share(uncertain.average_uncertainty) in text_of(sections["map"])
    assert words.count(len(material.cleaning.raw), "trial") in text_of(sections["data"])


def test_flow_of_exclusions_adds_up(material, sections):
    (flow,) = (block for block in sections["data"].blocks if isinstance(block, TextTable))
    left = [int(row[3].replace(",", "").replace("\N{NARROW NO-BREAK SPACE}", ""))
            for row in flow.rows]
    removed = [0 if row[1] == "–" else int(row[1]) for row in flow.rows]
    assert left[0] == len(material.cleaning.raw)
    assert left[-1] == len(material.answers)
    assert [a - b for a, b in pairwise(left)] == removed[1:]


def test_names_bring_no_markup(made):
    assert "*" not in made.title
    assert "∗of∗" in made.title


def test_names_of_figures_differ(made, sections):
    drawn = [b for section in sections.values() for b in section.blocks if isinstance(b, Drawing)]
    assert len({d.name for d in drawn}) == len(drawn) == len(made.figures)
    assert {"dendrogram-agglomerative", "dendrogram-agglomerative-2"} <= made.figures.keys()


def test_without_results_there_is_no_claim_about_a_map(colours):
    sections = written(Material("Colours", colours))
    assert set(sections) == {
        "findings", "data", "design", "quality", "limitations", "checklist", "software",
    }
    assert "map" not in text_of(sections["findings"])
    (ticks,) = (b for b in sections["checklist"].blocks if isinstance(b, Listed))
    assert dict(zip(ticks.items, ticks.ticked, strict=True))[
        "Error on held-out answers, with its interval"
    ] is False


def test_a_ceiling_is_only_told_with_both_of_its_bounds(colours):
    quality = Material("Colours", colours).quality
    told = []
    for upper in (Share.of(9, 10), Share.of(0, 0)):
        ceiling = replace(quality.ceiling, lower=Share.of(8, 10), upper=upper)
        material = Material("Colours", colours)
        material.__dict__["quality"] = replace(quality, ceiling=ceiling)
        (listed,) = (b for b in written(material)["checklist"].blocks if isinstance(b, Listed))
        told.append(dict(zip(listed.items, listed.ticked, strict=True))[words("check ceiling")])
    assert told == [True, False]


def test_who_began_and_left_an_experiment_is_told(colours):
    """Four of ten participants had left early, and the report knew of ten."""
    known = {"began": 13, "finished": 6, "stopped": 1, "unanswered": 1, "language": "de",
             "practice": 3, "repeats": 0.1, "checks": 0.05, "fails": 3}
    text = text_of(written(Material("Hues", colours, collected=known))["data"])
    assert "Of 13 participants who began, 6 finished, 5 had not finished, 1 failed" in text
    assert "had to stop, 1 reached the end without an answer." in text
    assert "Answers of those who did not finish are included" in text
    assert "in German, after 3 questions for practice; 10% as many were asked again" in text
    for foreign in ({"finished": "x"}, {"finished": 17}, {"repeats": None}, {"began": -1}):
        told = text_of(written(Material("Hues", colours, collected=known | foreign))["data"])
        assert "who began" not in told
    whole = known | {"finished": 13, "stopped": 0, "unanswered": 0, "checks": 0.0}
    text = text_of(written(Material("Hues", colours, collected=whole))["data"])
    assert "13 finished." in text
    assert "did not finish" not in text
    assert "known answer" not in text
    assert "who began" not in text_of(written(Material("Hues", colours))["data"])


def ticked(cleaning, *further, **how) -> bool:
    """Whether the checklist says that exclusion rules were stated before the data were seen."""
    plan = ts.experiment.AnalysisPlan(
        title="Hues", n_objects=14, n_participants=8, n_answers=800,
        exclusions=cleaning.exclusions[:1],
    ).freeze(datetime(2026, 1, 1, tzinfo=UTC))
    found = ts.experiment.standing(plan, [], **{
        "exclusions": plan.exclusions, "since": "2026-02-01T00:00:00+00:00", "is_collected": True,
        **how,
    })
    found.deviations.extend(further)
    (listed,) = (block for block in written(Material("Hues", cleaning, standing=found))[
        "checklist"].blocks if isinstance(block, Listed))
    return dict(zip(listed.items, listed.ticked, strict=True))[words("check stated before")]


def test_exclusions_were_stated_before_only_if_the_plan_was_made_and_kept(colours):
    assert ticked(colours)
    assert not ticked(colours, is_collected=False), "uploaded data may be older"
    assert not ticked(colours, since="2025-02-01T00:00:00+00:00")
    assert not ticked(colours, exclusions=colours.exclusions), "one was added"
    assert not ticked(colours, exclusions=())
    assert not ticked(colours, Deviation("followed before", made=["“Cups”"]))


def test_deviations_and_exploratory_results_follow_their_headings(material, sections):
    _, _, *told = sections["plan"].blocks
    assert [type(block) for block in told] == [Paragraph, Listed] * 2
    assert [block.text for block in told[::2]] == [
        words("plan deviations"), words("plan exploratory"),
    ]
    said = " ".join(told[1].items)
    assert "Planned and not computed" not in said
    assert "Planned and not computed" in text_of(sections["plan"])


def test_comparisons_that_were_derived_are_not_told_as_asked():
    table = pd.DataFrame([
        {"participant": who, "item1": one, "item2": other, "rating": (k * (5 + p)) % 7}
        for p, who in enumerate(("p", "q", "r"))
        for k, (one, other) in enumerate(combinations("abcdef", 2))
    ])
    cleaning = ts.Cleaning(measured("ratings", table, {"direction": "similar"}).triplets())
    sections = written(Material("Rated", cleaning, measured="ratings"))
    assert "were derived from them" in text_of(sections["data"])
    assert "possible" not in text_of(sections["design"])
    assert "[–, –]" not in text_of(sections["quality"])


def test_map_that_only_guesses_must_not_be_interpreted():
    rng = np.random.default_rng(0)
    rows = np.array([rng.permutation(10)[:3] for _ in range(150)])
    answers = ts.Triplets.from_array(rows, 10)
    runs = tuple(ts.run(task, ts.STE(n_init=1), answers) for task in ("fit", "cross_validate"))
    sections = written(Material("Noise", ts.Cleaning(answers), runs))
    assert "must not be interpreted" in text_of(sections["map"])
    (limits,) = sections["limitations"].blocks
    assert any("not seen to predict held-out answers better than" in one for one in limits.items)
    assert any("uncertainty of positions was not estimated" in one.lower() for one in limits.items)


def test_the_map_with_the_lowest_error_is_not_called_another_number(material):
    told = text_of(written(material)["dimension"])
    d = material.suggestion.best
    assert words("shown best", d=d) in told or material.dimensions != d
    assert "recommend" not in told


def test_no_number_is_told_at_chance(material):
    """The map had "the number with the lowest error" of coin flips."""
    other = replace(material)
    vars(other)["suggestion"] = replace(material.suggestion, is_chance=True)
    assert words("shown best", d=material.dimensions) not in text_of(written(other)["dimension"])


def test_what_is_decided_is_not_called_undecided(material):
    """The report said "cannot decide" where the page named a number."""
    errors = material.by_dimension
    apart = {
        1: PairedDifference(0.1, 0.08, 0.12, 0.01, 4.0, 1e-6),
        3: PairedDifference(0.001, -0.004, 0.006, 0.002, 4.0, 0.6),
    }
    decided = Suggestion(2, 2, apart, n_answers=500)
    wide = {**apart, 3: replace(apart[3], low=-0.04)}
    assert decided.is_decided
    for found in (decided, replace(decided, behind=wide)):
        told = dimensions_told("t-STE", found, errors[2])
        cannot = words("cannot decide", number=words.count(500, "answer"), numbers="2, 3")
        assert (cannot in told) is not found.is_decided
        assert (words("little with more", d=2, gain=words.share(0.004)) in told) is found.is_decided
    report = text_of(written(material)["dimension"])
    page = dimensions_told("t-STE", material.suggestion, errors[material.suggestion.best])
    assert page in report


def test_number_of_dimensions_that_predicts_worse(material, results):
    _first, *others = results
    three = ts.run("fit", ts.TSTE(n_components=1, n_init=2), material.answers)
    other = replace(material, runs=(three, *others))
    told = text_of(written(other)["dimension"])
    assert 1 not in other.suggestion.undecided
    assert words("shown worse", d=1, error=words.share(
        other.by_dimension[1].error)) in told


# What somebody sets ----------------------------------------------------------------------------


def test_parts_are_in_order_chapter_by_chapter(sections):
    chapters = [CHAPTERS.index(PARTS[name].chapter) for name in sections]
    assert chapters == sorted(chapters)
    assert [*sections][:5] == ["findings", "plan", "data", "design", "quality"]


def test_parts_that_are_left_out(material, sections):
    report = ReportSettings(left_out=("map", "checklist"))
    made = document(report, sections, "Colours")
    assert not {"map", "checklist"} & {section.name for section in made.sections}
    assert "map" not in made.figures


def test_parts_that_are_not_there_now_stay_left_out():
    report = ReportSettings(left_out=("map", "quality"))
    assert report.with_part("design", False).left_out == ("map", "quality", "design")
    assert report.with_part("quality", True).left_out == ("map",)
    assert report.with_part("map", False).left_out == ("quality", "map")


def test_report_survives_the_workspace():
    settings = ReportSettings("Title", "A. B.", ("data",), ("k",), ("l",))
    assert ReportSettings.from_dict(settings.to_dict()) == settings


@pytest.mark.parametrize("given", [
    {}, {"results_added": 3, "results_left_out": [1], "title": None},
    {"edited": {"map": {"text": "another version's"}}, "left_out": "data"},
])
def test_what_makes_no_sense_is_left_out(given):
    assert ReportSettings.from_dict(given) == ReportSettings()


def test_quadruples_have_a_report():
    rng = np.random.default_rng(1)
    pairs = np.array([np.sort(rng.permutation(8)[:4]) for _ in range(120)])
    answers = ts.Quadruples(pairs)
    made = written(Material("Pairs", ts.Cleaning(answers), ()))
    assert "120 trials" in text_of(made["data"])


# What readers would have been misled by -----------------------------------------------------------


def told(runs, answers, **further):
    sections = written(Material("Colours", ts.Cleaning(answers), tuple(runs), **further))
    return sections, " ".join(text_of(section) for section in sections.values())


@pytest.mark.parametrize(("correct", "guess"), [(0.5, True), (0.8, False)])
def test_that_all_guess_is_told(correct, guess):
    answers = who_are_right(np.full(12, correct), 60, 0)
    material = Material("Crowd", ts.Cleaning(answers))
    text = _text(PARTS["quality"].make(material))
    assert ("cannot be told from guesses" in text) is guess
    assert ("Nothing stands out" in text) is not guess


def test_lapses_and_weights_are_told_of():
    answers = ts.read(ROOT / "sample_data" / "crowd" / "answers.csv")
    levels = ts.read(ROOT / "sample_data" / "difference_scaling" / "answers.csv")
    crowd = guessers(1).data
    run = ts.run("with_lapses", ts.STE(n_init=1), crowd)
    text = _text(PARTS["groups"].make(Material("C", ts.Cleaning(crowd), (run,))))
    assert "@fig-lapse-rates" in text
    number = int(run.result().stand_out.sum())
    assert f"{number} participants" in text
    run = ts.run("with_lapses", ts.STE(n_init=1), answers)  # people see these in two ways
    found = run.result()
    material = Material("Kitchen", ts.Cleaning(answers), (run,))
    text = _text(PARTS["groups"].make(material))
    assert "@fig-lapse-rates" not in text
    assert "3 participants" not in text
    weighted = ts.Cleaning(answers).excluding(ts.Exclusion(
        "weights", {"weights": found.person_weight.tolist()}, tuple(found.participants)
    ))
    text = _text(PARTS["data"].make(Material("Kitchen", weighted)))
    assert words.whole(round(weighted.effective)) in text
    method = ts.MLDS(lapses="each")
    runs = tuple(
        ts.run(task, method, levels, options)
        for task, options in (("fit", {}), ("bootstrap_scale", {"resamples": 20}))
    )
    text = _text(PARTS["scales"].make(Material("C", ts.Cleaning(levels), runs)))
    assert "eva 28" in text


@pytest.mark.parametrize(("method", "why"), [
    (ts.STE(n_init=1), "has not converged"),
    (ts.TSTE(n_init=1), "need the response"),
])
def test_why_lapses_are_withheld(method, why):
    """That answers do not confirm STE was said where nothing was tested."""
    answers = guessers(1).data
    run = ts.run("with_lapses", method, answers, {"steps": 1})
    assert why in _text(PARTS["groups"].make(Material("C", ts.Cleaning(answers), (run,))))


def test_people_are_tested_first():
    """Groups are found whether or not there are any: none are shown that nothing confirms."""
    crowd = guessers(1, people=6, careless=0, each=30, n_objects=8).data
    run = ts.run("fit", ts.people.LatentClassMap(n_init=1), crowd)
    material = Material("C", ts.Cleaning(crowd), (run,))
    text = _text(PARTS["groups"].make(material))
    assert "@fig" not in text
    assert "none are shown" in text


def _text(blocks) -> str:
    return " ".join(block.text for block in blocks if isinstance(block, Paragraph))


def test_two_results_of_one_task_have_figures_of_their_own(colours):
    answers = colours.triplets
    runs = [ts.run("learning_curve", method, answers, {"repeats": 2})
            for method in (ts.STE(n_init=1), ts.TSTE(n_init=1), ts.K1())]
    sections, text = told(runs, answers)
    names = [b.name for s in sections.values() for b in s.blocks if isinstance(b, Drawing)]
    assert len(names) == len(set(names)) == 3
    assert set(re.findall(r"@fig-([\w-]*\w)", text)) >= set(names)


def test_errors_of_different_folds_are_not_compared(colours):
    answers = colours.triplets
    runs = [
        ts.run("fit", ts.STE(n_init=1), answers),
        ts.run("cross_validate", ts.STE(n_init=1), answers),
        ts.run("cross_validate", ts.STE(n_components=1, n_init=1), answers, {"folds": 4}),
        ts.run("cross_validate", ts.STE(n_components=3, n_init=1), answers, {"seed": 9}),
    ]
    sections, _ = told(runs, answers)
    assert "dimension" not in sections
    assert "comparison" not in sections


def test_figure_of_dimensions_is_of_the_errors_in_the_text(colours):
    answers = colours.triplets
    runs = [ts.run("fit", ts.STE(n_init=1), answers)]
    runs += [ts.run("cross_validate", ts.STE(n_components=d, n_init=1), answers) for d in (1, 2)]
    runs += [ts.run("cross_validate", ts.STE(n_components=d, n_init=1, prior=3.0), answers)
             for d in (1, 2, 3)]
    sections, _ = told(runs, answers)
    (drawing,) = (b for b in sections["dimension"].blocks if isinstance(b, Drawing))
    assert sorted(drawing.table()["dimensions"]) == [1, 2]


def test_no_regions_are_told_of_where_there_are_none(colours):
    keep = colours.triplets.answers["participant"].isin(
        colours.triplets.answers["participant"].unique()[:3]
    ).to_numpy()
    answers = colours.triplets.take(keep)
    method = ts.STE(n_components=3, n_init=1)
    runs = [ts.run("fit", method, answers),
            ts.run("bootstrap", method, answers, {"replicates": 10, "unit": "participants"})]
    sections, text = told(runs, answers)
    (drawing,) = (b for b in sections["map"].blocks if isinstance(b, Drawing))
    assert "95% ellipses" not in drawing.caption
    assert "there are no ellipses in so many dimensions" in drawing.caption
    assert "would contain the true position" not in text
    (limits,) = sections["limitations"].blocks
    assert any("there are no confidence regions" in one for one in limits.items)


def test_a_number_that_is_not_the_recommended_one_was_not_chosen_by_it(material, results):
    other = replace(material, names=set(), runs=(
        ts.run("fit", ts.TSTE(n_components=1, n_init=2), material.answers), *results[1:]
    ))
    (limits,) = written(other)["limitations"].blocks
    assert words("chosen by the same answers") not in limits.items


def test_the_caption_of_the_map_is_that_of_the_page(material):
    turned = replace(material, names=set(), looks={
        material.map.key: MapLook(turn=Turn(np.eye(material.dimensions).tolist(), "STE"))
    })
    (drawing, *_) = (b for b in PARTS["map"].make(turned) if isinstance(b, Drawing))
    error = material.error
    assert words.estimate(error.error, error.low, error.high) in drawing.caption
    assert words("turned towards", name="STE") in drawing.caption
