"""`just real`: real agents and clients, with and without the recorder. `run.py` is the script."""
