#!/bin/sh
# The C interface on Windows, from another system: installs it, builds the C and C++ tests and examples in each way that
# docs/EMBEDDING.md names, with every warning an error, and runs them.
#
#   mingw.sh DIRECTORY    has libxfjit_capi.a, which cargo has built with --target x86_64-pc-windows-gnu; or is what has been unpacked of
#                         an archive that release.sh has made, which needs no installing, and has no sources for CMake and meson to build
#
# Needs mingw-w64 and wine; CC, CXX and RUN name others. Without cmake, pkg-config or meson what they do is left out, and it says so.
# shellcheck disable=SC2086
set -eu
capi=$(cd "$(dirname "$0")/.." && pwd)
given=$(cd "$1" && pwd) unpacked=''
[ ! -e "$given/bin/xfjit.dll" ] || unpacked=yes
XFJIT_BUILT=$given
CC=${CC:-x86_64-w64-mingw32-gcc} CXX=${CXX:-x86_64-w64-mingw32-g++} RUN=${RUN:-wine} WINEDEBUG=${WINEDEBUG:--all}
export XFJIT_BUILT CC CXX WINEDEBUG
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
prefix=$scratch/prefix
strict="-Wall -Wextra -Wpedantic -Werror -O1 -static-libgcc -I$prefix/include -I$capi/tests/c -I$capi/patches -I$capi/examples/nv2a_vsh_cpu -I$capi/examples"
cxx98="-static-libstdc++ -x c++ -std=c++98 -Wno-long-long -Wno-missing-field-initializers -D__STDC_LIMIT_MACROS"

# Whether a program that lies beside xfjit.dll says what it should: a pattern, or nothing in particular.
says() {
    name=$1 wanted=$2
    shift 2
    (cd "$scratch" && "$RUN" "$@" < /dev/null > said 2>&1) || { echo "$name: ends with $?: $(cat "$scratch/said")" >&2 && exit 1; }
    tr -d '\r' < "$scratch/said" > "$scratch/plain"
    [ -z "$wanted" ] || grep -q -- "$wanted" "$scratch/plain" || { echo "$name: $(cat "$scratch/plain")" >&2 && exit 1; }
    echo "$name: fine"
}

# Compiles a program with the import library, or what else is named.
builds() {
    compiler=$1 to=$2
    shift 2
    "$compiler" "$@" -o "$scratch/$to.exe"
}

if [ -n "$unpacked" ]; then
    (cd "$given" && sha256sum --quiet --check SHA256SUMS)
    mkdir -p "$prefix" && cp -R "$given/." "$prefix/"
else
    sh "$capi/install.sh" --build "$prefix"
fi
cp "$prefix/bin/xfjit.dll" "$scratch/"
exported=$("${CC%gcc}objdump" -p "$scratch/xfjit.dll" | sed -n 's/^.*\[ *[0-9]*\].* \(xfjit_[a-z0-9_]*\).*$/\1/p' | sort -u)
[ "$exported" = "$(sed -n 's/^    //p' "$capi/xfjit.def" | sort)" ] || { echo "xfjit.dll exports other functions" >&2 && exit 1; }
echo "xfjit.dll: exports the interface"

shared="-L$prefix/lib -lxfjit"
libraries=$(sed -n 's/^Libs.private: //p' "$prefix/lib/pkgconfig/xfjit.pc")
set -f
for header in xfjit.h xfjit_loader.h; do
    printf '#include "%s"\n#include "%s"\nint one(void);\nint one(void) { return 1; }\n' $header $header > "$scratch/alone.c"
    for language in "-std=c89 -pedantic" -std=c99 "$cxx98" "-x c++ -std=c++17"; do
        # C89 takes the loader alone.
        [ "$header$language" = "xfjit.h-std=c89 -pedantic" ] || "$CC" $strict $language -fsyntax-only "$scratch/alone.c"
    done
done
echo "headers: fine"
for test in calls draws repeated flipper record; do
    builds "$CC" $test $strict -std=c99 "$capi/tests/c/$test.c" $shared
    says "$test, C99" "^fine$" ./$test.exe "$test.capture"
done
for test in calls draws repeated; do
    builds "$CXX" $test $strict $cxx98 "$capi/tests/c/$test.c" -x none $shared
    says "$test, C++98" "^fine$" ./$test.exe
done
builds "$CXX" handles $strict -static-libstdc++ -std=c++17 "$capi/tests/c/handles.cpp" $shared
says "handles, C++17" "^fine$" ./handles.exe
builds "$CC" static $strict -std=c99 "$capi/tests/c/calls.c" "$prefix/lib/libxfjit.a" $libraries
mkdir "$scratch/alone" && cp "$scratch/static.exe" "$scratch/alone/"
says "calls, static" "^fine$" alone/static.exe
for fake in "none int nothing(void) { return 0; }" "other unsigned xfjit_abi_version(void) { return 0xffffu; }" \
    "older unsigned xfjit_abi_version(void) { return 1u; }"; do
    echo "${fake#* }" > "$scratch/fake.c"
    "$CC" -shared -o "$scratch/${fake%% *}.dll" "$scratch/fake.c"
done
builds "$CC" loader $strict -std=c89 -pedantic "$capi/tests/c/loader.c"
says "loader, C89" "^fine$" ./loader.exe xfjit.dll none.dll other.dll older.dll
builds "$CC" patches $strict -std=c11 "$capi/tests/c/patches.c"
XFJIT_LIBRARY=xfjit.dll says "patches, C11" "" ./patches.exe on
XFJIT_LIBRARY=nowhere.dll says "patches without the library" "" ./patches.exe off
for example in bochs mame xemu; do
    builds "$CC" $example $strict -std=c99 "$capi/examples/$example.c" $shared -lm -l:libwinpthread.a
    says "$example" "times as fast" ./$example.exe 300 xfjit.dll $example.capture
done
builds "$CC" nv2a_draw $strict -std=c99 "$capi/examples/nv2a_draw.c" $shared -lm -l:libwinpthread.a
says nv2a_draw "are the unit's, to the bit" ./nv2a_draw.exe 300
builds "$CXX" dolphin $strict -static-libstdc++ -std=c++17 "$capi/examples/dolphin_loader.cpp" $shared
says dolphin_loader ": 0 draws differ" ./dolphin.exe 300
parts=
for part in apply encode known operations parse xfjit; do
    parts="$parts $capi/examples/nv2a_vsh_cpu/nv2a_vsh_$part.c"
done
for part in "demo examples/nv2a_vsh_cpu/demo.c" "parts tests/c/nv2a_vsh.c"; do
    builds "$CC" "${part%% *}" $strict -std=c99 "$capi/${part#* }" $parts $shared -lm -l:libwinpthread.a
    says "nv2a_vsh_cpu, ${part%% *}" "times as fast\|^fine$" "./${part%% *}.exe" 300 - "nv2a.capture"
done

cp "$capi/tests/c/calls.c" "$capi/tests/c/check.h" "$scratch/"
if command -v pkg-config > /dev/null; then
    builds "$CC" pkg -std=c99 "$scratch/calls.c" $(PKG_CONFIG_PATH=$prefix/lib/pkgconfig pkg-config --cflags --libs xfjit)
    says "pkg-config" "^fine$" ./pkg.exe
else
    echo "pkg-config: not there"
fi
# A user's project, which finds the library in the way of the second argument.
cmake_project() {
    mkdir -p "$scratch/$1"
    cat > "$scratch/$1/CMakeLists.txt" << END
cmake_minimum_required(VERSION 3.16)
project(user LANGUAGES C)
$2
foreach(kind xfjit static)
  add_executable(calls-\${kind} "$scratch/calls.c")
  target_link_libraries(calls-\${kind} PRIVATE xfjit::\${kind})
endforeach()
END
    cmake -S "$scratch/$1" -B "$scratch/$1/build" -DCMAKE_SYSTEM_NAME=Windows -DCMAKE_SYSTEM_PROCESSOR=x86_64 "-DCMAKE_C_COMPILER=$CC" \
        "-DCMAKE_PREFIX_PATH=$prefix" > "$scratch/log" && cmake --build "$scratch/$1/build" > "$scratch/log" \
        || { cat "$scratch/log" >&2 && exit 1; }
    for kind in xfjit static; do
        cp "$scratch/$1/build/calls-$kind.exe" "$scratch/"
        says "cmake, $1, $kind" "^fine$" "./calls-$kind.exe"
    done
}
if command -v cmake > /dev/null; then
    cmake_project installed "find_package(xfjit 0.1 REQUIRED)"
    [ -n "$unpacked" ] || ! command -v cargo > /dev/null || cmake_project sources "add_subdirectory($capi xfjit)"
else
    echo "cmake: not there"
fi
if [ -n "$unpacked" ]; then
    :
elif command -v meson > /dev/null; then
    mkdir -p "$scratch/user/subprojects"
    ln -s "$(dirname "$capi")" "$scratch/user/subprojects/xfjit"
    cp "$capi/xfjit.wrap" "$scratch/user/subprojects/"
    cp "$scratch/calls.c" "$scratch/check.h" "$scratch/user/"
    printf "project('user', 'c')\nexecutable('calls', 'calls.c', dependencies: dependency('xfjit'))\n" > "$scratch/user/meson.build"
    cat > "$scratch/cross" << END
[binaries]
c = '$CC'
ar = '${CC%gcc}ar'
[host_machine]
system = 'windows'
cpu_family = 'x86_64'
cpu = 'x86_64'
endian = 'little'
END
    { meson setup --cross-file "$scratch/cross" "$scratch/user/build" "$scratch/user" && meson compile -C "$scratch/user/build"; } \
        > "$scratch/log" 2>&1 || { cat "$scratch/log" >&2 && exit 1; }
    cp "$scratch/user/build/calls.exe" "$scratch/meson.exe"
    says "meson, subproject" "^fine$" ./meson.exe
else
    echo "meson: not there"
fi
