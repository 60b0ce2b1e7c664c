// roughness.cpp: cpu::roughness_mips(): levels of a normal map and of its roughness from moments of the normals.
//
// A texel of a level has the means of x, y, z, of the fourth channel and of r^4 = alpha^2 over its footprint, and with
// kCovariance those of products of x, y and z:
//
//     base --decode--> moments of level 1 --weights--> moments of level 2 ...     in double precision
//                             |                               |
//                       normal, roughness               normal, roughness         rounded once
//
// A lobe of roughness alpha around a normal is about a Gaussian of slopes with variance alpha^2 / 2 per axis. Variances
// add, and the variance of a mixture is the mean of the variances plus the variance of the means: alpha^2 of a level is
// the mean of alpha^2 plus twice the variance v of the normals per axis. For unit vectors whose mean has length L, v is
// about (1 - L) / L (Toksvig). Along one axis t of the tangent plane of the mean normal m, v is the mean of (n t)^2
// over that of (n m)^2.
//
// M. Toksvig, "Mipmapping Normal Maps", Journal of Graphics Tools, 2005. M. Olano, D. Baker, "LEAN Mapping", I3D, 2010.
#include <algorithm>
#include <array>
#include <cmath>
#include <new>
#include <string>
#include <vector>

#include "cpu/workers.hpp"
#include "material/vectors.hpp"
#include "onepass/material.hpp"

namespace onepass::cpu {
namespace {

using material::Vector;

// The moments of a texel, in this order.
enum Moment : size_t { kX, kY, kZ, kFourth, kAlpha2, kXX, kYY, kXY, kXZ, kYZ };
constexpr size_t kFirstMoments = 5;
constexpr size_t kAllMoments = 10;

/// The size of the level after one of `size`.
Extent next_size(Extent size) { return {std::max(1U, size.width / 2), std::max(1U, size.height / 2)}; }

/// The finer texels of texel i of a level along an axis, and their weights: polyphase weights of Footprint::kCovering.
struct Taps {
  Taps(uint32_t finer, uint32_t i) {
    first = 2 * i;
    if (finer == 1) {
      first = 0;
      count = 1;
      weights[0] = 1;
    } else if (finer % 2 == 0) {
      weights = {0.5, 0.5, 0};
    } else {
      const uint32_t half = finer / 2;
      count = 3;
      const auto share = [&](uint32_t part) { return static_cast<double>(part) / finer; };
      weights = {share(half - i), share(half), share(i + 1)};
    }
  }
  uint32_t first = 0;
  uint32_t count = 2;
  std::array<double, 3> weights{};
};

/// The moments of a level of one slice.
struct Level {
  Extent size;
  std::vector<double> moments;  ///< Row by row; empty for the base.
};

/// Memory of a thread.
struct RowMemory {
  std::vector<float> texels;     ///< Decoded, and to be encoded.
  std::vector<float> roughness;  ///< Of the base, decoded.
  std::vector<double> fine;      ///< Moments of a row of the base.
  std::vector<double> sum;       ///< Rows of the finer level, weighted and added.
};

class RoughnessMaker {
 public:
  RoughnessMaker(const ImageView& normals, const ImageView& roughness, const RoughnessOptions& options)
      : normals_(normals),
        roughness_(roughness),
        options_(options),
        moments_(options.variance == NormalVariance::kCovariance ? kAllMoments : kFirstMoments),
        vectors_(normals.format) {}

  [[nodiscard]] size_t moments() const { return moments_; }

  /// Makes row `y` of `to` from the level before, and stores it in the views that have pixels.
  void make_row(const Level& from, Level& to, uint32_t y, uint32_t slice, const MutableImageView& normals,
                const MutableImageView& roughness, RowMemory& memory) const {
    const size_t fine_values = size_t{from.size.width} * moments_;
    memory.sum.assign(fine_values, 0.0);
    const Taps rows(from.size.height, y);
    for (uint32_t tap = 0; tap < rows.count; ++tap) {
      const double* const fine = row_of(from, rows.first + tap, slice, memory);
      for (size_t i = 0; i < fine_values; ++i) memory.sum[i] += rows.weights[tap] * fine[i];
    }
    double* out = to.moments.data() + size_t{y} * to.size.width * moments_;
    for (uint32_t x = 0; x < to.size.width; ++x, out += moments_) {
      const Taps columns(from.size.width, x);
      std::fill_n(out, moments_, 0.0);
      for (uint32_t tap = 0; tap < columns.count; ++tap) {
        const double* const fine = memory.sum.data() + size_t{columns.first + tap} * moments_;
        for (size_t i = 0; i < moments_; ++i) out[i] += columns.weights[tap] * fine[i];
      }
    }
    const double* const made = to.moments.data() + size_t{y} * to.size.width * moments_;
    if (normals.data != nullptr) store_normals(made, normals, y, slice, memory);
    if (roughness.data != nullptr) store_roughness(made, roughness, y, slice, memory);
  }

 private:
  /// The moments of a row of a level; those of the base are made now.
  const double* row_of(const Level& level, uint32_t y, uint32_t slice, RowMemory& memory) const {
    if (!level.moments.empty()) return level.moments.data() + size_t{y} * level.size.width * moments_;
    const uint32_t width = level.size.width;
    memory.texels.resize(size_t{4} * width);
    memory.fine.resize(size_t{width} * moments_);
    decode_row(normals_.format, normals_.row(y, slice), width, memory.texels.data());
    const bool varies = roughness_.data != nullptr;
    if (varies) {
      memory.roughness.resize(size_t{4} * width);
      decode_row(roughness_.format, roughness_.row(y, slice), width, memory.roughness.data());
    }
    double* out = memory.fine.data();
    for (size_t x = 0; x < width; ++x, out += moments_) {
      const Vector n = vectors_.vector_of(memory.texels.data() + 4 * x);
      const double r = varies ? memory.roughness[4 * x + options_.source_channel] : options_.roughness;
      const double alpha = r < 0 ? 0 : r > 1 ? 1 : r * r;  // NaN stays
      out[kX] = n.x;
      out[kY] = n.y;
      out[kZ] = n.z;
      out[kFourth] = memory.texels[4 * x + 3];
      out[kAlpha2] = alpha * alpha;
      if (moments_ == kFirstMoments) continue;
      out[kXX] = n.x * n.x;
      out[kYY] = n.y * n.y;
      out[kXY] = n.x * n.y;
      out[kXZ] = n.x * n.z;
      out[kYZ] = n.y * n.z;
    }
    return memory.fine.data();
  }

  void store_normals(const double* moments, const MutableImageView& view, uint32_t y, uint32_t slice,
                     RowMemory& memory) const {
    const material::VectorFormat format(view.format);
    memory.texels.resize(size_t{4} * view.size.width);
    for (size_t x = 0; x < view.size.width; ++x, moments += moments_) {
      float* const texel = memory.texels.data() + 4 * x;
      format.store(mean_normal(moments), texel);
      texel[3] = static_cast<float>(moments[kFourth]);
    }
    encode_row(view.format, memory.texels.data(), view.size.width, view.row(y, slice));
  }

  void store_roughness(const double* moments, const MutableImageView& view, uint32_t y, uint32_t slice,
                       RowMemory& memory) const {
    memory.texels.resize(size_t{4} * view.size.width);
    const bool both = options_.variance == NormalVariance::kCovariance;
    if (texel_info(view.format).channels > (both ? 2U : 1U)) {  // others keep their values
      decode_row(view.format, view.row(y, slice), view.size.width, memory.texels.data());
    }
    for (size_t x = 0; x < view.size.width; ++x, moments += moments_) {
      float* const out = memory.texels.data() + 4 * x + options_.target_channel;
      const std::array<double, 2> v = both ? axis_variances(moments) : std::array{toksvig_variance(moments), 0.0};
      out[0] = roughness_of(moments[kAlpha2], v[0]);
      if (both) out[1] = roughness_of(moments[kAlpha2], v[1]);
    }
    encode_row(view.format, memory.texels.data(), view.size.width, view.row(y, slice));
  }

  static Vector mean_of(const double* moments) { return {moments[kX], moments[kY], moments[kZ]}; }

  /// Means of normals that cancel out are rounding errors without a direction.
  static constexpr double kLeastLength = 1e-12;

  static Vector mean_normal(const double* moments) {
    const Vector mean = mean_of(moments);
    return length(mean) < kLeastLength ? Vector{} : unit(mean);
  }

  static double toksvig_variance(const double* moments) {
    const double l = length(mean_of(moments));
    return l >= 1 ? 0 : (1 - l) / std::max(l, kLeastLength);  // a NaN stays one
  }

  /// Variances along x and y of the tangent plane of the mean normal.
  static std::array<double, 2> axis_variances(const double* m) {
    const Vector n = mean_normal(m);
    Vector tx{1 - n.x * n.x, -n.x * n.y, -n.x * n.z};  // the axis x without its part along n
    if (std::abs(n.x) > 0.9999999) tx = {0, 0, -n.x};
    tx = unit(tx);
    const Vector ty{n.y * tx.z - n.z * tx.y, n.z * tx.x - n.x * tx.z, n.x * tx.y - n.y * tx.x};
    const double zz = 1 - m[kXX] - m[kYY];
    const auto mean_square = [&](const Vector& t) {  // of the parts along t
      return t.x * t.x * m[kXX] + t.y * t.y * m[kYY] + t.z * t.z * zz +
             2 * (t.x * t.y * m[kXY] + t.x * t.z * m[kXZ] + t.y * t.z * m[kYZ]);
    };
    const double along = std::max(mean_square(n), kLeastLength);
    const auto variance = [&](const Vector& t) {
      const double part = mean_square(t);
      return part < 0 ? 0 : part / along;
    };
    return {variance(tx), variance(ty)};
  }

  static float roughness_of(double alpha2, double variance) {
    const double sum = alpha2 + 2 * variance;
    return static_cast<float>(sum > 1 ? 1 : std::sqrt(std::sqrt(sum)));
  }

  ImageView normals_;
  ImageView roughness_;
  RoughnessOptions options_;
  size_t moments_;
  material::VectorFormat vectors_;
};

Result<void> check_levels(const std::string& what, const ImageView& base, std::span<const MutableImageView> levels,
                          uint32_t channels) {
  Extent size = base.size;
  for (size_t i = 0; i < levels.size(); ++i) {
    const std::string name = what + "[" + std::to_string(i) + "]";
    if (size == Extent{1, 1}) {
      return invalid(what + ": " + std::to_string(levels.size()) + " views, but " + size_text(base.size) + " has " +
                     std::to_string(i) + " levels after the base");
    }
    size = next_size(size);
    if (auto fine = material::check_data_format(name, levels[i], channels); !fine) return fine;
    if (auto fine = check_view(name, levels[i], levels[i].format, size, base.slices); !fine) return fine;
  }
  return {};
}

Result<void> check(const ImageView& normals, const ImageView& roughness,
                   std::span<const MutableImageView> normal_levels, std::span<const MutableImageView> roughness_levels,
                   const RoughnessOptions& options) {
  if (auto fine = check_enumerators("variance", options.variance); !fine) return fine;
  if (!(options.roughness >= 0 && options.roughness <= 1)) {
    return invalid("roughness: " + std::to_string(options.roughness) + " is not 0 to 1");
  }
  const uint32_t targets = options.variance == NormalVariance::kCovariance ? 2 : 1;
  if (auto fine = material::check_channel("target_channel", options.target_channel, 5 - targets); !fine) return fine;
  if (auto fine = material::check_data_format("normals", normals, 2); !fine) return fine;
  if (auto fine = material::check_shape("normals", normals); !fine) return fine;
  if (auto fine = check_view("normals", normals, normals.format, normals.size, normals.slices); !fine) return fine;
  if (roughness.data != nullptr) {
    if (auto fine = material::check_data_format("roughness", roughness, 1); !fine) return fine;
    if (auto fine = check_view("roughness", roughness, roughness.format, normals.size, normals.slices); !fine) {
      return fine;
    }
    const uint32_t channels = texel_info(roughness.format).channels;
    if (auto fine = material::check_channel("source_channel", options.source_channel, channels); !fine) return fine;
  }
  if (auto fine = check_levels("normal_levels", normals, normal_levels, 2); !fine) return fine;
  return check_levels("roughness_levels", normals, roughness_levels, options.target_channel + targets);
}

}  // namespace

Result<void> roughness_mips(const ImageView& normals, const ImageView& roughness,
                            std::span<const MutableImageView> normal_levels,
                            std::span<const MutableImageView> roughness_levels, const RoughnessOptions& options,
                            const MaterialTuning& tuning) {
  if (auto fine = check(normals, roughness, normal_levels, roughness_levels, options); !fine) return fine;
  try {
    const RoughnessMaker maker(normals, roughness, options);
    Workers workers(tuning.threads);
    std::vector<RowMemory> memory(workers.slots());
    const auto view_of = [](std::span<const MutableImageView> views, size_t i) {
      return i < views.size() ? views[i] : MutableImageView{};
    };
    for (uint32_t slice = 0; slice < normals.slices; ++slice) {
      Level from{normals.size, {}};
      for (size_t i = 0; i < std::max(normal_levels.size(), roughness_levels.size()); ++i) {
        Level to{next_size(from.size), {}};
        to.moments.resize(size_t{to.size.width} * to.size.height * maker.moments());
        workers.run(to.size.height, [&](size_t y, uint32_t slot) {
          maker.make_row(from, to, static_cast<uint32_t>(y), slice, view_of(normal_levels, i),
                         view_of(roughness_levels, i), memory[slot]);
        });
        from = std::move(to);
      }
    }
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, "no memory for the moments of " + size_text(normals.size) + " normals", ""};
  }
  return {};
}

}  // namespace onepass::cpu
