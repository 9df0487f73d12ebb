"""Experiments: stimuli, questions, participants' lists, and checked answers."""
