"""What CI systems read: JUnit XML, SARIF, GitHub's workflow commands. `places` says where a finding is.

Formats of others: what a key is called, and what it means, is theirs.
"""
