"""How well methods predict, compared with each other, and a close look at maps."""
