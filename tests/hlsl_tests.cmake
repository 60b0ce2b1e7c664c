# The shader headers in HLSL: the library's kernels compiled from tests/hlsl by glslang's HLSL front end, under the tests of
# the library's own.
#
#   onepass_add_hlsl_kernel(NAME SOURCE [DEFINITION=VALUE...])   a kernel of tests/hlsl, to take the place of NAME
#   onepass_hlsl_test(NAME KERNELS... )                          links a table of kernels with them into test NAME
function(onepass_add_hlsl_kernel name source)
  set(header ${CMAKE_BINARY_DIR}/hlsl_kernels/${name}.h)
  set(definitions ${ARGN})
  list(TRANSFORM definitions PREPEND -D)
  # --nsf: images without a format. SPIR-V 1.3 is the newest that this front end declares buffers for.
  add_custom_command(OUTPUT ${header}
    COMMAND ${GLSLANG_VALIDATOR} --quiet -D --nsf --target-env vulkan1.1 -S comp -e main -I${PROJECT_SOURCE_DIR}/shaders
            -I${PROJECT_SOURCE_DIR}/src -I${PROJECT_SOURCE_DIR}/tests ${definitions} --depfile ${header}.d
            --vn kernel_${name} -o ${header} ${source}
    DEPENDS ${source} DEPFILE ${header}.d COMMENT "HLSL kernel ${name}" VERBATIM)
endfunction()

# Defines find_kernel() in the test, so that the linker leaves the library's out: every kernel of the library, but those
# named from HLSL. hlsl_kernels_used() counts how often one of these was asked for.
function(onepass_hlsl_test test)
  get_property(names GLOBAL PROPERTY ONEPASS_KERNELS)
  set(includes "")
  set(entries "")
  foreach(name IN LISTS names)
    set(from_hlsl false)
    set(folder kernels)
    if(name IN_LIST ARGN)
      set(from_hlsl true)
      set(folder hlsl_kernels)
    endif()
    string(APPEND includes "#include \"${folder}/${name}.h\"\n")
    string(APPEND entries "    {\"${name}\", kernel_${name}, ${from_hlsl}},\n")
  endforeach()
  set(table ${CMAKE_BINARY_DIR}/hlsl_kernels/${test}.cpp)
  file(CONFIGURE OUTPUT ${table} CONTENT [[// Generated: the kernels of one test, some of them from HLSL.
#include "vulkan/kernels.hpp"

#include <gtest/gtest.h>

namespace onepass::vulkan {
namespace {
@includes@
struct Entry {
  std::string_view name;
  std::span<const uint32_t> code;
  bool from_hlsl;
};
const Entry kEntries[] = {
@entries@};

int uses = 0;

// A test that never asks for a kernel from HLSL says nothing about them.
class UsesHlsl : public ::testing::Environment {
  void TearDown() override { EXPECT_GT(uses, 0) << "no kernel from HLSL was used"; }
};
const auto* const kUsesHlsl = ::testing::AddGlobalTestEnvironment(new UsesHlsl);
}  // namespace

std::span<const uint32_t> find_kernel(std::string_view name) {
  for (const Entry& entry : kEntries) {
    if (entry.name != name) continue;
    uses += entry.from_hlsl ? 1 : 0;
    return entry.code;
  }
  return {};
}
}  // namespace onepass::vulkan
]] @ONLY)
  list(TRANSFORM ARGN PREPEND ${CMAKE_BINARY_DIR}/hlsl_kernels/ OUTPUT_VARIABLE headers)
  list(TRANSFORM headers APPEND .h)
  get_property(library_headers GLOBAL PROPERTY ONEPASS_KERNEL_HEADERS)
  target_sources(${test} PRIVATE ${table} ${headers} ${library_headers})
  target_include_directories(${test} PRIVATE ${PROJECT_SOURCE_DIR}/src ${CMAKE_BINARY_DIR})
endfunction()

set(hlsl ${CMAKE_CURRENT_LIST_DIR}/hlsl)
set(pyramid_kernels "")
foreach(components 1 2 4)
  foreach(half 0 1)
    switch(${half} half half_name)
    foreach(subgroup 0 1)
      switch(${subgroup} subgroup subgroup_name)
      set(name pyramid_${components}${half_name}${subgroup_name})
      onepass_add_hlsl_kernel(${name} ${hlsl}/pyramid.hlsl COMPONENTS=${components} HALF=${half} ONEPASS_SUBGROUP=${subgroup})
      list(APPEND pyramid_kernels ${name})
    endforeach()
  endforeach()
endforeach()
set(tile_kernels "")
foreach(components 1 2 4)
  foreach(strategy atomic:1:0 tree:2:0 subgroup:3:1)
    string(REPLACE : ";" strategy ${strategy})
    list(GET strategy 0 word)
    list(GET strategy 1 number)
    list(GET strategy 2 subgroup)
    onepass_add_hlsl_kernel(tile_reduction_${components}_${word} ${hlsl}/tile_reduction.hlsl COMPONENTS=${components}
      STRATEGY=${number} ONEPASS_SUBGROUP=${subgroup})
    list(APPEND tile_kernels tile_reduction_${components}_${word})
  endforeach()
endforeach()
onepass_add_hlsl_kernel(luminance ${hlsl}/luminance.hlsl ONEPASS_LUMINANCE_PASS=0)
onepass_add_hlsl_kernel(luminance_partial ${hlsl}/luminance.hlsl ONEPASS_LUMINANCE_PASS=1)
onepass_add_hlsl_kernel(luminance_join ${hlsl}/luminance.hlsl ONEPASS_LUMINANCE_PASS=2)
onepass_add_hlsl_kernel(tone_map ${hlsl}/tone_map.hlsl)
onepass_add_hlsl_kernel(test_depth_query ${hlsl}/depth_query_test.hlsl)

# Another library would bring its own find_kernel(), out of the linker's reach.
get_target_property(library_type onepass TYPE)
if(library_type STREQUAL "STATIC_LIBRARY")
  set(support vulkan_testing.cpp pyramid_oracle.cpp pyramid_testing.cpp)
  onepass_test(hlsl_pyramid_test gpu vulkan_pyramid_test.cpp ${support})
  onepass_hlsl_test(hlsl_pyramid_test ${pyramid_kernels})
  onepass_test(hlsl_tile_reduction_test gpu vulkan_tile_reduction_test.cpp tile_reduction_oracle.cpp ${support})
  onepass_hlsl_test(hlsl_tile_reduction_test ${tile_kernels})
  onepass_test(hlsl_luminance_test gpu vulkan_luminance_test.cpp luminance_oracle.cpp ${support})
  onepass_hlsl_test(hlsl_luminance_test luminance luminance_partial luminance_join)
  onepass_test(hlsl_tone_map_test gpu vulkan_tone_map_test.cpp tone_map_oracle.cpp ${support})
  onepass_hlsl_test(hlsl_tone_map_test tone_map)
endif()
