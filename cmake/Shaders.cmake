# Shader kernels: GLSL compiled to SPIR-V at build time and embedded in the library.
#
#   onepass_add_kernel(NAME SOURCE [DEFINITION=VALUE...])   one variant; NAME is how C++ finds it
#   onepass_add_inlined_kernel(...)                         the same with all calls inlined, where spirv-opt is installed:
#                                                           NVIDIA's compiler leaves some, and with them arrays in memory
#   onepass_embed_kernels(TARGET)                           adds all of them to TARGET, with the table src/vulkan/kernels.hpp
find_program(GLSLANG_VALIDATOR glslangValidator REQUIRED)
find_program(SPIRV_OPT spirv-opt)

function(onepass_add_kernel name source)
  set(header ${PROJECT_BINARY_DIR}/kernels/${name}.h)
  set(definitions ${ARGN})
  list(TRANSFORM definitions PREPEND -D)
  cmake_path(GET source PARENT_PATH folder)
  add_custom_command(OUTPUT ${header}
    COMMAND ${GLSLANG_VALIDATOR} --quiet --target-env vulkan1.2 -I${PROJECT_SOURCE_DIR}/shaders -I${PROJECT_SOURCE_DIR}/src -I${folder} ${definitions}
            --depfile ${header}.d --vn kernel_${name} -o ${header} ${source}
    DEPENDS ${source} DEPFILE ${header}.d COMMENT "Kernel ${name}" VERBATIM)
  set_property(GLOBAL APPEND PROPERTY ONEPASS_KERNELS ${name})
  set_property(GLOBAL APPEND PROPERTY ONEPASS_KERNEL_HEADERS ${header})
endfunction()

function(onepass_add_inlined_kernel name source)
  if(NOT SPIRV_OPT)
    onepass_add_kernel(${name} ${source} ${ARGN})
    return()
  endif()
  set(header ${PROJECT_BINARY_DIR}/kernels/${name}.h)
  set(module ${PROJECT_BINARY_DIR}/kernels/${name}.spv)
  set(definitions ${ARGN})
  list(TRANSFORM definitions PREPEND -D)
  cmake_path(GET source PARENT_PATH folder)
  # Two commands: the dependencies that glslang writes are those of the file it writes.
  add_custom_command(OUTPUT ${module}
    COMMAND ${GLSLANG_VALIDATOR} --quiet --target-env vulkan1.2 -I${PROJECT_SOURCE_DIR}/shaders -I${PROJECT_SOURCE_DIR}/src -I${folder} ${definitions}
            --depfile ${module}.d -o ${module} ${source}
    DEPENDS ${source} DEPFILE ${module}.d COMMENT "Kernel ${name}" VERBATIM)
  add_custom_command(OUTPUT ${header}
    COMMAND ${CMAKE_COMMAND} -DSPIRV_OPT=${SPIRV_OPT} -DINPUT=${module} -DNAME=${name} -DOUTPUT=${header}
            -P ${PROJECT_SOURCE_DIR}/cmake/InlineKernel.cmake
    DEPENDS ${module} ${PROJECT_SOURCE_DIR}/cmake/InlineKernel.cmake COMMENT "Kernel ${name}, inlined" VERBATIM)
  set_property(GLOBAL APPEND PROPERTY ONEPASS_KERNELS ${name})
  set_property(GLOBAL APPEND PROPERTY ONEPASS_KERNEL_HEADERS ${header})
endfunction()

function(onepass_embed_kernels target)
  get_property(names GLOBAL PROPERTY ONEPASS_KERNELS)
  get_property(headers GLOBAL PROPERTY ONEPASS_KERNEL_HEADERS)
  set(includes "")
  set(entries "")
  foreach(name IN LISTS names)
    string(APPEND includes "#include \"${name}.h\"\n")
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
  std::span<const uint32_t> code;
};
const Entry kEntries[] = {
@entries@};
}  // namespace

std::span<const uint32_t> find_kernel(std::string_view name) {
  for (const Entry& entry : kEntries) {
    if (entry.name == name) return entry.code;
  }
  return {};
}
}  // namespace onepass::vulkan
]] @ONLY)
  target_sources(${target} PRIVATE ${table} ${headers})
  # Kernels that samples and tests add later are not of the library.
  set_property(GLOBAL PROPERTY ONEPASS_EMBEDDED_KERNELS ${names})
  set_property(GLOBAL PROPERTY ONEPASS_EMBEDDED_KERNEL_HEADERS ${headers})
endfunction()
