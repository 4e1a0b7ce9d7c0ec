#!/usr/bin/env bash
# Builds the Python package as a wheel, installs it in an environment of its own, and checks it: tests, the examples in
# docstrings and in docs/PYTHON.md, types, stubs, the picture in docs/.
#
#   check.sh [--debug] [DIRECTORY]    DIRECTORY has, or gets, the environment; without it the environment is a temporary one
#
# With --debug the wheel is built as the project's tests are, so that it compiles little that they have not; without it, as users get it.
set -euo pipefail
cd "$(dirname "$0")"
# One environment for pip, so that it asks nothing and tells little.
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1 PYTHONDONTWRITEBYTECODE=1 MPLBACKEND=Agg
# Shared with the rest of the project, if the caller has not chosen another: most dependencies are built there.
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/../target}

profile=--release
if [ "${1:-}" = --debug ]; then
    profile='--profile dev'
    shift
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
venv=${1:-$scratch/venv}
[ -x "$venv/bin/pip" ] || python3 -m venv "$venv"
bin=$(cd "$venv/bin" && pwd)
"$bin/pip" install --quiet --requirement requirements-dev.txt

cargo fmt -- --check
cargo clippy --locked -- -D warnings
# shellcheck disable=SC2086
PATH="$bin:$PATH" "$bin/maturin" build $profile --locked --out "$scratch/wheels"
"$bin/pip" install --quiet --no-deps --force-reinstall "$scratch"/wheels/*.whl

"$bin/pytest" -p no:cacheprovider tests
"$bin/mypy" --no-incremental xfjit tests examples
# Elsewhere, so that what is tested is what is installed, not what lies here.
sources=$PWD
cd "$scratch"
"$bin/pytest" -p no:cacheprovider -c "$sources/pyproject.toml" --rootdir "$scratch" --doctest-modules --pyargs xfjit
"$bin/python" -m doctest "$sources/../docs/PYTHON.md"
"$bin/stubtest" xfjit --mypy-config-file "$sources/pyproject.toml"
