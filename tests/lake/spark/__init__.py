"""Tests of the parts of the Spark engine that need no Spark."""
