// mip_filter_testing.cpp: the images of the tests of mip filters.
#include "tests/pyramid/mip_filter_testing.hpp"

#include <cmath>
#include <vector>

namespace onepass::testing {

std::string describe_filter(const PyramidOptions& options) {
  const MipFilterOptions& filter = options.filter;
  return describe(options) + " " + std::string(word_of(filter.kind)) + " " + std::string(word_of(filter.input)) + " " +
         std::string(word_of(filter.boundary)) + " " + std::string(word_of(filter.ringing));
}

PyramidOptions options_of(Format format, Extent size, const MipFilterOptions& filter) {
  return {.size = size, .source = format, .target = format, .filter = filter};
}

PaddedImage random_source(const PyramidOptions& options, uint32_t seed) {
  PaddedImage source(options.source, options.size, options.slices, 7, 9);
  Random random(seed);
  fill_random(source.view(), random);
  return source;
}

PaddedImage transparent_source(const PyramidOptions& options) {
  PaddedImage source = random_source(options);
  for (uint32_t y = 0; y < options.size.height; ++y) {
    std::vector<float> row(size_t{4} * options.size.width);
    decode_row(options.source, source.view().row(y), options.size.width, row.data());
    for (uint32_t x = 0; x < options.size.width; ++x) {
      if (3 * x < options.size.width) row[4 * x + 3] = 0;
      if (3 * x > 2 * options.size.width) row[4 * x + 3] = 1;
      for (uint32_t c = 0; c < 4; ++c) row[4 * x + c] = std::fabs(row[4 * x + c]);
    }
    encode_row(options.source, row.data(), options.size.width, source.view().row(y));
  }
  return source;
}

PaddedImage normal_source(const PyramidOptions& options) {
  PaddedImage source(options.source, options.size);
  const bool is_unorm = format_info(options.source).type == ChannelType::kUnorm;
  Random random(3);
  for (uint32_t y = 0; y < options.size.height; ++y) {
    std::vector<float> row;
    for (uint32_t x = 0; x < options.size.width; ++x) {
      const float slope_x = random.between(-0.4F, 0.4F);
      const float slope_y = random.between(-0.4F, 0.4F);
      const float z = std::sqrt(1 - slope_x * slope_x - slope_y * slope_y);
      for (const float v : {slope_x, slope_y, z}) row.push_back(is_unorm ? 0.5F * v + 0.5F : v);
      row.push_back(0.25F);
    }
    encode_row(options.source, row.data(), options.size.width, source.view().row(y));
  }
  return source;
}

}  // namespace onepass::testing
