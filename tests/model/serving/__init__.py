"""Tests of what a run gets instead of a provider's answer."""
