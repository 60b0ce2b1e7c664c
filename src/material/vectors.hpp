// vectors.hpp: normal vectors of texels, and the checks of views that hold them.
#pragma once

#include <cmath>
#include <string>

#include "cpu/views.hpp"
#include "image/error.hpp"
#include "onepass/image.hpp"

namespace onepass::material {

struct Vector {
  double x = 0;
  double y = 0;
  double z = 1;
};

[[nodiscard]] inline double length(const Vector& v) { return std::sqrt(v.x * v.x + v.y * v.y + v.z * v.z); }

/// `v` with length 1; (0, 0, 1) for a null vector.
[[nodiscard]] inline Vector unit(const Vector& v) {
  const double l = length(v);
  if (l == 0) return {};
  return {v.x / l, v.y / l, v.z / l};
}

/// How a format stores vectors.
struct VectorFormat {
  explicit VectorFormat(Format format)
      : two_channels(texel_info(format).channels == 2), is_signed(texel_info(format).type == ChannelType::kFloat) {}

  bool two_channels;  ///< z is implied.
  bool is_signed;     ///< Stores -1 to 1 directly; otherwise 0.5 * n + 0.5.

  /// The vector of a decoded texel, with length 1.
  [[nodiscard]] Vector vector_of(const float* rgba) const {
    const auto value = [&](float v) { return is_signed ? double{v} : 2.0 * v - 1.0; };
    Vector v{value(rgba[0]), value(rgba[1]), 0};
    const double rest = 1 - v.x * v.x - v.y * v.y;
    v.z = !two_channels ? value(rgba[2]) : rest < 0 ? 0 : std::sqrt(rest);  // NaN of x or y reaches z
    return unit(v);
  }

  /// Stores x, y and z of a vector in a texel to encode.
  void store(const Vector& v, float* rgba) const {
    const auto value = [&](double n) { return static_cast<float>(is_signed ? n : 0.5 * n + 0.5); };
    rgba[0] = value(v.x);
    rgba[1] = value(v.y);
    rgba[2] = value(v.z);
  }
};

/// Checks that the format of `view` is known, is no label, and no depth unless `depth`.
inline Result<void> check_format(const std::string& what, const ImageView& view, bool depth) {
  const FormatInfo& info = texel_info(view.format);
  if (info.channels == 0) {
    return invalid(what + ": unknown format " + std::to_string(static_cast<uint32_t>(view.format)));
  }
  if (info.type == ChannelType::kUint || (info.depth && !depth)) {
    return invalid(what + ": format " + std::string(info.name) + " is not possible here");
  }
  return {};
}

/// The same for data that no sRGB format can hold: `least` channels or more.
inline Result<void> check_data_format(const std::string& what, const ImageView& view, uint32_t least) {
  if (auto fine = check_format(what, view, false); !fine) return fine;
  const FormatInfo& info = texel_info(view.format);
  if (info.type == ChannelType::kSrgb) {
    return invalid(what + ": format " + std::string(info.name) + " is for colours, not for vectors and roughness");
  }
  if (info.channels < least) {
    return invalid(what + ": format " + std::string(info.name) + " has " + std::to_string(info.channels) +
                   (info.channels == 1 ? " channel, not " : " channels, not ") + std::to_string(least) + " or more");
  }
  return {};
}

/// Checks size and slices of a view by themselves.
inline Result<void> check_shape(const std::string& what, const ImageView& view) {
  const auto [width, height] = view.size;
  if (width == 0 || height == 0 || width > 65535 || height > 65535) {
    return invalid(what + ": size " + size_text(view.size) + ", not 1 to 65535 per axis");
  }
  if (view.slices == 0) return invalid(what + ": slices 0");
  return {};
}

/// Checks the index of a channel. `name`: of the option.
inline Result<void> check_channel(const std::string& name, uint32_t channel, uint32_t channels) {
  if (channel < channels) return {};
  return invalid(name + ": " + std::to_string(channel) + ", not 0 to " + std::to_string(channels - 1));
}

}  // namespace onepass::material
