"""What a question was there for, and so what its answer tells of."""

#: Kinds of questions whose answers are about objects, and those that show who pays attention.
ABOUT_OBJECTS, CHECKS = ("question", "repeat"), ("catch", "gold")
