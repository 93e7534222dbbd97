"""`just pythons`: the plain tests on every Python that can be had. `run.py` is the script."""
