// coverage_oracle.cpp: counts the stored alphas that pass, and compares the error of their share with the least error
// that is possible if any number of the largest alphas passes.
#include "tests/pyramid/coverage_oracle.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "tests/pyramid/pyramid_oracle.hpp"
#include "tests/pyramid/pyramid_testing.hpp"

namespace onepass::testing {
namespace {

/// The distance of a share from the base's, times both numbers of texels.
double error_of(double passing, double texels, double base_passing, double base_texels) {
  return std::fabs(passing * base_texels - base_passing * texels);
}

/// Unrounded alphas of all levels of a slice in units of the source, the base first.
std::vector<std::vector<double>> mean_alphas(const PyramidOptions& options, const ImageView& source, uint32_t slice) {
  const double unit = oracle_alpha_unit(options.source);
  PyramidOptions alone = options;
  alone.slices = 1;
  alone.source = alone.target = Format::kR32Sfloat;
  alone.alpha = Alpha::kIndependent;
  PaddedImage image(alone.source, alone.size);
  const std::vector<double> rgba = oracle_decode(source, slice);
  std::vector<std::vector<double>> all(1);
  for (size_t i = 0; i < rgba.size() / 4; ++i) {
    const double alpha = std::clamp(rgba[4 * i + 3], 0.0, 1.0);
    const auto value = static_cast<float>(unit == 1 ? alpha : std::round(alpha * unit));
    all[0].push_back(value);
    std::memcpy(image.view().row(static_cast<uint32_t>(i / source.size.width)) + 4 * (i % source.size.width), &value,
                4);
  }
  for (const OracleLevel& level : oracle_pyramid(alone, image.view())) {
    std::vector<double>& alphas = all.emplace_back();
    for (size_t i = 0; i < level.rgba.size(); i += 4) alphas.push_back(level.rgba[i]);
  }
  return all;
}

std::vector<double> stored_alphas(const ImageView& image, uint32_t slice) {
  const std::vector<double> rgba = oracle_decode(image, slice);
  std::vector<double> alphas;
  for (size_t i = 3; i < rgba.size(); i += 4) alphas.push_back(rgba[i]);
  return alphas;
}

uint64_t count_passing(const std::vector<double>& alphas, float threshold) {
  return static_cast<uint64_t>(
      std::count_if(alphas.begin(), alphas.end(), [&](double alpha) { return passes_alpha_test(alpha, threshold); }));
}

/// The least error of all numbers of the largest alphas that the rule may choose.
double least_error(std::vector<double> alphas, double unit, uint64_t base_passing, size_t base_texels) {
  std::sort(alphas.rbegin(), alphas.rend());
  const auto texels = static_cast<double>(alphas.size());
  double least = error_of(0, texels, static_cast<double>(base_passing), static_cast<double>(base_texels));
  for (size_t i = 0; i < alphas.size() && alphas[i] > 0; ++i) {
    const double next = i + 1 < alphas.size() ? alphas[i + 1] : -unit;
    if (alphas[i] - next < 1e-6 * unit) continue;
    least = std::min(least, error_of(static_cast<double>(i + 1), texels, static_cast<double>(base_passing),
                                     static_cast<double>(base_texels)));
  }
  return least;
}

float alpha_at(AlphaPicture picture, uint32_t x, uint32_t y, Extent size, Random& random) {
  const uint32_t noise = random.below(60);
  switch (picture) {
    case AlphaPicture::kMask: {
      const float dx = 2 * (static_cast<float>(x) + 0.5F) / static_cast<float>(size.width) - 1;
      const float dy = 2 * (static_cast<float>(y) + 0.5F) / static_cast<float>(size.height) - 1;
      return (dx * dx + dy * dy < 0.6F) != (noise < 4) ? 1.0F : 0.0F;
    }
    case AlphaPicture::kLeaves:
      return noise < 20 ? 0.0F : noise < 26 ? 1.0F : random.between(0.0F, 1.0F);
    case AlphaPicture::kLines:
      return x % 7 == 3 || (x + 2 * y) % 13 == 0 ? 1.0F : 0.0F;
  }
  return 0;
}

}  // namespace

void fill_alpha(const MutableImageView& image, AlphaPicture picture, uint32_t seed) {
  Random random(seed);
  std::vector<float> row(size_t{4} * image.size.width);
  for (uint32_t slice = 0; slice < image.slices; ++slice) {
    for (uint32_t y = 0; y < image.size.height; ++y) {
      for (uint32_t x = 0; x < image.size.width; ++x) {
        for (uint32_t c = 0; c < 3; ++c) row[4 * x + c] = random.between(0.0F, 1.0F);
        row[4 * x + 3] = alpha_at(picture, x + 5 * slice, y, image.size, random);
      }
      encode_row(image.format, row.data(), image.size.width, image.row(y, slice));
    }
  }
}

::testing::AssertionResult keeps_coverage(const PyramidOptions& options, const ImageView& source,
                                          std::span<const MutableImageView> levels) {
  const float threshold = options.alpha_threshold;
  const double unit = oracle_alpha_unit(options.source);
  for (uint32_t slice = 0; slice < options.slices; ++slice) {
    const auto means = mean_alphas(options, source, slice);
    const uint64_t base_passing = count_passing(stored_alphas(source, slice), threshold);
    for (size_t n = 1; n <= levels.size(); ++n) {
      const std::vector<double> stored = stored_alphas(levels[n - 1], slice);
      const uint64_t passing = count_passing(stored, threshold);
      const auto failed = [&] {
        return ::testing::AssertionFailure()
               << describe(options) << " threshold " << threshold << ", slice " << slice << ", level " << n << ": "
               << passing << " of " << stored.size() << " texels pass, " << base_passing << " of " << means[0].size()
               << " of the base";
      };
      const double error = error_of(static_cast<double>(passing), static_cast<double>(stored.size()),
                                    static_cast<double>(base_passing), static_cast<double>(means[0].size()));
      const double least = least_error(means[n], unit, base_passing, means[0].size());
      if (error > least) return failed() << ", but the distance of the shares can be " << least << ", not " << error;
      double least_passing = std::numeric_limits<double>::infinity();
      double most_failing = 0;
      for (size_t i = 0; i < stored.size(); ++i) {
        if (passes_alpha_test(stored[i], threshold)) {
          least_passing = std::min(least_passing, means[n][i]);
        } else {
          most_failing = std::max(most_failing, means[n][i]);
        }
      }
      if (most_failing > least_passing + 1e-6 * unit) {
        return failed() << ": mean alpha " << most_failing << " fails, " << least_passing << " passes";
      }
    }
  }
  return ::testing::AssertionSuccess();
}

}  // namespace onepass::testing
