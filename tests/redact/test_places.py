"""Which rules apply to an entry."""

from __future__ import annotations

from typing import Any

from acp_trace.redact.places import Places, StringPlace
from acp_trace.redact.rules import RULES, Rule
from acp_trace.trace import json_pointer
from acp_trace.trace.parse import Parser
from tests.support import error, request, result, trace, update


def places(*frames: tuple[str, Any], rules: tuple[Rule, ...] = RULES) -> list[tuple[StringPlace, ...]]:
    """Of each frame."""
    found = Places(rules)
    return [found.of(entry) for entry in Parser().feed(trace(*frames, end=False))[1:]]


def ruled(*frames: tuple[str, Any], rules: tuple[Rule, ...] = RULES) -> list[tuple[str | None, bool]]:
    """Of each frame that is one message: its method, and whether there are rules for it."""
    return [(place.method, bool(place.rules)) for ((place),) in places(*frames, rules=rules)]


def envelope(method: str, inner: Any) -> Any:
    """A request that carries another message."""
    return {"jsonrpc": "2.0", "id": 0, "method": method, "params": inner}


def test_requests_and_their_answers() -> None:
    """An answer belongs to the request of the other side with its id; only where a rule is about answers."""
    assert ruled(
        ("client", request(0, "initialize")),
        ("agent", request(0, "terminal/create")),
        ("client", result(0)),
        ("agent", result(0)),
        ("agent", result(0)),
        ("client", request(1, "session/prompt")),
        ("agent", result(1)),
        ("client", request(2, "authenticate")),
        ("agent", error(2, -32000)),
    ) == [
        ("initialize", True),
        ("terminal/create", True),
        (None, False),
        ("initialize", True),
        (None, False),
        ("session/prompt", False),
        (None, False),
        ("authenticate", True),
        ("authenticate", True),
    ]


def test_an_id_that_is_used_again_is_the_newer_request() -> None:
    """Though the older one was never answered."""
    assert ruled(
        ("client", request(0, "initialize")),
        ("client", request(0, "session/prompt")),
        ("agent", result(0)),
    )[-1] == (None, False)


def test_rules_for_updates_and_for_all_methods() -> None:
    """Own rules may be about these."""
    plan = Rule("p", json_pointer.read("/params/update/x"), (), ("plan",))
    every = Rule("e", json_pointer.read("/params/x"), ("*",))
    frames = [("agent", update("s", "plan")), ("agent", update("s", "usage_update"))]
    assert ruled(*frames, rules=(plan,)) == [("session/update", True), ("session/update", False)]
    assert ruled(*frames, rules=(every,)) == [("session/update", True), ("session/update", True)]


def test_messages_in_messages() -> None:
    """A proxy's envelope carries another one; its answer is that one's."""
    inner = {"method": "initialize", "params": {}}
    (first,), (answer,) = places(("client", envelope("proxy/successor", inner)), ("agent", result(0)))
    assert (first.base, first.method, bool(first.rules)) == (("frame", "params"), "initialize", True)
    assert (answer.base, answer.method, bool(answer.rules)) == (("frame",), "initialize", True)
    (odd,) = places(("client", envelope("proxy/successor", {"method": 5})))[0]
    assert (odd.base, odd.method) == (("frame",), "proxy/successor")


def test_an_update_in_an_envelope() -> None:
    """By its kind."""
    plan = Rule("p", json_pointer.read("/params/update/x"), (), ("plan",))
    inner = update("s", "plan")
    (found,) = places(("agent", envelope("_proxy/successor", inner)), rules=(plan,))[0]
    assert (found.base, found.rules) == (("frame", "params"), (plan,))


def test_a_batch_is_several_messages() -> None:
    """Draft 2 had them; what is in them is no less secret."""
    (found,) = places(("client", [request(0, "session/new"), 5, request(1, "x")]))
    assert [(one.base, one.method, bool(one.rules)) for one in found] == [
        (("frame", 0), "session/new", True),
        (("frame", 1), None, False),
        (("frame", 2), "x", False),
    ]


def test_session_ids_are_noted() -> None:
    """Because a secret that is one must stay."""
    found = Places(RULES)
    for entry in Parser().feed(
        trace(("agent", update("s1", "plan")), ("client", request(0, "x", sessionId="s2")))
    ):
        if entry.sender:
            found.of(entry)
    assert found.session_ids == {"s1", "s2"}


def test_names_from_the_traffic_take_no_memory_without_end() -> None:
    """A thousand methods are remembered, more are looked up again."""
    found = Places(RULES)
    for entry in Parser().feed(trace(*(("client", request(n, f"m{n}")) for n in range(1500)))):
        if entry.sender:
            found.of(entry)
    assert len(found._made) == 1000
