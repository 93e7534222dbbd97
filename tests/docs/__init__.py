"""Tests of the documentation: what is generated is fresh, what is named exists, what is claimed holds."""
