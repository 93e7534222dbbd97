"""`redact` leaves no secret in any of the places that docs/redact.md names, nor a copy of it elsewhere."""

from __future__ import annotations

import base64
import json
import random
import string
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from acp_trace.redact.rules import RULES, Rule
from acp_trace.trace.encode import frame
from tests.commands import Commands
from tests.redact.redacting import redacted
from tests.support import DEADLINE_S, Home, agent, entries_in, header, line, request, trace, update

_DICE = random.Random(5)
_NOTIFIED = "auth/status_update"


def secret() -> str:
    """A secret like no other word."""
    return "".join(_DICE.choices(string.ascii_letters + string.digits, k=24))


def placed(path: tuple[str, ...], value: Any) -> Any:
    """A message's part with a value at a path."""
    for key in reversed(path):
        value = [value] if key == "*" else {key: value}
    return value


def of_rule(rule: Rule, number: int, found: str) -> Iterator[tuple[str, Any]]:
    """A message of each method of a rule that has the secret there, and its other half."""
    value = (
        f"--api-key={found}"
        if rule.how == "arguments"
        else f"Basic {found}"
        if rule.how == "header"
        else found
    )
    part, *rest = rule.path
    content = placed(tuple(rest), value)
    content = content if isinstance(content, dict) else {"secretly": content}
    for method in rule.methods:
        asked: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
        if method != _NOTIFIED:
            asked["id"] = f"{number}-{method}"
        params = content if part == "params" else {}
        yield "client" if method != "terminal/create" else "agent", {**asked, "params": params}
        if part == "result":
            yield "agent", {"jsonrpc": "2.0", "id": asked["id"], "result": content}


def shapes() -> list[str]:
    """Tokens that their makers made recognisable, and URLs with secrets in them."""
    word, digits = secret(), "1234567890123456"
    return [
        f"sk-{word}1", f"sk-ant-api03-{word}1", f"ghp_{word}", f"github_pat_{word}", f"glpat-{word}", f"xoxb-{digits}",
        f"AKIA{'ABCD1234' * 2}", f"AIza{(word * 2)[:35]}", f"sk_live_{word}", f"hf_{(word * 2)[:34]}", f"npm_{(word * 2)[:36]}",
        f"eyJ{word}.eyJ{word}.{word}",
    ]  # fmt: skip


def test_no_secret_is_left(commands: Commands, tmp_path: Path) -> None:
    """At every rule's place a secret of its own; each also in prompts, updates, log lines, noise and `_meta`."""
    lines = [
        header(agent={"argv": ["/home/jdoe/agent", "--token", "argv-secret-1"], "cwd": "/home/jdoe/work"})
    ]
    secrets, frames = ["argv-secret-1", "/home/jdoe"], list[tuple[str, Any]]()
    for number, rule in enumerate(RULES):
        secrets.append(secret())
        frames += of_rule(rule, number, secrets[-1])
    for url in (
        "https://user:{}@example.com/x",
        "postgres://u:{}@db/x",
        "https://example.com/?access_token={}",
    ):
        secrets.append(secret())
        frames.append(
            ("agent", {"jsonrpc": "2.0", "method": "x", "params": {"url": url.format(secrets[-1])}})
        )
    secrets += shapes()
    bearer = secret() + "1"
    secrets.append(bearer)
    frames.append(
        ("agent", {"jsonrpc": "2.0", "method": "x", "params": {"text": f"Authorization: Bearer {bearer}"}})
    )
    for found in secrets:
        text = f"a prompt that tells {found} to everybody"
        nested = json.dumps({"token": [found]})
        update = {
            "sessionUpdate": "agent_message_chunk",
            "content": {"type": "text", "text": text},
            "_meta": {found: nested},
        }
        frames.append(
            (
                "agent",
                {
                    "jsonrpc": "2.0",
                    "method": "session/update",
                    "params": {"sessionId": "s", "update": update},
                },
            )
        )
    for number, (sender, message) in enumerate(frames):
        lines.append(line(t=number, **{"from": sender}, frame=message))
    told = " ".join(secrets)
    lines += [line(t=1, log=told), line(t=1, **{"from": "agent"}, text=told)]
    raw = base64.b64encode(told.encode() + b"\xff").decode()
    lines.append(line(t=1, **{"from": "agent"}, base64=raw))
    path, out = tmp_path / "a.jsonl", tmp_path / "out.jsonl"
    path.write_bytes(
        b"".join([*lines, b"a line that cannot be read " + told.encode() + b"\n", b'{"torn ' + told.encode()])
    )
    said = commands("redact", path, "--out", out)
    assert said.code == 0
    made = out.read_text("utf-8", "replace")
    decoded = [base64.b64decode(json.loads(one)["base64"]) for one in made.splitlines() if '"base64"' in one]
    assert len(decoded) == 1
    for found in secrets:
        for place in (made, said.out, said.err, decoded[0].decode("utf-8", "replace")):
            assert found not in place, found
    assert made.count("\n") == len(lines)


def _joined(file: bytes, key: str) -> str:
    """The texts of a trace file put together, of chunks or of lines."""
    found = [json.loads(one) for one in file.splitlines()]
    if key == "log":
        return "\n".join(one["log"] for one in found if "log" in one)
    return "".join(
        one["frame"]["params"]["update"].get("content", {}).get("text", "")
        for one in found
        if "update" in one.get("frame", {}).get("params", {})
    )


def _chunks(text: str, size: int, kind: str) -> list[tuple[str, Any]]:
    """A message in pieces, and other traffic between them."""
    other = ("agent", update("s", "usage_update", used=1))
    return [
        one
        for at in range(0, len(text), size)
        for one in (
            ("agent", update("s", kind, content={"type": "text", "text": text[at : at + size]})),
            other,
        )
    ]


@pytest.mark.parametrize("kind", ["agent_message_chunk", "agent_thought_chunk", "user_message_chunk"])
@pytest.mark.parametrize("size", [1, 3, 17])
def test_no_secret_is_left_in_pieces(size: int, kind: str) -> None:
    """A secret in several chunks is cut out of each, and its placeholder stands once."""
    word, home = secret(), "/home/alice.smith"
    key = (
        "-----BEGIN PRIVATE KEY-----\n"
        + "\n".join(["A1b2" * 16] * min(30 * size, 200))
        + "\n-----END PRIVATE KEY-----"
    )
    told = f"is {word} and ghp_{word}{word} in {home}/x or -home-alice-smith-x, {key}, https://u:{word}pw@h/"
    server = {"env": [{"name": "A", "value": word}]}
    opened = ("client", request(1, "session/new", cwd=f"{home}/w", mcpServers=[server]))
    out = redacted(trace(opened, *_chunks(told, size, kind)))[0]
    text = _joined(out, "chunk")
    assert text == (
        "is <secret:1> and <secret:2> in <home>/x or -<home>-x, <secret:3>, https://<secret:4>:<secret:5>@h/"
    )
    assert redacted(out)[0] == out


def test_no_secret_is_left_in_the_pieces_of_a_batch() -> None:
    """The updates of a batch go on where the one before ended."""
    word = secret()
    opened = ("client", request(1, "session/new", mcpServers=[{"env": [{"name": "A", "value": word}]}]))
    chunks = [one for _, one in _chunks(f"is {word}.", 6, "agent_message_chunk")]
    out = redacted(trace(opened, ("agent", chunks)))[0]
    texts = [
        one["params"]["update"].get("content", {}).get("text", "")
        for one in json.loads(out.splitlines()[2])["frame"]
    ]
    assert "".join(texts) == "is <secret:1>."


def test_no_key_is_left_line_by_line() -> None:
    """In what an agent writes to stderr, with and without a prefix, and without its end."""
    body = [f"{number:04}" + "A1b2" * 15 for number in range(200)]
    key = ["-----BEGIN RSA PRIVATE KEY-----", *body, "Qq==", "-----END RSA PRIVATE KEY-----"]
    for lines in (key, [f"12:00 {one}" for one in key], key[:-40], [f"12:00 {one}" for one in key[:-40]]):
        file = header() + b"".join(line(t=1, log=one) for one in ["ok", *lines, "and on"])
        out = redacted(file)[0]
        assert "A1b2" not in out.decode()
        assert _joined(out, "log").startswith("ok\n")
        assert _joined(out, "log").endswith("\nand on")
        assert out.count(b"\n") == file.count(b"\n")


def _odd_lines() -> dict[str, list[bytes]]:
    server = {"name": "x", "args": ["--token", "Zq9-argument"], "env": [{"name": "A", "value": "Zq9-value"}]}
    server["headers"] = [{"name": "B", "value": "Bearer Zq9-header"}]
    message = request(1, "session/new", cwd="/w", mcpServers=[server])
    text = json.dumps(message)
    return {
        "NaN": [f'{text[:-1]},"x":NaN}}'.encode()],
        "BOM": [b"\xef\xbb\xbf" + text.encode()],
        "cut off": [text[:-30].encode()],
        "pretty-printed": json.dumps(message, indent=2).encode().split(b"\n"),
        "two on a line": [(text + text).encode()],
        "deep": [f'{text[:-1]},"x":{"[" * 1100}{"]" * 1100}}}'.encode()],
        "Latin-1": [text.replace('"x"', '"\xe9"').encode("latin-1")],
        "UTF-16": [text.encode("utf-16")],
        "after an apostrophe": [f"don't {text}".encode()],
        "after a quote": [f'it says "{text}'.encode()],
        "method twice": [f'{text[:-1]},"method":"x/y"}}'.encode()],
    }


@pytest.mark.parametrize("what", _odd_lines())
def test_no_secret_is_left_in_lines_that_are_no_json(what: str) -> None:
    """Variables, headers and arguments go by the same rules, there and in what is said later."""
    lines = [frame(b"client", 1, one) for one in _odd_lines()[what]]
    out = redacted(header() + b"".join(lines) + line(t=2, log="Zq9-value"))[0]
    found = [json.loads(one)["base64"] for one in out.splitlines() if b'"base64"' in one]
    raw = b"".join(map(base64.b64decode, found)).replace(b"\0", b"")
    assert b"Zq9-" not in out + raw
    assert out.count(b"\n") == len(lines) + 2
    assert redacted(out)[0] == out


def test_an_export_says_what_it_holds(commands: Commands, tmp_path: Path) -> None:
    """Before somebody sends it to somebody; in one line, and without the secret."""
    path = tmp_path / "a.jsonl"
    word = f"sk-{secret()}1"
    path.write_bytes(header() + line(t=1, log=f"key {word}"))
    said = commands("export", path, "--out", tmp_path / "out.jsonl")
    assert "`acp-trace redact` removes that" in said.err
    assert word not in said.err + said.out


def test_the_environment_is_not_recorded(commands: Commands, tmp_path: Path) -> None:
    """Of the recorder's environment nothing gets into a trace, but what the two sides say to each other."""
    home = commands.home
    word = secret()
    with home.start([*_AGENT], env={"MY_API_KEY": word, "HOME": str(tmp_path)}) as recording:
        recording.finish(b'{"jsonrpc":"2.0","id":1,"method":"initialize"}\n')
    (path,) = home.spooled()
    assert word.encode() not in path.read_bytes()
    head = entries_in(path)[0]
    assert set(head) == {"acp_trace", "id", "started_at", "transport", "agent", "recorder", "platform"}
    assert (set(head["agent"]), set(head["platform"])) == ({"argv", "cwd"}, {"system", "python"})


_AGENT = ("/bin/sh", "-c", "read line; echo '{}'")


def test_what_a_capture_has_only_begun_is_in_no_lines(home: Home, tmp_path: Path) -> None:
    """A line that was cut off by the recorder's death is in the capture alone; whole lines are redacted."""
    begun, log, held = secret(), secret(), secret()
    asked = request(
        1, "session/new", cwd="/w", mcpServers=[{"name": "m", "env": [{"name": "K", "value": held}]}]
    )
    said = line(**asked)
    # In two parts: the agent's command line is in the header.
    code = f"os.write(2, b'{log[:9]}' + b'{log[9:]}')\nwhile data := os.read(0, 65536): say(data)"
    with home.start(agent(code)) as recording:
        assert recording.stderr.read(len(log)) == log.encode()
        for part in (said, begun.encode()):
            recording.say(part)
            assert recording.stdout.read(len(part)) == part
        recording.process.kill()
        recording.process.wait(DEADLINE_S)
    (capture,) = home.spooled()
    kept = capture.read_bytes()
    assert all(each.encode() in kept for each in (begun, log, held))
    redacted_file, exported_file = tmp_path / "r.jsonl", tmp_path / "e.jsonl"
    home.run("redact", str(capture), "--out", str(redacted_file))
    home.run("export", str(capture), "--out", str(exported_file))
    assert held in exported_file.read_text("utf-8")
    assert "session/new" in redacted_file.read_text("utf-8")
    for file, gone in ((redacted_file, (begun, log, held)), (exported_file, (begun, log))):
        assert not [each for each in gone if each in file.read_text("utf-8")], file
