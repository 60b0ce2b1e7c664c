# Toolchain for 64-bit Windows: MinGW-w64 of Debian with POSIX threads, libraries in build/windows-libraries
# (scripts/windows-libraries), programs run by Wine. scripts/test-windows and scripts/release use it.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR AMD64)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-posix)
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)

cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH project)
set(prefix ${project}/build/windows-libraries)
set(CMAKE_FIND_ROOT_PATH ${prefix} /usr/x86_64-w64-mingw32)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} ${prefix}/lib/pkgconfig)
set(PKG_CONFIG_ARGN --static)
# Programs and shared libraries need no run-time library of the compiler beside them, and state no time of their making.
foreach(kind EXE SHARED)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT "-static -Wl,--no-insert-timestamp")
endforeach()
set(CMAKE_CROSSCOMPILING_EMULATOR wine)
