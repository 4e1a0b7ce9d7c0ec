#!/bin/sh
# The C interface builds without a network and without anything that cargo has kept: from sources that `cargo vendor` has
# copied, as a distribution builds it.
#
#   vendor.sh [COMMAND [FLAGS]]     what cargo does with them: `check`, or `build --profile embed`
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
[ $# -gt 0 ] || set -- check
command=$1
shift
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$root"
cargo vendor --locked --versioned-dirs "$scratch/vendor" > "$scratch/config.toml" 2> "$scratch/vendor.log" || {
    cat "$scratch/vendor.log" >&2
    exit 1
}
grep -q 'replace-with = "vendored-sources"' "$scratch/config.toml"
mkdir "$scratch/home"
CARGO_HOME=$scratch/home CARGO_TARGET_DIR=$scratch/target CARGO_NET_OFFLINE=true \
    cargo --config "$scratch/config.toml" "$command" --offline --locked -p xfjit-capi "$@"
if [ -e "$scratch/home/registry/src" ] || [ -e "$scratch/home/registry/cache" ]; then
    echo "sources have been downloaded" >&2
    exit 1
fi
echo "$command: fine, from $(find "$scratch/vendor" -mindepth 1 -maxdepth 1 | wc -l) packages"
