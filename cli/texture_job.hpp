// texture_job.hpp: makes the textures of one set, from its pictures to its files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "texture_error.hpp"
#include "texture_set.hpp"

namespace onepass::cli {

/// A finished texture.
struct MadeTexture {
  Role role = Role::kBase;
  std::filesystem::path file;
  std::string format;  ///< Of blocks or texels.
  Extent size;
  uint32_t levels = 0;
  uint64_t bytes = 0;  ///< Of all levels in the memory of a GPU.
  bool transparent = false;
  TextureError error;  ///< Of level 0.
  Pixels picture;      ///< Level 0 as it is stored, of the size of the heat map.
};

/// Report of one set.
struct SetReport {
  std::vector<MadeTexture> textures;
  double read_ms = 0;
  double make_ms = 0;
  double write_ms = 0;
  std::vector<std::string> warnings;
  std::vector<std::string> hints;
};

/// Reads, computes and writes one set: all of its files appear, or none. On an error its outputs are unchanged.
[[nodiscard]] Result<SetReport> run_set(const TexturesRequest& request, const TextureSet& set);

}  // namespace onepass::cli
