"""Tests of the tables of a place."""
