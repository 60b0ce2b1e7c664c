// cpu_pyramid_bounds_test.cpp: pyramids neither read nor write a byte beyond their images, which begin or end at a page
// that cannot be accessed.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <deque>

#include "tests/cpu/simd_targets.hpp"
#include "tests/pyramid/pyramid_testing.hpp"
#include "tests/support/test_seed.hpp"

namespace onepass::testing {
namespace {

/// An image without gaps between inaccessible pages; it begins after the first one, or ends before the last one.
class GuardedImage {
 public:
  GuardedImage(Format format, Extent size, bool at_end) {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const size_t row = size_t{size.width} * format_info(format).bytes_per_texel;
    const size_t bytes = row * size.height;
    const size_t inside = (bytes + page - 1) / page * page;
    mapped_ = inside + 2 * page;
    pages_ = mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT_NE(pages_, MAP_FAILED);
    std::byte* const first = static_cast<std::byte*>(pages_) + page;
    EXPECT_EQ(mprotect(first, inside, PROT_READ | PROT_WRITE), 0);
    view_ = {at_end ? first + inside - bytes : first, format, size, 1, row, 0};
  }
  GuardedImage(const GuardedImage&) = delete;
  GuardedImage& operator=(const GuardedImage&) = delete;
  ~GuardedImage() { munmap(pages_, mapped_); }

  [[nodiscard]] const MutableImageView& view() const { return view_; }

 private:
  void* pages_ = nullptr;
  size_t mapped_ = 0;
  MutableImageView view_;
};

void build(const PyramidOptions& options, bool at_end, uint32_t threads, Random& random) {
  auto pyramid = cpu::Pyramid::create(options, {.threads = threads});
  ASSERT_TRUE(pyramid) << pyramid.error().text();
  const GuardedImage source(options.source, options.size, at_end);
  fill_random(source.view(), random);
  const MutableImageView& s = source.view();
  std::deque<GuardedImage> levels;
  std::vector<MutableImageView> views;
  for (uint32_t n = 1; n < pyramid->plan().levels; ++n) {
    views.push_back(levels.emplace_back(options.target, pyramid->plan().sizes[n], at_end).view());
  }
  const auto built = pyramid->build({s.data, s.format, s.size, 1, s.row_stride, 0}, views);
  EXPECT_TRUE(built.ok()) << built.error().text();
}

TEST(CpuPyramidBounds, NothingBeyondAnImageIsReadOrWritten) {
  Random random(random_seed());
  constexpr Format kFormats[] = {Format::kRGBA8Srgb,    Format::kRGBA8Unorm,   Format::kR8Unorm,
                                 Format::kRGBA16Sfloat, Format::kRGBA32Sfloat, Format::kR32Sfloat};
  constexpr Footprint kFootprints[] = {Footprint::kCovering, Footprint::kAligned, Footprint::kEdge, Footprint::kTight};
  for (const size_t target : machine_targets()) {
    const OnlyTarget only(target);
    for (const Format format : kFormats) {
      for (const Footprint footprint : kFootprints) {
        for (uint32_t round = 0; round < 12; ++round) {
          const bool wide = round % 4 == 0;  // several blocks of a vector's width
          PyramidOptions options{.size = {1 + random.below(wide ? 700 : 140), 1 + random.below(wide ? 200 : 60)},
                                 .source = format,
                                 .target = format,
                                 .footprint = footprint};
          if (footprint == Footprint::kTight || round % 3 == 2) options.reduction = Reduction::kMax;
          SCOPED_TRACE(describe(options) + ", target " + std::to_string(target));
          build(options, round % 2 == 0, 1 + round % 3, random);
        }
      }
    }
  }
}

}  // namespace
}  // namespace onepass::testing
