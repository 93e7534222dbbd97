"""Deliberate faults: what the player does wrong on request, and how the peer reacts. Pure.

- `declaration`   the kinds of faults, a table; and `KIND[ VALUE] on METHOD[ #N]`, read
- `aims`          which messages of a plan a fault can be aimed at, and whether it can
- `chaos`         a seed -> faults
- `sending`       one message on its way, and what each kind does with it
- `malformed`     a payload, broken against the shapes of the protocol
- `injector`      the player's lines go in, and come out with the faults in them, each when it is due
- `faulty`        a conversation with faults: for the player, a conversation like any other
- `agents`        real agents that went wrong, each with the faults that show it
- `effects`       which frame of the run carried a fault, and how the peer reacted

Faults of the agent's model are made in `model.proxy.faulty_answers`.
"""
