#!/usr/bin/env bash
# subproject.sh WORK SOURCE [CMAKE ARGUMENTS]: builds a project that contains onepass, by add_subdirectory and then by
# FetchContent without a network, and runs its programs.
set -euo pipefail
work=$1 source=$2
shift 2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# Use the compiler cache, as the build that runs this script does.
if command -v ccache >/dev/null; then export CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1; fi

rm -rf "$work"
for fetch in OFF ON; do
  cmake -G Ninja -S "$here/subproject" -B "$work" -DSOURCE="$source" -DFETCH="$fetch" \
    -DFETCHCONTENT_FULLY_DISCONNECTED=ON "$@"
  rm -f "$work/core" "$work/files"
  cmake --build "$work" | tail -n 20
  ctest --test-dir "$work" --output-on-failure --no-tests=error
done

# onepass must write only into its own build folder, and install itself only on request.
if [[ -e $work/kernels ]]; then
  echo "onepass writes into the build folder of the project" >&2
  exit 1
fi
cmake --install "$work" --prefix "$work/prefix"
if [[ -e $work/prefix/include/onepass ]]; then
  echo "onepass installs itself with the project" >&2
  exit 1
fi
