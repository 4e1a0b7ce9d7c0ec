#!/bin/sh
# Builds a program with the library in each of the ways that docs/EMBEDDING.md names, and runs it.
#
#   build_systems.sh [DIRECTORY]    DIRECTORY has libxfjit_capi.a; without it each way builds the library as users do: minutes
#
# Needs cc, pkg-config, cmake, meson and ninja.
set -eu
capi=$(cd "$(dirname "$0")/.." && pwd)
if [ $# -gt 0 ]; then
    XFJIT_BUILT=$(cd "$1" && pwd)
    export XFJIT_BUILT
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp "$capi/tests/c/calls.c" "$capi/tests/c/check.h" "$scratch"
cd "$scratch"

runs() {
    said=$("$2")
    if [ "$said" != fine ]; then
        echo "$1: $said" >&2
        exit 1
    fi
    echo "$1: fine"
}

# A user's project; the first argument is how it finds the library.
cmake_project() {
    mkdir -p "$2"
    cat > "$2/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.16)
project(user LANGUAGES C)
$1
foreach(kind xfjit static)
  add_executable(calls-\${kind} "$scratch/calls.c")
  target_link_libraries(calls-\${kind} PRIVATE xfjit::\${kind})
endforeach()
END
    cmake -S "$2" -B "$2/build" -G "$3" "-DCMAKE_PREFIX_PATH=$scratch/prefix"
    cmake --build "$2/build"
    runs "cmake, $2, shared, $3" "$2/build/calls-xfjit"
    runs "cmake, $2, static, $3" "$2/build/calls-static"
}

sh "$capi/install.sh" --build "$scratch/prefix"
library=$scratch/prefix/lib

PKG_CONFIG_PATH=$library/pkgconfig
export PKG_CONFIG_PATH
pkg-config --exact-version "$(sed -n 's/^Version: //p' "$library/pkgconfig/xfjit.pc")" xfjit
# Flags are several words each.
# shellcheck disable=SC2046
cc calls.c -o shared $(pkg-config --cflags --libs xfjit) "-Wl,-rpath,$library"
runs "pkg-config, shared" ./shared
# shellcheck disable=SC2046
cc calls.c -o static $(pkg-config --cflags xfjit) "$library/libxfjit.a" -lgcc_s -lutil -lrt -lpthread -lm -ldl
runs "pkg-config, static" ./static
unset PKG_CONFIG_PATH

cmake_project "find_package(xfjit 0.1 REQUIRED)" installed Ninja
if (cmake_project "find_package(xfjit 99 REQUIRED)" later Ninja) > later.log 2>&1; then
    echo "a version that is not there has been found" >&2
    exit 1
fi
grep -q "version" later.log
cmake_project "add_subdirectory($capi xfjit)" sources Ninja
cmake_project "add_subdirectory($capi xfjit)" "sources with make" "Unix Makefiles"

# The wrap file names where the repository is; here it is there already.
mkdir -p user/subprojects
cp "$capi/xfjit.wrap" user/subprojects/
ln -s "$(dirname "$capi")" user/subprojects/xfjit
cp calls.c check.h user/
cat > user/meson.build <<'END'
project('user', 'c')
executable('calls', 'calls.c', dependencies: dependency('xfjit'))
END
meson setup user/build user
meson compile -C user/build
runs "meson, subproject" user/build/calls
