// trait_files.hpp: one table of every statement that a file can make about its picture, by file type, with a file for
// each and what it means. tiles_traits_test.cpp reads them by the library, cli_traits_test.cpp by the commands.
//
// A trait is honoured, or one warning names it. A new type or a new trait fails TilesTraits until the table has a file
// for the pair, or a reason why the type cannot state it.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/files/files_encoders.hpp"

namespace files_test {

enum class Trait {
  kOrientation,  // also the origin and the order of the axes
  kPrimaries,
  kTransfer,
  kProfile,
  kAlpha,
  kInks,
  kSwizzle,
  kExposure,
  kResolution,
  kWindow,   // a part of the picture, the shape of its pixels
  kFurther,  // pages, frames, gain maps, parts
  kCount
};
inline constexpr const char* kTraitNames[] = {"orientation", "primaries", "transfer",        "profile",
                                              "alpha",       "inks",      "swizzle",         "exposure",
                                              "resolution",  "window",    "further pictures"};

// The picture as stored: blocks of 8x8 pixels of one colour, which JPEG keeps.
inline constexpr uint32_t kTraitWidth = 24;
inline constexpr uint32_t kTraitHeight = 16;
/// The 8-bit value of red, green or blue.
double trait_code(uint32_t x, uint32_t y, uint32_t c);
/// The value of alpha, where there is one.
inline constexpr uint8_t kTraitAlpha = 200;

/// One file and what must become of it.
struct TraitFile {
  Trait trait = Trait::kOrientation;
  onepass::files::Type type = onepass::files::Type::kUnknown;
  std::string name;  // with the extension
  Bytes file;
  uint32_t orientation = 1;        // EXIF's number of what is stored
  bool upright_by_reader = false;  // files::read() turns the picture; for other types it reports the orientation
  /// Linear light of a stored value, 0 to 255.
  std::function<double(double)> light = [](double code) { return srgb_decode(code / 255); };
  std::array<uint32_t, 3> channels{0, 1, 2};  // stored channels that are red, green and blue
  std::optional<onepass::Chromaticities> primaries{};
  std::string warning{};        // of both readers, or
  std::string tiles_warning{};  // of tiles, where files::read() has a field for the statement
  std::optional<onepass::AlphaAssociation> alpha{};
  double resolution = 0;  // per inch
  double slack = 0.012;   // of values encoded by sRGB

  /// The stored place of the pixel that is shown at (x, y).
  [[nodiscard]] std::array<uint32_t, 2> place(uint32_t x, uint32_t y) const;
  [[nodiscard]] uint32_t width() const { return orientation >= 5 ? kTraitHeight : kTraitWidth; }
  [[nodiscard]] uint32_t height() const { return orientation >= 5 ? kTraitWidth : kTraitHeight; }
  /// Light of red, green or blue of the picture as it is meant.
  [[nodiscard]] double shown(uint32_t x, uint32_t y, uint32_t c) const {
    const auto [u, v] = place(x, y);
    return light(trait_code(u, v, channels[c]));
  }
};
std::vector<TraitFile> trait_files();

/// A trait that a type cannot state, or whose test is elsewhere, and the reason.
struct NoTrait {
  onepass::files::Type type;
  std::vector<Trait> traits;
  std::string reason;
};
std::vector<NoTrait> impossible_traits();

/// Whether this build reads files of the type.
bool type_is_built(onepass::files::Type type);

/// Whether one of the texts contains `text`.
bool any_names(const std::vector<std::string>& texts, const std::string& text);

}  // namespace files_test
