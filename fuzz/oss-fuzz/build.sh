#!/bin/bash -eu
# Builds every fuzz target as OSS-Fuzz and ClusterFuzzLite run them. Both set
#
#   SRC                  the directory with the sources: xfjit is below it, or is where this is called
#   OUT                  where targets, dictionaries, options and corpora go
#   WORK                 for what is made on the way
#   SANITIZER            address, or none
#   FUZZING_ENGINE       libfuzzer
#   LIB_FUZZING_ENGINE   the engine's library, or -fsanitize=fuzzer where the compiler brings it
#
# Without them it builds into fuzz/target/oss-fuzz. TARGETS names some of the targets instead of all.

cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")"
# OSS-Fuzz copies this file out of the project.
if [ ! -f ../Cargo.toml ]; then cd "$SRC/xfjit/fuzz/oss-fuzz"; fi
fuzz=$(cd .. && pwd)
OUT=${OUT:-$fuzz/target/oss-fuzz/out}
WORK=${WORK:-$fuzz/target/oss-fuzz/work}
SANITIZER=${SANITIZER:-address}
TARGETS=${TARGETS:-$(sed -n 's/^name = "\([a-z]*\)"$/\1/p' "$fuzz/Cargo.toml")}
mkdir -p "$OUT" "$WORK"

if [ "${FUZZING_ENGINE:-libfuzzer}" != libfuzzer ]; then
    echo "error: the targets are for libFuzzer, not $FUZZING_ENGINE" >&2
    exit 1
fi
# The engine's library as OSS-Fuzz has it; libfuzzer-sys builds its own without.
case "${LIB_FUZZING_ENGINE:-}" in
    /*.a) export CUSTOM_LIBFUZZER_PATH=$LIB_FUZZING_ENGINE ;;
esac

# As cargo-fuzz has them: code tells the engine which edges it takes and what it compares.
flags="--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4"
flags+=" -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table"
flags+=" -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1 -Cdebug-assertions"
case $SANITIZER in
    address) flags+=" -Zsanitizer=address -Cllvm-args=-sanitizer-coverage-stack-depth" ;;
    none) ;;
    *)
        echo "error: the targets are built with address or none, not $SANITIZER" >&2
        exit 1
        ;;
esac
# -Z is a flag of the stable compiler, too, if it is told so.
export RUSTC_BOOTSTRAP=1
export RUSTFLAGS="${RUSTFLAGS:-} $flags"
# C and C++ of packages are compiled for the same process.
export CFLAGS="${CFLAGS:-}" CXXFLAGS="${CXXFLAGS:-}"

triple=$(rustc -vV | sed -n 's/^host: //p')
bins=()
for target in $TARGETS; do bins+=(--bin "$target"); done
# With a triple, build scripts and macros are built without the sanitizer.
cargo build --manifest-path "$fuzz/Cargo.toml" --target-dir "$WORK/target" --target "$triple" --release "${bins[@]}"

for target in $TARGETS; do
    cp "$WORK/target/$triple/release/$target" "$OUT/"
    if [ -d "$fuzz/seeds/$target" ]; then
        rm -f "$OUT/${target}_seed_corpus.zip"
        (cd "$fuzz/seeds/$target" && zip -q -r "$OUT/${target}_seed_corpus.zip" .)
    fi
    for extra in dict options; do
        if [ -f "$target.$extra" ]; then cp "$target.$extra" "$OUT/"; fi
    done
done
