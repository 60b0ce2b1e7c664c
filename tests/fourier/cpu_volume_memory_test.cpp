// cpu_volume_memory_test.cpp: the memory that a deconvolution of a volume allocates is that of its plan. The test
// replaces operator new, and counts what is asked for: the C library rounds aligned memory up by as much as megabytes.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <mutex>
#include <new>

#include "tests/fourier/volume_fourier_testing.hpp"

namespace {

constexpr size_t kLeastCounted = size_t{64} << 10;

struct Allocation {
  void* memory = nullptr;
  size_t bytes = 0;
};
std::mutex g_mutex;
std::array<Allocation, 1000> g_allocations;  // that are in use; a fixed array, because it cannot allocate
size_t g_live = 0, g_peak = 0;

void* counted(void* memory, size_t bytes) {
  if (memory == nullptr) throw std::bad_alloc();
  if (bytes < kLeastCounted) return memory;
  const std::scoped_lock lock(g_mutex);
  const auto place =
      std::find_if(g_allocations.begin(), g_allocations.end(), [](const Allocation& a) { return a.memory == nullptr; });
  if (place == g_allocations.end()) std::abort();
  *place = {memory, bytes};
  g_live += bytes;
  g_peak = std::max(g_peak, g_live);
  return memory;
}

void release(void* memory) {
  if (memory == nullptr) return;
  {
    const std::scoped_lock lock(g_mutex);
    const auto place = std::find_if(g_allocations.begin(), g_allocations.end(),
                                    [&](const Allocation& a) { return a.memory == memory; });
    if (place != g_allocations.end()) {
      g_live -= place->bytes;
      *place = {};
    }
  }
  std::free(memory);
}

}  // namespace

void* operator new(size_t bytes) { return counted(std::malloc(std::max<size_t>(bytes, 1)), bytes); }
void* operator new(size_t bytes, std::align_val_t alignment) {
  const auto edge = static_cast<size_t>(alignment);
  return counted(std::aligned_alloc(edge, (bytes + edge - 1) / edge * edge), bytes);
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete(void* memory, size_t) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { release(memory); }

namespace volume_fourier_test {
namespace {

/// The most memory that a call allocates.
template <typename Call>
int64_t peak_of(const Call& call) {
  const size_t before = g_live;
  g_peak = g_live;
  call();
  return static_cast<int64_t>(g_peak - before);
}

struct Case {
  VolumeDeconvolutionOptions options;
  std::vector<float> volume, kernel, result;

  explicit Case(const VolumeDeconvolutionOptions& o) : options(o) {
    volume.assign(count(o.size), 3);
    result.resize(count(o.size));
    kernel.assign(count(o.kernel_size), 1);
  }
  static size_t count(VolumeSize size) { return size_t{size.width} * size.height * size.planes; }
  [[nodiscard]] static cpu::VolumeView view(const std::vector<float>& v, VolumeSize size) {
    return {v.data(), size_t{size.width} * 4, size_t{size.width} * size.height * 4};
  }

  void in_memory(uint32_t threads) {
    const cpu::VolumeView target = view(result, options.size);
    expect_done(cpu::deconvolve_volume(options, view(volume, options.size), view(kernel, options.kernel_size),
                                       {result.data(), target.row_stride, target.plane_stride}, {.threads = threads}));
  }
  void by_functions(uint32_t threads) const {
    const auto read = [](VolumePoint, VolumeSize size, const cpu::MutableVolumeView& voxels) -> Result<void> {
      for (uint32_t z = 0; z < size.planes; ++z) {
        std::fill_n(reinterpret_cast<float*>(static_cast<std::byte*>(voxels.data) + z * voxels.plane_stride),
                    size_t{size.width} * size.height, 3.0F);
      }
      return {};
    };
    const auto write = [](VolumePoint, VolumeSize, const cpu::VolumeView&) -> Result<void> { return {}; };
    expect_done(cpu::deconvolve_volume(options, read, view(kernel, options.kernel_size), write, {.threads = threads}));
  }
};

/// Compares a call with its plan. The library rounds arrays up to huge pages of 2 MiB: up to five, six with momentum.
/// Every quantity that a test is about has more bytes than these together: one that the plan lacks, or has too much,
/// shows.
void expect_planned(VolumeDeconvolutionOptions o, VolumeAccess access, bool divided) {
  constexpr int64_t kRounding = int64_t{6} * (2 << 20);
  if (divided) o.max_bytes = plan_volume_deconvolution(o, access)->memory_bytes * 4 / 5;
  const auto plan = plan_volume_deconvolution(o, access);
  ASSERT_TRUE(plan) << plan.error().text();
  SCOPED_TRACE(::testing::Message() << "acceleration " << static_cast<int>(o.acceleration) << ", access "
                                    << static_cast<int>(access) << ", tiles " << plan->tiles.width << "x"
                                    << plan->tiles.height << "x" << plan->tiles.planes);
  EXPECT_EQ(plan->tiles.width * plan->tiles.height * plan->tiles.planes > 1, divided);
  Case volume(o);
  for (const uint32_t threads : {1, 2}) {
    const int64_t peak =
        peak_of([&] { access == VolumeAccess::kMemory ? volume.in_memory(threads) : volume.by_functions(threads); });
    const auto planned = static_cast<int64_t>(plan->memory_bytes + (threads - 1) * plan->thread_bytes);
    EXPECT_LE(peak, planned + kRounding);
    EXPECT_GE(peak, static_cast<int64_t>(plan->memory_bytes) - (1 << 20));
  }
}

// Estimates and voxels of a tile: 18 MB and more each.
TEST(CpuVolumeMemory, CallsAllocateWhatThePlanCounts) {
  VolumeDeconvolutionOptions o{
      .size = {200, 180, 130}, .kernel_size = {9, 9, 9}, .iterations = 1, .halo = VolumeSize{4, 4, 4}};
  for (const auto acceleration : {DeconvolutionAcceleration::kNone, DeconvolutionAcceleration::kMomentum}) {
    o.acceleration = acceleration;
    for (const auto access : {VolumeAccess::kMemory, VolumeAccess::kFunctions}) {
      expect_planned(o, access, false);
      expect_planned(o, access, true);
    }
  }
}

// Weights and their sums: 21 MB.
TEST(CpuVolumeMemory, LargeKernels) {
  expect_planned({.size = {30, 30, 30}, .kernel_size = {120, 120, 120}, .iterations = 1}, VolumeAccess::kMemory, false);
}

// A volume in memory is not divided where only its own voxels would exceed the limit.
TEST(CpuVolumeMemory, VoxelsInMemoryDoNotCount) {
  VolumeDeconvolutionOptions o{.size = {100, 90, 80}, .kernel_size = {5, 5, 5}};
  const uint64_t copies = 4 * (uint64_t{100} * 90 * 80 + 100 * 90);
  const auto memory = plan_volume_deconvolution(o);
  const auto functions = plan_volume_deconvolution(o, VolumeAccess::kFunctions);
  ASSERT_TRUE(memory && functions);
  EXPECT_EQ(functions->memory_bytes, memory->memory_bytes + copies);
  o.max_bytes = memory->memory_bytes;
  EXPECT_EQ(plan_volume_deconvolution(o)->tiles, (VolumeSize{1, 1, 1}));
  EXPECT_NE(plan_volume_deconvolution(o, VolumeAccess::kFunctions)->tiles, (VolumeSize{1, 1, 1}));
}

}  // namespace
}  // namespace volume_fourier_test
