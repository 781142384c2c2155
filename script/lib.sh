# SPDX-License-Identifier: MIT
# What the scripts share: where things are, which Python is used, how they speak. Sourced, never run.
# shellcheck shell=bash
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
cd "$root"
build="$root/build/release"

# Progress goes to standard error, so that what a script computes can be piped on.
say() { printf '\033[1m==>\033[0m %s\n' "$*" >&2; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }
have() { command -v "$1" > /dev/null 2>&1; }

# Runs a named step and says how long it took.
step() {
  local name="$1" start=$SECONDS
  shift
  say "$name"
  "$@" || die "$name failed (exit status $?): $*"
  say "$name: done in $((SECONDS - start)) s"
}

is_offline() { [[ "${QUERN_OFFLINE:-0}" == 1 ]]; }

# The interpreter: QUERN_PYTHON, or the one of .venv, or, offline, the system's with what it has installed.
use_python() {
  if [[ -n "${QUERN_PYTHON:-}" ]]; then python="$QUERN_PYTHON"
  elif [[ -x .venv/bin/python ]]; then python="$root/.venv/bin/python"
  else python="$(command -v python3)" || die "no python3; run script/bootstrap"
  fi
  # The extension module is built into the package's folder, so the source tree is importable as it stands.
  export PYTHONPATH="$root/python${PYTHONPATH:+:$PYTHONPATH}"
  PATH="$(dirname "$python"):$PATH"
}

# ccache makes the second build of the same file free, and cmake reads the launcher from the environment.
use_ccache() {
  if have ccache; then
    export CMAKE_CXX_COMPILER_LAUNCHER="${CMAKE_CXX_COMPILER_LAUNCHER:-ccache}"
  fi
}
