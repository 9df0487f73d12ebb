"""The parts of a report, in the order of a paper.

A part is a function of `Material` that yields blocks; `part` declares it. It yields nothing where
there is nothing to say.
"""
