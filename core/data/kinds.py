"""Kinds of questions, by what their answers show."""

#: Questions about objects, and attention checks.
ABOUT_OBJECTS, CHECKS = ("question", "repeat"), ("catch", "gold")
