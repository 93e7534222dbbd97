"""The wheel, the sdist and the npm package: what is in them, and every way to install them by name.

`contents` compares archives with a checkout; `index` serves them as PyPI and npm would, on this machine; `ways` is the
table of what a user types; `run` does all of it: `python tests/install/run.py DIST`.
"""
