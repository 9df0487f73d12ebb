"""A report of results: what a paper says of them, with figures, tables and references."""
