"""Puts one fault after another into a copy of the package and demands that a test fails.

A test that cannot fail proves nothing. Each row is a fault that other tools have, or a promise of
the recorder: the file, the line as it is, the line with the fault, and the test that must notice.
`python tests/mutation/run.py [NAME …]`; ends with 1 when a fault goes unnoticed. With `--minutes N` it begins
none after that time, at a place in the table that is another one each time, and says how many were left out.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import os
import random
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
import venv
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from acp_trace.system.processes import KILL, signal_all

_REPOSITORY = Path(__file__).parents[2]
_LONGEST_S = 120
#: A fault is noticed by the first test that fails, a slow one too.
_OPTIONS = ("-q", "-n0", "-x", "-m", "not browser")
#: Faults at a time. On two cores, as tests also wait for processes.
_COPIES = 2
#: What pytest ends with where a test has failed. Without pytest, Python ends with 1 as well: this is another number.
_FAILED = 101
#: What a failed test left open may end in an error of pytest's own, after all tests: then it was noticed, too.
_PYTEST = """import sys, pytest
try:
    code = pytest.main(sys.argv[1:])
except Exception:
    code = 1
sys.exit(100 + code)"""


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault: `was` becomes `becomes` in `file`, and `tests` must fail."""

    name: str
    file: str
    was: str
    becomes: str
    tests: str


FAULTS = (
    Fault(
        "a page of another origin is let in",
        "gate/requests.py",
        "        if origins and not self._is_own(origins[0], host):\n",
        "        if False:\n",
        "tests/gate/test_requests.py",
    ),
    Fault(
        "nothing stands before what is served",
        "transport/serving.py",
        "    framed = _served(gated(application, here), accepting)\n",
        "    framed = _served(application, accepting)\n",
        "tests/transport/test_gated.py",
    ),
    Fault(
        "a base URL is open to web pages",
        "model/proxy/listener.py",
        "            refused = Listener(*ends[1]).refusal(request.method, target, request.raw_headers)\n",
        "            pass\n",
        "tests/model/proxy/test_refusing.py",
    ),
    Fault(
        "3: one id map for both directions",
        "analyze/exchanges.py",
        'key = ("agent" if sender == "client" else "client", message.id)',
        'key = next((k for k in self._open if k[1] == message.id), ("", ""))',
        "tests/analyze/test_exchanges.py",
    ),
    Fault(
        "3: ids compared by value",
        "protocol/message.py",
        'text.decode("utf-8", "replace")\n',
        'str(msgspec.json.decode(text)).removesuffix(".0")\n',
        "tests/analyze/test_exchanges.py",
    ),
    Fault(
        "4: every read decoded by itself",
        "trace/encode.py",
        '            self._pending.append(data)\n            return b""',
        '            self._pending.append(data.decode("utf-8", "replace").encode())\n            return b""',
        "tests/trace/test_encode.py tests/record/test_traffic.py",
    ),
    Fault(
        "5: a full disk ends the traffic",
        "record/sink.py",
        "                self._lost.setdefault(stream, _Lost()).add(data, is_message=stream in HTTP)\n",
        "                raise SystemExit(1)\n",
        "tests/record/test_losses.py",
    ),
    Fault(
        "5: the loss is not counted",
        "record/sink.py",
        "                self._lost.setdefault(stream, _Lost()).add(data, is_message=stream in HTTP)\n",
        "                pass\n",
        "tests/record/test_losses.py",
    ),
    Fault(
        "5: half an entry stays after a failed write",
        "record/sink.py",
        "            left = self._cut_to(size)\n",
        "            left = 0\n",
        "tests/record/test_capture_rules.py",
    ),
    Fault(
        "6: no wait for the last bytes of a dead agent",
        "record/drain.py",
        "        fresh = progress != self._progress\n",
        "        return True\n",
        "tests/record/test_traffic.py",
    ),
    Fault(
        "7: forward first, write second",
        "record/pump.py",
        "            record(left)\n",
        "            write(target, left)\n            import time; time.sleep(0.001)\n"
        "            record(left)\n            continue\n",
        "tests/record/test_traffic.py tests/record/test_ending.py",
    ),
    Fault(
        "8: a word of our own on stdout",
        "record/recorder.py",
        "    started = time.monotonic_ns()\n",
        '    started = time.monotonic_ns()\n    os.write(1, b"recording\\n")\n',
        "tests/record/test_traffic.py::test_both_directions_pass_byte_for_byte",
    ),
    Fault(
        "11: live traces taken for dead",
        "trace/lock.py",
        "        except BlockingIOError:\n            return False",
        "        except BlockingIOError:\n            return True",
        "tests/store/test_load.py tests/record/test_start.py",
    ),
    Fault(
        "14: a line that is not JSON is dropped",
        "trace/encode.py",
        'each = [frame(sender, t, line) for line in body.split(b"\\n")]',
        'each = [frame(sender, t, line) for line in body.split(b"\\n") if is_json(line)]',
        "tests/trace/test_encode.py tests/record/test_traffic.py",
    ),
    Fault(
        "14: two texts in one line pass for one frame",
        "trace/encode.py",
        '        if b"\\n".join(texts) == body:',
        "        if True:",
        "tests/trace/test_encode.py",
    ),
    Fault(
        "15: a last line without newline is dropped",
        "trace/capture_lines.py",
        "        if not (rest := self._framer.rest()):\n",
        "        if (rest := self._framer.rest()) is not None:\n",
        "tests/record/test_traffic.py",
    ),
    Fault(
        "16: one direction at a time",
        "record/pump.py",
        "            record(left)\n",
        "            global _turn\n            _turn = globals().get('_turn') or threading.Lock()\n"
        "            _turn.acquire()\n            record(left)\n"
        "            write(target, left)\n            _turn.release()\n            continue\n",
        "tests/record/test_traffic.py::test_a_flood_in_both_directions_at_once",
    ),
    Fault(
        "signals passed on twice",
        "record/agents/posix.py",
        "                    os.kill(self.pid, number)\n",
        "                    os.kill(self.pid, number); import time; time.sleep(0.05); os.kill(self.pid, number)\n",
        "tests/record/test_ending.py",
    ),
    Fault(
        "a grandchild that talks all the time holds the recorder",
        "record/drain.py",
        "waited >= 0 or self._short(progress, moved)",
        "waited >= 0",
        "tests/record/test_drain.py",
    ),
    Fault(
        "environment in the header",
        "record/header.py",
        '            "transport": "stdio",\n',
        '            "transport": "stdio", "env": dict(os.environ),\n',
        "tests/record/test_traffic.py",
    ),
    Fault(
        "rows outside of a transaction",
        "store/rows_of_many.py",
        "            self._begin()\n        super().flush()",
        "            self._begin()\n        super().flush()\n        self._commit()",
        "tests/store/test_load.py",
    ),
    Fault(
        "rows of another version of acp-trace are taken",
        "store/parallel_fill.py",
        "        if decoded(next_message()) != Begun():\n",
        "        if decoded(next_message()) is None:\n",
        "tests/store/test_parallel_fill.py",
    ),
    Fault(
        "parts of a page are taken from a process that was killed",
        "cli/page_helper.py",
        "if self._process is None or self._process.wait() != 0:",
        "if self._process is None or self._process.wait() > 0:",
        "tests/cli/test_page_helper.py",
    ),
    Fault(
        "rows of a trace whose reader was killed stay",
        "store/rows_of_many.py",
        "            self._forget()\n            with suppress(Exception):\n",
        "            with suppress(Exception):\n",
        "tests/store/test_parallel_fill.py",
    ),
    Fault(
        "a file of the spool removed before its rows are committed",
        "store/sweep.py",
        "tick, path))))",
        "tick, path)))) or (remove and path.unlink())",
        "tests/store/test_sweep.py",
    ),
    Fault(
        "frames rewritten on their way into the store",
        "store/table_rows.py",
        "[*data]",
        "[__import__('json').dumps(__import__('json').loads(one)).encode() for one in data]",
        "tests/store/test_load.py",
    ),
    Fault(
        "the lines of one trace with the frames of another",
        "store/read.py",
        "identity not in (None, now)",
        "False",
        "tests/store/test_read.py",
    ),
    Fault(
        "a query that Ctrl-C does not end",
        "store/interruptible.py",
        "                self._connection.interrupt()",
        "                pass",
        "tests/store/test_interruptible.py",
    ),
    Fault(
        "1: what is played keeps the recorded ids",
        "replay/conversation/rewriting.py",
        "                now = self.actual_id(what, message.session, was)\n",
        "                now = None\n",
        "tests/replay/test_bindings.py",
    ),
    Fault(
        "2: any line lets the next step go",
        "replay/conversation/scheduler.py",
        "        if not is_there or not self._is_as_far(step, queue):\n",
        "        if False:\n",
        "tests/replay/test_plan_client.py",
    ),
    Fault(
        "replay: an answer of another turn comes first",
        "replay/conversation/inbound_requests.py",
        "            if stays and recorded.turn is not None and recorded.turn not in turns:\n",
        "            if False:\n",
        "tests/replay/test_claims.py",
    ),
    Fault(
        "replay: what was due when the agent closed its output is dropped",
        "replay/drive/player.py",
        "                self._flush()\n",
        "                pass\n",
        "tests/replay/test_player.py",
    ),
    Fault(
        "10: redaction takes ids for secrets",
        "redact/spots.py",
        "    if is_kept(within, place.method):\n        return None\n",
        "",
        "tests/redact",
    ),
    Fault(
        "content: what a tool shows must not depend on what it was asked for",
        "compare/content/differ.py",
        'aspect.given == "always" or is_edit or _same_input(traces, was, now)',
        "True",
        "tests/compare/test_content.py",
    ),
    Fault(
        "content: a tool call that a cancel stopped must show all",
        "compare/work/tool_calls.py",
        "    if not tolerance.open_end:\n        return True\n",
        "    return True\n",
        "tests/compare/test_content.py",
    ),
    Fault(
        "diff: an agent that waited may do anything after a cancel",
        "compare/pairing/tolerance.py",
        "        return self.extra and not self.is_decision(frame)\n",
        "        return self.extra\n",
        "tests/compare/test_after_cancel.py",
    ),
    Fault(
        "content: a text may say what it likes twice",
        "compare/content/shown.py",
        "    if _is_new_twice(was, now):\n",
        "    if False:\n",
        "tests/compare/test_matrix.py",
    ),
    Fault(
        "13: however a cancel ends, it is the same",
        "compare/requests/cancels.py",
        "ended.outcome == expected_cancel.outcome",
        "ended.outcome != ''",
        "tests/compare/test_matrix.py",
    ),
    Fault(
        "control characters go through",
        "report/safe.py",
        "    return HARMFUL.sub(_escape, text)\n",
        "    return text\n",
        "tests/cli/test_bad_input.py",
    ),
    Fault(
        "a recorder's file takes the place of another's",
        "record/place.py",
        "            os.link(hidden, path)\n",
        "            os.replace(hidden, path)\n",
        "tests/record/test_place.py",
    ),
    Fault(
        "a terminal that closes tells only the recorder",
        "record/agents/posix.py",
        " or (number == signal.SIGHUP and os.getsid(0) == os.getpid())",
        "",
        "tests/record/test_ending.py",
    ),
    Fault(
        "a pump without memory ends",
        "record/sink.py",
        "            except (OSError, MemoryError) as error:\n                self._lost",
        "            except OSError as error:\n                self._lost",
        "tests/record/test_capture_rules.py",
    ),
    Fault(
        "the other streams go on while a gap is written",
        "record/sink.py",
        "        while any(self._writing):\n",
        "        while False:\n",
        "tests/record/test_capture_rules.py",
    ),
    Fault(
        "the other streams are not told to wait",
        "record/sink.py",
        "        self._held = True\n        while",
        "        self._held = False\n        while",
        "tests/record/test_capture_rules.py",
    ),
    Fault(
        "a block overtakes the gap before it",
        "record/sink.py",
        "            self._held = bool(self._lost) or self._fd < 0\n",
        "            self._held = self._fd < 0\n",
        "tests/record/test_capture_rules.py",
    ),
    Fault(
        "a block behind the footer",
        "record/sink.py",
        "            if self._closed:\n",
        "            if False:\n",
        "tests/record/test_capture_rules.py",
    ),
    Fault(
        "the beginning of a block is not taken back",
        "record/sink.py",
        "        self._torn += self._cut_to(at) if is_last else len(torn)\n",
        "        pass\n",
        "tests/record/test_capture_rules.py",
    ),
    Fault(
        "the rest of a gap is that of its last block",
        "record/sink.py",
        "self.rest + size if last < 0 else",
        "size if last < 0 else",
        "tests/record/test_capture_rules.py",
    ),
    Fault(
        "a deleted file is not looked for",
        "record/sink.py",
        "            if not os.fstat(self._fd).st_nlink:\n                self._restore()",
        "            if False:\n                self._restore()",
        "tests/record/test_sink.py tests/record/test_losses.py",
    ),
    Fault(
        "lines take the place of another recorder's file",
        "record/finish.py",
        "os.replace(hidden, _name_of(fd, path))",
        "os.replace(hidden, path)",
        "tests/record/test_capture_rules.py",
    ),
    Fault(
        "a torn block ends the reading",
        "trace/capture_blocks.py",
        "                elif not self._pass_over():\n",
        "                else:\n",
        "tests/trace/test_capture_rules.py",
    ),
    Fault(
        "a block is whole whatever begins inside of it",
        "trace/capture_blocks.py",
        "        if buffer.find(mark, self.at + MARK_SIZE, end + MARK_SIZE - 1) >= 0:\n",
        "        if False:\n",
        "tests/trace/test_capture_rules.py",
    ),
    Fault(
        "the values of headers that hold keys are written",
        "model/secrets.py",
        "(name, None if secret_names.is_header(name) else self._header(name, value))\n",
        "(name, value)\n",
        "tests/model/test_secrets.py",
    ),
    Fault(
        "a name holds a secret only if its last word is one of the table",
        "redact/secret_names.py",
        "    return parts[-1].endswith(_ENDS[where]) or joined.endswith(_JOINED)\n",
        "    return parts[-1] in _ENDS[where] or joined.endswith(_JOINED)\n",
        "tests/redact/test_secret_names.py",
    ),
    Fault(
        "keys without a mark in their prefix have no sign",
        "redact/signs.py",
        "_LITERALS = (*(one for one in _PREFIXES if mark_of(one) is None), *ODD, *pem.SIGNS)\n",
        "_LITERALS = (*ODD, *pem.SIGNS)\n",
        "tests/redact/test_token_shapes.py",
    ),
    Fault(
        "a secret in two pieces of a response is written",
        "model/secrets.py",
        "        open_at = len(rest) - self._open_end(rest)\n",
        "        open_at = len(rest)\n",
        "tests/model/test_secrets.py",
    ),
    Fault(
        "a few compressed bytes stand for any number",
        "trace/inflate.py",
        "        if self._given > self._limit.free + self._limit.ratio * self._taken:\n",
        "        if False:\n",
        "tests/trace/test_inflate.py",
    ),
    Fault(
        "a listener agrees to compressed messages",
        "transport/plain_sockets.py",
        "    stream.handshake.extensions = None  # what the client offers\n",
        "",
        "tests/transport/test_serving.py",
    ),
    Fault(
        "bodies of other hosts are written",
        "model/open_exchange.py",
        "            self.whole = self.whole or self.is_model\n",
        "            self.whole = True\n",
        "tests/model/test_journal.py",
    ),
    Fault(
        "a body is cut inside of a character",
        "trace/model_bodies.py",
        "    prefix = last_character(body, same_begin(other, 0, body, 0, most))\n",
        "    prefix = same_begin(other, 0, body, 0, most)\n",
        "tests/trace/test_model_bodies.py",
    ),
    Fault(
        "a reader keeps every body",
        "trace/model_bodies.py",
        "        for each in {*same[:-_LAST], *far}:\n",
        "        for each in ():\n",
        "tests/trace/test_model_bodies.py",
    ),
    Fault(
        "a few bytes become a terabyte",
        "trace/model_bodies.py",
        "        if likeness.prefix + likeness.suffix > len(other) or taken > longest:\n",
        "        if likeness.prefix + likeness.suffix > len(other):\n",
        "tests/trace/test_model_bodies.py",
    ),
    Fault(
        "a copy is taken from more than there is",
        "trace/model_bodies.py",
        "or start + length > len(source):\n",
        "or start > len(source):\n",
        "tests/trace/test_model_bodies.py",
    ),
    Fault(
        "a copy is cut inside of a character",
        "trace/model_copies.py",
        "        begin = next_character(body, at - before)\n",
        "        begin = at - before\n",
        "tests/trace/test_model_copies.py",
    ),
    Fault(
        "more is copied than a reader accepts",
        "trace/model_copies.py",
        "                    most = max(longest, self._size(place.body)) - taken\n",
        "                    most = len(body)\n",
        "tests/trace/test_model_copies.py",
    ),
    Fault(
        "what looks the same is copied from its last place alone",
        "trace/model_copies.py",
        "        if at >= 0 and (behind.body, at) != last:\n",
        "        if False:\n",
        "tests/trace/test_model_copies.py",
    ),
    Fault(
        "what is new for long is searched spot by spot",
        "trace/model_copies.py",
        " + unknown // _PATIENCE * (_KEY // 2)\n",
        "\n",
        "tests/trace/test_model_copies.py",
    ),
    Fault(
        "after a loss, bodies still refer to what is lost",
        "model/journal.py",
        "        self._shortener.forget()\n",
        "        pass\n",
        "tests/model/test_journal.py",
    ),
    Fault(
        "a stranger who has closed its socket is taken for root",
        "gate/peers.py",
        ' and fields[_INODE] != b"0"',
        "",
        "tests/gate/test_peers.py",
    ),
    Fault(
        "silent connections keep others out",
        "gate/crowds.py",
        "        if is_full:\n",
        "        if False:\n",
        "tests/gate/test_crowds.py",
    ),
    Fault(
        "a stranger fills the trace with what is no request",
        "model/proxy/listener.py",
        "            if await admission.is_ours(*ends):\n",
        "            if True:\n",
        "tests/model/proxy/test_admission.py",
    ),
    Fault(
        "bodies of a listener take all memory together",
        "gate/rooms.py",
        "        while self.taken > self._most and self._places:\n",
        "        while False:\n",
        "tests/gate/test_rooms.py",
    ),
    Fault(
        "a client that floods has all of the loop",
        "transport/accepted.py",
        "            self._share.took(time.perf_counter() - self._since)\n",
        "            self._share.took(0)\n",
        "tests/transport/test_accepted.py",
    ),
    Fault(
        "the proxy of --model serves every user of the machine",
        "model/proxy/admission.py",
        "        return await self.is_ours(peer, here)\n",
        "        return True\n",
        "tests/model/proxy/test_admission.py",
    ),
    Fault(
        "the word of a base URL is recorded",
        "model/proxy/admission.py",
        "        yield self._word\n",
        "",
        "tests/model/proxy/test_admission.py",
    ),
    Fault(
        "what follows the body of a rewritten request goes to its host",
        "model/proxy/lone_request.py",
        "                    return data[: len(data) - len(beyond)]\n",
        "                    return data\n",
        "tests/model/proxy/test_lone_request.py",
    ),
    Fault(
        "a request with two lengths goes on with both",
        "model/proxy/lone_request.py",
        '            left_out = left_out | {b"content-length"}\n',
        "            pass\n",
        "tests/model/proxy/test_lone_request.py",
    ),
    Fault(
        "a key that others can read is used",
        "model/proxy/ca.py",
        "    elif status.st_mode & _OTHERS:\n",
        "    elif status.st_mode & 0o002:\n",
        "tests/model/proxy/test_ca.py",
    ),
    Fault(
        "a mistake in a parser ends the traffic",
        "model/proxy/traffic.py",
        "            except Exception as error:  # after any error, the traffic goes on\n",
        "            except UnicodeError as error:\n",
        "tests/model/proxy/test_passing.py",
    ),
    Fault(
        "HTTP/2 is not offered to the provider",
        "model/proxy/upstream.py",
        "        context.set_alpn_protocols(protocols)  # for the next connection only: each takes a copy\n",
        "        context.set_alpn_protocols([])\n",
        "tests/model/proxy/test_passing.py",
    ),
    Fault(
        "a secret in several events of a stream stays",
        "redact/model_bodies.py",
        "        sum(spot not in alone for spot in range(start, end)) > _HARMLESS\n",
        "        False\n",
        "tests/redact/test_model_bodies.py",
    ),
    Fault(
        "what holds the mark is written as one block",
        "record/sink.py",
        "        for piece in self._without_marks(bytes(data)):\n",
        "        for piece in [bytes(data)]:\n",
        "tests/record/test_interference.py",
    ),
    Fault(
        "the rest of a block that is not whole yet is not waited for",
        "trace/capture_blocks.py",
        "        return None if any(mark.startswith(bytes(buffer[at:])) for at in parts) else True\n",
        "        return True\n",
        "tests/trace/test_capture_blocks.py",
    ),
    Fault(
        "a torn write is not told where the second try is whole",
        "record/sink.py",
        "        if not (self._lost or self._torn or self._cut):\n",
        "        if not self._lost:\n",
        "tests/record/test_sink.py",
    ),
    Fault(
        "a gap that cannot be taken back is told again",
        "record/sink.py",
        "            if gap and left >= len(gap):",
        "            if False:",
        "tests/record/test_sink.py",
    ),
    Fault(
        "a line goes on behind damage",
        "trace/capture_lines.py",
        "            sender.break_off(_DAMAGED)\n",
        "            pass\n",
        "tests/trace/test_capture_rules.py",
    ),
    Fault(
        "a capture that others empty goes on without its header",
        "record/sink.py",
        "            if self._is_cut():\n                self._after_cut()\n",
        "",
        "tests/record/test_interference.py",
    ),
    Fault(
        "time goes back",
        "trace/capture_lines.py",
        "        self._t = t = max(min(block.t, _LATEST), self._t)\n",
        "        self._t = t = min(block.t, _LATEST)\n",
        "tests/trace/test_capture_rules.py",
    ),
    Fault(
        "a line with a hole is counted at once and again",
        "trace/capture_lines.py",
        "            return 0, 0\n",
        "            return 1, held + size\n",
        "tests/trace/test_capture_rules.py",
    ),
    Fault(
        "a line that was begun in a gap is not counted",
        "trace/capture_lines.py",
        "        if rest:\n            self._lost = rest\n",
        "",
        "tests/trace/test_capture_rules.py",
    ),
    Fault(
        "a live trace is read as if it had ended",
        "trace/files.py",
        "            if data or self.live:\n",
        "            if data:\n",
        "tests/trace/test_capture_rules.py",
    ),
    Fault(
        "half a line of a killed recorder is a frame",
        "trace/capture_lines.py",
        "        return lines + self._damage(self._t, self._blocks.skipped)\n",
        "        rests = [sender.end(self._t) for sender in self._senders.values()]\n"
        '        return lines + self._damage(self._t, self._blocks.skipped) + b"".join(rests)\n',
        "tests/trace/test_capture_rules.py",
    ),
    Fault(
        "any SQL is run",
        "store/statements.py",
        "    if kind_of(statement) not in READS:\n",
        "    if not kind_of(statement):\n",
        "tests/store/test_statements.py",
    ),
    Fault(
        "SQL knows the names of the store's files",
        "store/connect.py",
        "stack.enter_context(by_another_name(path)) if apart else path",
        "path",
        "tests/security/test_query.py",
    ),
    Fault(
        "rm leaves the text in the file",
        "store/compact.py",
        "        for _ in range(2):\n",
        "        for _ in range(0):\n",
        "tests/store/test_compact.py",
    ),
    Fault(
        "more lines replace a whole trace",
        "store/load.py",
        "        if _has_end(connection, trace_id):\n",
        "        if not trace_id:\n",
        "tests/store/test_load.py",
    ),
    Fault(
        "junit: a text attaches a file",
        "report/ci/junit.py",
        'return _ATTACHES.sub("[ ", _NO_XML.sub("\\ufffd", safe(text)))',
        'return _NO_XML.sub("\\ufffd", safe(text))',
        "tests/report/test_junit.py",
    ),
    Fault(
        "otlp: the exporter logs what a collector answers",
        "cli/otlp_sender.py",
        '    logging.getLogger("opentelemetry").addHandler(logging.NullHandler())\n',
        '    logging.getLogger("opentelemetry")\n',
        "tests/formats/writing/test_otlp.py",
    ),
    Fault(
        "completion: a shell gets ids and titles as they are",
        "cli/completion.py",
        'return [(word, _UNFIT.sub(" ", about).rstrip())] if _WORD.fullmatch(word) else []',
        "return [(word, about.rstrip())]",
        "tests/cli/test_completion.py",
    ),
    Fault(
        "a report is written through a link",
        "cli/outputs.py",
        "    if os.path.islink(file) and not is_special(file):\n",
        "    if not file:\n",
        "tests/security/test_files.py",
    ),
    Fault(
        "what is no run becomes the recording",
        "cli/pending.py",
        '    if not header.get("replay_of"):\n',
        "    if not header:\n",
        "tests/cli/test_pending.py",
    ),
    Fault(
        "a command that a signal ended says that it ended well",
        "cli/signals.py",
        "            _end_by(number)\n",
        "            pass\n",
        "tests/cli/test_signals.py",
    ),
    Fault(
        "redact: pieces of a text are looked at one by one",
        "redact/joiner.py",
        "        if text.size >= text.limit:\n            self._settle(text, end=False)\n",
        "        self._settle(text, end=True)\n",
        "tests/redact",
    ),
    Fault(
        "an end of line that falls between two pieces of an event stream ends two lines",
        "transport/sse.py",
        "                    self._after_cr = True\n",
        "                    self._after_cr = False\n",
        "tests/transport/test_sse.py tests/model/test_reading.py",
    ),
    Fault(
        "another messageId goes on with the same message",
        "story/messages.py",
        "            if latest is not None and latest[1] == id_ and latest[0] == update:\n",
        "            if latest is not None and latest[0] == update:\n",
        "tests/story/test_messages.py",
    ),
    Fault(
        "a tool call ends no message",
        "story/messages.py",
        '{"plan", "plan_update", updates.TOOL_CALL, updates.STATE}',
        '{"plan", "plan_update", updates.STATE}',
        "tests/story/test_messages.py",
    ),
    Fault(
        "payload: what a reader refuses passes for what it replaces",
        "protocol/shapes/judge.py",
        "        tolerated = tolerated or member.tolerant or (value is None and member.null_is_default)\n",
        "        tolerated = True\n",
        "tests/protocol/shapes/test_judge.py",
    ),
    Fault(
        "model: the first byte passes for the first token",
        "model/reading.py",
        "        if draft.outputs > outputs:\n",
        "        if draft.outputs >= outputs:\n",
        "tests/model/test_reading.py",
    ),
    Fault(
        "model: an answer that says its parts twice brought twice as much",
        "model/draft.py",
        "        self._is_known = self.outputs > 0\n",
        "        self._is_known = False\n",
        "tests/model/test_reading.py",
    ),
    Fault(
        "model: a turn waits for a title that is made beside the conversation",
        "analyze/model_turns.py",
        "            if call.call not in self._beside\n",
        "            if call.call\n",
        "tests/analyze/test_model_turns.py",
    ),
    Fault(
        "model: a call that was broken off outlives its cancel",
        "analyze/facts/model_call.py",
        "not (self.aborted or self.beside)",
        "not self.beside",
        "tests/analyze/findings/test_codes.py",
    ),
    Fault(
        "compare: a call that went on for longer after a cancel is a new finding",
        "compare/findings.py",
        "if not others.have(kind) and kind.blame",
        "if kind not in others.first and kind.blame",
        "tests/compare/test_findings.py",
    ),
    Fault(
        "model: bodies of calls that are over are kept",
        "model/call_reader.py",
        "        del self._exchanges.exchanges[exchange.number]\n",
        "        exchange.method = ''\n",
        "tests/analyze/test_model_calls.py",
    ),
    Fault(
        "model: ids of tool calls count as changes of a prompt",
        "model/prompt_diff.py",
        'numbers.setdefault(id, f"#{len(numbers) + 1}")',
        "numbers.setdefault(id, id)",
        "tests/model/test_prompt_diff.py",
    ),
    Fault(
        "model: a tool claims the time in which its arguments are written",
        "model/turn_time.py",
        "claimed(turn, (client, model, tools, unknown))",
        "claimed(turn, (client, tools, model, unknown))",
        "tests/model/test_turn_time.py",
    ),
    Fault(
        "show: a part of a turn that took no time leaves no place for its figure",
        "report/text/turn_bar.py",
        '        yield Cell("  " + GLUE * (len(label) + 1 + _FIGURE))\n',
        "",
        "tests/report/test_turn_bar.py",
    ),
    Fault(
        "show: calls of the model overlap, and their times are added",
        "report/statements/model_calls.py",
        "length(union((call.started_ns, _end_ns(call, now)) for call in every))",
        "length((call.started_ns, _end_ns(call, now)) for call in every)",
        "tests/report/test_model_calls.py",
    ),
    Fault(
        "show: from some frame on, all calls of the model",
        "report/selection.py",
        "            return fact.started_ns >= since_ns\n",
        "            return True\n",
        "tests/report/test_selection.py",
    ),
    Fault(
        "findings: a value that readers replace is an error",
        "analyze/findings/payloads.py",
        '            severity = "warning"\n',
        "            severity = None\n",
        "tests/analyze/findings/test_consequences.py",
    ),
    Fault(
        "findings: what an older code says of a place is said twice",
        "analyze/findings/payloads.py",
        "if path != _KIND and not any(",
        "if path != _KIND or not any(",
        "tests/analyze/findings/test_codes.py",
    ),
    Fault(
        "findings: the shape of an answer is that of the other side",
        "analyze/findings/payloads.py",
        "asker, method, session_id = answered.sender, answered.method, answered.session_id",
        "asker, method, session_id = sender, answered.method, answered.session_id",
        "tests/analyze/findings/test_codes.py",
    ),
    Fault(
        "findings: a crossing answer is the agent's fault",
        "analyze/cancellation/findings.py",
        "took < min(fastest, CROSSING_NS)",
        "took < min(0, CROSSING_NS)",
        "tests/analyze/findings/test_consequences.py",
    ),
    Fault(
        "findings: a declined permission stays declined when work goes on",
        "analyze/contradictions/permissions.py",
        "self._declined.pop(updated.session.id, None)",
        "None",
        "tests/analyze/findings/test_codes.py",
    ),
    Fault(
        "findings: a missing file is a missing session",
        "analyze/contradictions/reopening.py",
        '    if any(block.get("type") in _FILES',
        '    if not any(block.get("type") in _FILES',
        "tests/analyze/findings/test_codes.py",
    ),
    Fault(
        "findings: history that is replayed begins tool calls again",
        "analyze/contradictions/tool_calls.py",
        "        if call is None or self._is_history(updated, call):\n            return\n        key",
        "        if call is None:\n            return\n        key",
        "tests/analyze/findings/test_codes.py",
    ),
    Fault(
        "findings: a line between makes one message of two",
        "analyze/findings/unreadable.py",
        "if pieces is None or nth != pieces.nth + 1:",
        "if pieces is None:",
        "tests/analyze/findings/test_codes.py",
    ),
    Fault(
        "findings: the other side owes an answer to a notification",
        "protocol/methods.py",
        'return row is None or row.kind != "notification"',
        "return True",
        "tests/analyze/findings/test_consequences.py",
    ),
    Fault(
        "batch: who need not read an array is blamed for it",
        "analyze/batches.py",
        "isinstance(one, BatchPlace) and one.sender != blame",
        "False",
        "tests/analyze/test_batches.py",
    ),
    Fault(
        "batch: nothing says which message of an array it is",
        "analyze/findings/collector.py",
        "            path = f\"/{frame.item}{path or ''}\"\n",
        "",
        "tests/analyze/test_batches.py",
    ),
    Fault(
        "batch: requests of one array are one request",
        "analyze/analyzer.py",
        "            place = BatchPlace(number, item, sender)\n",
        "            place = BatchPlace(number, 0, sender)\n",
        "tests/analyze/test_batches.py",
    ),
    Fault(
        "batch: a place leaves the analysis",
        "analyze/analyzer.py",
        "        if self._has_batches:\n            facts = without_places(facts)\n",
        "",
        "tests/analyze/test_batches.py",
    ),
    Fault(
        "findings: a history must have what acp-trace has not seen",
        "analyze/history.py",
        "    missing = [id_ for id_ in recorded if id_ not in replayed]\n",
        "    missing = [id_ for id_ in replayed if id_ not in recorded]\n",
        "tests/analyze/test_history.py",
    ),
    Fault(
        "findings: an earlier trace of a session is forgotten",
        "analyze/history.py",
        "        if session is None or session.opened_by == methods.NEW:\n",
        "        if True:\n",
        "tests/analyze/test_history.py",
    ),
    Fault(
        "findings: a consequence fails a check",
        "analyze/verdict.py",
        "        if finding.consequence_of is not None and not fails.fails(finding):\n            continue\n",
        "",
        "tests/analyze/test_verdict.py tests/analyze/findings/test_consequences.py",
    ),
    Fault(
        "findings: silence at the client is the agent's",
        "analyze/silence.py",
        'return "client", "note", f"{request.method} #{request.frame} was open',
        'return "agent", "note", f"{request.method} #{request.frame} was open',
        "tests/analyze/findings/test_consequences.py",
    ),
    Fault(
        "chunks: a text is taken for another member",
        "protocol/chunks.py",
        "text.count(_TEXT) == 1",
        "text.count(_TEXT) >= 1",
        "tests/protocol/test_chunks.py",
    ),
    Fault(
        "shapes: a type accepts a member that the shape has not",
        "protocol/shapes/strict.py",
        '{"forbid_unknown_fields": True, ',
        '{"forbid_unknown_fields": False, ',
        "tests/protocol/shapes",
    ),
    Fault(
        "show: from thoughts to words is writing",
        "analyze/turns.py",
        "if writing is not None and writing.kind == kind and",
        "if writing is not None and kind in updates.WRITING and",
        "tests/analyze/test_turn_time.py",
    ),
    Fault(
        "show: an agent writes while the client reads a file for it",
        "analyze/sessions.py",
        ".append(exchange)\n            session.writing = None",
        ".append(exchange)",
        "tests/analyze/test_turn_time.py",
    ),
    Fault(
        "show: what a crash leaves open stands beside it",
        "analyze/findings/unanswered.py",
        'return Excuse("note", "", self.crash)',
        "return Excuse()",
        "tests/report/test_consequences.py",
    ),
    Fault(
        "findings: whoever answers a line that its reader lost answers nothing",
        "analyze/findings/wire.py",
        "cause = self._findings.lost.with_id(asker, message.id)",
        "cause = None",
        "tests/analyze/findings/test_reports.py",
    ),
    Fault(
        "findings: an id of a lost line is part of another one",
        "analyze/findings/lost_lines.py",
        'quote + rb"(?![\\w.])"',
        "quote",
        "tests/analyze/findings/test_lost_lines.py",
    ),
    Fault(
        "findings: a request with a reused id is judged by either answer",
        "analyze/findings/payloads.py",
        "cause = None if answered is None else answered.lost_to",
        "cause = None",
        "tests/analyze/findings/test_reports.py",
    ),
    Fault(
        "findings: an agent that ends by itself leaves its client to blame",
        "analyze/findings/unanswered.py",
        "self._agent_left = crash is not None or ended",
        "self._agent_left = crash is not None",
        "tests/analyze/findings/test_unanswered.py",
    ),
    Fault(
        "findings: a turn of version 2 need not end",
        "analyze/sessions.py",
        "                self._report_unfinished(session, turn, findings, unanswered)\n",
        "",
        "tests/analyze/findings/test_codes.py",
    ),
    Fault(
        "findings: a history without the user is whole",
        "analyze/history.py",
        'return "the history has no message of the user"',
        "return None",
        "tests/analyze/findings/test_codes.py",
    ),
    Fault(
        "findings: calls for a route end the work of a turn",
        "analyze/findings/model_calls.py",
        "for one in answers for writing in shown)",
        "for one in answers for writing in [writing, *shown])",
        "tests/analyze/findings/test_codes.py",
    ),
    Fault(
        "findings: a session that is closed need not be cancelled",
        "analyze/contradictions/turns.py",
        "            self._check_closed(session, turn, frame)\n",
        "            pass\n",
        "tests/analyze/findings/test_reports.py",
    ),
    Fault(
        "import: a message that is logged twice is sent twice",
        "formats/reading/plain_text.py",
        "is_second = has_doubles and bool(kept)",
        "is_second = has_doubles and not found",
        "tests/formats/reading/test_plain_text.py",
    ),
    Fault(
        "import: a hostile text is gone through for each of its lines",
        "formats/reading/value_reader.py",
        "        self._budget -= _DEAR * len(whole)\n",
        "",
        "tests/formats/reading/test_bounds.py",
    ),
    Fault(
        "import: the first reader that recognises a log is taken",
        "formats/reading/groups.py",
        "key=lambda one: one.sense.score, default=None)",
        "key=lambda one: -made.index(one), default=None)",
        "tests/formats/reading/test_sense.py",
    ),
    Fault(
        "import: a log of one side alone is not doubted",
        "formats/reading/sense.py",
        "len(self.senders) == 1",
        "len(self.senders) == 0",
        "tests/cli/test_logs_as_traces.py",
    ),
    Fault(
        "import: parts of a log of Zed are two traces",
        "formats/reading/zed.py",
        "if logs and connections.continues(log, logs[-1]):",
        "if not files:",
        "tests/formats/reading/test_zed.py",
    ),
    Fault(
        "import: a mark is what the responses say",
        "formats/reading/marks.py",
        "in {**votes, **certain}.items():",
        "in {**certain, **votes}.items():",
        "tests/formats/reading/test_forms.py",
    ),
    Fault(
        "import: a part of a message is joined with the line above it",
        "formats/reading/messages_in_values.py",
        "    if messages_in_words.has_call(item.before):\n",
        "    if not item.before:\n",
        "tests/formats/reading/test_forms.py",
    ),
    Fault(
        "import: what a printer left out is read as if it were whole",
        "formats/reading/messages_in_values.py",
        "    elif item.is_cut:\n        return\n",
        "    elif item.is_cut is None:\n        return\n",
        "tests/formats/reading/test_forms.py",
    ),
    Fault(
        "import: a log with the newest first is read backwards",
        "formats/reading/plain_text.py",
        "return found[::-1] if times[0] > times[-1]",
        "return found[::-1] if times[0] < 0 < times[-1]",
        "tests/formats/reading/test_forms.py",
    ),
    Fault(
        "import: lines of another container end a message",
        "formats/reading/value_reader.py",
        'foreign += 1 if "|" in prefix else _FOREIGN',
        "foreign += _FOREIGN",
        "tests/formats/reading/test_forms.py",
    ),
    Fault(
        "import: snapshots are judged as if nothing in them were replaced",
        "trace/entries.py",
        '"payloads" not in lacks,',
        '"" not in lacks,',
        "tests/formats/reading/test_snapshots.py",
    ),
    Fault(
        "envelopes: the sides do not change places",
        "analyze/inner_connections.py",
        "self._successor.take(frame, t, INNER_SENDER[sender], message)",
        "self._successor.take(frame, t, sender, message)",
        "tests/analyze/test_inner_connections.py",
    ),
    Fault(
        "envelopes: a session inside is the one outside",
        "analyze/inner_messages.py",
        'return None if session_id is None else f"{INSIDE}{session_id}"',
        "return session_id",
        "tests/analyze/test_inner_connections.py",
    ),
    Fault(
        "envelopes: they are followed as deep as they go",
        "story/unwrapped.py",
        "            if self._envelopes:\n",
        "            if self._messages:\n",
        "tests/analyze/test_inner_connections.py",
    ),
    Fault(
        "envelopes: what cancels one does not cancel what is inside",
        "analyze/inner_connections.py",
        "(sender, cancelled_id(message)) in self._asked",
        "(sender, cancelled_id(message)) in ()",
        "tests/analyze/test_inner_connections.py",
    ),
    Fault(
        "findings: a client of ACP that says initialized is one of LSP",
        "protocol/other_protocols.py",
        "        return has_number or any(name in params for name in _ASKED_OF_ACP)",
        "        return has_number and any(name in params for name in _OF_LSP)",
        "tests/analyze/findings/test_codes.py",
    ),
    Fault(
        "ls: a trace without a date is the oldest",
        "store/schema.py",
        "  loaded_at\n) AS began",
        "  NULL\n) AS began",
        "tests/cli/test_import.py",
    ),
    Fault(
        "ls: a date without a zone orders nothing",
        "store/schema.py",
        "CASE WHEN origin = 'imported' AND",
        "CASE WHEN origin = 'none' AND",
        "tests/cli/test_import.py",
    ),
    Fault(
        "findings: MCP is judged as ACP",
        "analyze/findings/collector.py",
        "        if self.protocol is None:\n            return findings\n",
        "        if findings is not None:\n            return findings\n",
        "tests/analyze/findings/test_codes.py",
    ),
    Fault(
        "findings: a part of a log tells each thing that it leaves unknown",
        "analyze/findings/collector.py",
        "            if self.tells_doubt_once:\n",
        "            if not code:\n",
        "tests/formats/reading/test_any_trace.py",
    ),
    Fault(
        "findings: what follows from a consequence is on no screen",
        "report/statements/consequences.py",
        "        while frame in above and frame not in seen:\n",
        "        while False:\n",
        "tests/report/test_consequences.py",
    ),
    Fault(
        "transcript: a tool call of a batch is told twice",
        "story/frame_facts.py",
        "return rows.pop(at)",
        "return fact",
        "tests/story/test_unbatched.py",
    ),
    Fault(
        "replay: the agent starts in the caller's directory",
        "replay/drive/process.py",
        "        cwd=cwd,\n",
        "        cwd=None,\n",
        "tests/replay/test_agent_start.py tests/security/test_untouched.py",
    ),
    Fault(
        "replay: the agent is told of the caller's directory",
        "replay/drive/agent_home.py",
        'variables = {**given, "PWD": directory}',
        "variables = {**given}",
        "tests/replay/test_agent_start.py",
    ),
    Fault(
        "replay: a trace starts the agent where anybody may write",
        "replay/drive/agent_start.py",
        "status.st_uid == os.geteuid() and not status.st_mode & 0o002",
        "status.st_uid == os.geteuid()",
        "tests/replay/test_agent_start.py",
    ),
    Fault(
        "replay: a link on the way to a checked file is followed",
        "trace/without_links.py",
        "below = os.open(name, _DIRECTORY, dir_fd=here)",
        "below = os.open(name, _DIRECTORY & ~os.O_NOFOLLOW, dir_fd=here)",
        "tests/trace/test_without_links.py tests/replay/test_workspace.py",
    ),
    Fault(
        "replay: what was put in the place of its directory is removed",
        "trace/scratch.py",
        "        directory = _open_directory(hidden) if CAN_EMPTY else None\n",
        "",
        "tests/trace/test_scratch.py",
    ),
    Fault(
        "model: an answer that was cut inside of TLS is whole",
        "model/proxy/streams.py",
        "                self.is_cut = True\n",
        "",
        "tests/model/proxy/test_passing.py",
    ),
    Fault(
        "replay: a command is not confined",
        "replay/drive/confined.py",
        "        confine(directories)\n",
        "        pass\n",
        "tests/replay/test_terminals.py tests/security/test_untouched.py",
    ),
    Fault(
        "replay: a loader obeys the agent before the command is confined",
        "replay/drive/terminals.py",
        'f"{confined.ASKED}{name}": value',
        "name: value",
        "tests/replay/test_terminals.py",
    ),
    Fault(
        "replay: what left its group is left behind",
        "replay/drive/terminals.py",
        "        self._end_strays()\n",
        "",
        "tests/replay/test_terminals.py",
    ),
    Fault(
        "replay: a link in a snapshot is made through another",
        "replay/drive/snapshot.py",
        "if _stays_inside(name, link) and not _is_below_link(target, name):",
        "if _stays_inside(name, link):",
        "tests/replay/test_snapshot.py",
    ),
    Fault(
        "replay: a snapshot is unpacked without a limit",
        "replay/drive/snapshot.py",
        "elif unpacked.size + member.size > most:",
        "elif False:",
        "tests/replay/test_snapshot.py",
    ),
    Fault(
        "replay: a list of the files at the end has any names",
        "replay/drive/left_list.py",
        "if not isinstance(value, str) or not is_listed(value):",
        "if not isinstance(value, str):",
        "tests/replay/test_left_list.py",
    ),
    Fault(
        "replay: a user's own work is expected of the agent",
        "replay/verdict/left_changes.py",
        "file.is_text and self.expected.is_at_work(file)",
        "file.is_text",
        "tests/replay/test_left_changes.py",
    ),
    Fault(
        "replay: a recording sets any variable for a base URL",
        "replay/recorded_variables.py",
        "elif not (is_repeated or profiles.is_known(base.name)):",
        "elif False:",
        "tests/replay/test_recorded_variables.py",
    ),
    Fault(
        "replay: a recording sets any variable for a key",
        "replay/recorded_variables.py",
        'is_repeated or (is_known and self.mode == "recorded")',
        'is_repeated or self.mode == "recorded"',
        "tests/replay/test_recorded_variables.py",
    ),
    Fault(
        "model: a base URL takes the place of what leads to the proxy",
        "model/proxy/process.py",
        "    changes |= environment.for_agent(given, url, authority.pem, os.path.join(home, DIRECTORY))\n",
        "    leading = environment.for_agent(given, url, authority.pem, os.path.join(home, DIRECTORY))\n"
        "    changes = leading | changes\n",
        "tests/record/test_model_side.py",
    ),
    Fault(
        "redact: a redacted trace leads to the files",
        "redact/redactor.py",
        '        header.pop("workspace_snapshot", None)',
        "        pass",
        "tests/record/test_snapshots.py",
    ),
    Fault(
        "rm: a removed trace leaves its files",
        "store/remove.py",
        "                os.unlink(snapshot)\n",
        "                pass\n",
        "tests/record/test_snapshots.py",
    ),
    Fault(
        "matching: any id of the run stands for one of the recording",
        "model/matching/learned.py",
        "if by_recorded.setdefault(was, now) != now or by_actual.setdefault(now, was) != was:",
        "if by_recorded.setdefault(was, now) is None:",
        "tests/model/matching",
    ),
    Fault(
        "matching: a side request may quote what no tool gave",
        "model/matching/quotes.py",
        "if not all(self._gave.has(line) and not self._gives.has(line) for line in old if line):",
        "if not any(old):",
        "tests/model/matching/test_matcher.py",
    ),
    Fault(
        "matching: all moved directories have one name",
        "normalize/moved_places.py",
        'names[each] = HERE if number == 1 else f"{HERE[:-1]} {number}›"',
        "names[each] = HERE",
        "tests/model/matching",
    ),
    Fault(
        "diff: all directories of a trace have one name",
        "compare/side_names.py",
        "    if sessions is None:\n",
        "    if True:\n",
        "tests/compare/test_directories.py",
    ),
    Fault(
        "diff: directories belong to sessions in the order in which they were opened",
        "compare/side_names.py",
        "    pairs = [(sides[0].get(was.id), sides[1].get(now.id)) for was, now in sessions]\n",
        "    pairs = [*zip(sides[0].values(), sides[1].values(), strict=False)]\n",
        "tests/compare/test_directories.py",
    ),
    Fault(
        "serving: a value in two events is replaced in each of them",
        "model/serving/rewriting.py",
        "                    new = None\n",
        "                    new = encoded(edit.text)\n",
        "tests/model/serving/test_rewriting.py",
    ),
    Fault(
        "matching: a call is served again before the next equal one",
        "model/matching/matcher.py",
        "key = (min(each.served, 1), fit.level, conflicts, fit.others, order)",
        "key = (0, fit.level, conflicts, fit.others, order)",
        "tests/model/matching",
    ),
    Fault(
        "model changes: a miss fails nothing, whatever follows",
        "replay/verdict/model_changes.py",
        "strict or each.got_event.frame in failing",
        "strict",
        "tests/replay/test_model_changes.py",
    ),
    Fault(
        "model changes: what was served once more is not told",
        "replay/verdict/model_changes.py",
        "        if served.again:\n",
        "        if False:\n",
        "tests/replay/test_model_changes.py",
    ),
    Fault(
        "model changes: the model may be away though it was served",
        "replay/verdict/verdict.py",
        'if fails and (model is None or model.mode != "recorded"):',
        "if fails:",
        "tests/replay/test_model_changes.py",
    ),
    Fault(
        "model changes: calls behind the end of a trace are missing",
        "compare/model_outcome.py",
        'if is_whole or change.code != "model-call-missing"',
        "if change",
        "tests/compare/test_model_outcome.py",
    ),
    Fault(
        "model changes: sessions have their recorded directories",
        "compare/model_places.py",
        "        if expected and actual:\n",
        "        if expected == actual and expected and actual:\n",
        "tests/compare/test_model_outcome.py",
    ),
    Fault(
        "serving: what the recording has not goes to the network",
        "model/proxy/recorded_upstream.py",
        "        return RecordedProvider(address.host, self._model)\n",
        "        reaching = asyncio.ensure_future(asyncio.open_connection(address.host, address.port))\n"
        "        await asyncio.wait([reaching], timeout=1)\n"
        "        return RecordedProvider(address.host, self._model)\n",
        "tests/model/proxy/test_answering.py",
    ),
    Fault(
        "serving: a replay with a recording asks the provider",
        "model/proxy/process.py",
        '    if (serve := words.get("serve")) is None:\n',
        '    if (serve := words.get("serve")) or True:\n',
        "tests/replay/test_model_side.py::test_no_model_no_key_no_network",
    ),
    Fault(
        "serving: loose is served under exact",
        "model/proxy/recorded_upstream.py",
        "loose=serve.loose",
        "loose=True",
        "tests/model/proxy/test_answering.py",
    ),
    Fault(
        "serving: ids stay as they were recorded",
        "model/matching/matcher.py",
        "Rewriting(self._replacements.with_ids(self.learned.actual))",
        "Rewriting(self._replacements)",
        "tests/model/proxy/test_answering.py",
    ),
    Fault(
        "serving: messages of a WebSocket stay as they were recorded",
        "model/proxy/answers.py",
        "found.rewrite([message for _, message in asked.answer])",
        "[message for _, message in asked.answer]",
        "tests/model/proxy/test_answering_sockets.py",
    ),
    Fault(
        "serving: a piece that another one repeats is lost",
        "model/proxy/answers.py",
        "            for chunk, piece in zip(exchange.chunks, data, strict=True)\n",
        "            for piece, chunk in dict(zip(data, exchange.chunks, strict=True)).items()\n",
        "tests/model/proxy/test_answering.py",
    ),
    Fault(
        "serving: what was cut off ends in good order",
        "model/proxy/answers.py",
        'return "cut" if exchange.unreadable or exchange.damaged else "whole"',
        'return "whole"',
        "tests/model/proxy/test_answering.py",
    ),
    Fault(
        "serving: what came after a cancel comes before it",
        "model/proxy/recorded_model.py",
        "while self._cancels < piece.cancels:",
        "while not self._cancels:",
        "tests/model/proxy/test_answering.py",
    ),
    Fault(
        "serving: a cancel holds nothing back",
        "model/proxy/recorded_model.py",
        "            if piece.cancels > cancels:\n",
        "            if False:\n",
        "tests/replay/test_model_side.py::test_a_model_that_goes_on_after_a_cancel",
    ),
    Fault(
        "serving: an answer is told of the exchange before it",
        "model/proxy/recorded_provider.py",
        "        await self._out.join()  # only then",
        "        pass  # only then",
        "tests/model/proxy/test_answering.py",
    ),
    Fault(
        "serving: a key of the run is a difference",
        "model/proxy/recorded_provider.py",
        "secrets.headers(headers), secrets.cut(body))",
        "secrets.headers(headers), body)",
        "tests/model/proxy/test_answering.py",
    ),
    Fault(
        "serving: a coding that was taken off is told",
        "model/proxy/answers.py",
        "connection content-encoding content-length",
        "connection content-length",
        "tests/model/proxy/test_answering.py",
    ),
    Fault(
        "serving: an agent that is refused tries again",
        "model/serving/refusals.py",
        "STATUS = 400",
        "STATUS = 503",
        "tests/model/serving/test_refusals.py",
    ),
    Fault(
        "serving: the first answer of another host for ever",
        "model/proxy/other_hosts.py",
        "            self._served.add(exchange.number)\n",
        "",
        "tests/model/proxy/test_answering.py",
    ),
    Fault(
        "matching: last in, first out, where a prompt has changed",
        "model/matching/matcher.py",
        "                loose.alike(self._document(each), document),\n                -each.order,\n            ),\n"
        "            default=None,\n        )\n\n    def _missed",
        "                loose.alike(self._document(each), document),\n                each.order,\n            ),\n"
        "            default=None,\n        )\n\n    def _missed",
        "tests/model/matching/test_matcher.py",
    ),
    Fault(
        "matching: first in, first served for ever",
        "model/matching/matcher.py",
        "next((each for each in raw if not each.served), None)",
        "next(iter(raw), None)",
        "tests/model/matching/test_matcher.py",
    ),
    Fault(
        "the end of an answer is lost that may be the beginning of a key",
        "model/open_exchange.py",
        "self._write(self._of_login() + self._cutting.finish())",
        "self._write(self._of_login())",
        "tests/model/test_journal.py",
    ),
    Fault(
        "what follows the first of two keys that begin alike is written",
        "model/secrets.py",
        "self._cut(data, len(data) - self._open_end(data))",
        "self._cut(data, len(data))",
        "tests/model/test_secrets.py",
    ),
    Fault(
        "a URL in a header keeps its keys",
        "model/secrets.py",
        "else self.target(value)",
        "else self.text(value)",
        "tests/model/test_secrets.py",
    ),
    Fault(
        "values of keys stand in the note of the environment",
        "model/proxy/environment_note.py",
        "sorted(name for name",
        "sorted(value for name",
        "tests/model/test_recorded_environment.py",
    ),
    Fault(
        "a home directory is left in a trace whose note of the environment came late",
        "redact/learner.py",
        "'\"environment\":{'",
        '\'"model":{"environment":\'',
        "tests/model/test_recorded_environment.py",
    ),
    Fault(
        "an error of a parser quotes the head that it could not read",
        "model/wire/http1.py",
        "UnreadableTraffic(unquoted(str(error)))",
        "UnreadableTraffic(str(error))",
        "tests/model/wire/test_secrets_on_the_wire.py",
    ),
    Fault(
        "model changes: a call that is served again counts as a miss",
        "replay/verdict/model_changes.py",
        "        unmatched=len(misses),",
        "        unmatched=len(extra),",
        "tests/replay/test_model_changes.py",
    ),
    Fault(
        "model changes: strict changes nothing",
        "compare/model_divergences.py",
        "if strict and",
        "if False and",
        "tests/compare/test_model_outcome.py",
    ),
    Fault(
        "otlp: one span for tool calls of one id",
        "formats/writing/spans.py",
        '"tool", str(tool.frame)',
        '"tool", tool.id',
        "tests/formats/writing/test_otlp.py",
    ),
    Fault(
        "otlp: the contents of tool calls of one id are mixed",
        "formats/writing/span_content.py",
        "self._latest[frame.session_id, id_] = begun",
        "self._latest.setdefault((frame.session_id, id_), begun)",
        "tests/formats/writing/test_otlp.py",
    ),
    Fault(
        "perfetto: a slice without length at the beginning of another",
        "formats/writing/perfetto.py",
        "_MESSAGE = 0.001",
        "_MESSAGE = 0.0",
        "tests/formats/writing/test_perfetto.py",
    ),
    Fault(
        "otlp: no span says that its times are made up",
        "formats/writing/spans.py",
        'attributes["acp.has_times"] = False',
        "pass",
        "tests/formats/writing/test_otlp.py",
    ),
    Fault(
        "a trace without times has a count of times",
        "analyze/budgets/grammar.py",
        'budget.stat != "count" or not without_times',
        "True",
        "tests/analyze/test_timeless.py",
    ),
    Fault(
        "replay: without times, nothing ever settled",
        "report/text/timings.py",
        'if trace.has_times or cancel.outcome == "unanswered"',
        "if True",
        "tests/report/test_timings.py",
    ),
    Fault(
        "a cancel takes along what a log has no answers of",
        "analyze/cancellation/of_session.py",
        'if exchange.sender == "client" or self._exchanges.has_client_responses:',
        "if True:",
        "tests/formats/reading/test_toad.py",
    ),
    Fault(
        "a cancel makes owed what a log has no answers of",
        "analyze/cancellation/of_session.py",
        "if self._exchanges.has_client_responses:\n            for",
        "if True:\n            for",
        "tests/formats/reading/test_toad.py",
    ),
    Fault(
        "lake: a commit is put over another's",
        "team/bucket/objects.py",
        'name, data, mode="create", use_multipart=False',
        'name, data, mode="overwrite", use_multipart=False',
        "tests/lake/test_build.py tests/bucket/test_places.py",
    ),
    Fault(
        "lake: a group is committed without one of its files",
        "team/lake/unit.py",
        "    for table, (path, _) in made.items():\n",
        "    for table, (path, _) in [*made.items()][1:]:\n",
        "tests/lake/test_build.py",
    ),
    Fault(
        "lake: what is in the tables is built again",
        "team/lake/plan.py",
        "if id_ not in done and id_ not in failed]",
        "if id_ not in failed]",
        "tests/lake/test_plan.py tests/lake/test_build.py",
    ),
    Fault(
        "lake: the loser commits what the winner has built",
        "team/lake/log.py",
        "        if head.number != base.number:\n",
        "        if False:\n",
        "tests/lake/test_build.py",
    ),
    Fault(
        "lake: two builders replace the same",
        "team/lake/log.py",
        "units = [one for one in done if one.unit.replaces <= head.groups.keys()]",
        "units = [*done]",
        "tests/lake/test_build.py",
    ),
    Fault(
        "lake: what a killed build has left is taken for the next one's",
        "team/lake/unit.py",
        "TableGroup(os.urandom(8).hex(), unit.day,",
        "TableGroup(hashlib.sha256(unit.day.encode()).hexdigest()[:16], unit.day,",
        "tests/lake/test_build.py",
    ),
    Fault(
        "lake: prune removes what a build is putting",
        "team/lake/unused.py",
        "        and each.modified < now - layout.LEAST_AGE\n",
        "",
        "tests/lake/test_commands.py",
    ),
    Fault(
        "lake: prune removes what a commit names",
        "team/lake/unused.py",
        "        and group not in newest.groups\n",
        "",
        "tests/lake/test_commands.py",
    ),
    Fault(
        "prune removes what is being written",
        "team/bucket/unfinished.py",
        "    return datetime.fromtimestamp(modified, UTC) < now - layout.LEAST_AGE\n",
        "    return datetime.fromtimestamp(modified, UTC) < now\n",
        "tests/lake/test_commands.py",
    ),
    Fault(
        "prune leaves what was half-written",
        "team/bucket/unfinished.py",
        "            file.unlink(missing_ok=True)\n",
        "            file.exists()\n",
        "tests/lake/test_commands.py",
    ),
    Fault(
        "lake: a build takes out what others have built meanwhile",
        "team/lake/build.py",
        "        if commits_of_others != seen:\n",
        "        if seen is None:\n",
        "tests/lake/test_build.py",
    ),
    Fault(
        "lake: what an executor does not see is taken for pruned",
        "team/lake/build.py",
        "    return gone - {trace.key for day in days for trace in kept_in(place, day)}\n",
        "    return gone\n",
        "tests/lake/test_build.py",
    ),
    Fault(
        "lake: a file of other traces is taken for a group's",
        "team/lake/unit.py",
        "    if mark_of(ids) != group.mark:\n",
        "    if not ids:\n",
        "tests/lake/test_build.py",
    ),
    Fault(
        "lake: a file of another size is taken for a group's",
        "team/lake/unit.py",
        "    if path.stat().st_size != group.files[table].bytes:\n",
        "    if not group.files[table].bytes:\n",
        "tests/lake/test_build.py",
    ),
    Fault(
        "push: what the place says is printed as it is",
        "cli/common.py",
        "' ' if why.startswith('is ') else ': '}{safe(why)}\"\n",
        "' ' if why.startswith('is ') else ': '}{why}\"\n",
        "tests/cli/test_push.py",
    ),
    Fault(
        "push: another trace with the same id is taken for this one",
        "team/bucket/presence.py",
        "        if why := same.difference(self._place.beginning(key, same.LOOKED_AT), lines):\n",
        "        if why := None:\n",
        "tests/bucket/test_places.py",
    ),
    Fault(
        "push: the first name of a list is taken for missing",
        "team/bucket/presence.py",
        "after=folder.first[:-1]",
        "after=folder.first",
        "tests/bucket/test_presence.py",
    ),
    Fault(
        "push: nobody looks for secrets in damaged lines",
        "redact/redactor.py",
        '            self._values.learn(hit.secret or "", hit.rule)\n\n    def _learn',
        "            pass\n\n    def _learn",
        "tests/bucket/test_places.py",
    ),
    Fault(
        "drive: a step goes out beside a turn that it should wait for",
        "replay/written/own_requests.py",
        "        self._beside = set() if request.step.wait else {*self._beside, id_}\n",
        "        self._beside = {*self._beside, id_}\n",
        "tests/replay/test_written_steps.py",
    ),
    Fault(
        "drive: a name that was refused is taken for the id of a session",
        "replay/written/sessions.py",
        "return self.ids.get(named, None if named in self._names else named)",
        "return self.ids.get(named, named)",
        "tests/replay/test_written_steps.py",
    ),
    Fault(
        "drive: a permission of a cancelled turn is answered as written",
        "replay/written/answers.py",
        "        if cancelled:\n",
        "        if False:\n",
        "tests/replay/test_written_steps.py",
    ),
    Fault(
        "drive: an option is set to a value that nobody offers",
        "replay/written/exercises.py",
        "    back = [value for value in option.values if value == option.current]\n",
        "    back = [option.current]\n",
        "tests/replay/test_exercises.py",
    ),
    Fault(
        "bisect: a build that does not start is taken for a bad one",
        "builds/search.py",
        "range(self.last_older + 1, self.first_newer) if at not in self.found]",
        'range(self.last_older + 1, self.first_newer) if self.found.get(at) != "older"]',
        "tests/builds/test_search.py",
    ),
    Fault(
        "conform: the other side's findings fail a requirement",
        "conform/judge.py",
        "        for one in trace.findings_of(side)\n",
        "        for one in trace.facts.findings\n",
        "tests/conform/test_judge.py",
    ),
    Fault(
        "conform: what was not exercised passes",
        "conform/judge.py",
        '    return Judged(of, "not-applicable" if absent else "not-exercised")\n',
        '    return Judged(of, "not-applicable" if absent else "pass")\n',
        "tests/conform/test_judge.py",
    ),
    Fault(
        "faults: a peer is blamed for what follows from the fault",
        "replay/verdict/after_faults.py",
        "        and finding.code not in excused\n",
        "",
        "tests/replay/test_after_faults.py",
    ),
    Fault(
        "analyze: the end of a turn that was closed is of an unknown session",
        "analyze/sessions.py",
        "if not is_open and not (session.open_turns and self._openings.is_closed(named)):",
        "if not is_open:",
        "tests/analyze/test_openings.py",
    ),
    Fault(
        "replay: the model hears of a cancel before the agent",
        "replay/drive/playing.py",
        "lambda: tee.has_forwarded(sent) and not unread(peer.stdin)",
        "lambda: True",
        "tests/replay/test_played_run.py",
    ),
    Fault(
        "spark: a condition on another column chooses days",
        "team/lake/spark/reading.py",
        " and one.attribute == (columns.DAY.name,)",
        "",
        "tests/lake/spark/test_reading.py",
    ),
    Fault(
        "a mark ends a message",
        "trace/capture_layout.py",
        'FIRST + b"\\n")',
        "FIRST)",
        "tests/trace/test_capture_http.py",
    ),
)


def main(names: list[str], minutes: float | None) -> int:
    """Runs the faults whose names contain one of `names`, or all; begins none after so many minutes."""
    chosen = [one for one in FAULTS if not names or any(name in one.name for name in names)]
    until = math.inf if minutes is None else time.monotonic() + minutes * 60
    if minutes is not None:
        first = random.randrange(len(chosen) or 1)
        chosen = chosen[first:] + chosen[:first]
    left = deque(chosen)
    with ThreadPoolExecutor(_COPIES) as pool:
        try:
            verdicts = [*chain.from_iterable(pool.map(_tried, [left] * _COPIES, [until] * _COPIES))]
        finally:
            left.clear()  # Ctrl-C: none begins any more
    out = len(chosen) - len(verdicts)
    told = f"; {out} were left out, as the time was over" if out else ""
    print(f"{sum(verdicts)} of {len(verdicts)} faults were noticed{told}")
    return 0 if all(verdicts) else 1


def _tried(left: deque[Fault], until: float) -> list[bool]:
    """Whether each fault that this takes from `left` before that time was noticed, in a copy of its own.

    A copy is for many faults, so that only what a fault changes is compiled again.
    """
    verdicts: list[bool] = []
    with tempfile.TemporaryDirectory(prefix="acp-trace-mutation-") as folder:
        copy = Path(folder) / "copy"
        ignored = shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache")
        shutil.copytree(_REPOSITORY, copy, ignore=ignored)
        if (_REPOSITORY.parent / "shared").is_dir():  # more recordings, where they are
            (Path(folder) / "shared").symlink_to(_REPOSITORY.parent / "shared")
        python = _python(Path(folder) / "venv", copy)
        with contextlib.suppress(IndexError):
            while time.monotonic() < until:
                verdicts.append(_noticed(left.popleft(), copy, python))
    return verdicts


def _noticed(fault: Fault, copy: Path, python: Path) -> bool:
    file = copy / "acp_trace" / fault.file
    text, times = file.read_text(), file.stat()
    if text.count(fault.was) != 1:
        print(f"STALE     {fault.name}: the line is not there once, mend this table")
        return False
    file.write_text(text.replace(fault.was, fault.becomes))
    code = _pytest([python, "-c", _PYTEST, *_OPTIONS, *fault.tests.split()], copy)
    file.write_text(text)
    # Another time than that of the fault, so that this is compiled again.
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
    print(f"{'noticed ' if code == _FAILED else f'UNNOTICED (pytest: {code})'}  {fault.name}", flush=True)
    return code == _FAILED


def _pytest(argv: list[Path | str], folder: Path) -> int:
    """Its exit code. A test that hangs has noticed, too; what it started is ended with it."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    quiet = subprocess.DEVNULL
    running = subprocess.Popen(argv, cwd=folder, env=env, stdout=quiet, stderr=quiet, start_new_session=True)
    try:
        return running.wait(_LONGEST_S)
    except subprocess.TimeoutExpired:
        return _FAILED
    finally:
        with contextlib.suppress(ProcessLookupError):
            signal_all(running.pid, KILL)
        running.wait()
        _end_all_of(folder.parent)


def _end_all_of(folder: Path) -> None:
    """Ends what a test put into a session of its own: with a fault in it, a recorder may never end."""
    for words in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if words.read_bytes().startswith(os.fsencode(folder)):
                os.kill(int(words.parent.name), KILL)


def _python(folder: Path, copy: Path) -> Path:
    """An interpreter that sees the copy first, then what is installed here."""
    venv.create(folder, symlinks=True)
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "copy.pth").write_text(f"{copy}\n{sysconfig.get_paths()['purelib']}\n")
    return folder / "bin" / "python"


if __name__ == "__main__":
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("names", nargs="*", metavar="NAME")
    words.add_argument("--minutes", type=float)
    asked = words.parse_args()
    sys.exit(main(asked.names, asked.minutes))
