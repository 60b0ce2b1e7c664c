// sample_kernels.hpp: the kernels that tests.cmake compiles from samples/shaders, in both languages.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

namespace onepass::testing {

struct SampleKernel {
  std::string_view sample;
  std::string_view name;
  std::string_view definitions;  // NAME=VALUE;...
  std::span<const uint32_t> code;
  bool subgroup;

  /// The value of a definition, or `usual` where there is none.
  [[nodiscard]] uint32_t number(std::string_view definition, uint32_t usual) const {
    const std::string text = ";" + std::string(definitions);
    const size_t at = text.find(";" + std::string(definition) + "=");
    if (at == std::string::npos) return usual;
    return static_cast<uint32_t>(std::strtoul(text.c_str() + at + definition.size() + 2, nullptr, 10));
  }
};

/// Every compiled variant.
[[nodiscard]] std::span<const SampleKernel> sample_kernels();

}  // namespace onepass::testing
