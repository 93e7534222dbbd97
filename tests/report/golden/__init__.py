"""What `show` and `follow` print of one story, as text: `python -m tests.report.golden` writes it anew.

Look at what changed before you commit it: these files are the screens.
"""
