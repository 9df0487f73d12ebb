"""Experiments before and while they run: plans, questions, what to ask next."""
