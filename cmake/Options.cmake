# Compiler settings of all targets of the project.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE AND PROJECT_IS_TOP_LEVEL)
  set(CMAKE_BUILD_TYPE Release)
endif()

# Which of the sources system_*.cpp of onepass::files and of the program are compiled.
set(ONEPASS_SYSTEM posix)
if(WIN32)
  set(ONEPASS_SYSTEM windows)
endif()

# Sets environment variables of a command: env starts in a fifth of the time of cmake.
find_program(ENV_PROGRAM env)
set(ONEPASS_ENV ${CMAKE_COMMAND} -E env)
if(ENV_PROGRAM AND NOT CMAKE_HOST_WIN32)
  set(ONEPASS_ENV ${ENV_PROGRAM})
endif()

if(PROJECT_IS_TOP_LEVEL)
  find_program(CCACHE_PROGRAM ccache)
  if(CCACHE_PROGRAM)
    # Objects do not depend on the build folder, whose paths ccache makes relative: when the tests build shared libraries
    # they reuse the objects of this build. CCACHE_DEPEND: the compiler lists the headers that it has read; without it
    # ccache runs the preprocessor before each compilation, a tenth of its time. CCACHE_SLOPPINESS: what it asks for before
    # it stores objects compiled with a precompiled header.
    set(CMAKE_CXX_COMPILER_LAUNCHER ${ONEPASS_ENV} CCACHE_NOHASHDIR=1 CCACHE_BASEDIR=${PROJECT_BINARY_DIR} CCACHE_DEPEND=1
      CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE_PROGRAM})
  endif()
endif()

# -ffp-contract=off: the CPU engine promises the same bits on every SIMD target, so the compiler must not fuse
# multiplications and additions.
add_library(onepass_options INTERFACE)
target_compile_options(onepass_options INTERFACE -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion
  -ffp-contract=off
  -Wno-missing-field-initializers  # options are aggregates with defaults
  # false positives of g++ 12: string concatenations, parsers of libfmt with -O3
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict> $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow>
  # g++ notes changes of the ABI before g++ 10 on 64-bit ARM
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<STREQUAL:${CMAKE_SYSTEM_PROCESSOR},aarch64>>:-Wno-psabi>
  # g++ aligns no variable on the stack of 64-bit Windows to 32 or 64 bytes, but uses aligned moves for vectors of that
  # size (GCC bug 54412). The assembler replaces them.
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<BOOL:${MINGW}>>:-Wa,-muse-unaligned-vector-move>
  $<$<BOOL:${ONEPASS_WARNINGS_AS_ERRORS}>:-Werror>)

# onepass_compile_together(TARGET GROUP FILES...): compiles files of a target as one: most of the time of a small file goes
# into reading headers. Names in unnamed namespaces must differ within a group.
function(onepass_compile_together target group)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  set_source_files_properties(${ARGN} PROPERTIES UNITY_GROUP ${group})
endfunction()

# onepass_sources(TARGET FOLDER GROUP FILES...): adds FOLDER/FILE.cpp to TARGET, without FOLDER/ if that is ".". The files of a
# GROUP are compiled as one, those of the group "apart" each by itself.
function(onepass_sources target folder group)
  set(files ${ARGN})
  list(TRANSFORM files APPEND .cpp)
  if(NOT folder STREQUAL ".")
    list(TRANSFORM files PREPEND ${folder}/)
  endif()
  target_sources(${target} PRIVATE ${files})
  if(NOT group STREQUAL "apart")
    onepass_compile_together(${target} ${group} ${files})
  endif()
endfunction()
