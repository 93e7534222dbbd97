"""Budgets: `cancel.settle p95 < 2s`, for `check` (docs/check.md).

- `metrics`  what a budget can be about, one row each, and its samples in the facts of a trace
- `grammar`  the expression, its errors, and its outcome
"""
