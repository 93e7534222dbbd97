"""Tests with a real Spark cluster: a master and workers as processes of their own. `just spark` runs them."""
