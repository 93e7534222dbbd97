"""The table of makers: keys of every row go from every place, and what only begins like a key stays."""

from __future__ import annotations

import json
import random
import re
from typing import Any

import pytest

from acp_trace.model import providers, recognition
from acp_trace.redact import shapes, signs, token_shapes
from acp_trace.redact.token_shapes import MAKERS, Maker
from tests.redact.redacting import redacted
from tests.support import trace, update

_CHARACTERS = {
    of: "".join(sorted({chr(code) for code in range(33, 127) if re.fullmatch(f"[{of}]", chr(code))}))
    for of in {maker.of for maker in MAKERS}
}


def _rest(maker: Maker, size: int) -> str:
    """Random characters of a maker's class, put together here, so that nobody takes this file for a leak."""
    chance = random.Random(f"{maker.name} {size}")
    letters = [one for one in _CHARACTERS[maker.of] if one.isalnum()]
    rest = [chance.choice(letters) for _ in range(size - 2)]
    return "".join([*rest[:5], "7", *rest[5:], "B" if "B" in letters else "b"])


_THEN = {"tid=": ";exp=1700000000;sku=x", "SG.": "." + "aB3" * 8}


def _key(maker: Maker, prefix: str, size: int) -> str:
    return prefix + _rest(maker, size) + _THEN.get(prefix, "")


def _keys() -> list[str]:
    """Two keys of each prefix: a random one of the shortest length, and one that is longer."""
    return [
        _key(maker, prefix, size)
        for maker in MAKERS
        for prefix in maker.prefixes
        for size in (maker.least, maker.most or maker.least + 9)
    ]


_HEX = "0123456789abcdef" * 2
_OTHERS = [
    *("glrt-" + "t1_aB3xY9kLmN0pQ27sTuV-zzzzz" + dots for dots in (".0z1abcdef", ".01.1abcdefgh")),
    _HEX + ".Ab12Cd34Ef56Gh78",
    _HEX + "." + "x7Kq" * 6,
    "aB3x" * 13 + "JQQJ99" + "BKACYeBjF" + "XJ3w3AAABACOG" + "t0Kx",
    "abC8" + "Q~" + "aB3x-" * 6 + "zzzz",
]
KEYS = [*_keys(), *_OTHERS]
_SLACK = "hooks.slack" + ".com/services/T0ABCDEF1/B0ABCDEF2/"


def _chunks(text: str, size: int) -> list[tuple[str, Any]]:
    return [
        ("agent", update("s", "agent_message_chunk", content={"type": "text", "text": text[at : at + size]}))
        for at in range(0, len(text), size)
    ]


def test_every_key_goes_from_every_place() -> None:
    """From text, a title, JSON in JSON, behind and inside of colours, and from chunks."""
    said = []
    keys = [*(_key(maker, maker.prefixes[-1], maker.least) for maker in MAKERS), *_OTHERS]
    for number, key in enumerate(keys):
        call = {"toolCallId": f"c{number}"}
        half = len(key) // 2
        said += [
            ("agent", update("s", "tool_call", **call, title=f"run {key}")),
            *_chunks(f"the key is {key} and more. ", 1000),
            (
                "agent",
                update("s", "tool_call_update", **call, rawOutput=json.dumps({"a": json.dumps({"b": key})})),
            ),
            ("agent", update("s", "tool_call_update", **call, rawOutput=f"\x1b[31m{key}\x1b[0m")),
            (
                "agent",
                update("s", "tool_call_update", **call, rawOutput=f"a {key[:half]}\x1b[1m{key[half:]} b"),
            ),
            *_chunks(f"\n\nkey={key}\n\n", 7),
        ]
    out = redacted(trace(*said))[0]
    texts = out.decode()
    assert [key for key in keys if key in texts or key[len(key) // 2 :] in texts] == []


def test_each_key_alone_and_its_line() -> None:
    """A key is found whole, without what stands around it, and its line has a sign, also as JSON in JSON."""
    for key in KEYS:
        for around in ("{}", '"{}"', "x={} y", "a\n{}\n", "x\\n{}", "({})", "https://h/{}", "é{}"):
            text = around.format(key)
            spans = [text[start:end] for start, end in shapes.spans(text)]
            assert key in spans, (key, around, spans)
            assert shapes.may_hold(text), (key, around)
            line = json.dumps({"text": text})
            assert signs.in_line(line.encode()), (key, around)
            assert signs.in_line(json.dumps(line).encode()), (key, around)


@pytest.mark.parametrize("maker", [one for one in MAKERS if one.inside], ids=lambda one: one.prefixes[0])
def test_a_key_inside_a_word_has_a_sign(maker: Maker) -> None:
    """What is found inside a word is searched for, in a text and in the bytes of a line."""
    for prefix in maker.prefixes:
        text = "TOKEN" + _key(maker, prefix, maker.least)
        assert shapes.spans(text), prefix
        assert signs.in_text(text), prefix
        assert signs.in_line(json.dumps({"text": text}).encode()), prefix


def test_the_address_of_a_webhook_of_slack() -> None:
    """Its last part is a password; the rest stays."""
    secret = "aB3x" * 6
    text = f"POST https://{_SLACK}{secret}"
    assert [text[start:end] for start, end in shapes.spans(text)] == [secret]


@pytest.mark.parametrize(
    "text",
    [
        "pa-rt of a spa-like grandpa-11-wears-a-very-long-kebab-case-name-2026",
        "fw_update_firmware_version_2_of_the_board",
        "sess-0123456789abcdef0123456789abcdef",
        "sess-2026-11-26-afternoon-with-a-long-name",
        "ses_0123456789abcdef and session_id_0123456789",
        "r8_is_a_register r8_0x7fffffff",
        "jina_embeddings_v2_base_en_and_more_words_2026",
        "whsec_ is the prefix, vck_ too, csk-lower-case-words-only-here-2",
        "task_key_0123456789 break_16384_and_peak_memory_of_the_program_2048",
        "secret_manager_of_google_cloud_platform_v1beta1_service",
        "key_press_and_key_release_in_the_browser",
        "as-0123 as-soon-as-possible-2026-edition",
        "global-settings-for-version-2-of-everything",
        "glob-0123456789-abcdefghijkl",
        "1//07 and src/1//0/a",
        "AQ. is a sign, and FAQ.Ab0123",
        "SG.1 is Singapore",
        "bedrock-api-key-rotation",
        "xapp-lication-with-a-very-long-name",
        "gl-1 glrt- gldt-short",
        "d41d8cd98f00b204e9800998ecf8427e.tar.gz",
        "d41d8cd98f00b204e9800998ecf8427e.documentation",
        "https://hooks.slack.com/services/README",
        "node_modules/@sk_components/disk_usage_and_task_id_0123456789",
        "toolu_01A09q90qw90lq917835lq9 call_aBcDeFgHiJkLmNoPqRsTuVwX msg_01XFDUDYJgAACzvnptvVoYEL",
        "chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT resp_67ccd2bed1ec8190b14f964abc0542670bb6a6b452d3795b",
        "req_011CSHoEeqs5C35K2UUqR7Fy gen-1700000000-aBcDeFgHiJkLmNoPqRsT",
        "01ARZ3NDEKTSV4RRFFQ69G5FAV f47ac10b-58cc-4372-a567-0e02b2c3d479",
    ],
)
def test_what_only_begins_like_a_key_stays(text: str) -> None:
    """Words, names in programs, ids of messages and of sessions."""
    assert [text[start:end] for start, end in shapes.spans(text)] == []


def test_each_provider_that_is_recognised_has_a_row() -> None:
    """Whoever adds a provider says how its keys look, or that nobody can know them by their looks."""
    known = {provider for maker in MAKERS for provider in maker.providers}
    said = known | set(token_shapes.NO_SHAPE) | set(token_shapes.WITHOUT_PREFIX)
    recognised = {provider for _, provider in recognition.HOSTS} | {kind for kind, _ in providers.PATHS}
    assert recognised - said == set()
    assert said - recognised == set()
    assert known.isdisjoint(token_shapes.NO_SHAPE)


def test_prefixes_are_no_part_of_common_words() -> None:
    """A prefix without a separator or a digit, or with few characters, needs a rest that no word has."""
    for maker in MAKERS:
        for prefix in maker.prefixes:
            assert maker.needs or len(prefix) > 2, prefix
            assert maker.least >= 10, prefix
