"""Kinds of questions, by what their answers show, and of questions without an answer."""

#: Questions about objects, and attention checks.
ABOUT_OBJECTS, CHECKS = ("question", "repeat"), ("catch", "gold")
#: Why a question has no answer: its participant could not say, or the time limit was over.
UNANSWERED = ("skipped", "late")
#: Columns of answers: numbers of questions that a participant was asked, and left without one.
N_ASKED, N_UNANSWERED = "n_asked", tuple(f"n_{why}" for why in UNANSWERED)
#: The latter of all participants together who answered nothing: the same in each row.
N_SILENT = tuple(f"{name}_silent" for name in N_UNANSWERED)
