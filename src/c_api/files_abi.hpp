// files_abi.hpp: texts, paths and values of files, tiles and volumes in C.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "c_api/read_files_options.hpp"

namespace onepass::c_api {

/// A path of UTF-8.
inline std::filesystem::path path_of(const char* text) { return reinterpret_cast<const char8_t*>(text); }

inline Chromaticities to_cpp(const onepass_chromaticities& c) {
  return {{c.red[0], c.red[1]}, {c.green[0], c.green[1]}, {c.blue[0], c.blue[1]}, {c.white[0], c.white[1]}};
}
inline onepass_chromaticities to_c(const Chromaticities& c) {
  return {{c.red[0], c.red[1]}, {c.green[0], c.green[1]}, {c.blue[0], c.blue[1]}, {c.white[0], c.white[1]}};
}
inline VoxelSize to_cpp(const onepass_voxel_size& voxel) { return {voxel.x, voxel.y, voxel.z}; }
inline VolumeSize to_cpp(const onepass_volume_size& size) { return {size.width, size.height, size.planes}; }
inline onepass_volume_size to_c(const VolumeSize& size) { return {size.width, size.height, size.planes}; }
inline files::Box to_cpp(const onepass_files_box& box) { return {box.min_x, box.min_y, box.max_x, box.max_y}; }
inline onepass_files_box to_c(const files::Box& box) { return {box.min_x, box.min_y, box.max_x, box.max_y}; }

/// A path as UTF-8.
inline std::string utf8(const std::filesystem::path& path) {
  const std::u8string text = path.u8string();
  return {text.begin(), text.end()};
}

/// The text of this index; null beyond the last.
inline const char* text_at(const std::vector<std::string>& texts, uint32_t index) {
  return index < texts.size() ? texts[index].c_str() : nullptr;
}

/// CIE x and y of red, green, blue and white as OpenEXR stores them.
inline std::array<float, 8> eight_floats(const onepass_chromaticities& c) {
  const double all[] = {c.red[0], c.red[1], c.green[0], c.green[1], c.blue[0], c.blue[1], c.white[0], c.white[1]};
  std::array<float, 8> out{};
  for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<float>(all[i]);
  return out;
}

/// Copies an array of texts. Errors: kInvalidArgument for null.
inline Result<void> copy_texts(const char* name, const char* const* texts, uint32_t count,
                               std::vector<std::string>& out) {
  if (count == 0) return {};
  if (auto there = require(texts, name); !there) return there;
  out.clear();
  for (uint32_t i = 0; i < count; ++i) {
    if (auto there = require(texts[i], name); !there) return there;
    out.emplace_back(texts[i]);
  }
  return {};
}

/// Copies the steps of a volume. Errors: kInvalidArgument for null and for more than any volume has.
inline Result<void> copy_steps(const onepass_volume_step* steps, uint32_t count, std::vector<VolumeStep>& out) {
  constexpr uint32_t kMostSteps = 31;
  if (count == 0) return {};
  if (auto there = require(steps, "steps"); !there) return there;
  if (count > kMostSteps) return invalid("step_count: " + std::to_string(count) + ", at most 31 are possible");
  out.clear();
  for (uint32_t n = 0; n < count; ++n) out.push_back({steps[n].x, steps[n].y, steps[n].z});
  return {};
}

}  // namespace onepass::c_api
