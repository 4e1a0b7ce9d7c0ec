#!/bin/sh
# Makes the archive of a release, xfjit-VERSION-TARGET.tar.gz (for Windows .zip), with its SHA-256 beside it: libraries, headers, files of
# pkg-config and CMake, the licences of everything that is in the libraries.
#
#   release.sh [--check] [--interpreter] [--target x86_64-pc-windows-gnu] OUT
#
#   --interpreter   without native code
#   --target        for Windows, from another system, by CC (x86_64-w64-mingw32-gcc unless it is set). Where Rust has no library for that
#                   target, CARGO_UNSTABLE_BUILD_STD=std,panic_unwind and RUSTC_BOOTSTRAP=1 have cargo build it.
#   --check         makes it a second time, from a copy of the sources elsewhere and with an empty target directory; fails if
#                   one bit differs
#
# The time in the archive is SOURCE_DATE_EPOCH, or that of the commit. Needs GNU tar and gzip, or zip. What has changed in files that git
# knows goes into the archive: make it from a clean tree.
set -eu
fail() {
    echo "release.sh: $1" >&2
    exit 1
}
root=$(cd "$(dirname "$0")/.." && pwd)
# Bytes of the shared library on x86-64; it should not grow unnoticed.
check='' suffix='' features='' most=5100000 target='' given=''
while [ $# -gt 1 ]; do
    case $1 in
    --check) check=yes ;;
    --interpreter) suffix=-interpreter features=--no-default-features most=2000000 ;;
    --target)
        shift
        target=$1 given=$1
        ;;
    *) fail "unknown option $1" ;;
    esac
    shift
done
[ $# -eq 1 ] || fail "usage: release.sh [--check] [--interpreter] [--target TARGET] OUT"
host=$(rustc -vV | sed -n 's/^host: //p')
: "${target:=$host}"
kind=tar.gz library=lib/libxfjit.so.1
case $target in
*-windows-gnu)
    kind=zip library=bin/xfjit.dll
    [ "$target" = "$host" ] || : "${CC:=x86_64-w64-mingw32-gcc}"
    export CC
    ;;
"$host") ;;
*) fail "archives for another system are for Windows alone, x86_64-pc-windows-gnu" ;;
esac
mkdir -p "$1"
out=$(cd "$1" && pwd)
unset XFJIT_BUILT
if [ -z "${SOURCE_DATE_EPOCH:-}" ]; then
    SOURCE_DATE_EPOCH=$(git -C "$root" log -1 --format=%ct) || fail "git knows no time of this commit: set SOURCE_DATE_EPOCH"
fi
CARGO_TARGET_DIR=$(mkdir -p "${CARGO_TARGET_DIR:-$root/target}/archive" && cd "${CARGO_TARGET_DIR:-$root/target}/archive" && pwd)
export SOURCE_DATE_EPOCH CARGO_TARGET_DIR LC_ALL=C
umask 022
cd "$root"

# Panics name the file in which they happened; what lies in front of it is of this machine.
unit=$(printf '\037')
CARGO_ENCODED_RUSTFLAGS="--remap-path-prefix=$root=/xfjit${unit}--remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=/cargo"
CARGO_ENCODED_RUSTFLAGS="$CARGO_ENCODED_RUSTFLAGS${unit}--remap-path-prefix=$CARGO_TARGET_DIR=/target"
export CARGO_ENCODED_RUSTFLAGS CARGO_INCREMENTAL=0

version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
name=xfjit-$version-$target$suffix
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
tree=$stage/$name
if [ $kind = zip ] && [ "$target" != "$host" ]; then
    # By its name and not by a flag of rustc, which would change the names of all symbols.
    tool=x86_64-w64-mingw32-dlltool
    : "${DLLTOOL:=$(command -v $tool)}"
    mkdir "$stage/tools"
    ln -s "$root/capi/dlltool.sh" "$stage/tools/$tool"
    PATH=$stage/tools:$PATH
    export DLLTOOL PATH
fi

# shellcheck disable=SC2086
sh capi/install.sh --build "$tree" $features ${given:+--target "$given"}
# Wherever it is unpacked; the CMake files find themselves.
# shellcheck disable=SC2016
sed -i 's|^prefix=.*|prefix=${pcfiledir}/../..|' "$tree/lib/pkgconfig/xfjit.pc"
strip=$("${CC:-cc}" -print-prog-name=strip)
"$strip" --strip-debug --enable-deterministic-archives "$tree/lib/libxfjit.a"
cp README.md CHANGELOG.md docs/EMBEDDING.md "$tree"

# shellcheck disable=SC2086
sh capi/licences.sh "$tree/licences" xfjit-capi $features ${given:+--target "$given"}
if [ $kind = zip ]; then
    # The start of a DLL is from mingw-w64's own library. Its licence is where Debian or MSYS2 has put it.
    mkdir -p "$tree/licences/mingw-w64"
    for file in /usr/share/doc/mingw-w64-x86-64-dev/copyright \
        "${MINGW_PREFIX:-/mingw64}/share/licenses/crt/COPYING.MinGW-w64-runtime.txt" ''; do
        [ -n "$file" ] || fail "mingw-w64's library has no licence"
        [ ! -f "$file" ] || break
    done
    cp "$file" "$tree/licences/mingw-w64/"
fi

(cd "$tree" && find . -type f ! -name SHA256SUMS | sort | xargs -d '\n' sha256sum > SHA256SUMS)
if [ $kind = zip ]; then
    # The format has local times.
    chmod -R u=rwX,go=rX "$tree"
    find "$tree" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
    (cd "$stage" && find "$name" | sort | TZ=UTC zip -q -9 -X -@ "$name.zip")
    mv "$stage/$name.zip" "$out/"
else
    tar --sort=name --format=gnu --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX "--mtime=@$SOURCE_DATE_EPOCH" \
        -C "$stage" -cf - "$name" | gzip -n -9 > "$out/$name.$kind"
fi
(cd "$out" && sha256sum "$name.$kind" > "$name.$kind.sha256" && cat "$name.$kind.sha256")
bytes=$(wc -c < "$tree/$library")
echo "${library#*/} has $bytes bytes; at most $most are allowed"
[ "$bytes" -le "$most" ] || fail "the shared library has grown"

# The sums of the files in an archive.
sums() {
    case $kind in
    zip) unzip -p "$1/$name.$kind" "$name/SHA256SUMS" ;;
    *) tar -xzOf "$1/$name.$kind" "$name/SHA256SUMS" ;;
    esac
}

if [ -n "$check" ]; then
    copy=$stage/"a copy"/elsewhere
    mkdir -p "$copy"
    git ls-files -z | tar --null -T - -cf - | tar -C "$copy" -xf -
    (
        unset CARGO_ENCODED_RUSTFLAGS
        export CARGO_TARGET_DIR="$stage/target"
        sh "$copy/capi/release.sh" ${suffix:+--interpreter} ${given:+--target "$given"} "$stage/again"
    )
    if ! cmp "$out/$name.$kind" "$stage/again/$name.$kind"; then
        sums "$out" > "$stage/first"
        sums "$stage/again" > "$stage/second"
        diff "$stage/first" "$stage/second" >&2 || :
        fail "two builds differ"
    fi
    echo "$name.$kind: two builds are equal"
fi
