"""A table and its reading -> answers."""
