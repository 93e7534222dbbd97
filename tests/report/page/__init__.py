"""The page to look at: its files and its parts."""
