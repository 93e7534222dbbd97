"""Lines, JSON-RPC, methods and ids."""

from __future__ import annotations

from acp_trace.analyze.findings.codes import sources
from acp_trace.analyze.findings.codes.finding_code import EACH, FindingCode

ROWS = (
    FindingCode(
        "not-json", "either", "error", "wire",
        "A line that is not JSON or not UTF-8.",
        "The agent MUST NOT write anything to its stdout that is not a valid ACP message.",
        sources.TRANSPORTS, also_of=("MCP",),
    ),
    FindingCode(
        "blank-line", "either", "note", "wire",
        "An empty line between messages.",
        "Messages are delimited by newlines. An empty line is not a message, and some receivers refuse it.",
        sources.TRANSPORTS, once="trace",
    ),
    FindingCode(
        "not-jsonrpc", "either", "error", "wire",
        "JSON that is not a JSON-RPC 2.0 message: no `jsonrpc`, no valid id, both a result and an error …",
        'A String specifying the version of the JSON-RPC protocol. MUST be exactly "2.0".',
        f"{sources.JSONRPC}, sections 4 and 5", also_of=EACH,
    ),
    FindingCode(
        "batch", "either", "error", "wire",
        "An array of messages. In version 2, the finding is only a warning because the sources disagree: "
        "acp-tck requires arrays, and the TypeScript SDK refuses them. Each message in the array is still "
        "paired, judged and reported: `#12[1]` is the second message of frame 12, and the `path` of its "
        "findings begins with `/1`. Missing answers to the array are consequences of this finding, because a "
        "receiver may refuse an array.",
        "ACP does not use JSON-RPC batches.",
        "draft 2, transports",
    ),
    FindingCode(
        "unknown-method", "either", "error", "wire",
        "A method that the negotiated version of the protocol does not have. The finding is only a warning "
        "if no version has the method: the method may be newer than acp-trace.",
        "Custom methods begin with an underscore; all other names belong to the protocol.",
        "docs/protocol/v1/extensibility",
    ),
    FindingCode(
        "retired-method", "either", "note", "wire",
        "A method that was once part of the protocol but no longer is.",
        "Newer versions of the schema no longer have the method: session/set_model was removed on "
        "2026-06-01 (#1325), mcp/connect and nes/* in the months after.",
        "specification repository", once="trace",
    ),
    FindingCode(
        "wrong-side", "either", "error", "wire",
        "A method that only the other side may send.",
        "The schema names the side that handles each method.",
        "schema, x-side",
    ),
    FindingCode(
        "wrong-kind", "either", "error", "wire",
        "A notification sent as a request, or a request sent as a notification.",
        "A Notification is a Request object without an id. The protocol says which methods are which.",
        f"{sources.JSONRPC}, section 4.1",
    ),
    FindingCode(
        "response-to-nothing", "either", "error", "wire",
        "A response that has no id, or whose id matches no request.",
        "id: It MUST be the same as the value of the id member in the Request Object.",
        f"{sources.JSONRPC}, section 5", is_doubted=True, also_of=EACH,
    ),
    FindingCode(
        "second-answer", "either", "error", "wire",
        "A second response to a request that was already answered.",
        "Receivers MUST NOT send a second response for it.",
        "draft 2, cancellation; JSON-RPC 2.0, section 5", also_of=EACH,
    ),
    FindingCode(
        "never-answered", "either", "error", "wire",
        "A request that was still open when the trace ended. If the agent owed the response, the finding is "
        "only a note in two cases: the agent itself was waiting for the client in that session, or the "
        "client left less than 1 s after the request. If the agent crashed, the finding is a consequence of "
        "the crash.",
        "When a rpc call is made, the Server MUST reply with a Response.",
        f"{sources.JSONRPC}, section 5", is_doubted=True, also_of=EACH,
    ),
    FindingCode(
        "id-reused", "either", "error", "wire",
        "An id that a side uses for a second request while the first one is open.",
        "A sender MUST NOT reuse an ID while a request with it is still awaiting a response.",
        "draft 2, schema RequestId", is_doubted=True, also_of=EACH,
    ),
)  # fmt: skip
