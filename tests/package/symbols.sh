#!/usr/bin/env bash
# Checks the symbols that libraries export and call.
#
#   symbols.sh shown VERSION LIBRARY.so       exports are onepass:: and onepass_* only, versioned, not private, not weak
#   symbols.sh called [--assertions] LIBRARY  the library's own objects call no function that prints, ends the process
#                                             or belongs to the Vulkan loader; libraries that it links are not checked
#   symbols.sh self COMPILER FOLDER           tests that both checks detect faults
set -euo pipefail

# Every symbol of the dynamic table: type, name, version.
shown() {
  local version=$1 library=$2 table bad
  table=$(nm -DC --defined-only "$library" | cut -d' ' -f2- | grep -v "^A $version\$")
  if ! grep -q . <<<"$table"; then echo "$library shows nothing" >&2; return 1; fi
  # Programs instantiate inline functions and templates themselves; Impl and State are private.
  bad=$(grep -vE "^[TBDR] (onepass::.*|onepass_[a-z0-9_]+)@@$version\$" <<<"$table" || true)
  bad+=$(grep -E "::(Impl|State)(::|\b)|\(anonymous namespace\)|::detail::" <<<"$table" || true)
  if [[ $bad ]]; then
    printf '%s shows what it should not:\n%s\n' "$library" "$bad" >&2
    return 1
  fi
  echo "$library: $(wc -l <<<"$table") symbols"
}

called() {
  local assertions='|__assert_fail' library bad
  if [[ $1 == --assertions ]]; then assertions='' && shift; fi
  library=$1
  local ends='abort|exit|_exit|_Exit|quick_exit|at_quick_exit|raise|kill|std::terminate\(\)|hwy::Abort\(.*'
  local prints='v?f?printf|v?dprintf|v?f?wprintf|__v?f?d?printf_chk|puts|putchar|putc|fputs|fputc|fwrite|perror|psignal'
  prints+='|v?syslog|v?warnx?|v?errx?|error|stdout|stderr|std::w?(cout|cerr|clog)|std::print.*'
  local loader='vk[A-Z][A-Za-z0-9]*'
  bad=$(nm -C --undefined-only "$library" | sed -nE 's/^ +[Uwv] //p' | sort -u |
    grep -xE "($ends|$prints|$loader$assertions)(@.*)?" || true)
  if [[ $bad ]]; then
    printf '%s calls what it should not:\n%s\n' "$library" "$bad" >&2
    return 1
  fi
  echo "$library: calls nothing that prints or ends the process"
}

# Libraries with one fault each.
self() {
  local compiler=$1 folder=$2 name
  mkdir -p "$folder"
  # build NAME CODE: a library with correct symbol versions
  build() {
    echo "$2" >"$folder/$1.cpp"
    echo "TEST_0 { global: *; };" >"$folder/$1.map"
    "$compiler" -std=c++20 -fPIC -O1 -c "$folder/$1.cpp" -o "$folder/$1.o"
    "$compiler" -shared -Wl,--version-script="$folder/$1.map" "$folder/$1.o" -o "$folder/$1.so"
  }
  build good 'namespace onepass { int f() { return 1; } } extern "C" int onepass_f() { return 2; }'
  shown TEST_0 "$folder/good.so"
  called "$folder/good.o"
  build printf '#include <cstdio>
    namespace onepass { void f(int x) { std::printf("%d\n", x); } }'
  build puts '#include <cstdio>
    namespace onepass { void f() { std::printf("one\n"); } }'
  build stderr '#include <cstdio>
    namespace onepass { void f(int x) { std::fprintf(stderr, "%d\n", x); } }'
  build cout '#include <iostream>
    namespace onepass { void f() { std::cout << "one"; } }'
  build abort '#include <cstdlib>
    namespace onepass { void f() { std::abort(); } }'
  build exit '#include <cstdlib>
    namespace onepass { void f() { std::exit(1); } }'
  build assert '#include <cassert>
    namespace onepass { void f(int x) { assert(x); } }'
  build loader 'extern "C" int vkCreateInstance(); namespace onepass { int f() { return vkCreateInstance(); } }'
  for name in printf puts stderr cout abort exit assert loader; do
    if called "$folder/$name.o" 2>/dev/null; then echo "the fault of $name went unseen" >&2; return 1; fi
  done
  called --assertions "$folder/assert.o"
  build weak '#include <vector>
    template class std::vector<long>; namespace onepass { void f() {} }'
  build impl 'namespace onepass { struct A { struct Impl { void g(); }; }; void A::Impl::g() {} }'
  for name in weak impl; do
    if shown TEST_0 "$folder/$name.so" 2>/dev/null; then echo "the fault of $name went unseen" >&2; return 1; fi
  done
  if shown OTHER_0 "$folder/good.so" 2>/dev/null; then echo "a wrong version went unseen" >&2; return 1; fi
}

"$@"
