# Test programs whose kernels are others than the library's: from HLSL (hlsl/tests.cmake), or in the Vulkan memory model
# (memory_model_tests.cmake). The tests are those of the library's kernels.
#
#   onepass_replace_kernels(TEST FOLDER folder [SUFFIX suffix] [STRIP regex] [NEEDS function] KERNELS NAMES...)
#
# A kernel of the library whose name without `regex` is one of NAMES becomes the array kernel_NAMEsuffix of the header
# folder/NAMEsuffix.h in the build folder; all others are the library's. The program
# defines find_kernel(), so that the linker leaves the library's out. A program that asks for none of these kernels fails.
# Where `function` of tests/vulkan/vulkan_testing.hpp returns false, all its tests are skipped.
function(onepass_replace_kernels test)
  cmake_parse_arguments(PARSE_ARGV 1 replaced "" "FOLDER;SUFFIX;STRIP;NEEDS" "KERNELS")
  get_property(names GLOBAL PROPERTY ONEPASS_EMBEDDED_KERNELS)
  list(APPEND names ${replaced_KERNELS})
  list(REMOVE_DUPLICATES names)
  set(includes "")
  set(entries "")
  foreach(name IN LISTS names)
    set(plain_name ${name})
    if(replaced_STRIP)
      string(REGEX REPLACE "${replaced_STRIP}" "" plain_name ${name})
    endif()
    if(plain_name IN_LIST replaced_KERNELS)
      string(APPEND entries "    {\"${name}\", kernel_${plain_name}${replaced_SUFFIX}},\n")
    endif()
  endforeach()
  set(headers "")
  foreach(name IN LISTS replaced_KERNELS)
    string(APPEND includes "#include \"${replaced_FOLDER}/${name}${replaced_SUFFIX}.h\"\n")
    list(APPEND headers ${CMAKE_BINARY_DIR}/${replaced_FOLDER}/${name}${replaced_SUFFIX}.h)
  endforeach()
  set(needed "true")
  set(library_includes "")
  if(replaced_NEEDS)
    set(library_includes "#include \"tests/vulkan/vulkan_testing.hpp\"\n\n")
    set(needed "testing::${replaced_NEEDS}()")
  endif()
  set(table ${CMAKE_BINARY_DIR}/replaced_kernels/${test}.cpp)
  file(CONFIGURE OUTPUT ${table} CONTENT [[// Generated: the kernels of one test that are not the library's.
#include "vulkan/kernels.hpp"

#include <gtest/gtest.h>

@library_includes@namespace onepass::vulkan {
namespace {
@includes@
struct Entry {
  std::string_view name;
  std::span<const uint32_t> code;
};
const Entry kEntries[] = {
@entries@};

int uses = 0;

// A test that never asks for a replaced kernel says nothing about them.
class UsesThem : public ::testing::Environment {
  void SetUp() override {
    can_use_ = @needed@;
    if (!can_use_) GTEST_SKIP() << "the device cannot run the replaced kernels";
  }
  void TearDown() override { EXPECT_TRUE(uses > 0 || !can_use_) << "no replaced kernel was used"; }
  bool can_use_ = false;
};
const auto* const kUsesThem = ::testing::AddGlobalTestEnvironment(new UsesThem);
}  // namespace

std::optional<std::vector<uint32_t>> find_kernel(const KernelSet& set, std::string_view name) {
  for (const Entry& entry : kEntries) {
    if (entry.name != name) continue;
    ++uses;
    return std::vector<uint32_t>(entry.code.begin(), entry.code.end());
  }
  for (const KernelEntry& entry : set.entries) {
    if (entry.name == name) return unpack_kernel(set, entry);
  }
  return std::nullopt;
}
}  // namespace onepass::vulkan
]] @ONLY)
  target_sources(${test} PRIVATE ${table} ${headers})
  target_include_directories(${test} PRIVATE ${PROJECT_SOURCE_DIR}/src ${CMAKE_BINARY_DIR})
endfunction()
