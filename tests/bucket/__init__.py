"""Tests of places that a team shares."""
