# acp-trace in a container, for CI and for images of agents: docs/install.md, "In a container".
# It needs no HEALTHCHECK, because it is a command and not a service.
FROM python:3.13-slim-trixie AS build
WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY acp_trace acp_trace
COPY docs docs
RUN python -m venv /opt/acp-trace \
    && /opt/acp-trace/bin/pip install --no-cache-dir '.[model,http]'

FROM python:3.13-slim-trixie
LABEL org.opencontainers.image.title="acp-trace" \
      org.opencontainers.image.source="https://github.com/OWNER/acp-trace" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /opt/acp-trace /opt/acp-trace
RUN useradd --create-home --uid 1000 trace \
    && mkdir /traces /work \
    && chown trace:trace /traces /work
ENV PATH="/opt/acp-trace/bin:$PATH" \
    ACP_TRACE_HOME=/traces
USER 1000
WORKDIR /work
ENTRYPOINT ["acp-trace"]
CMD ["--help"]
