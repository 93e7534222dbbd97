"""The documentation site: its navigation, that it is built without warnings, and what a browser makes of it."""
