"""How long a replay waits, and how much it accepts: all these numbers are here.

The modules that use a number define what it is compared with: `patience` for what comes from the peer,
`scheduler` for what a step waits for, `drive` for processes and pipes.
"""

from __future__ import annotations

SECOND = 1_000_000_000
_MS = 1_000_000

#: Inactivity after which the replay is over. `--timeout` changes it, in seconds. It is longer if
#: the recorded peer was silent for long: then SILENCE_TIMES that silence.
TIMEOUT_NS = 60 * SECOND
SILENCE_TIMES = 2

# -- what comes from the peer

#: Messages after a step that still count as progress: a multiple of the recorded ones, and some more.
MESSAGES_TIMES, MESSAGES_MORE = 20, 2000
#: A multiple of that number of messages after a step is a flood, which ends the replay at once.
FLOOD_TIMES = 20
#: Bytes of the peer that are a flood in any case; in addition to the same multiple of the recorded bytes.
FLOOD_BYTES = 64 << 20
#: Bytes without a newline: a longer line is not a readable message.
LONGEST_LINE = 64 << 20
#: How long everything awaited at once may take, in timeouts.
LONGEST_TIMES = 10
#: The same, and the same for a grace, as a multiple of the recorded time.
RECORDED_TIMES = 3

# -- what a step waits for

#: The time to wait for something on which no request depends, at least and at most.
GRACE_LEAST_NS, GRACE_MOST_NS = SECOND, 10 * SECOND
#: The time to wait for a client's message after the client has sent a later one.
LEFT_OUT_NS = SECOND
#: The same for a message in the middle of a turn: its sender may look at the turn first.
AWAITED_NS = 1500 * _MS
#: A vain wait is reported if it is longer than this.
STALL_NS = 2 * SECOND
#: The pause after a turn, at least and at most.
QUIET_LEAST_NS, QUIET_MOST_NS = 10 * _MS, 100 * _MS
#: How long a turn of a written conversation may continue after its cancel, at most: else the timeout.
CANCELLED_MOST_NS = 30 * SECOND
#: The pause before the next step of a written conversation, if an agent is never quiet.
WRITTEN_QUIET_MOST_NS = 1000 * _MS

# -- processes and pipes

#: The time to write what was due to a peer that sends nothing more.
FLUSH_NS = SECOND
#: How long an agent may take to read a cancel before its model is notified of it, and how often that is
#: checked.
CANCEL_READ_NS, LOOK_MS = 2 * SECOND, 1
#: The time to wait for the end of an agent that closed its output, to report which of the two it was.
CLOSED_NS = SECOND
#: The time for an agent to end by itself, if it did so in the recording, and for any other agent; at least
#: the recorded time; never longer than the timeout.
END_LEAST_NS, END_OTHER_NS = 20 * SECOND, SECOND
#: The time to wait for what a remote agent had sent before its connection broke.
LEFT_OVER_S = 1.0
#: How long such a connection is kept after the client's last message.
LINGER_S = 0.1
#: How often it is checked whether the end is wanted sooner.
HURRY_NS = 100 * _MS
#: From SIGTERM to SIGKILL, at most.
TERM_NS = 2 * SECOND
#: The time to wait for the end of a killed agent; and of one that may not be killed.
KILLED_S, REFUSED_S = 10.0, 1.0
#: How often to look for processes that still hold an agent's pipes. A process that forks meanwhile may be
#: missed at first. Only a fork bomb needs this many looks.
HOLDER_LOOKS = 20
#: The longest single wait (`drive.waits` explains why).
LONGEST_WAIT_NS = SECOND
#: Bytes of a file that is served from the workspace.
LONGEST_FILE = 16 << 20
#: Commands that a run may have run, bytes to keep of a command's output, and how long output of its children
#: is awaited after its end.
MOST_TERMINALS, TERMINAL_BYTES, TERMINAL_OUTPUT_NS = 1000, 4 << 20, 200 * _MS
#: How often to check whether a command has ended that an agent waits for.
TERMINAL_LOOK_NS = 20 * _MS


def grace(recorded_ns: int, timeout_ns: int) -> int:
    """Return how long to wait, in ns, for what took `recorded_ns` before: 3 s for 1 s, and 1 to 10 s."""
    return min(max(GRACE_LEAST_NS, RECORDED_TIMES * recorded_ns), GRACE_MOST_NS, timeout_ns)
