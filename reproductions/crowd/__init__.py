"""Which questions to ask, and whom: the thesis, chapter 5."""
