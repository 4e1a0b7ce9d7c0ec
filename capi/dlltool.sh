#!/bin/sh
# The dlltool that capi/release.sh has rustc call where an archive for Windows is made on another system. It names symbols after the path of
# the library that it writes, which is a temporary one: so that two builds are equal, it runs in that library's directory.
set -eu
library=
count=$#
while [ "$count" -gt 0 ]; do
    argument=$1
    shift
    case $argument in
    -l)
        library=$1
        set -- "$@" -l "$(basename "$1")"
        ;;
    --temp-prefix) set -- "$@" --temp-prefix "$(basename "$1")" ;;
    *)
        set -- "$@" "$argument"
        count=$((count - 1))
        continue
        ;;
    esac
    # What came behind the flag.
    shift
    count=$((count - 2))
done
[ -z "$library" ] || cd "$(dirname "$library")"
exec "${DLLTOOL:-x86_64-w64-mingw32-dlltool}" "$@"
