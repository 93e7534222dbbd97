"""The pages as topics: the index, where they are, and which fits a question."""
