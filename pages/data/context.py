"""What the tabs of the page Data share: the answers as imported, and what is known of people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import pandas as pd
import streamlit as st

from tripletscope.core.data.lazy import cached_property
from tripletscope.core.engine.method import Method
from tripletscope.core.run import Run
from tripletscope.core.studies.quality import (
    Cleaning,
    MapAgreement,
    QualityReport,
    Verdict,
    quality,
)
from tripletscope.core.studies.quality.verdict import verdict
from tripletscope.dashboard.store.dataset import edition_of
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui.context import Context
from tripletscope.dashboard.ui.opened_map import map_method


@dataclass(frozen=True)
class QualityContext(Context):
    """The answers, as imported and as they are in use."""

    cleaning: Cleaning

    @classmethod
    def with_cleaning(cls, context: Context) -> Self:
        """The context with the answers as they were imported."""
        return cls.of(context, cleaning=services().workspace.cleaning(context.info))

    @cached_property
    def method(self) -> Method:
        """What predicts."""
        return map_method(self.info)

    @cached_property
    def agreement(self) -> Run | None:
        """How the others' map predicts each participant, if it was computed."""
        return self.find(self.method, "agreement_with_map")

    @cached_property
    def report(self) -> QualityReport:
        info = self.info
        content = (info.fingerprint, info.pairs, info.state, info.gold, info.catch_trials)
        return _report((*content, edition_of(self.agreement)), self)

    @cached_property
    def people(self) -> pd.DataFrame:
        """The participants, with how well the others' map predicts them, where computed."""
        if not self.agreement:
            return self.report.participants
        agreement: MapAgreement = self.agreement.result()
        predicted = agreement.table.drop(columns="answers").rename(
            columns={"low": "predicted_low", "high": "predicted_high"}
        )
        return self.report.participants.merge(predicted, on="participant", how="left")

    @cached_property
    def verdict(self) -> Verdict:
        """Whom to look at."""
        are_named = "participant" in self.answers.answers
        return verdict(self.people if are_named else self.people.iloc[:0])


@st.cache_data(max_entries=8, show_spinner="Assessing the data quality")
def _report(key: tuple, _context: QualityContext) -> QualityReport:
    cleaning, agreement = _context.cleaning, _context.agreement
    return quality(
        _context.answers, catch_trials=cleaning.catch_trials, gold=cleaning.gold,
        wrong=agreement.result().wrong if agreement else None,
    )
