"""Experiments in the folder of a workspace."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

import pytest

from tests.dashboard.store.trashed import trashed
from tripletscope.core.studies.experiment.experiment import FILE, STIMULI, Experiment, Stimulus
from tripletscope.dashboard.files.errors import WorkspaceError
from tripletscope.dashboard.store import experiments
from tripletscope.dashboard.store.experiments import (
    copy_experiment,
    delete_experiment,
    experiment_folder,
    keep_experiment,
    kept_experiments,
    load_experiment,
    plain_file_name,
    stimulus_file,
)


def words(title: str = "Fruit", **further) -> Experiment:
    objects = tuple(Stimulus(name, "text", name) for name in ("apple", "pear", "plum"))
    return Experiment(**{"title": title, "objects": objects, **further})


def pictures(*names: str) -> tuple[Stimulus, ...]:
    return tuple(Stimulus(name, "picture", f"{name}.png", name) for name in names)


@pytest.fixture
def workspace(services):
    return services.workspace


def test_an_experiment_is_kept_listed_and_read_again(workspace):
    slug = keep_experiment(workspace, words("Früchte & Co.?"), {})
    assert slug == "fruchte-co"
    (kept,) = kept_experiments(workspace)
    assert (kept.title, kept.n_objects, kept.problem) == ("Früchte & Co.?", 3, "")
    assert load_experiment(workspace, slug) == words("Früchte & Co.?")


def test_two_of_one_title_are_two_and_a_change_is_none_more(workspace):
    first, second = (keep_experiment(workspace, words(), {}) for _ in range(2))
    assert (first, second) == ("fruit", "fruit-2")
    assert keep_experiment(workspace, words(n_questions=7), {}, first) == first
    assert load_experiment(workspace, first).n_questions == 7
    assert load_experiment(workspace, second).n_questions == 100
    assert len(kept_experiments(workspace)) == 2


def test_titles_that_are_no_names_of_folders_have_folders(workspace):
    for title in ("../../outside", "梨", ".", "a/b\\c", "CON", "x" * 300):
        slug = keep_experiment(workspace, words(title), {})
        folder = experiment_folder(workspace, slug)
        assert folder.parent == workspace.folder / "experiments"
        assert load_experiment(workspace, slug).title == title


def test_files_come_along_and_leave_with_their_objects(workspace):
    files = {"a.png": b"A", "b.png": b"B", "c.png": b"C"}
    slug = keep_experiment(workspace, words(objects=pictures("a", "b", "c")), files)
    assert stimulus_file(workspace, slug, "b.png").read_bytes() == b"B"
    other = words(objects=(*pictures("a", "c"), Stimulus("d", "text", "d")))
    keep_experiment(workspace, other, {}, slug)
    folder = experiment_folder(workspace, slug) / STIMULI
    assert sorted(path.name for path in folder.iterdir()) == ["a.png", "c.png"]
    assert trashed(workspace, f"experiments/{slug}/{STIMULI}/b.png")[0].read_bytes() == b"B"


def test_a_missing_file_leaves_nothing_half_made(workspace):
    with pytest.raises(WorkspaceError, match=r"stimulus file b\.png .* Upload it again"):
        keep_experiment(workspace, words(objects=pictures("a", "b", "c")), {"a.png": b"A"})
    assert kept_experiments(workspace) == []
    assert list((workspace.folder / "experiments").iterdir()) == []


def test_a_copy_has_everything_but_the_answers(workspace):
    slug = keep_experiment(
        workspace, words(objects=pictures("a", "b", "c")), dict.fromkeys(
            ("a.png", "b.png", "c.png"), b"picture"
        ),
    )
    (experiment_folder(workspace, slug) / "answers.sqlite").write_bytes(b"answers")
    copy = copy_experiment(workspace, slug)
    assert load_experiment(workspace, copy).title == "Fruit (copy)"
    assert stimulus_file(workspace, copy, "c.png").read_bytes() == b"picture"
    assert not (experiment_folder(workspace, copy) / "answers.sqlite").exists()


def test_what_is_deleted_goes_to_the_trash_with_its_answers(workspace):
    slug = keep_experiment(workspace, words(), {})
    (experiment_folder(workspace, slug) / "answers.sqlite").write_bytes(b"answers")
    delete_experiment(workspace, slug)
    assert kept_experiments(workspace) == []
    assert trashed(workspace, f"experiments/{slug}/answers.sqlite")[0].read_bytes() == b"answers"
    delete_experiment(workspace, slug)  # as in another tab


def test_a_damaged_experiment_is_listed_with_what_is_wrong(workspace):
    slug = keep_experiment(workspace, words(), {})
    (experiment_folder(workspace, slug) / FILE).write_text("{")
    (kept,) = kept_experiments(workspace)
    assert kept.title == slug
    assert "damaged" in kept.problem
    with pytest.raises(WorkspaceError, match="damaged"):
        load_experiment(workspace, slug)


@pytest.mark.skipif(sys.platform == "win32", reason="it has no such files")
@pytest.mark.parametrize("make", [
    os.mkfifo, Path.mkdir, lambda path: path.symlink_to(path.name),
    lambda path: path.write_text("[" * 200_000),
])
def test_what_is_no_description_of_an_experiment_holds_nothing_up(workspace, make):
    slug = keep_experiment(workspace, words(), {})
    path = experiment_folder(workspace, slug) / FILE
    path.unlink()
    make(path)
    assert {kept.slug for kept in kept_experiments(workspace)} <= {slug}
    assert all("left as it is" in kept.problem for kept in kept_experiments(workspace))
    with pytest.raises(WorkspaceError):
        load_experiment(workspace, slug)


def test_a_stimulus_that_leads_elsewhere_is_not_handed_out(workspace):
    slug = keep_experiment(workspace, words(), {})
    (workspace.folder / "secret.txt").write_text("secret")
    link = experiment_folder(workspace, slug) / "stimuli" / "a.png"
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(workspace.folder / "secret.txt")
    assert stimulus_file(workspace, slug, "a.png") is None


def test_no_file_beside_the_stimuli_is_handed_out(workspace):
    slug = keep_experiment(workspace, words(), {})
    (workspace.folder / "secret.txt").write_text("secret")
    for name in ("../experiment.json", "../../../secret.txt", "..", ""):
        assert stimulus_file(workspace, slug, name) is None
    for folder in ("..", "../..", "", "none", "FRUIT"):
        assert stimulus_file(workspace, folder, "secret.txt") is None


def test_a_full_disk_is_said(workspace, monkeypatch):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(experiments, "whole_file", full)
    with pytest.raises(WorkspaceError, match="disk of the workspace is full"):
        keep_experiment(workspace, words(objects=pictures("a", "b", "c")), {"a.png": b"A"})


@pytest.mark.parametrize(("given", "made"), [
    ("Grüne Äpfel.PNG", "Grune-Apfel.png"), ("../up.jpg", "up.jpg"), (".png", "stimulus.png"),
    ("梨.wav", "stimulus.wav"), ("a b (1).mp4", "a-b-1.mp4"), ("no ending", "no-ending"),
])
def test_names_of_files_are_plain(given, made):
    assert plain_file_name(given, set()) == made


def test_names_that_differ_in_capitals_alone_are_told_apart():
    taken: set[str] = set()
    assert [plain_file_name(name, taken) for name in ("a.png", "A.png", "a.png")] == [
        "a.png", "A-2.png", "a-3.png",
    ]
