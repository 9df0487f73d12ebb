"""Processes that the server starts and asks, whatever they do; see `program` for their side."""
