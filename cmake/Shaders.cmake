# Shader kernels: GLSL compiled to SPIR-V at build time.
#
#   onepass_add_kernel_table(SOURCE FILE [DEFAULTS MACRO=VALUE...] ROWS ROW...)
#       Kernels of the library, compiled from FILE in the caller's folder. A row is a string
#       "NAME [INLINED | INLINED_TIDY] [MACRO=VALUE...]": C++ finds the kernel by NAME; macros that the row does not set
#       have the values of DEFAULTS. Where spirv-opt is installed, INLINED inlines all calls: NVIDIA's compiler keeps some,
#       and with them arrays in memory. INLINED_TIDY also removes the variables that this makes.
#   onepass_add_kernel(NAME SOURCE [MACRO=VALUE...])
#       One such kernel.
#   onepass_embed_kernels(TARGET)
#       Adds all of them to TARGET, with the table of src/vulkan/kernels.hpp.
#   onepass_add_kernel_header(NAME SOURCE [MACRO=VALUE...])
#       A kernel of a sample, test or benchmark: an array kernel_NAME in kernels/NAME.h.
#
# Embedded kernels are compressed by lz4 where it is installed (src/vulkan/unpack_kernel.cpp decompresses them), else stored.
# Perl, where it is installed, rearranges them first (cmake/pack_kernel.pl).
set(ONEPASS_COMPILED_KERNELS "" CACHE PATH "The folder kernels of another build of the same sources: its kernels are \
embedded, none is compiled")
if(ONEPASS_COMPILED_KERNELS)
  find_program(GLSLANG_VALIDATOR glslangValidator)  # for kernels of samples, tests and benchmark
else()
  find_program(GLSLANG_VALIDATOR glslangValidator REQUIRED)
endif()
find_program(SPIRV_OPT spirv-opt)
# How kernels are compiled: glslangValidator allocates the built-in functions of GLSL anew for each of them, which takes
# more time than the kernel. On Linux the C library then asks for huge pages: half the time.
set(ONEPASS_GLSLANG ${GLSLANG_VALIDATOR})
if(CMAKE_HOST_SYSTEM_NAME STREQUAL "Linux" AND GLSLANG_VALIDATOR)
  set(ONEPASS_GLSLANG ${ONEPASS_ENV} GLIBC_TUNABLES=glibc.malloc.hugetlb=1 ${GLSLANG_VALIDATOR})
endif()
find_program(LZ4_PROGRAM lz4)
find_program(PERL_PROGRAM perl)

# The command line that compiles SOURCE, less its output. -g0: without the names of variables, a sixth of the size. Callers
# may set more options in ONEPASS_KERNEL_OPTIONS.
function(onepass_glslang_command out source)
  set(definitions ${ARGN} ONEPASS_KEEP_NAMES=1)  # for the kernels' own text: onepass/prelude_names.glsl
  list(TRANSFORM definitions PREPEND -D)
  cmake_path(GET source PARENT_PATH folder)
  set(${out} ${ONEPASS_GLSLANG} --quiet -g0 --target-env vulkan1.2 -I${PROJECT_SOURCE_DIR}/shaders
    -I${PROJECT_SOURCE_DIR}/src -I${folder} ${ONEPASS_KERNEL_OPTIONS} ${definitions} PARENT_SCOPE)
endfunction()

function(onepass_add_kernel_header name source)
  set(header ${PROJECT_BINARY_DIR}/kernels/${name}.h)
  onepass_glslang_command(command ${source} ${ARGN})
  add_custom_command(OUTPUT ${header}
    COMMAND ${command} --depfile ${header}.d --vn kernel_${name} -o ${header} ${source}
    DEPENDS ${source} DEPFILE ${header}.d COMMENT "Kernel ${name}" VERBATIM)
endfunction()

# Adds the kernel NAME of the library, whose packed words are an array in HEADER.
function(onepass_register_kernel name header)
  set_property(GLOBAL APPEND PROPERTY ONEPASS_KERNELS ${name})
  set_property(GLOBAL APPEND PROPERTY ONEPASS_KERNEL_HEADERS ${header})
endfunction()

# Registers the SPIR-V module NAME.spv of the library: it becomes a header with an array of its packed words.
function(onepass_pack_kernel name)
  set(module ${PROJECT_BINARY_DIR}/kernels/${name}.spv)
  set(header ${PROJECT_BINARY_DIR}/kernels/${name}.packed.h)
  set(script ${PROJECT_SOURCE_DIR}/cmake/PackKernel.cmake)
  set(command ${CMAKE_COMMAND} -DLZ4=${LZ4_PROGRAM} -DINPUT=${module} -DNAME=${name} -DOUTPUT=${header} -P ${script})
  if(PERL_PROGRAM AND LZ4_PROGRAM)
    set(script ${PROJECT_SOURCE_DIR}/cmake/pack_kernel.pl)
    set(command ${PERL_PROGRAM} ${script} ${LZ4_PROGRAM} ${module} ${name} ${header})
  endif()
  add_custom_command(OUTPUT ${header} COMMAND ${command} DEPENDS ${module} ${script}
    COMMENT "Kernel ${name}, packed" VERBATIM)
  onepass_register_kernel(${name} ${header})
endfunction()

# Registers the kernel NAME as the build in ONEPASS_COMPILED_KERNELS has packed it.
function(onepass_add_compiled_kernel name)
  set(header ${ONEPASS_COMPILED_KERNELS}/${name}.packed.h)
  if(NOT EXISTS ${header})
    message(FATAL_ERROR "ONEPASS_COMPILED_KERNELS: ${header} is missing: ${ONEPASS_COMPILED_KERNELS} is not the folder "
      "kernels of a finished build of these sources")
  endif()
  onepass_register_kernel(${name} ${header})
endfunction()

# Functions with several returns cannot be inlined before they have one.
set(ONEPASS_INLINE --merge-return --inline-entry-points-exhaustive --eliminate-dead-functions)
# Inlining makes a variable of each parameter. These passes remove them again: half of the module. They fold and contract
# no expression of floats, so that results have the same bits.
set(ONEPASS_TIDY --scalar-replacement --eliminate-local-single-block --eliminate-local-single-store --ssa-rewrite
  --eliminate-dead-code-aggressive --redundancy-elimination --merge-blocks)

# Compiles the kernel NAME and, where spirv-opt is installed, runs PASSES (a list) of it. Dense ids make other modules
# smaller when they are packed, but not those with nothing else done after inlining: their copies look alike.
function(onepass_define_kernel name source passes)
  set(module ${PROJECT_BINARY_DIR}/kernels/${name}.spv)
  set(compiled ${module})
  if(SPIRV_OPT)
    set(compiled ${PROJECT_BINARY_DIR}/kernels/${name}.compiled.spv)
    # Two commands: the dependencies that glslang writes are those of the file it writes.
    add_custom_command(OUTPUT ${module} COMMAND ${SPIRV_OPT} ${passes} ${compiled} -o ${module}
      DEPENDS ${compiled} COMMENT "Kernel ${name}, optimized" VERBATIM)
  endif()
  onepass_glslang_command(command ${source} ${ARGN})
  add_custom_command(OUTPUT ${compiled} COMMAND ${command} --depfile ${compiled}.d -o ${compiled} ${source}
    DEPENDS ${source} DEPFILE ${compiled}.d COMMENT "Kernel ${name}" VERBATIM)
  onepass_pack_kernel(${name})
endfunction()

function(onepass_add_kernel name source)
  onepass_define_kernel(${name} ${source} --compact-ids ${ARGN})
endfunction()

function(onepass_add_kernel_table)
  cmake_parse_arguments(PARSE_ARGV 0 table "" SOURCE "DEFAULTS;ROWS")
  foreach(row IN LISTS table_ROWS)
    string(REGEX REPLACE " +" ";" definitions "${row}")
    list(POP_FRONT definitions name)
    if(ONEPASS_COMPILED_KERNELS)
      onepass_add_compiled_kernel(${name})
      continue()
    endif()
    set(passes --compact-ids)
    if("INLINED" IN_LIST definitions)
      set(passes ${ONEPASS_INLINE})
    elseif("INLINED_TIDY" IN_LIST definitions)
      set(passes ${ONEPASS_INLINE} ${ONEPASS_TIDY} --compact-ids)
    endif()
    list(REMOVE_ITEM definitions INLINED INLINED_TIDY)
    foreach(definition IN LISTS definitions)
      if(NOT definition MATCHES "^[A-Za-z0-9_]+=")
        message(FATAL_ERROR "onepass_add_kernel_table: kernel ${name}: '${definition}' is neither INLINED, INLINED_TIDY nor "
          "MACRO=VALUE")
      endif()
    endforeach()
    foreach(default IN LISTS table_DEFAULTS)
      string(REGEX REPLACE "=.*" "" macro ${default})
      if(NOT definitions MATCHES "(^|;)${macro}=")
        list(APPEND definitions ${default})
      endif()
    endforeach()
    onepass_define_kernel(${name} ${CMAKE_CURRENT_LIST_DIR}/${table_SOURCE} "${passes}" ${definitions})
  endforeach()
endfunction()

function(onepass_embed_kernels target)
  get_property(names GLOBAL PROPERTY ONEPASS_KERNELS)
  get_property(headers GLOBAL PROPERTY ONEPASS_KERNEL_HEADERS)
  set(includes "")
  set(entries "")
  foreach(name IN LISTS names)
    string(APPEND includes "#include \"${name}.packed.h\"\n")
    string(APPEND entries "    {\"${name}\", kernel_${name}},\n")
  endforeach()
  set(table ${PROJECT_BINARY_DIR}/kernels/kernels.cpp)
  file(CONFIGURE OUTPUT ${table} CONTENT [[// Generated: every embedded kernel.
#include "vulkan/kernels.hpp"

namespace onepass::vulkan {
namespace {
@includes@
struct Entry {
  std::string_view name;
  std::span<const uint32_t> packed;
};
const Entry kEntries[] = {
@entries@};
}  // namespace

std::span<const uint32_t> packed_kernel(std::string_view name) {
  for (const Entry& entry : kEntries) {
    if (entry.name == name) return entry.packed;
  }
  return {};
}
}  // namespace onepass::vulkan
]] @ONLY)
  target_sources(${target} PRIVATE ${table} ${headers})
  if(ONEPASS_COMPILED_KERNELS)
    set_source_files_properties(${table} PROPERTIES INCLUDE_DIRECTORIES ${ONEPASS_COMPILED_KERNELS})
  endif()
  set_property(GLOBAL PROPERTY ONEPASS_EMBEDDED_KERNELS ${names})
endfunction()
