"""Bytes of any format -> tables and arrays."""
