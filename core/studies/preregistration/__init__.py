"""Preregistration: analysis plans, the questions that they ask, and deviations from them."""
