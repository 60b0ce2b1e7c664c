// plan.cpp: validates the options of a volume, chooses its steps and counts bytes.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "image/div_up.hpp"
#include "image/error.hpp"
#include "volume/volume_plan.hpp"

namespace onepass {
namespace {

using volume::Element;

constexpr uint32_t kMaxVolumeExtent = 0x80000000U;
constexpr size_t kMaxSteps = 31;
constexpr uint64_t kMaxPlaneElements = uint64_t{1} << 40;
constexpr double kMaxElements = 0x1p+56;  // bytes of all levels then fit in 64 bits

constexpr std::array<VoxelInfo, 9> kVoxels = {{{VoxelType::kUint8, "uint8", 1},
                                               {VoxelType::kInt8, "int8", 1},
                                               {VoxelType::kUint16, "uint16", 2},
                                               {VoxelType::kInt16, "int16", 2},
                                               {VoxelType::kUint32, "uint32", 4},
                                               {VoxelType::kInt32, "int32", 4},
                                               {VoxelType::kUint64, "uint64", 8},
                                               {VoxelType::kFloat16, "float16", 2},
                                               {VoxelType::kFloat32, "float32", 4}}};

bool is_float(VoxelType type) { return type == VoxelType::kFloat16 || type == VoxelType::kFloat32; }

Result<void> check_size(const VolumeOptions& options) {
  const auto [width, height, planes] = options.size;
  const auto fits = [](uint32_t extent) { return extent > 0 && extent <= kMaxVolumeExtent; };
  const std::string text = "size: " + volume::size_text(options.size);
  if (!fits(width) || !fits(height) || !fits(planes)) {
    return invalid(text + " is not within 1x1x1 and 2147483648x2147483648x2147483648");
  }
  const uint64_t texels = uint64_t{width} * height;
  if (texels > kMaxPlaneElements / options.channels) {
    return invalid(text + " with " + std::to_string(options.channels) + " channels: a plane of more than 2^40 numbers");
  }
  if (static_cast<double>(texels * options.channels) * planes > kMaxElements) {
    return invalid(text + " with " + std::to_string(options.channels) + " channels: more than 2^56 numbers");
  }
  return {};
}

Result<void> check_reduction(const VolumeOptions& options) {
  if (auto known = check_enumerators("reduction", options.reduction); !known) return known;
  const std::string name(voxel_info(options.type).name);
  if (options.reduction == Reduction::kMinMax)
    return invalid("reduction: min_max, but a volume has mean, min, max, mode");
  if (options.reduction == Reduction::kMean && options.type == VoxelType::kUint64) {
    return unsupported("type: uint64 has labels, of which there is no mean");
  }
  if (options.reduction != Reduction::kMode) return {};
  if (is_float(options.type)) return invalid("type: " + name + ", but the reduction mode needs integers");
  if (options.channels != 1) {
    return invalid("channels: " + std::to_string(options.channels) + ", but the reduction mode needs 1");
  }
  return {};
}

Result<void> check_steps(const VolumeOptions& options) {
  if (options.steps.empty()) return invalid("steps: none");
  if (options.steps.size() > kMaxSteps) {
    return invalid("steps: " + std::to_string(options.steps.size()) + ", at most 31 are possible");
  }
  for (size_t n = 0; n < options.steps.size(); ++n) {
    const auto [x, y, z] = options.steps[n];
    for (const auto& [axis, step] : {std::pair{"x", x}, {"y", y}, {"z", z}}) {
      if (step == 1 || step == 2) continue;
      return invalid("steps[" + std::to_string(n) + "]." + axis + ": " + std::to_string(step) + " is neither 1 nor 2");
    }
  }
  return {};
}

Result<void> check_part(const VolumeOptions& options, const VolumePart& part) {
  if (part.first_level >= options.steps.size()) {
    return invalid("part.first_level: " + std::to_string(part.first_level) + ", but the last of " +
                   std::to_string(options.steps.size()) + " steps begins at level " +
                   std::to_string(options.steps.size() - 1));
  }
  if (part.whole == VolumeSize{}) return {};
  const VolumeSize& size = options.size;
  if (size.width <= part.whole.width && size.height <= part.whole.height && size.planes <= part.whole.planes) return {};
  return invalid("part.whole: " + volume::size_text(part.whole) + " does not hold " + volume::size_text(size));
}

/// Bytes of a level's planes in a stream, and of a thread's rows.
void add_stream_bytes(const VolumeOptions& options, const VolumePart& part, VolumePlan& plan) {
  const size_t bytes = voxel_info(options.type).bytes;
  for (uint32_t n = part.first_level; n < plan.sizes.size(); ++n) {
    const uint64_t elements = volume::plane_elements(options, plan.sizes[n]);
    if (n == part.first_level) {  // a plane that waits for its neighbour
      plan.stream_bytes += volume::kept_planes(options, n) > 1 ? elements * plan.unrounded_bytes[n] : 0;
      continue;
    }
    plan.stream_bytes += elements * volume::held_planes(options, part, n) * plan.unrounded_bytes[n];
    if (options.reduction == Reduction::kMean) plan.stream_bytes += elements * bytes;
  }
  plan.thread_bytes = volume::scratch_bytes(options, part, plan);
  plan.stream_bytes += plan.thread_bytes;
}

}  // namespace

namespace volume {

std::string size_text(VolumeSize size) {
  return std::to_string(size.width) + "x" + std::to_string(size.height) + "x" + std::to_string(size.planes);
}

uint64_t plane_elements(const VolumeOptions& options, VolumeSize size) {
  return uint64_t{size.width} * size.height * options.channels;
}

uint32_t kept_planes(const VolumeOptions& options, size_t level) {
  return level == options.steps.size() ? 0 : options.steps[level].z;
}

uint32_t held_planes(const VolumeOptions& options, const VolumePart& part, size_t level) {
  const bool one = part.keep_unrounded || options.reduction != Reduction::kMean;
  return std::max(kept_planes(options, level), one ? 1U : 0U);
}

uint64_t scratch_bytes(const VolumeOptions& options, const VolumePart& part, const VolumePlan& plan) {
  uint64_t most = 0;
  for (size_t n = part.first_level + 1; n < plan.sizes.size(); ++n) {
    const uint64_t bytes = plan.unrounded_bytes[n];
    const bool halves_channels = options.channels > 1 && options.steps[n - 1].x == 2;
    uint64_t row = halves_channels ? round_up(plan.sizes[n - 1].width * options.channels * bytes, uint64_t{64}) : 0;
    if (held_planes(options, part, n) == 0) row += plan.sizes[n].width * options.channels * bytes;
    most = std::max(most, row);
  }
  return round_up(most, uint64_t{64});
}

Result<std::vector<Element>> sums_of(const VolumeOptions& options, const VolumePart& part) {
  std::vector<Element> sums(options.steps.size() + 1, Element::kF64);
  if (options.reduction != Reduction::kMean || is_float(options.type)) return sums;
  const VolumeSize whole = part.whole == VolumeSize{} ? options.size : part.whole;
  const uint32_t bits = 8 * voxel_info(options.type).bytes;
  for (size_t n = 1; n < sums.size(); ++n) {
    const Cell cell = cell_of(options, n);
    double voxels = 1;  // exact up to 2^53, rounded above
    for (const auto& [step, extent] :
         {std::pair{cell.x, whole.width}, {cell.y, whole.height}, {cell.z, whole.planes}}) {
      voxels *= static_cast<double>(std::min<uint64_t>(step, extent));
    }
    sums[n] = voxels <= std::ldexp(1.0, 31 - static_cast<int>(bits)) ? Element::kI32 : Element::kI64;
    if (voxels > std::ldexp(1.0, 63 - static_cast<int>(bits))) {
      return unsupported("steps: a voxel of level " + std::to_string(n) + " is the mean of up to " +
                         number_text(static_cast<float>(voxels)) + " voxels of " +
                         std::string(voxel_info(options.type).name) + ", whose sum 64 bits do not hold");
    }
  }
  return sums;
}

Cell cell_of(const VolumeOptions& options, size_t level) {
  Cell cell;
  for (size_t n = 0; n < level; ++n) {
    cell.x *= options.steps[n].x;
    cell.y *= options.steps[n].y;
    cell.z *= options.steps[n].z;
  }
  return cell;
}

}  // namespace volume

const VoxelInfo& voxel_info(VoxelType type) {
  static constexpr VoxelInfo kUnknown{};
  const auto index = static_cast<size_t>(type);
  return index < kVoxels.size() ? kVoxels[index] : kUnknown;
}

std::vector<VolumeStep> isotropic_steps(VolumeSize size, VoxelSize voxel, uint32_t largest) {
  std::array<uint32_t, 3> extents = {size.width, size.height, size.planes};
  std::array<double, 3> lengths = {voxel.x, voxel.y, voxel.z};
  for (const double length : lengths) {
    if (!(length > 0) || !std::isfinite(length)) return {};
  }
  std::vector<VolumeStep> steps;
  while (*std::max_element(extents.begin(), extents.end()) > std::max(1U, largest) && steps.size() < kMaxSteps) {
    double least = HUGE_VAL;
    for (size_t axis = 0; axis < 3; ++axis) {
      if (extents[axis] > 1) least = std::min(least, lengths[axis]);
    }
    std::array<uint32_t, 3> step = {1, 1, 1};
    for (size_t axis = 0; axis < 3; ++axis) {
      const double ratio = lengths[axis] / least;
      if (extents[axis] <= 1 || ratio * ratio >= 2) continue;
      step[axis] = 2;
      lengths[axis] *= 2;
      extents[axis] = extents[axis] / 2 + extents[axis] % 2;
    }
    steps.push_back({step[0], step[1], step[2]});
  }
  return steps;
}

Result<VolumePlan> plan_volume(const VolumeOptions& options, const VolumePart& part) {
  if (voxel_info(options.type).bytes == 0) {
    return invalid("type: " + std::to_string(static_cast<uint32_t>(options.type)) + " is not an enumerator");
  }
  if (options.channels < 1 || options.channels > 4) {
    return invalid("channels: " + std::to_string(options.channels) + " is not within 1 and 4");
  }
  if (auto checked = check_size(options); !checked) return checked.error();
  if (auto checked = check_reduction(options); !checked) return checked.error();
  if (auto checked = check_steps(options); !checked) return checked.error();
  if (auto checked = check_part(options, part); !checked) return checked.error();
  auto sums = volume::sums_of(options, part);
  if (!sums) return sums.error();
  VolumePlan plan;
  plan.sizes.push_back(options.size);
  for (const VolumeStep& step : options.steps) {
    const VolumeSize& size = plan.sizes.back();
    plan.sizes.push_back({div_up(size.width, step.x), div_up(size.height, step.y), div_up(size.planes, step.z)});
  }
  for (size_t n = 0; n < plan.sizes.size(); ++n) {
    const uint32_t bytes = voxel_info(options.type).bytes;
    const bool has_sums = n > 0 && options.reduction == Reduction::kMean;
    plan.unrounded_bytes.push_back(has_sums ? static_cast<uint32_t>(volume::bytes_of((*sums)[n])) : bytes);
    const uint64_t numbers = volume::plane_elements(options, plan.sizes[n]) * plan.sizes[n].planes;
    if (n == part.first_level) plan.bytes_read = numbers * plan.unrounded_bytes[n];
    if (n > part.first_level) plan.bytes_written += numbers * bytes;
  }
  add_stream_bytes(options, part, plan);
  return plan;
}

}  // namespace onepass
