"""How well methods predict, compared with each other, and maps looked at closely."""
