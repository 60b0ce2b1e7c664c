#!/usr/bin/env bash
# debian.sh BUILD WORK: makes the Debian packages of a build of shared libraries, checks contents and dependencies,
# unpacks them into a folder, and runs the program, an external C++ program and the Python module there. Nothing is
# installed on the machine.
set -euo pipefail
build=$1 work=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
fail() { echo "debian.sh: $*" >&2; exit 1; }

rm -rf "$work"
mkdir -p "$work/root"
(cd "$build" && cpack -G DEB -B "$work/packages" >"$work/cpack.log" 2>&1) || { tail -n 30 "$work/cpack.log" >&2; exit 1; }
shopt -s nullglob
packages=("$work"/packages/*.deb)
((${#packages[@]} == 5)) || fail "${#packages[@]} packages, not 5"

declare -A depends
for package in "${packages[@]}"; do
  name=$(dpkg-deb -f "$package" Package)
  depends[$name]=$(dpkg-deb -f "$package" Depends)
  printf '%s\n  depends: %s\n' "$(basename "$package")" "${depends[$name]}"
  dpkg-deb --contents "$package" >"$work/$name.contents"
  grep -q "share/doc/$name/copyright" "$work/$name.contents" || fail "$name has no copyright file"
  dpkg -x "$package" "$work/root"
done

# has PACKAGE PATTERN, lacks PACKAGE PATTERN: check the dependencies of PACKAGE.
has() { grep -qE "(^|, )$2" <<<"${depends[$1]-}" || fail "$1 does not depend on $2"; }
lacks() { ! grep -qE "(^|, )$2" <<<"${depends[$1]-}" || fail "$1 depends on $2"; }
abi=$(sed -n 's/^ONEPASS_\([0-9.]*\) {/\1/p' "$build/onepass.map")
for library in libtbb12 'libstdc\+\+6' libc6; do has "libonepass$abi" "$library"; done
for library in libhwy1 libpng libvulkan libopenexr; do lacks "libonepass$abi" "$library"; done  # the loader is opened at run time
for library in libpng16-16 libzstd1 libopenexr libtiff6 libwebp7 liblcms2-2 "libonepass$abi \("; do has "libonepass-files$abi" "$library"; done
has libonepass-dev "libonepass$abi \(= "
has libonepass-dev libvulkan-dev
has onepass "libonepass$abi \(= "
has onepass "libonepass-files$abi \(= "
for name in 'python3 ' 'python3-numpy ' "libonepass-files$abi \(= "; do has python3-onepass "$name"; done
[[ $(dpkg-deb -f "$work"/packages/python3-onepass_*.deb Architecture) == all ]] || fail "python3-onepass is for one processor"
! grep -qE '\.so|\.pyc|__pycache__' "$work/python3-onepass.contents" || fail "python3-onepass has compiled files"
grep -q 'include/onepass/pyramid.hpp' "$work/libonepass-dev.contents" || fail "libonepass-dev has no headers"
grep -q 'bin/onepass$' "$work/onepass.contents" || fail "onepass has no program"
grep -q 'man/man1/onepass.1.gz$' "$work/onepass.contents" || fail "onepass has no manual page"
grep -q 'bash-completion/completions/onepass$' "$work/onepass.contents" || fail "onepass has no completions"
grep -qE "libonepass.so.$abi -> " "$work/libonepass$abi.contents" || fail "libonepass$abi has no soname link"

# The unpacked program, with the unpacked libraries only.
libraries=$(dirname "$(find "$work/root" -name libonepass.so)")
export LD_LIBRARY_PATH=$libraries
ldd "$work/root/usr/bin/onepass" | grep "libonepass.so.$abi => $libraries/" > /dev/null || fail "the program takes another library"
"$work/root/usr/bin/onepass" --version
"$work/root/usr/bin/onepass" --manual | cmp - <(gzip -dc "$work/root/usr/share/man/man1/onepass.1.gz") ||
  fail "the manual page is not the program's"
cd "$work"
root/usr/bin/onepass scene -o render.exr --size 64x40 >/dev/null
root/usr/bin/onepass mips render.exr -o render.ktx2 --engine cpu
[[ $(head -c 7 render.ktx2 | tail -c 6) == "KTX 20" ]] || fail "render.ktx2 is no KTX2 file"

# The unpacked module: it finds the library by its soname, and pip its version.
if /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
  PYTHONPATH=$work/root/usr/lib/python3/dist-packages /usr/bin/python3 -B - "$work/root" <<'EOF'
import importlib.metadata
import sys

import numpy
import onepass

assert onepass.__file__.startswith(sys.argv[1]), onepass.__file__
assert importlib.metadata.version("onepass") == onepass.__version__
print("module", onepass.__version__, "with", onepass._library.lib._name)
onepass.write("module.png", onepass.tonemap(onepass.mips(numpy.ones((64, 64, 3), numpy.float32))[1]))
assert onepass.read("module.png").pixels.shape == (32, 32, 3)
EOF
fi

# The development package alone must be enough to build against.
# Relative paths: neither make nor the shell's words from pkg-config can have spaces.
ln -s "$here/consumer" sources
PKG_CONFIG_PATH=${libraries#"$work/"}/pkgconfig make -s -f "$here/pkg_config/Makefile" SOURCES=sources core
./core
if command -v lintian >/dev/null; then
  lintian --fail-on error,warning --allow-root --tag-display-limit 0 "${packages[@]}" || fail "lintian found errors or warnings"
fi
