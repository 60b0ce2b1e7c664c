// texture_job.hpp: makes the textures of one set, from its pictures to its files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine.hpp"
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
  EngineReport engine;        ///< What made the levels of the base: its engine, device and note.
  EngineReport block_engine;  ///< What compressed the base; "cpu" without blocks.
  double read_ms = 0;
  double make_ms = 0;
  double write_ms = 0;
  std::vector<std::string> warnings;
  std::vector<std::string> hints;
};

/// Reads, computes and writes one set: all of its files appear, or none. On an error its outputs are unchanged.
/// The engine makes means of levels, and blocks where compress_levels() can; the CPU all else.
[[nodiscard]] Result<SetReport> run_set(const TexturesRequest& request, const EngineChoice& engine,
                                        const TextureSet& set);

}  // namespace onepass::cli
