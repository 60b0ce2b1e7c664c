#!/usr/bin/env bash
# vulkan_only.sh WORK SOURCE [CMAKE ARGUMENTS]: builds and installs the library without the CPU engine where neither Highway nor
# oneTBB can be found, and builds and runs samples/integration against it. Then builds one technique alone.
set -euo pipefail
work=$1 source=$2
shift 2
rm -rf "$work/prefix" "$work/sample"
hidden=(-DCMAKE_DISABLE_FIND_PACKAGE_HWY=ON -DCMAKE_DISABLE_FIND_PACKAGE_TBB=ON)

# The parts that need the CPU engine are refused by name.
if cmake -G Ninja -S "$source" -B "$work/refused" -DONEPASS_CPU_ENGINE=OFF -DONEPASS_BUILD_CLI=ON > "$work.log" 2>&1; then
  echo "a program without the CPU engine was configured" >&2
  exit 1
fi
grep "ONEPASS_BUILD_CLI needs ONEPASS_CPU_ENGINE=ON" "$work.log" > /dev/null
if cmake -G Ninja -S "$source" -B "$work/refused" -DONEPASS_CPU_ENGINE=ON -DONEPASS_BUILD_CLI=OFF -DONEPASS_C_API=OFF \
    -DONEPASS_INSTALL=ON > "$work.log" 2>&1; then
  echo "an installation without the C functions was configured" >&2
  exit 1
fi
grep "ONEPASS_INSTALL needs ONEPASS_C_API=ON" "$work.log" > /dev/null

cmake -G Ninja -S "$source" -B "$work/build" -DCMAKE_BUILD_TYPE=Release -DONEPASS_CPU_ENGINE=OFF "${hidden[@]}" "$@"
cmake --build "$work/build"
cmake --install "$work/build" --prefix "$work/prefix"

# No symbol of the CPU engine is defined or needed; the tuning of threads is an option of both.
library=$(find "$work/prefix" -name libonepass.a)
if nm -C "$library" 2> /dev/null | grep -E ' (tbb::|hwy::|onepass_cpu_)' | grep -v onepass_cpu_tuning | head -3 | grep .; then
  echo "$library has symbols of the CPU engine" >&2
  exit 1
fi
engines=$(PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name onepass.pc)") pkg-config --variable=engines onepass)
[[ $engines == vulkan ]] || { echo "pkg-config: engines is '$engines'" >&2; exit 1; }

cmake -G Ninja -S "$source/samples/integration" -B "$work/sample" -DCMAKE_PREFIX_PATH="$work/prefix" "${hidden[@]}"
cmake --build "$work/sample"
"$work/sample/first_dispatch"

# One technique: as a shared library, which leaves no symbol undefined, with the kernels of this technique alone.
if cmake -G Ninja -S "$source" -B "$work/unknown" -DONEPASS_CPU_ENGINE=OFF -DONEPASS_TECHNIQUES=blom > "$work.log" 2>&1; then
  echo "an unknown technique was configured" >&2
  exit 1
fi
grep "'blom' is none of" "$work.log" > /dev/null
cmake -G Ninja -S "$source" -B "$work/one" -DCMAKE_BUILD_TYPE=Release -DONEPASS_CPU_ENGINE=OFF -DONEPASS_TECHNIQUES=luminance \
  -DBUILD_SHARED_LIBS=ON "${hidden[@]}" "$@"
cmake --build "$work/one"
library=$work/one/src/libonepass.so
grep luminance_partial "$library" > /dev/null
if grep fourier_spectrum "$library" > /dev/null; then
  echo "$library has kernels of another technique" >&2
  exit 1
fi
techniques=$(sed -n 's/^techniques=//p' "$work/one/onepass.pc")
[[ $techniques == luminance ]] || { echo "onepass.pc: techniques is '$techniques'" >&2; exit 1; }
