"""What a hostile trace, agent or neighbour cannot do: each promise of docs/security.md with its test."""
