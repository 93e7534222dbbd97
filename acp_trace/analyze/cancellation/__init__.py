"""Cancels: the target, how it ended, what else was under way, and what that shows about both sides.

- `of_session`     what a cancel means for its session
- `cancellations`  each cancel, until its target has settled
- `findings`       what its end shows about the two sides
"""
