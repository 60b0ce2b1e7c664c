// volume_cpu_bench.cpp: times volume pyramids in alternation with a plain read of the volume, after a comparison of
// level 1 with loops over its voxels.
#include "volume_cpu_bench.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <random>

#include <benchmark/benchmark.h>

#include "copies.hpp"
#include "cpu/aligned_vector.hpp"
#include "cpu_timer.hpp"
#include "onepass/words.hpp"
#include "show_row.hpp"

namespace onepass::bench {
namespace {

using Bytes = cpu::AlignedVector<std::byte>;

/// Random voxels; labels in runs of 64, as of a segmentation. Floats are 0 to 1023.
Bytes random_volume(const VolumeCpuBenchmark& benchmark) {
  const size_t bytes = voxel_info(benchmark.type).bytes;
  Bytes voxels(size_t{benchmark.side} * benchmark.side * benchmark.side * bytes);
  std::mt19937_64 random(7);
  const bool is_label = benchmark.reduction == Reduction::kMode;
  for (size_t i = 0; i < voxels.size(); i += sizeof(uint64_t)) {
    uint64_t word = random();
    if (is_label) {
      word = (i / 64 + i / voxels.size() * 8) * 0x9E3779B97F4A7C15U >> 61;
      for (size_t shift = 8 * bytes; shift < 64; shift *= 2) word |= word << shift;
    } else if (benchmark.type == VoxelType::kFloat32) {
      const std::array<float, 2> pair = {static_cast<float>(word & 1023), static_cast<float>(word >> 32 & 1023)};
      std::memcpy(&word, pair.data(), sizeof word);
    }
    std::memcpy(voxels.data() + i, &word, std::min(sizeof word, voxels.size() - i));
  }
  return voxels;
}

template <typename T>
T at(const Bytes& voxels, size_t index) {
  T value;
  std::memcpy(&value, voxels.data() + index * sizeof value, sizeof value);
  return value;
}

template <typename T>
T reduced(const std::array<T, 8>& cell, Reduction reduction) {
  if (reduction == Reduction::kMax) return *std::max_element(cell.begin(), cell.end());
  if (reduction == Reduction::kMean) {
    double sum = 0;
    for (const T value : cell) sum += static_cast<double>(value);
    return static_cast<T>(std::is_floating_point_v<T> ? sum / 8 : std::nearbyint(sum / 8));
  }
  std::map<T, uint32_t> counts;
  for (const T value : cell) ++counts[value];
  return std::max_element(counts.begin(), counts.end(), [](auto& a, auto& b) { return a.second < b.second; })->first;
}

/// Compares some planes of level 1 with its definition.
template <typename T>
bool is_right(const VolumeCpuBenchmark& benchmark, const Bytes& voxels, const Bytes& level) {
  const size_t n = benchmark.side;
  const size_t half = n / 2;
  for (size_t z = 0; z < half; z += 37) {
    for (size_t y = 0; y < half; ++y) {
      for (size_t x = 0; x < half; ++x) {
        std::array<T, 8> cell;
        for (size_t i = 0; i < 8; ++i) {
          cell[i] = at<T>(voxels, ((2 * z + i / 4) * n + 2 * y + i / 2 % 2) * n + 2 * x + i % 2);
        }
        if (at<T>(level, (z * half + y) * half + x) != reduced(cell, benchmark.reduction)) return false;
      }
    }
  }
  return true;
}

Result<void> verify(const VolumeCpuBenchmark& benchmark, const VolumeOptions& options, const Bytes& voxels) {
  const size_t bytes = voxel_info(benchmark.type).bytes;
  const size_t side = benchmark.side;
  std::vector<Bytes> levels;
  std::vector<cpu::MutableVolumeView> views;
  for (uint32_t n = 1; n <= benchmark.levels; ++n) {
    const size_t extent = side >> n;
    levels.emplace_back(extent * extent * extent * bytes);
    views.push_back({levels.back().data(), extent * bytes, extent * extent * bytes});
  }
  const cpu::VolumeView source = {voxels.data(), side * bytes, side * side * bytes};
  if (auto built = cpu::build_volume(options, source, views, {.threads = benchmark.threads}); !built) return built;
  const bool right = benchmark.type == VoxelType::kUint8    ? is_right<uint8_t>(benchmark, voxels, levels[0])
                     : benchmark.type == VoxelType::kUint16 ? is_right<uint16_t>(benchmark, voxels, levels[0])
                     : benchmark.type == VoxelType::kUint64 ? is_right<uint64_t>(benchmark, voxels, levels[0])
                                                            : is_right<float>(benchmark, voxels, levels[0]);
  if (!right) return Error{ErrorCode::kBadData, "wrong output", benchmark.name()};
  return {};
}

Result<Row> measure(const VolumeCpuBenchmark& benchmark, uint32_t most_rounds) {
  const Bytes voxels = random_volume(benchmark);
  const uint32_t side = benchmark.side;
  VolumeOptions options = {.size = {side, side, side}, .type = benchmark.type, .reduction = benchmark.reduction};
  options.steps.assign(benchmark.levels, {2, 2, 2});
  if (auto verified = verify(benchmark, options, voxels); !verified) return verified.error();
  cpu::Workers workers(benchmark.threads);
  const size_t row = size_t{side} * voxel_info(benchmark.type).bytes;
  std::optional<Error> failed;
  uint64_t sum = 0;
  const Task own = [&] {
    const auto sink = [&](const cpu::VolumePlane& plane) -> Result<void> {
      sum += plane.z;
      return {};
    };
    auto stream = cpu::VolumeStream::create(options, sink, {.threads = benchmark.threads});
    if (!stream) {
      failed = stream.error();
      return;
    }
    if (auto pushed = stream->push(voxels.data(), row, row * side, side); !pushed) failed = pushed.error();
  };
  const Task read = [&] { sum += read_plain(workers, voxels.data(), voxels.size()); };
  const std::vector<Times> times = compare({own, read}, most_rounds);
  benchmark::DoNotOptimize(sum);
  if (failed) return *failed;
  const auto plan = plan_volume(options);
  return Row{.name = benchmark.name(),
             .engine = "cpu",
             .format = std::string(voxel_info(benchmark.type).name),
             .width = side,
             .height = side,
             .slices = side,
             .reduction = std::string(word_of(benchmark.reduction)),
             .footprint = {},
             .path = "volume",
             .mode = "repeated",
             .times = times[0],
             .bytes = plan->bytes_read + plan->bytes_written,
             .reference = times[1].median,
             .threads = benchmark.threads};
}

}  // namespace

std::string VolumeCpuBenchmark::name() const {
  const std::string extent = std::to_string(side);
  return "volume/cpu/" + std::string(voxel_info(type).name) + "/" + extent + "x" + extent + "x" + extent + "/" +
         std::string(word_of(reduction)) + "/levels" + std::to_string(levels) + "/threads:" + std::to_string(threads);
}

std::vector<VolumeCpuBenchmark> volume_cpu_benchmarks() {
  std::vector<uint32_t> thread_counts = {1};
  if (const uint32_t all = cpu::Workers(0).slots(); all > 1) thread_counts.push_back(all);
  std::vector<VolumeCpuBenchmark> out;
  for (const auto& [type, reduction, levels] : {std::tuple{VoxelType::kUint8, Reduction::kMean, 1U},
                                                {VoxelType::kUint8, Reduction::kMean, 3U},
                                                {VoxelType::kUint8, Reduction::kMax, 1U},
                                                {VoxelType::kUint8, Reduction::kMode, 1U},
                                                {VoxelType::kUint16, Reduction::kMean, 1U},
                                                {VoxelType::kFloat32, Reduction::kMean, 1U},
                                                {VoxelType::kUint64, Reduction::kMode, 1U}}) {
    for (const uint32_t threads : thread_counts) out.push_back({type, 512, reduction, levels, threads});
  }
  out.push_back({VoxelType::kUint8, 64, Reduction::kMean, 1, 1});
  return out;
}

void register_volume_cpu(const std::vector<VolumeCpuBenchmark>& benchmarks, uint32_t rounds, Report& report) {
  for (const VolumeCpuBenchmark& one : benchmarks) {
    const auto run = [one, rounds, &report](benchmark::State& state) {
      show_row(state, measure(one, rounds), report, "reference_us", "x_read");
    };
    benchmark::RegisterBenchmark(one.name().c_str(), run)->UseManualTime()->Unit(benchmark::kMicrosecond);
  }
}

}  // namespace onepass::bench
