"""The parts of a report, in the order of a paper.

A part is a function of `Material` that yields blocks, or nothing; `part` declares it.
"""
