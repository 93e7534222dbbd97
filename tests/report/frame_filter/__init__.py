"""The filter language for frames."""
