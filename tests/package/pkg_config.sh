#!/usr/bin/env bash
# pkg_config.sh WORK PREFIX KIND: builds the Makefile project against PREFIX and runs its programs. KIND: static or
# shared.
set -euo pipefail
work=$1 prefix=$2 kind=$3
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

rm -rf "$work"
mkdir -p "$work"
cd "$work"
# Relative paths: neither make nor the shell's words from pkg-config can have spaces.
ln -s "$prefix" prefix
ln -s "$here/consumer" sources
libraries=$(dirname "$(find prefix/ -name onepass.pc)")
export PKG_CONFIG_PATH=$libraries
mode=()
if [[ $kind == static ]]; then mode=(MODE=--static); else export LD_LIBRARY_PATH=$work/${libraries%/pkgconfig}; fi
make -f "$here/pkg_config/Makefile" SOURCES=sources "${mode[@]}"
./core
./files
./shift

shaders=$(pkg-config --variable=shaderdir onepass)
[[ -e $shaders/onepass/pyramid.glsl ]] || { echo "shaderdir is '$shaders'" >&2; exit 1; }
engines=$(pkg-config --variable=engines onepass)
[[ $engines == "cpu vulkan" ]] || { echo "engines is '$engines'" >&2; exit 1; }
# A shared library's own libraries are not the program's business.
if [[ $kind == shared && $(pkg-config --libs onepass onepass-files) == *tbb* ]]; then
  pkg-config --libs onepass onepass-files >&2
  exit 1
fi
