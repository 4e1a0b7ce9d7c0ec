#!/bin/sh
# Makes Debian packages: libxfjit1 (the shared library), libxfjit-dev (headers, static library, files of pkg-config and CMake) and
# xfjit (the command with its manual and completions).
#
#   debian.sh OUT                builds library and command as they are shipped
#   debian.sh OUT COMMAND        the command has been built: its file. (For the library see XFJIT_BUILT in install.sh.)
#
# The time in the packages is SOURCE_DATE_EPOCH, or that of the commit. Needs dpkg-deb and objdump. Packages ask for the C library that they
# were linked with, or newer ones: build them on the oldest system that they are for.
set -eu
fail() {
    echo "debian.sh: $1" >&2
    exit 1
}
[ $# -ge 1 ] && [ $# -le 2 ] || fail "usage: debian.sh OUT [COMMAND]"
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
command=${2:-}
if [ -z "${SOURCE_DATE_EPOCH:-}" ]; then
    SOURCE_DATE_EPOCH=$(git -C "$root" log -1 --format=%ct) || fail "git knows no time of this commit: set SOURCE_DATE_EPOCH"
fi
export SOURCE_DATE_EPOCH
umask 022
if [ -z "$command" ]; then
    (cd "$root" && cargo build --locked --release -p xfjit-cli)
    command=${CARGO_TARGET_DIR:-$root/target}/release/xfjit
fi
[ -x "$command" ] || fail "there is no command $command"
command=$(cd "$(dirname "$command")" && pwd)/$(basename "$command")

version=$(sed -n 's/^version = "\(.*\)"$/\1/p' "$root/Cargo.toml" | head -n 1)
architecture=$(dpkg --print-architecture)
multiarch=$(${CC:-cc} -print-multiarch)
[ -n "$multiarch" ] || fail "the compiler does not name the directory of this system's libraries"
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT

# The version of the C library that files need at least.
needed() {
    objdump -T "$@" | grep -o 'GLIBC_[0-9][0-9.]*' | sed 's/GLIBC_//' | sort -uV | tail -n 1
}

# Makes the package $1 of the tree below it: its dependencies, its section, what it is, and a longer sentence.
package() {
    tree=$stage/$1
    size=$(du -sk "$tree" | cut -f 1)
    mkdir -p "$tree/DEBIAN"
    {
        echo "Package: $1"
        echo "Source: xfjit"
        echo "Version: $version"
        echo "Architecture: $architecture"
        echo "Maintainer: the authors of xfjit <xfjit@localhost>"
        echo "Installed-Size: $size"
        echo "Depends: $2"
        echo "Section: $3"
        echo "Priority: optional"
        echo "Description: $4"
        echo " $5"
    } > "$tree/DEBIAN/control"
    (cd "$tree" && find usr -type f | LC_ALL=C sort | xargs -d '\n' md5sum > DEBIAN/md5sums)
    find "$tree" -newermt "@$SOURCE_DATE_EPOCH" -print0 | xargs -0 touch --no-dereference --date="@$SOURCE_DATE_EPOCH"
    dpkg-deb --root-owner-group -Zxz --build "$tree" "$out/$1_${version}_$architecture.deb"
}

# What the licences of all that is linked ask for.
document() {
    at=$stage/$1/usr/share/doc/$1
    mkdir -p "$at"
    sh "$root/capi/licences.sh" "$at/licences" "$2"
    cat > "$at/copyright" <<END
xfjit is under the MIT licence or the Apache License 2.0, as you choose. This package has code of others in it: the directory
licences has the licence of each.

$(cat "$root/LICENSE-MIT")
END
    gzip -n -9 < "$root/CHANGELOG.md" > "$at/changelog.gz"
}

built=$stage/built
sh "$root/capi/install.sh" --build "$built"
library=$stage/libxfjit1/usr/lib/$multiarch development=$stage/libxfjit-dev/usr
mkdir -p "$library" "$development/lib/$multiarch"
cp "$built/lib/libxfjit.so.1" "$library/"
chmod 644 "$library/libxfjit.so.1"
document libxfjit1 xfjit-capi
mkdir -p "$stage/libxfjit1/DEBIAN"
echo "libxfjit 1 libxfjit1 (>= $version)" > "$stage/libxfjit1/DEBIAN/shlibs"
echo "activate-noawait ldconfig" > "$stage/libxfjit1/DEBIAN/triggers"
package libxfjit1 "libc6 (>= $(needed "$library/libxfjit.so.1")), libgcc-s1" libs \
    "vertex programs of NVIDIA's XF unit, to the bit: the library" \
    "Runs vertex programs of GeForce 256 to 7, of the Xbox and of the PlayStation 3, and the GameCube's transform unit, as native code."

cp -R "$built/include" "$development/"
strip --strip-debug --enable-deterministic-archives -o "$development/lib/$multiarch/libxfjit.a" "$built/lib/libxfjit.a"
ln -s libxfjit.so.1 "$development/lib/$multiarch/libxfjit.so"
cp -R "$built/lib/pkgconfig" "$built/lib/cmake" "$development/lib/$multiarch/"
# The CMake files find the library from where they are.
sed -i -e 's|^prefix=.*|prefix=/usr|' -e "s|^\(libdir=.*\)|\1/$multiarch|" "$development/lib/$multiarch/pkgconfig/xfjit.pc"
document libxfjit-dev xfjit-capi
package libxfjit-dev "libxfjit1 (= $version)" libdevel \
    "vertex programs of NVIDIA's XF unit, to the bit: headers" \
    "Headers for C and C++, the static library, and what pkg-config and CMake ask for."

usr=$stage/xfjit/usr
mkdir -p "$usr/bin" "$usr/share/man/man1" "$usr/share/bash-completion/completions" \
    "$usr/share/zsh/vendor-completions" "$usr/share/fish/vendor_completions.d"
strip -o "$usr/bin/xfjit" "$command"
"$command" man --out "$usr/share/man/man1"
gzip -n -9 "$usr"/share/man/man1/*.1
"$command" completions bash > "$usr/share/bash-completion/completions/xfjit"
"$command" completions zsh > "$usr/share/zsh/vendor-completions/_xfjit"
"$command" completions fish > "$usr/share/fish/vendor_completions.d/xfjit.fish"
document xfjit xfjit-cli
package xfjit "libc6 (>= $(needed "$usr/bin/xfjit")), libgcc-s1" utils \
    "vertex programs of NVIDIA's XF unit, to the bit: the command" \
    "Assembles, disassembles, runs, draws, compares, records and measures vertex programs."
