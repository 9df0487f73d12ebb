"""Experiments to come: what is shown, what is asked, of whom, and what an answer may be."""
