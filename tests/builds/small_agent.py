"""A small agent in variants, and a recording of it: `python -I -S small_agent.py VARIANT…`.

`bad` stops turns for another reason, `flaky` does so in half of its runs, `mute` ends before it answers, `unlike`
says something else, `slow` never answers a prompt, `loaded` stops its turn for another reason while npm installs
something (`fake_npm`, `waits`).
"""

from __future__ import annotations

import json
import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def answers(message: dict[str, Any], variants: list[str]) -> list[dict[str, Any]]:
    """What the agent sends when it gets a message."""
    method, number = message.get("method"), message.get("id")
    if method == "initialize":
        return [_result(number, protocolVersion=1, agentInfo={"name": "small", "version": "1"})]
    if method == "session/new":
        return [_result(number, sessionId="s")]
    if method != "session/prompt" or "slow" in variants:
        return []
    is_bad = (
        "bad" in variants
        or ("loaded" in variants and _is_loaded())
        or ("flaky" in variants and os.urandom(1)[0] < 128)
    )
    text = "`````" if "hostile" in variants else "Bye." if "unlike" in variants else "Hello."
    update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}
    params = {"sessionId": "s", "update": update}
    return [
        {"jsonrpc": "2.0", "method": "session/update", "params": params},
        _result(number, stopReason="max_tokens" if is_bad else "end_turn"),
    ]


def _is_loaded() -> bool:
    """Whether something is installed now. The first run waits until it is, and all installs for that run."""
    here = os.environ["FAKE_NPM"]
    ran = os.path.join(here, "ran")
    while not os.path.exists(ran) and not _installing(here):
        time.sleep(0.01)
    found = _installing(here)
    open(ran, "w").close()
    return found


def _installing(here: str) -> bool:
    return any(name.startswith("loading-") for name in os.listdir(here))


def requests() -> list[dict[str, Any]]:
    """What the client sends."""
    capabilities = {"fs": {"readTextFile": False, "writeTextFile": False}}
    params: dict[str, dict[str, Any]] = {
        "initialize": {"protocolVersion": 1, "clientCapabilities": capabilities},
        "session/new": {"cwd": "/w", "mcpServers": []},
        "session/prompt": {"sessionId": "s", "prompt": [{"type": "text", "text": "hi"}]},
    }
    return [
        {"jsonrpc": "2.0", "id": number, "method": method, "params": params[method]}
        for number, method in enumerate(params)
    ]


def _result(number: Any, **fields: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "result": fields}


def main(variants: list[str]) -> None:
    """Serves until the client hangs up."""
    if "mute" in variants:
        raise SystemExit("Error: this build is broken")
    for line in sys.stdin.buffer:
        for answer in answers(json.loads(line), variants):
            os.write(1, json.dumps(answer).encode() + b"\n")


if __name__ == "__main__":
    main(sys.argv[1:])
