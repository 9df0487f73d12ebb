"""Meanings of the columns of a table."""
