"""What an experiment takes, counted once for all tabs and as long as it is the same."""

from __future__ import annotations

import streamlit as st

from tripletscope.core.studies.experiment.experiment import Experiment
from tripletscope.core.studies.experiment.simulated import ExperimentCost, experiment_cost
from tripletscope.dashboard.store.experiments import experiment_key


def expected_of(experiment: Experiment, **assumed: float) -> ExperimentCost:
    """The memory of `tripletscope.core.studies.experiment.simulated.experiment_cost`."""
    return _expected(experiment, experiment_key(experiment), **assumed)


@st.cache_data(max_entries=16, show_spinner="Making the lists of questions")
def _expected(_experiment: Experiment, key: str, **assumed: float) -> ExperimentCost:
    return experiment_cost(_experiment, **assumed)
