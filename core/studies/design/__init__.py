"""Design of experiments: plans, adaptive questions, detection of dimensions."""
