"""What in a trace breaks, or strains, the protocol.

- `codes`   the table of all codes: severity, meaning, the rule behind each
"""
