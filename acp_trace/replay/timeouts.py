"""How long a replay waits, and how much it takes in, at most: every such number stands here.

What a number is compared with is the concern of whoever uses it: `patience` for what comes from the peer,
`scheduler` for what a step waits for, `drive` for processes and pipes.
"""

from __future__ import annotations

SECOND = 1_000_000_000
_MS = 1_000_000

#: Nothing goes on for so long: the replay is over. `--timeout` is another one, in seconds. It is longer if
#: the peer was silent for longer when it was recorded: so many times that silence.
TIMEOUT_NS = 60 * SECOND
SILENCE_TIMES = 2

# -- what comes from the peer

#: How many messages after a step still count as going on: so many for each recorded one, and some more.
MESSAGES_TIMES, MESSAGES_MORE = 20, 2000
#: So many times that many messages after a step are a flood: it is over at once.
FLOOD_TIMES = 20
#: Bytes of the peer that are a flood, whatever comes; beside as many times what was recorded as above.
FLOOD_BYTES = 64 << 20
#: Bytes without a newline: more is not a message that anybody could read.
LONGEST_LINE = 64 << 20
#: How long all that is waited for at once may take, in timeouts.
LONGEST_TIMES = 10
#: The same, and the same for a grace, in times of what was recorded.
RECORDED_TIMES = 3

# -- what a step waits for

#: How long something that makes no request necessary is waited for, at least and at most.
GRACE_LEAST_NS, GRACE_MOST_NS = SECOND, 10 * SECOND
#: How long a client's message is waited for when the client has sent one that came after it.
LEFT_OUT_NS = SECOND
#: The same for a message that came in the middle of a turn: whoever sends it may look at the turn first.
AWAITED_NS = 1500 * _MS
#: From when on a wait for what came in vain is told.
STALL_NS = 2 * SECOND
#: How long nothing is sent after a turn, at least and at most.
QUIET_LEAST_NS, QUIET_MOST_NS = 10 * _MS, 100 * _MS
#: How long a turn of a written conversation may go on once it was cancelled, at most: or else the timeout.
CANCELLED_MOST_NS = 30 * SECOND
#: How long nothing is sent before the next step of a written conversation, if an agent is never quiet.
WRITTEN_QUIET_MOST_NS = 1000 * _MS

# -- processes and pipes

#: How long what was due is still written to a peer that says nothing more.
FLUSH_NS = SECOND
#: How long an agent is given to read a cancel before its model hears of it, and how often it is seen whether
#: it has.
CANCEL_READ_NS, LOOK_MS = 2 * SECOND, 1
#: How long the end of an agent that closed its output is waited for, to say which of both it was.
CLOSED_NS = SECOND
#: An agent that ended by itself when it was recorded is given so long to do so, any other one so long; and as
#: long as it once took; never longer than the timeout.
END_LEAST_NS, END_OTHER_NS = 20 * SECOND, SECOND
#: How long is waited for what a remote agent had sent before its connection broke.
LEFT_OVER_S = 1.0
#: How long such a connection is kept when the client has nothing more to send.
LINGER_S = 0.1
#: How often it is seen whether somebody wants the end sooner.
HURRY_NS = 100 * _MS
#: From SIGTERM to SIGKILL, at most.
TERM_NS = 2 * SECOND
#: How long the end of an agent that was killed is waited for; and of one that may not be killed.
KILLED_S, REFUSED_S = 10.0, 1.0
#: How often processes are looked for that still hold an agent's pipes. One that forks meanwhile may be missed
#: at first. Nobody needs so many looks but a fork bomb.
HOLDER_LOOKS = 20
#: Nothing waits for longer than this in one go (`drive.waits` says why).
LONGEST_WAIT_NS = SECOND
#: Bytes of a file that is served from the workspace.
LONGEST_FILE = 16 << 20
#: Commands that a run may have run, bytes that are kept of what one prints, and how long what a child of one
#: still prints is waited for when it has ended.
MOST_TERMINALS, TERMINAL_BYTES, TERMINAL_OUTPUT_NS = 1000, 4 << 20, 200 * _MS
#: How often it is seen whether a command has ended that an agent waits for.
TERMINAL_LOOK_NS = 20 * _MS


def grace(recorded_ns: int, timeout_ns: int) -> int:
    """How long to wait, in ns, for what took so long when it was recorded: 3 s for 1 s, and 1 to 10 s."""
    return min(max(GRACE_LEAST_NS, RECORDED_TIMES * recorded_ns), GRACE_MOST_NS, timeout_ns)
