"""A report of results as a paper has it, with figures, tables and references."""
