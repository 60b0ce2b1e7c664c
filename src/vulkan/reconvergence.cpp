// reconvergence.cpp: inserts two instructions into a module that uses subgroups: OpExtension behind the capabilities,
// and OpExecutionMode behind the entry point.
#include "vulkan/reconvergence.hpp"

#include <cstddef>
#include <iterator>
#include <string_view>
#include <utility>

#include "vulkan/spirv.hpp"

namespace onepass::vulkan {
namespace {

using namespace spirv;

// Numbers of the specification.
constexpr uint32_t kGroupNonUniform = 61;  // the first and the last of the capabilities of subgroup operations
constexpr uint32_t kGroupNonUniformQuad = 68;

struct Declaration {
  std::string_view extension;
  uint32_t mode = 0;
};

constexpr Declaration declaration_of(Reconvergence declared) {
  if (declared == Reconvergence::kSubgroupUniform) return {"SPV_KHR_subgroup_uniform_control_flow", 4421};
  return {"SPV_KHR_maximal_reconvergence", 6023};
}

// Places in a module, in words; 0: there is none.
struct Places {
  size_t extension = 0;  // behind the capabilities
  size_t mode = 0;       // behind the entry point
  uint32_t entry = 0;    // id of the entry point
  bool subgroups = false;
};

Places find_places(const std::vector<uint32_t>& spirv) {
  Places places;
  for (size_t at = kHeaderWords; at < spirv.size();) {
    const uint32_t op = spirv[at] & 0xFFFFU;
    const size_t length = spirv[at] >> 16;
    if (length == 0 || length > spirv.size() - at) return {};
    if (op == kCapability && length >= 2) {
      places.subgroups |= spirv[at + 1] >= kGroupNonUniform && spirv[at + 1] <= kGroupNonUniformQuad;
      places.extension = at + length;
    } else if (op == kEntryPoint && length >= 3) {
      places.entry = spirv[at + 2];
      places.mode = at + length;
    } else if (places.mode != 0) {
      break;
    }
    at += length;
  }
  return places;
}

std::vector<uint32_t> extension_words(std::string_view name) {
  std::vector<uint32_t> words(2 + name.size() / 4);  // with a zero that ends the name
  words[0] = static_cast<uint32_t>(words.size()) << 16 | kExtension;
  for (size_t i = 0; i < name.size(); ++i) {
    words[1 + i / 4] |= static_cast<uint32_t>(static_cast<unsigned char>(name[i])) << 8 * (i % 4);
  }
  return words;
}

}  // namespace

Reconvergence reconvergence_of(const EnabledFeatures& features) {
  if (features.maximal_reconvergence) return Reconvergence::kMaximal;
  return features.subgroup_uniform_control_flow ? Reconvergence::kSubgroupUniform : Reconvergence::kUndeclared;
}

std::vector<uint32_t> declare_reconvergence(std::vector<uint32_t> spirv, Reconvergence declared) {
  if (declared == Reconvergence::kUndeclared) return spirv;
  const Places places = find_places(spirv);
  if (!places.subgroups || places.mode == 0) return spirv;
  const Declaration declaration = declaration_of(declared);
  const uint32_t mode[] = {3U << 16 | kExecutionMode, places.entry, declaration.mode};
  const std::vector<uint32_t> extension = extension_words(declaration.extension);
  // From back to front: an insertion moves all later positions.
  spirv.insert(spirv.begin() + static_cast<std::ptrdiff_t>(places.mode), std::begin(mode), std::end(mode));
  spirv.insert(spirv.begin() + static_cast<std::ptrdiff_t>(places.extension), extension.begin(), extension.end());
  return spirv;
}

}  // namespace onepass::vulkan
