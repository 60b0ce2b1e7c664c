#!/usr/bin/env bash
# headers.sh PREFIX COMPILER: every installed header compiles alone, included twice, and with all others in either
# order, with warnings as errors and without extensions of the compiler; C headers compile as C99 and C11 too.
set -euo pipefail
cd "$1/include"
export compiler=$2

check() {
  printf '#include "%s"\n#include "%s"\n' "$1" "$1" |
    "$compiler" -x c++ -std=c++20 -fsyntax-only -Wall -Wextra -Wpedantic -Werror -I. - && return
  echo "$1 does not compile alone" >&2
  return 1
}
export -f check
mapfile -t headers < <(find onepass -name '*.h' -o -name '*.hpp' | sort)
((${#headers[@]} > 20)) || { echo "only ${#headers[@]} headers are installed" >&2; exit 1; }
printf '%s\n' "${headers[@]}" | xargs -P "$(nproc)" -I{} bash -c 'check {}'
echo "${#headers[@]} headers"

# All headers in one file.
for order in cat tac; do
  printf '#include "%s"\n' "${headers[@]}" | "$order" | "$compiler" -x c++ -std=c++20 -fsyntax-only -Wall -Wextra -Wpedantic -Werror -I. -
done

# C headers as C.
for header in $(find onepass -name '*.h' ! -name '*_params.h'); do
  for standard in c99 c11; do
    printf '#include "%s"\nint not_empty;\n' "$header" |
      "$compiler" -x c "-std=$standard" -fsyntax-only -Wall -Wextra -Wpedantic -Werror -I. -
  done
done
