"""Faults that are planted into runs of real agents, and what a replay's verdict says of each.

`tape` is a run as something that can be edited; `edits` are the words in which a fault is told;
`client_faults` are those in what the agent sends to its client, `model_faults` those in what it tells its
model; `judging` puts one into a run and asks for the verdict; `table` writes what came of all; `run` is the
script. The recordings and the runs are those of `just hermetic`.
"""
