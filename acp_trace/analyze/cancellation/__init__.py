"""Cancels: what one was aimed at, how that ended, what else was under way, and what that says of both sides.

- `of_session`     what a cancel means for its session
- `cancellations`  each cancel, until what it was aimed at has settled
- `findings`       what its end says about the two sides
"""
