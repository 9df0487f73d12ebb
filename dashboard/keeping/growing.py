"""Data sets whose answers still come in: what is kept of them is brought up to date."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from sqlalchemy import select

from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Judgements, Triplets
from tripletscope.dashboard.keeping.catalogue import (
    DatasetInfo,
    DatasetRow,
    RunRow,
    WorkspaceError,
    info_of,
)
from tripletscope.dashboard.keeping.measurements import Measurements
from tripletscope.dashboard.keeping.rows import facts, files_of, pair_table, trials_of
from tripletscope.dashboard.keeping.storage import file_of


class GrowingAnswers(Measurements):
    """The part of a workspace that renews answers; see `Workspace`."""

    def renew_dataset(
        self, info: DatasetInfo, answers: Judgements, *, report: list[str],
        catch_trials: pd.DataFrame | None = None, extra: Mapping[str, Any] | None = None,
    ) -> DatasetInfo:
        """Give a data set the answers that there are now.

        Its exclusions are made anew on them, but for those that name single answers by their
        places, which may be others now. Results of the earlier answers go to the trash.

        answers: About the objects of its pictures.
        report: What was read and what was left out.
        catch_trials: As `tripletscope.core.io.Imported.catch_trials`.
        extra: Plain values to keep along, beside those that are kept already.
        """
        steps = [step for step in info.exclusions if not step["answers"]]
        gold = self._storage.triplets(info.gold) if info.gold else None
        from tripletscope.core.studies.quality import Cleaning

        cleaning = Cleaning.from_log(answers, steps, catch_trials, gold)
        imported, left, pairs = answers, cleaning.triplets, None
        if isinstance(answers, Quadruples):
            imported = Triplets(np.zeros((0, 3)), answers.objects, name=answers.name)
            left, pairs = imported, cleaning.triplets
        with self._keeping():
            self._storage.keep_triplets(imported)
            self._storage.keep_triplets(left)
            catch = self._storage.keep_table(catch_trials)
            of_pairs = self._storage.keep_table(
                pair_table(answers) if pairs is not None else None
            )
            with self._writing() as session:
                row = session.get(DatasetRow, info.id)
                if row is None:
                    raise WorkspaceError(f"{info.name} was deleted in another tab meanwhile.")
                before = files_of(row)
                for name, value in facts(left, pairs).items():
                    setattr(row, name, value)
                row.imported, row.exclusions = imported.fingerprint, cleaning.log()
                row.catch_trials, row.pairs = catch, of_pairs
                row.report = report
                row.extra = {
                    **{name: value for name, value in row.extra.items() if name != "trials"},
                    **(extra or {}), **trials_of(left),
                }
                # Those of given distances have nothing to do with the answers.
                old = list(session.scalars(select(RunRow).where(
                    RunRow.dataset == info.id, RunRow.exclusions.is_not(None)
                )))
                released = before - files_of(row) | {file_of("runs", run.file) for run in old}
                for run in old:
                    session.delete(run)
                session.flush()
                self.trash.take([self._records.path(run) for run in old])
                self._records.write(row)
                now = info_of(row)
        self._release(released)
        return now
