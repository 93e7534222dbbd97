"""Traces as files of other tools, one module a format: entries and facts in, bytes out.

- `formats`       the table of all writers
- `har`           the model's side of a trace as an HTTP archive (HAR 1.2), which browsers and HTTP proxies
                  open
- `jsons`         a trace as the official Rust SDK's conductor writes one (`.jsons`): an event a line, for
                  its trace viewer
- `lanes`         which slices share a track: those of one track follow each other, or lie one inside the
                  other
- `markdown`      a trace as a report to paste into an issue: summary, turns, findings with their frames,
                  failed requests
- `mermaid`       a trace as a sequence diagram for Mermaid: GitHub, GitLab and many editors draw it inside
                  of Markdown
- `otel_span`     the shape of a span, its ids and its times: no rule of what becomes one
- `otlp`          Spans as OTLP/JSON: a line for each session, as a collector's file receiver and exporter
                  have it
- `perfetto`      a trace as Chrome's JSON of trace events: opens in ui.perfetto.dev, chrome://tracing and
                  Speedscope
- `plain`         text of the traffic in files that people read: one line, nothing in it that is obeyed
- `slices`        facts -> slices on the tracks of client, agent and model, as viewers of performance traces
                  draw them
- `span_content`  what was said, for spans: prompts, answers, arguments and results, as attributes of the
                  GenAI conventions
- `spans`         facts -> spans as OpenTelemetry has them, with the names of its conventions for generative
                  AI
- `writer`        what every writer takes and gives: shapes only, no rule of any format
"""
