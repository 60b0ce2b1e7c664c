#!/usr/bin/env bash
# install.sh BUILD PREFIX: installs a build, moves the installed files to PREFIX, and checks that they contain no path
# of the build or of the first location.
set -euo pipefail
build=$1 prefix=$2

rm -rf "$prefix" "$prefix.first"
mkdir -p "$(dirname "$prefix")"
cmake --install "$build" --prefix "$prefix.first" >"$prefix.log"
mv "$prefix.first" "$prefix"

if found=$(grep -rIlE -e "$(dirname "$prefix")" -e "$build" "$prefix" --include='*.cmake' --include='*.pc' --include='*.h*'); then
  echo "these files name the folders of the build:" $found >&2
  exit 1
fi
for file in include/onepass/{pyramid.hpp,export.h,pyramid_params.h,vulkan/pyramid.hpp} share/onepass/shaders/onepass/pyramid.glsl \
  share/onepass/shaders/onepass/pyramid_params.h share/doc/onepass/{LICENSE,README.md,docs/pyramid.md} bin/onepass \
  share/bash-completion/completions/onepass; do
  [[ -e $prefix/$file ]] || { echo "not installed: $file" >&2; exit 1; }
done
compgen -G "$prefix/share/man/man1/onepass.1*" >/dev/null || { echo "not installed: the manual page" >&2; exit 1; }
