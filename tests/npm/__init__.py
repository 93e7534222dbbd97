"""The wrapper for npm."""
