#!/bin/sh
# Copies the licences of everything that is linked into a package of this project: what cargo says is linked, from where its sources lie.
#
#   licences.sh TO PACKAGE [FLAGS OF CARGO TREE]
#
# TO gets a directory for each package, and one for Rust's own library. Fails if one has no licence.
set -eu
fail() {
    echo "licences.sh: $1" >&2
    exit 1
}
[ $# -ge 2 ] || fail "usage: licences.sh TO PACKAGE [FLAGS OF CARGO TREE]"
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
tree=$(cd "$1" && pwd) package=$2
shift 2
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
cd "$root"
cargo tree --locked -p "$package" "$@" -e normal --prefix none --no-dedupe --format '{p}' | sed 's/ (.*//' | sort -u > "$stage/packages"
grep -q "^$package " "$stage/packages" || fail "cargo does not tell what is linked"
cargo metadata --locked --format-version 1 | grep -o '"manifest_path":"[^"]*"' | sed 's|.*:"\(.*\)/Cargo.toml"|\1|' > "$stage/sources"
# Copies the licences that lie in the directory $1 to $2.
licences() {
    found=''
    for file in "$1"/*; do
        case $(basename "$file" | tr '[:upper:]' '[:lower:]') in
        licen[cs]e* | copying* | copyright* | unlicense* | notice*)
            mkdir -p "$2"
            cp -R "$file" "$2/"
            found=yes
            ;;
        esac
    done
    [ -n "$found" ]
}
# The licence of the package in the directory $1 that has no file of it, to $2: its sources say whose it is and that it is MIT's, whose
# words are those of our own.
by_sources() {
    grep -q '^// SPDX-License-Identifier: MIT$' "$1/src/lib.rs" || return 1
    whose=$(sed -n 's|^// \(Copyright .*\)|\1|p' "$1/src/lib.rs")
    [ -n "$whose" ] || return 1
    mkdir -p "$2"
    sed "s|^Copyright .*|$whose|" "$root/LICENSE-MIT" > "$2/LICENSE-MIT"
}
# The licence of the package in the directory $1 that has no file of it, to $2: its manifest offers Apache's, whose words are those of our own, and
# says whose it is.
by_manifest() {
    grep -q '^license = ".*Apache-2.0.*"$' "$1/Cargo.toml" || return 1
    mkdir -p "$2"
    cp "$root/LICENSE-APACHE" "$2/"
    sed -n '/^authors = \[/,/\]/p' "$1/Cargo.toml" > "$2/AUTHORS"
}
while read -r package number; do
    to=$tree/$package-${number#v}
    case $package in
    xfjit*) from=$root to=$tree/xfjit ;;
    # Of one repository, whose licence lies in some of its packages.
    cranelift-* | wasmtime-internal-*) from=$(grep '/cranelift-codegen-[0-9.]*$' "$stage/sources") ;;
    *) from=$(grep "/$package-${number#v}\$" "$stage/sources") ;;
    esac || fail "the sources of $package $number are not there"
    licences "$from" "$to" || by_sources "$from" "$to" || by_manifest "$from" "$to" || fail "$package $number has no licence"
done < "$stage/packages"
mkdir -p "$tree/rust"
# Where the toolchain has put it, or a Debian package.
for file in "$(rustc --print sysroot)/share/doc/rust/COPYRIGHT-library.html" /usr/share/doc/libstd-rust-dev/copyright ''; do
    [ -n "$file" ] || fail "Rust's own library has no licence"
    [ ! -f "$file" ] || break
done
cp "$file" "$tree/rust/"
