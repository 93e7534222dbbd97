#!/usr/bin/env bash
# Installs acp-trace for the action, in an environment of its own, and says where it is: the outputs `python` and
# `program`. VERSION is a version on PyPI, `installed` for the one on PATH, or empty for the checkout of this action.
# PYTHON is the Python to use; without it, the one on PATH.
set -euo pipefail

finish() { printf 'python=%s\nprogram=%s\n' "$1" "$2" >>"$GITHUB_OUTPUT"; }
python=${PYTHON:-python3}

case ${VERSION:-} in
    installed)
        program=$(command -v acp-trace) || { echo "::error::acp-trace is not installed: it is not on PATH"; exit 1; }
        finish "$python" "$program"
        exit
        ;;
    *[!0-9a-zA-Z.]*) echo "::error::the input 'version' is not a version, such as 0.1.0"; exit 1 ;;
    "") package="${GITHUB_ACTION_PATH}[model]" ;;
    *) package="acp-trace[model]==$VERSION" ;;
esac

environment=$RUNNER_TEMP/acp-trace-environment
"$python" -m venv "$environment"
programs=$environment/bin
[ -d "$programs" ] || programs=$environment/Scripts # Windows
if command -v uv >/dev/null; then
    uv pip install --quiet --python "$programs/python" "$package"
else
    "$programs/python" -m pip install --quiet --disable-pip-version-check "$package"
fi
finish "$programs/python" "$programs/acp-trace"
