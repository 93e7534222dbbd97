"""What a hostile trace, agent or neighbour cannot do: the tests that docs/evidence/security.md names."""
