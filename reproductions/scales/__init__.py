"""Perceptual scales by ordinal embedding: the thesis, chapters 1 and 4 and its appendix."""
