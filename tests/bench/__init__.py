"""`just bench`: what acp-trace costs, measured beside its baselines. `run.py` is the script."""
