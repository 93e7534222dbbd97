"""What CI systems read: JUnit XML, SARIF, GitHub's workflow commands. `places` says where a finding is.

Formats of others: what a key is called, and what it means, is theirs.

- `annotations`       GitHub's workflow commands: `::error file=…,line=…,title=CODE::message`, one for each
                      code of a trace
- `check_junit`       a verdict as JUnit XML: a suite for each trace, a case for each code that could fail,
                      a suite of budgets
- `conform_junit`     conformance as JUnit XML: a suite for each tier, a case for each requirement
- `diff_annotations`  a comparison as GitHub's workflow commands: one line for each code, at the second
                      trace where it can be
- `comparison_junit`  a comparison or replays as JUnit XML: a suite with one case for each recording
- `junit`             JUnit XML: what the suites of `check`, `diff` and `replay` have in common
- `matrix_junit`      a matrix as JUnit XML: a suite for each recording, a case for each build
- `sarif`             a verdict as SARIF 2.1.0: every code is a rule, every finding a result, every missed
                      budget one too
"""
