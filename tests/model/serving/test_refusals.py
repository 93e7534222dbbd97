"""What an agent gets for a request that no recorded call answers."""

from __future__ import annotations

import json

import pytest

from acp_trace.model.matching.matcher import Matcher
from acp_trace.model.matching.shapes import MissedCall
from acp_trace.model.problems import in_response
from acp_trace.model.serving.refusals import miss_message, refusal, socket_refusal
from acp_trace.normalize.moved_places import MovedPlaces
from tests.model.matching.calls import body, recorded, request

FORMS = ("openai-chat", "openai-responses", "anthropic", "gemini", "bedrock-converse", "ollama-chat", None)


@pytest.fixture
def missed() -> MissedCall:
    result = Matcher(recorded(body("one")), MovedPlaces()).match(request(body("two")))
    assert isinstance(result, MissedCall)
    return result


@pytest.mark.parametrize("form", FORMS)
def test_each_provider_refuses_in_its_own_words(form: str | None, missed: MissedCall) -> None:
    """The status is one that agents do not ask again after; what it says is read as the provider's error."""
    response = refusal(form, miss_message(missed.nearest, missed.difference))
    problem = in_response(response.status, response.headers, response.body)
    assert response.status == 400
    assert problem.message.startswith(
        "acp-trace: the recording has no such request. The nearest one is call 1;"
    )
    assert problem.message.endswith("it differs in: message 1 (user): 1 line changed")


def test_a_websocket_is_told_in_a_message(missed: MissedCall) -> None:
    """Its error has the shape that the provider's events have."""
    message = json.loads(socket_refusal(miss_message(missed.nearest, missed.difference)))
    assert message["type"] == "error"
    assert "nearest one is call 1" in message["error"]["message"]


def test_a_recording_with_nothing_like_it_says_so() -> None:
    """There is nothing to name then."""
    assert miss_message(None, None).endswith("and none like it.")
