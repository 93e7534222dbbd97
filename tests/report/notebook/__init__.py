"""Reports in notebooks."""
