#!/bin/sh
# Puts headers, libraries, pkg-config and CMake files where C programs look for them.
#
#   install.sh PREFIX DIRECTORY          what has been built already: DIRECTORY has libxfjit_capi.a
#   install.sh --build PREFIX [FLAGS]    builds it first, as it is shipped (cargo's profile `embed`)
#   install.sh --meson OUT BUILD [FLAGS] builds it, and puts the static library into OUT alone
#
# The shared library is linked here rather than by cargo, so that its symbols have versions (libxfjit.map). CC is the compiler: one for
# Windows (mingw-w64) makes xfjit.dll and its import library, of what cargo has built with `--target x86_64-pc-windows-gnu`.
# With XFJIT_BUILT, a directory, --build and --meson take what has been built there.
set -eu
here=$(cd "$(dirname "$0")" && pwd)

# One kind of library alone: for several, of which one is Rust's, cargo does not optimise across packages, and the library would keep
# a sixth more than what the functions of the interface need.
build() {
    if [ -n "${XFJIT_BUILT:-}" ]; then
        built=$XFJIT_BUILT
        return
    fi
    (cd "$here/.." && cargo rustc --locked --profile embed -p xfjit-capi --crate-type staticlib "$@")
    # Cargo has a directory for each target that is named.
    target=${CARGO_BUILD_TARGET:-}
    for flag in "$@"; do
        case $target,$flag in
        --target,*) target=$flag ;;
        *,--target) target=--target ;;
        *,--target=*) target=${flag#*=} ;;
        esac
    done
    built=${CARGO_TARGET_DIR:-$here/../target}/${target:+$target/}embed
}

usage() {
    echo "usage: install.sh PREFIX DIRECTORY | --build PREFIX [FLAGS OF CARGO] | --meson OUT BUILD [FLAGS]" >&2
    exit 2
}

# That a directory has been named, and no option stands there.
named() {
    case "${1:-}" in
    "" | -*) usage ;;
    esac
}

case "${1:-}" in
--meson)
    named "${2:-}"
    named "${3:-}"
    mkdir -p "$3"
    CARGO_TARGET_DIR=$(cd "$3" && pwd)
    export CARGO_TARGET_DIR
    out=$2
    shift 3
    build "$@"
    cp "$built/libxfjit_capi.a" "$out/libxfjit.a"
    exit
    ;;
--build)
    named "${2:-}"
    prefix=$2
    shift 2
    build "$@"
    ;;
*)
    named "${1:-}"
    named "${2:-}"
    prefix=$1
    built=$2
    ;;
esac

if [ ! -f "$built/libxfjit_capi.a" ]; then
    echo "install.sh: there is no libxfjit_capi.a in $built: name the directory in which cargo has put it, or use --build" >&2
    exit 1
fi
# What can fail is done elsewhere first: nothing is installed, or all of it.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# Everything of the archive, of which the linker keeps what the functions of the interface need.
case $("${CC:-cc}" -dumpmachine) in
*mingw*)
    system=windows private="-lkernel32 -lntdll -luserenv -lws2_32 -ldbghelp"
    # Not the whole archive, which may have the pieces of an import library twice, but what the interface names. The linker would derive the
    # DLL's address from the path of the file.
    sed -n 's/^    /-Wl,-u,/p' "$here/xfjit.def" > "$scratch/wanted"
    # shellcheck disable=SC2086
    "${CC:-cc}" -shared -static-libgcc -o "$scratch/xfjit.dll" "-Wl,--out-implib,$scratch/libxfjit.dll.a" "$here/xfjit.def" \
        -Wl,--gc-sections -Wl,-s -Wl,--no-insert-timestamp -Wl,--disable-auto-image-base "@$scratch/wanted" "$built/libxfjit_capi.a" $private
    ;;
*)
    system=unix private="-lgcc_s -lutil -lrt -lpthread -lm -ldl"
    # shellcheck disable=SC2086
    "${CC:-cc}" -shared -o "$scratch/libxfjit.so.1" -Wl,-soname,libxfjit.so.1 "-Wl,--version-script=$here/libxfjit.map" \
        -Wl,--gc-sections -Wl,-s -Wl,-z,relro,-z,now -Wl,--whole-archive "$built/libxfjit_capi.a" -Wl,--no-whole-archive $private -lc
    ;;
esac

mkdir -p "$prefix/include" "$prefix/lib/pkgconfig" "$prefix/lib/cmake/xfjit"
prefix=$(cd "$prefix" && pwd)
cp "$here"/include/*.h "$here"/include/*.hpp "$prefix/include/"
cp "$built/libxfjit_capi.a" "$prefix/lib/libxfjit.a"
if [ $system = windows ]; then
    mkdir -p "$prefix/bin"
    cp "$scratch/xfjit.dll" "$prefix/bin/xfjit.dll"
    cp "$scratch/libxfjit.dll.a" "$here/xfjit.def" "$prefix/lib/"
else
    cp "$scratch/libxfjit.so.1" "$prefix/lib/libxfjit.so.1"
    ln -sf libxfjit.so.1 "$prefix/lib/libxfjit.so"
fi
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' "$here/../Cargo.toml" | head -n 1)
sed -e "s|@PREFIX@|$prefix|" -e "s|@VERSION@|$version|" -e "s|@PRIVATE@|$private|" "$here/xfjit.pc.in" \
    > "$prefix/lib/pkgconfig/xfjit.pc"
for file in xfjit-config xfjit-config-version; do
    sed -e "s|@VERSION@|$version|" "$here/cmake/$file.cmake" > "$prefix/lib/cmake/xfjit/$file.cmake"
done
