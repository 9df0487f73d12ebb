"""Files that are read and written whole, and what they are called."""
