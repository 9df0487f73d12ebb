"""Studies: plans, experiments, and what their answers are worth."""
