// texture_set.hpp: the command line of `textures`: which pictures make which textures of a set.
//
//     base, normal or height, ao + rough + metal, emissive      pictures that the user names
//     base, normal, orm, rough_xy, emissive                     textures that are written: roles
//
// A set belongs to one picture of base colours. Its name is that picture's without the extension and without a word for
// base colours at its end: bricks_albedo.png makes the set "bricks".
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "onepass/blocks.hpp"
#include "onepass/material.hpp"
#include "onepass/pyramid.hpp"
#include "output.hpp"
#include "request.hpp"

namespace onepass::cli {

/// What a finished texture is for.
enum class Role { kBase, kNormal, kOrm, kRoughXy, kEmissive };

/// The word of a role in the names of files and in reports.
[[nodiscard]] const char* role_word(Role role);

/// Where textures are to be loaded.
enum class Profile {
  kDesktop,  ///< Blocks of BC formats, which all GPUs of PCs and consoles sample.
  kMobile,   ///< Blocks of ASTC, which all GPUs of phones sample; light needs their HDR profile.
  kWeb,      ///< Texels, which all GPUs sample, compressed by Zstandard for the way there.
};

inline constexpr Name<Profile> kProfileNames[] = {
    {"desktop", Profile::kDesktop}, {"mobile", Profile::kMobile}, {"web", Profile::kWeb}};

/// A channel of a picture, or a value in place of it.
struct ChannelInput {
  std::string file;      ///< Empty: `value`.
  uint32_t channel = 0;  ///< 0 to 3.
  float value = 0;
};

/// The options of `textures`, after parsing.
struct TexturesRequest : Request {
  RequestWords words;
  Profile profile = Profile::kDesktop;
  BlockQuality quality = BlockQuality::kNormal;
  std::optional<Alpha> alpha;  ///< Empty: weighted if the base is transparent anywhere.
  float alpha_threshold = 0.5F;
  MipFilter filter = MipFilter::kBox;  ///< Of the colours.
  bool wrap = false;
  bool flip_y = false;
  bool keep_roughness = false;  ///< Without the variance of the normals.
  bool rough_xy = false;
  float height_scale = 8;
  std::string normal, height, emissive;  ///< Names with marks; empty: none.
  std::string ao, rough, metal, pack;    ///< As typed, like the next line.
  std::string profile_word = "desktop", quality_word = "normal", alpha_word, filter_word = "box";
  std::array<std::optional<ChannelInput>, 4> packed;  ///< Names with marks; none: no texture of roughness.

  [[nodiscard]] bool has_orm() const { return packed[1].has_value(); }
};

/// The channel of the packed texture that holds roughness, as in glTF.
inline constexpr uint32_t kRoughnessChannel = 1;

/// Adds all options.
void add_textures_options(CLI::App& command, TexturesRequest& request);

/// Converts the words to values. Errors: kInvalidArgument, a usage error.
[[nodiscard]] Result<void> finish_textures_request(const CLI::App& command, TexturesRequest& request);

/// One set: the files that are read, and those that are written.
struct TextureSet {
  Unit unit;  ///< Its inputs are all files that the set needs; the first one is the base.
  std::string normal, height, emissive;
  std::array<ChannelInput, 4> packed;
  uint32_t packed_channels = 0;
  std::vector<std::pair<Role, std::filesystem::path>> outputs;

  [[nodiscard]] const std::filesystem::path* output(Role role) const {
    for (const auto& [one, path] : outputs) {
      if (one == role) return &path;
    }
    return nullptr;
  }
};

/// The sets of all inputs that request.shard makes. Refuses outputs that are inputs or other outputs; changes no file.
/// Errors: kInvalidArgument, a usage error.
[[nodiscard]] Result<std::vector<TextureSet>> plan_sets(const TexturesRequest& request);

}  // namespace onepass::cli
