"""Papers: what the program's methods come from, rebuilt item by item."""
