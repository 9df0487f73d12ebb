"""Figures on paper: a browser draws a figure for its size (`composition`) as an SVG (`browser`), in
the letters of the pages (`typeface`). PDF and PNG are made from that SVG (`render`), so that
every format shows the same; several figures make a sheet (`sheet`).
"""
