#!/bin/sh
# The Debian packages that capi/debian.sh has made: unpacked elsewhere, a program is built with them in each way, and the command runs.
#
#   debian.sh DIRECTORY    has the packages
#
# Without cmake or pkg-config what they do is left out, and it says so.
set -eu
tests=$(cd "$(dirname "$0")" && pwd)
packages=$(cd "$1" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
root=$scratch/root
for package in libxfjit1 libxfjit-dev xfjit; do
    dpkg-deb -x "$packages/$package"_*.deb "$root"
    # Whose files are of those who installed them, and complete.
    dpkg-deb --fsys-tarfile "$packages/$package"_*.deb | tar -tv | awk '$2 != "root/root" { exit 1 }'
    dpkg-deb -e "$packages/$package"_*.deb "$scratch/control"
    (cd "$root" && md5sum --quiet -c "$scratch/control/md5sums")
    rm -r "$scratch/control"
    [ -s "$root/usr/share/doc/$package/copyright" ]
    [ "$(find "$root/usr/share/doc/$package/licences" -mindepth 1 -maxdepth 1 | wc -l)" -gt 15 ]
    echo "$package: fine"
done
library=$root/usr/lib/$(${CC:-cc} -print-multiarch)

# Whether a program says that it is fine.
says() {
    name=$1
    shift
    said=$(cd "$scratch" && LD_LIBRARY_PATH=$library "$@" </dev/null)
    [ "$said" = fine ] || { echo "$name: $said" >&2 && exit 1; }
    echo "$name: fine"
}

if command -v pkg-config > /dev/null; then
    export PKG_CONFIG_PATH="$library/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$root"
    # shellcheck disable=SC2046
    "${CC:-cc}" -I"$tests/c" "$tests/c/calls.c" -o "$scratch/shared" $(pkg-config --cflags --libs xfjit)
    says "pkg-config, shared" ./shared
else
    echo "pkg-config: left out, it is not installed"
fi
if command -v cmake > /dev/null; then
    cat > "$scratch/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.16)
project(user C)
find_package(xfjit REQUIRED)
foreach(kind xfjit static)
  add_executable(of_\${kind} $tests/c/calls.c)
  target_include_directories(of_\${kind} PRIVATE $tests/c)
  target_link_libraries(of_\${kind} xfjit::\${kind})
endforeach()
END
    cmake -S "$scratch" -B "$scratch/build" "-DCMAKE_PREFIX_PATH=$root/usr" "-DCMAKE_LIBRARY_ARCHITECTURE=$(${CC:-cc} -print-multiarch)" > /dev/null
    cmake --build "$scratch/build" > /dev/null
    says "CMake, shared" build/of_xfjit
    says "CMake, static" build/of_static
else
    echo "cmake: left out, it is not installed"
fi

"$root/usr/bin/xfjit" --version
gzip -dc "$root/usr/share/man/man1/xfjit.1.gz" | grep -q '^\.SH'
grep -q xfjit "$root/usr/share/bash-completion/completions/xfjit"
(cd "$scratch" && "$root/usr/bin/xfjit" demo --out knot.png > demo.txt && [ -s knot.png ]) || { cat "$scratch/demo.txt" >&2 && exit 1; }
echo "the command: fine"
