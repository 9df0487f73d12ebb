"""The pages, a folder each: what they show stands in it, what they share in the dashboard."""
