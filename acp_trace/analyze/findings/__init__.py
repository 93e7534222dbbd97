"""Rules for what breaks the protocol in a trace, or is unusual. docs/findings.md is generated from `codes`.

- `codes`      the table of all codes: severity, meaning, the rule behind each
- `requirements`  the conformance kit's requirements that a code shows to be broken
- `collector`  collects findings, and counts the codes that are listed only once
- `stream_order`  findings that depend on order alone, and are doubted between streams of HTTP
- `wire`       rules about one message: JSON-RPC, methods, ids, capabilities
- `payloads`   members of parameters, results and updates: missing, of another type, unknown
- `lost_lines`       lines whose message the other side did not get, and the names in them
- `unreadable`  lines that are not JSON, and the messages in them
- `unanswered`  requests that are open when a trace ends
- `crash`      whether the agent crashed
- `model_calls`  calls of the model that continue after a cancel

Rules that need the state of a session are beside that state: `cancellation`, `metadata`, `options` …
"""
