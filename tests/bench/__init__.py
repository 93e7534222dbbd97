"""`just bench`: what acp-trace costs, measured beside its rivals. `run.py` is the script."""
