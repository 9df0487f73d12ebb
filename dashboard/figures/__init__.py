"""Plotly figures of results: pure functions, one file per kind of figure."""
