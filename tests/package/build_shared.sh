#!/usr/bin/env bash
# build_shared.sh BUILD SOURCE [CMAKE ARGUMENTS]: builds shared libraries and the program, for /usr. A second time it does what
# is left to do.
set -euo pipefail
build=$1 source=$2
shift 2
cmake -G Ninja -S "$source" -B "$build" -DBUILD_SHARED_LIBS=ON -DCMAKE_INSTALL_PREFIX=/usr "$@"
cmake --build "$build" | tail -n 20
