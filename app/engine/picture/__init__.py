"""The diagram as a picture: `layout` gives it coordinates when it is written, `drawing` shows it as SVG on pages.

Pictures decide nothing: the runner never looks at coordinates.
"""
