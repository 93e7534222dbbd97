"""`just lake-proof`: many traces in one place, built whatever happens, and equal to a local database."""
