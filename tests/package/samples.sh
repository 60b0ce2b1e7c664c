#!/usr/bin/env bash
# samples.sh WORK PREFIX: builds the samples against PREFIX, from a copy outside of the project, and runs them on software
# Vulkan with small sizes. find_package.sh does this with samples/integration.
set -euo pipefail
work=$1 prefix=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
device=${ONEPASS_TEST_DEVICE:-llvmpipe}

rm -rf "$work"
mkdir -p "$work"
cp -r "$here/../../samples" "$work/source"
for name in frame occlusion ocean particles; do
  cmake -G Ninja -S "$work/source/$name" -B "$work/$name" -DCMAKE_PREFIX_PATH="$prefix"
  cmake --build "$work/$name"
done
# Optional: without vk_mem_alloc.h the project builds nothing.
cmake -G Ninja -S "$work/source/memory" -B "$work/memory" -DCMAKE_PREFIX_PATH="$prefix"
cmake --build "$work/memory"
cd "$work"
if [[ -x memory/vma_memory ]]; then memory/vma_memory; fi
occlusion/occlusion --device "$device" --size 64x36 --boxes 500 --frames 2 --output out/occlusion --csv occlusion.csv
particles/particles --device "$device" --size 64x36 --particles 1000 --frames 1 --output out/particles
ocean/ocean --device "$device" --size 64x36 --texels 64 --frames 2 --timed 1 --output out/ocean
frame/frame --device "$device" --size 64x64 --boxes 4000 --frames 2 --timed 0 --output out/frame
for picture in frame/{frame,exposure} occlusion/{frame,map,pyramid} ocean/{ocean,maps} \
  particles/{depth,tiles,particles,full_reads}; do
  [[ -s out/$picture.png ]] || { echo "not written: $picture.png" >&2; exit 1; }
done
[[ $(wc -l <occlusion.csv) == 3 ]] || { echo "occlusion.csv has not a header and two frames" >&2; exit 1; }

# A single file, by pkg-config, whose words cannot have spaces.
ln -s "$prefix" prefix
PKG_CONFIG_PATH=$(dirname "$(find prefix/ -name onepass.pc)")
export PKG_CONFIG_PATH
"${CXX:-g++}" -std=c++20 -Wall -Wextra -Wno-missing-field-initializers -Werror source/mip_chain.cpp -o mip_chain \
  $(pkg-config --cflags --static --libs onepass)
./mip_chain
