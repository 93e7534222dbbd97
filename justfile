# The contributor's interface. `just` lists the recipes; CI calls the same ones.

python := env("PYTHON", "python3")

# List the recipes.
default:
    @just --list

# Record the built-in client and agent, then show the report.
demo:
    {{python}} -I -m acp_trace demo

# Run the plain tests: of all that needs no home directory, no process and little time.
test *ARGS:
    {{python}} -m pytest {{ARGS}}

# Run the other tests: of commands and the store, and those that start many processes or work for long.
integration *ARGS:
    {{python}} -m pytest -n 3 -m "(home or slow) and not azure and not spark" {{ARGS}}

# Run the tests that your change can touch: `just touched -x`, `just touched --since HEAD~3`.
touched *ARGS:
    {{python}} tests/touched.py {{ARGS}}

# Run the tests of replays with a thread for each pipe, as on a system that cannot say which pipe is ready.
threads *ARGS:
    ACP_TRACE_LOOP=threads {{python}} -m pytest -m "not slow" tests/replay {{ARGS}}

# Run the plain tests on every Python from 3.11 on that can be had: this machine's, then Debian's packages.
pythons *VERSIONS:
    {{python}} tests/pythons/run.py {{VERSIONS}}

# Run the plain and the slow tests with branch coverage, also of child processes; print what is not covered.
coverage *ARGS:
    {{python}} -m coverage erase
    -{{python}} -m coverage run -m pytest -q -n0 -m '' {{ARGS}}
    {{python}} -m coverage combine -q
    {{python}} -m coverage report

# Check style and format.
lint:
    {{python}} -m ruff check .
    {{python}} -m ruff format --check .

# Check types, strictly, over sources and tests, as Linux, Windows and macOS see them.
types:
    {{python}} -m mypy
    {{python}} -m mypy --platform win32 --cache-dir .mypy_cache/win32
    {{python}} -m mypy --platform darwin --cache-dir .mypy_cache/darwin

# Measure, side by side with the baselines, in one run.
bench *ARGS:
    {{python}} tests/bench/run.py {{ARGS}}

# Write the generated parts of the docs; with `--check`, only say whether they are fresh.
docs *ARGS:
    {{python}} docs/generate.py {{ARGS}}

# Build the documentation site into build/site: open index.html there. Any warning is an error.
site *ARGS:
    NO_MKDOCS_2_WARNING=1 {{python}} -m mkdocs build {{ARGS}}

# Show the site on this machine, and again after each change.
site-serve *ARGS:
    NO_MKDOCS_2_WARNING=1 {{python}} -m mkdocs serve {{ARGS}}

# Write docs/evidence/agents.md, what each agent does, from recordings of them.
agents +TRACES:
    {{python}} docs/agents.py {{TRACES}}

# Install and record every agent of docs/evidence/agents.md; `--write` makes the page of the recordings.
record-agents *ARGS:
    {{python}} tests/real/recording_agents.py {{ARGS}}

# Drive real agents with real clients: recorded, checked, replayed, and mocked.
real *ARGS:
    {{python}} tests/real/run.py {{ARGS}}

# Replay one real agent's recording 100 times in a row: `just flakiness-real opencode-work --times 20`.
flakiness-real *ARGS:
    {{python}} tests/real/flakiness.py {{ARGS}}

# Put one fault after another into a copy of the code, and see a test fail for each.
mutation *NAMES:
    {{python}} tests/mutation/run.py {{NAMES}}

# Kill, starve and flood the recorder, the loader and replays, and count what was lost.
faults *ARGS:
    {{python}} tests/faults/run.py {{ARGS}}

# Replay the same agent 100 times in a row, beside busy processors; with words, those faults and variations.
flakiness *ARGS:
    {{python}} tests/replay/flakiness.py {{ARGS}}

# Derive the shapes of payloads from the newest official schema; with `--check`, only say what is new there.
shapes *ARGS:
    {{python}} tests/protocol/shapes/derive.py {{ARGS}}

# Change payloads at random, and hold what the shapes say of them against a validator of the official schema.
shapes-proof *ARGS:
    {{python}} tests/protocol/shapes/proof.py {{ARGS}}

# Look for inputs that bring out an error: `just fuzz --seconds 300 reader planner`. Best with atheris installed.
fuzz *ARGS:
    {{python}} tests/fuzz/run.py {{ARGS}}

# Record real agents in several versions, replay each version against each, write docs/evidence/real-matrix.md.
real-matrix *ARGS:
    {{python}} tests/real/matrix.py {{ARGS}}

# Record real agents with their models, replay each where nothing can be reached: docs/evidence/hermetic.md.
hermetic *ARGS:
    {{python}} tests/real/hermetic.py {{ARGS}}

# Have `acp-trace drive --all` talk to real agents, and replay each recording: docs/evidence/drive.md.
real-drive *ARGS:
    {{python}} tests/real/driving.py {{ARGS}}

# Plant one fault after another into those replays, and ask for the verdicts: docs/evidence/planted-faults.md.
planted *ARGS:
    {{python}} tests/real/planted/run.py {{ARGS}}

# Send traces to a real OpenTelemetry backend, Arize Phoenix, and ask it and the store the same questions.
backend *ARGS:
    {{python}} tests/formats/backend/run.py {{ARGS}}

# Do what the workflows do before they publish: check, build, and install by name with pip, uv, pipx and npx.
release-proof:
    {{python}} tests/release/run.py

# Open the page in Chromium and try every view of it.
browser *ARGS:
    {{python}} -m pytest -m browser {{ARGS}}

# Build tables by a Spark cluster of two workers on this machine, kill its parts, ask in both kinds of SQL.
spark *ARGS:
    {{python}} -m pytest -n 0 -m "spark and not azure" tests/spark {{ARGS}}

# Run what is about places against Azurite, an emulator of Azure, too.
azure *ARGS:
    {{python}} -m pytest -n 2 -m azure tests/bucket tests/lake tests/cli {{ARGS}}

# Build the tables of 20,000 traces by one machine and by Spark, kill what builds them, and compare all rows.
lake-proof *ARGS:
    {{python}} tests/lake/proof/run.py {{ARGS}}

# Take the pictures of the page in docs/images.
pictures *NAMES:
    {{python}} docs/pictures.py {{NAMES}}
