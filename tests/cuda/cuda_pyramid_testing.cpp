// cuda_pyramid_testing.cpp: builds pyramids on the device under test; compares RGB with the oracle's RGBA.
#include "tests/cuda/cuda_pyramid_testing.hpp"

namespace onepass::testing {

::testing::AssertionResult cuda_build_matches(const CudaSetup& setup, const ImageView& source, int builds) {
  const PyramidOptions& options = setup.options;
  PyramidOptions known = options;  // by the oracle
  known.source = known_format(options.source);
  known.target = known_format(options.target);
  const std::string name = describe(options) + " levels " + std::to_string(options.levels);
  auto pyramid = cuda::create_pyramid(test_cuda_device(), options, setup.memory, setup.tuning, setup.test);
  if (!pyramid) return ::testing::AssertionFailure() << name << ": " << pyramid.error().text();

  const CudaImage fine(options.source, options.size, options.slices, setup.place(setup.memory.source));
  fine.upload(source);
  Levels levels(options);
  cuda::PyramidImages images{.source = fine.image(), .levels = {}};
  std::vector<CudaImage> coarse;
  for (const MutableImageView& view : levels.views) {
    coarse.emplace_back(options.target, view.size, view.slices, setup.place(setup.memory.target));
    images.levels.push_back(coarse.back().image());
  }
  const CudaMemory scratch(pyramid->dispatch_plan().scratch_bytes);
  if (!setup.own_scratch) images.scratch = scratch.data();
  auto binding = pyramid->bind(images);
  if (!binding) return ::testing::AssertionFailure() << name << ": " << binding.error().text();
  Result<void> done;
  if (!setup.own_scratch) done = pyramid->record_reset(nullptr, *binding);
  for (int i = 0; i < builds && done; ++i) {
    for (const CudaImage& image : coarse) image.poison();
    done = pyramid->record(nullptr, *binding);
  }
  if (!done) return ::testing::AssertionFailure() << name << ": " << done.error().text();

  std::vector<PaddedImage> actual;
  for (size_t i = 0; i < coarse.size(); ++i) {
    if (auto downloaded = coarse[i].download(levels.views[i]); !downloaded) {
      return downloaded << ": " << name << ": level " << i + 1;
    }
    actual.push_back(expanded(levels.views[i]));
  }
  std::vector<MutableImageView> views;
  for (PaddedImage& image : actual) views.push_back(image.view());
  const PaddedImage known_source = expanded(source, is_row_format(options.target));  // an RGB target drops alpha
  return matches(oracle_pyramid(known, known_source.view()), views, cuda_tolerance(known), name);
}

::testing::AssertionResult cuda_build_matches(const CudaSetup& setup, uint32_t seed, int builds) {
  Random random(seed);
  PaddedImage source(setup.options.source, setup.options.size, setup.options.slices);
  fill_random(source.view(), random);
  return cuda_build_matches(setup, source.view(), builds);
}

}  // namespace onepass::testing
