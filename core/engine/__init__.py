"""Declarations, methods and tasks by name, progress, and parallel computing."""
