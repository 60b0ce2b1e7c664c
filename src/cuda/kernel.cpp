// kernel.cpp: unpacks PTX, writes constants into it, and loads it. cmake/pack_ptx.pl is the inverse of the first.
#include "cuda/kernel.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <vector>

#include "image/error.hpp"
#include "vulkan/lzma.hpp"

namespace onepass::cuda {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

// The number that begins at `at`, which then is behind it.
uint32_t read_number(std::string_view text, size_t& at) {
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), number);
  at = static_cast<size_t>(end - text.data());
  return error == std::errc() ? number : 0;
}

// The length of the prefix of a numbered name that begins at `at`: "%rd" of a register, "BB0_" of a label; 0: none.
size_t prefix_length(std::string_view text, size_t at) {
  constexpr std::string_view kLabel = "BB0_";
  size_t end = at;
  if (text[at] == '%') {
    end = at + 1;
    while (end < text.size() && is_lower(text[end])) ++end;
  } else if (text.substr(at, kLabel.size()) == kLabel) {
    end = at + kLabel.size();
  }
  return end < text.size() && is_digit(text[end]) ? end - at : 0;
}

// Registers and labels have the distance from the largest number of their class so far instead of their numbers; 0: a
// new one.
std::string number_names(std::string_view packed) {
  std::map<std::string, uint32_t, std::less<>> counts;
  std::string text;
  text.reserve(packed.size() + packed.size() / 4);
  for (size_t at = 0; at < packed.size();) {
    const size_t prefix = prefix_length(packed, at);
    if (prefix == 0) {
      text += packed[at++];
      continue;
    }
    const std::string name(packed.substr(at, prefix));
    at += prefix;
    uint32_t& count = counts[name];
    const uint32_t distance = read_number(packed, at);
    text += name;
    text += std::to_string(distance == 0 || distance > count ? count++ : count - distance);
  }
  return text;
}

}  // namespace

std::optional<std::string> unpack_ptx(const vulkan::KernelSet& set, std::string_view name) {
  const auto entry = std::find_if(set.entries.begin(), set.entries.end(),
                                  [&](const vulkan::KernelEntry& e) { return e.name == name; });
  if (entry == set.entries.end() || entry->group >= set.groups.size()) return std::nullopt;
  const vulkan::KernelGroup& group = set.groups[entry->group];
  const auto content = std::as_bytes(group.content);
  if (group.compressed_bytes > content.size()) return std::nullopt;
  std::vector<std::byte> bytes(size_t{entry->first} + entry->bytes);
  if (!vulkan::decompress_lzma(content.first(group.compressed_bytes), bytes)) return std::nullopt;
  return number_names({reinterpret_cast<const char*>(bytes.data()) + entry->first, entry->bytes});
}

std::string specialize(std::string_view ptx, std::string_view name, std::span<const uint32_t> constants) {
  constexpr std::string_view kName = "ONEPASS_CONSTANT_";
  std::string text = "// " + std::string(name);
  for (const uint32_t constant : constants) text += " " + std::to_string(constant);
  text += "\n";
  text.reserve(text.size() + ptx.size());
  for (size_t at = 0;;) {
    const size_t found = ptx.find(kName, at);
    text += ptx.substr(at, found - at);
    if (found == std::string_view::npos) return text;
    at = found + kName.size();
    const uint32_t number = read_number(ptx, at);
    ++at;  // the final underscore
    ONEPASS_ASSERT(number < constants.size());
    text += std::to_string(constants[number]);
  }
}

Result<std::shared_ptr<const Kernel>> Kernel::find(const Device& device, const vulkan::KernelSet& set,
                                                   const std::string& name, std::span<const uint32_t> constants) {
  const Device::Impl& d = device.impl();
  if (set.entries.empty()) {
    return unsupported("this build has no CUDA kernels (ONEPASS_WITH_CUDA, which needs clang++, perl and xz)",
                       d.info.name);
  }
  std::string key = "kernel " + name;
  for (const uint32_t constant : constants) key += " " + std::to_string(constant);
  return d.shared.get<Kernel>(key, [&]() -> Result<std::shared_ptr<Kernel>> {
    const auto ptx = unpack_ptx(set, name);
    if (!ptx) return Error{ErrorCode::kDevice, "the kernel " + name + " is not embedded, or damaged", d.info.name};
    const std::string text = specialize(*ptx, name, constants);
    const CurrentContext current(d);
    if (auto checked = d.check("cuCtxPushCurrent", current.status()); !checked) return checked.error();
    Module module = nullptr;
    if (auto checked = d.check("cuModuleLoadData", d.driver.module_load(&module, text.c_str())); !checked) {
      return checked.error();
    }
    Function function = nullptr;
    const int status = d.driver.module_function(&function, module, name.c_str());
    if (auto checked = d.check("cuModuleGetFunction", status); !checked) {
      d.driver.module_unload(module);
      return checked.error();
    }
    return std::make_shared<Kernel>(d, module, function);
  });
}

}  // namespace onepass::cuda
