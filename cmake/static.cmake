# Links third-party libraries statically, for programs and modules that run where none is installed: scripts/release passes
# this file as CMAKE_PROJECT_INCLUDE. Libraries are searched in ONEPASS_STATIC_LIBRARIES, the folder that
# scripts/static-libraries fills, then among Debian's archives.
if(NOT PROJECT_NAME STREQUAL "onepass")
  return()
endif()
list(PREPEND CMAKE_PREFIX_PATH ${ONEPASS_STATIC_LIBRARIES})
set(ENV{PKG_CONFIG_PATH} ${ONEPASS_STATIC_LIBRARIES}/lib/pkgconfig)
set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
set(ONEPASS_WITH_ASTC OFF)  # Debian has no archive of astcenc
# libgcc stays shared: every Linux has it, and exceptions of drivers that are loaded pass through one unwinder.
# What Debian's archives need themselves, which pkg-config states for static linking only.
set(onepass_archives "")
foreach(name webp Lerc jpeg deflate lzma lz4 snappy zstd z)
  string(APPEND onepass_archives " -l:lib${name}.a")
endforeach()
set(CMAKE_CXX_STANDARD_LIBRARIES "-Wl,--start-group${onepass_archives} -Wl,--end-group -static-libstdc++")
# The linker drops functions of libstdc++ that nothing calls: std::random_device would need glibc 2.36 instead of 2.34.
# The build ID is a hash that also covers symbols, with names that contain the folder, which scripts/release strips.
string(APPEND CMAKE_EXE_LINKER_FLAGS " -Wl,--gc-sections -Wl,--build-id=none")
string(APPEND CMAKE_SHARED_LINKER_FLAGS " -Wl,--gc-sections -Wl,--build-id=none")
