#!/usr/bin/env bash
# find_package.sh WORK PREFIX KIND [CMAKE ARGUMENTS]: builds the project find_package against PREFIX and runs its
# programs. KIND: static or shared.
set -euo pipefail
work=$1 prefix=$2 kind=$3
shift 3
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

rm -rf "$work"
cmake -G Ninja -S "$here/find_package" -B "$work" -DCMAKE_PREFIX_PATH="$prefix" "$@"
cmake --build "$work"
ctest --test-dir "$work" --output-on-failure --no-tests=error

# A project in C alone.
cmake -G Ninja -S "$here/c_only" -B "$work/c_only" -DCMAKE_PREFIX_PATH="$prefix"
cmake --build "$work/c_only"
ctest --test-dir "$work/c_only" --output-on-failure --no-tests=error

# The sample of docs/integration.md finds the installation by itself.
sample=$here/../../samples/integration
cmake -G Ninja -S "$sample" -B "$work/integration" -DCMAKE_PREFIX_PATH="$prefix" "$@"
cmake --build "$work/integration"
"$work/integration/first_dispatch"

# What a plugin shows is its own, instances of templates and inline functions of our headers among it.
shown=$(nm -DC --defined-only "$work"/libplugin.so | grep -vc -e ' [WV] ' -e ' make_plugin$' || true)
if ((shown != 0)); then
  echo "the plugin shows $shown symbols of the library" >&2
  exit 1
fi
# Not grep -q, which would exit at the first match and let ldd fail on a closed pipe.
linked=static
if ldd "$work/core" | grep "$prefix.*libonepass.so" > /dev/null; then linked=shared; fi
if [[ $linked != "$kind" ]]; then
  echo "linked $linked, not $kind" >&2
  exit 1
fi
