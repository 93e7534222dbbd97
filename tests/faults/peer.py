"""One side of a conversation, as a process: `python -I -S peer.py client|agent SAW SAID [options]`.

Says its lines as fast as they are taken, or at a rate, and meanwhile notes each byte that it hears in the
file SAW, before anything else. SAID holds its process id and how many of its bytes were taken so far: two
numbers at fixed places. When it hears the end, it says no more if it talks without end; when all is said it
closes its output; when both are through it ends. So whoever is killed, the other one has its notes.
"""

from __future__ import annotations

import argparse
import os
import sys
import threading
import time
from itertools import islice

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

from tests.faults.lines import lines

assert sys.platform != "win32", "there, two calls would write a number and its place"
_BLOCK = 1 << 16


class Peer:
    """Says and hears, each in its thread."""

    def __init__(self, asked: argparse.Namespace) -> None:
        self._asked = asked
        new = os.O_CREAT | os.O_TRUNC | os.O_WRONLY
        self._saw, self._said = os.open(asked.saw, new), os.open(asked.said, new)
        self._ended = False
        self._total = 0
        os.pwrite(self._said, b"%020d%020d" % (os.getpid(), 0), 0)

    def run(self) -> None:
        """Until both directions are through."""
        hearing = threading.Thread(target=self._hear, daemon=True)
        if not self._asked.deaf and not self._asked.last:
            hearing.start()
        try:
            self._say()
        except BrokenPipeError:
            pass
        if self._asked.last:
            hearing.start()
        while self._asked.until and not os.path.exists(self._asked.until):
            time.sleep(0.005)
        if self._asked.deaf:  # lives until it is killed, or asked to end
            threading.Event().wait()
        os.close(1)
        hearing.join()

    def _hear(self) -> None:
        while data := os.read(0, _BLOCK):
            os.write(self._saw, data)
            if self._asked.nap_ms:
                time.sleep(self._asked.nap_ms / 1000)
        self._ended = True

    def _say(self) -> None:
        asked = self._asked
        left = islice(lines(asked.side, asked.style), asked.lines)
        began, count = time.monotonic(), 0
        while not (self._ended and asked.lines is None):
            some = list(islice(left, asked.chunk))
            if not some:
                return
            count += len(some)
            if asked.rate and (early := began + count / asked.rate - time.monotonic()) > 0:
                time.sleep(early)
            data = b"".join(some)
            if asked.bytewise:
                for at in range(len(data)):
                    self._write(data[at : at + 1])
            else:
                self._write(data)

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            done = os.write(1, view)
            view = view[done:]
            self._total += done
            if not self._asked.bytewise:
                os.pwrite(self._said, b"%020d" % self._total, 20)


def main(argv: list[str]) -> None:
    """Parses its words, and talks."""
    parser = argparse.ArgumentParser(description="One side of a conversation.")
    parser.add_argument("side", choices=("client", "agent"))
    parser.add_argument("saw")
    parser.add_argument("said")
    parser.add_argument("--style", default="mixed")
    parser.add_argument("--lines", type=int, help="how many; without end by default")
    parser.add_argument("--chunk", type=int, default=16, help="lines in one write")
    parser.add_argument("--rate", type=float, help="lines a second")
    parser.add_argument("--nap-ms", type=float, default=0, help="between two reads")
    parser.add_argument("--bytewise", action="store_true", help="a write for each byte")
    parser.add_argument("--deaf", action="store_true", help="never reads, and stays")
    parser.add_argument("--last", action="store_true", help="reads only when all is said")
    parser.add_argument("--until", metavar="FILE", help="stay until there is such a file")
    parser.add_argument("--code", type=int, default=0, help="exit code")
    asked = parser.parse_args(argv)
    Peer(asked).run()
    os._exit(asked.code)


if __name__ == "__main__":
    main(sys.argv[1:])
