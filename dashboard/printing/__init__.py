"""Figures on paper: how large, in which letters, alone or side by side, as files.

A figure is drawn for its size (`composition`), as an SVG by a browser that the server starts
(`browser`), in the letters of the pages (`typeface`). PDF and PNG are pictures of that SVG
(`render`), so that every format shows the same; several figures make a sheet (`sheet`).
"""
