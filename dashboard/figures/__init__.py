"""From results to plotly figures: pure functions, one file per kind of figure."""
