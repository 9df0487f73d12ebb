"""How items of the papers are drawn."""
