"""Processes that answer the server, whatever they do: its side (`child`) and theirs (`line`)."""
