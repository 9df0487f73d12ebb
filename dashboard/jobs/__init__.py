"""Processes that answer the server: its side (`child`) and theirs (`line`)."""
