// dispatch_plan.cpp: chooses technique, radices, invocations per line and lines per workgroup of a stage on a GPU, and
// computes its traffic.
#include "fourier/dispatch_plan.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <optional>
#include <tuple>

#include "image/div_up.hpp"

namespace onepass::fourier {
namespace {

constexpr uint32_t kMostValues = 16;  // per invocation; ONEPASS_FOURIER_MOST of the shader
constexpr uint32_t kLeastValues = 4;
constexpr uint32_t kLongestShared = 8192;  // a line of floats fills 32 KB
constexpr uint32_t kFullGroup = 128;
constexpr uint32_t kSmallGroup = 64;  // for lines that do not fill a device with larger workgroups
constexpr uint32_t kRadices[] = {16, 15, 14, 12, 10, 9, 8, 7, 6, 5, 4, 3, 2};

// Workgroups of kFullGroup invocations that fill a device: lines per workgroup and values per invocation are powers of
// two. 256 on an H200, that is 32768 invocations; smaller images have fewer values per invocation.
uint64_t full_device(const GroupLimits& limits) { return std::bit_floor(limits.filling_groups); }

// Fewest invocations per line so that none holds more than `values` values.
uint32_t lanes_for(uint32_t length, const std::vector<uint32_t>& radices, uint32_t values) {
  uint32_t lanes = 1;
  for (const uint32_t radix : radices) lanes = std::max(lanes, div_up(length / radix, values / radix));
  return lanes;
}

struct Search {
  uint32_t length = 0;
  uint32_t most = 16;
  std::vector<uint32_t> chosen;
  std::vector<uint32_t> best;

  // Prefers fewer passes (exchanges), then fewer lanes (idle invocations), then smaller radices (code).
  [[nodiscard]] bool better() const {
    if (best.empty()) return true;
    const auto cost = [&](const std::vector<uint32_t>& radices) {
      return std::tuple(radices.size(), lanes_for(length, radices, kMostValues),
                        std::accumulate(radices.begin(), radices.end(), 0U));
    };
    return cost(chosen) < cost(best);
  }

  void go(uint32_t rest, uint32_t largest) {
    if (rest == 1) {
      if (better()) best = chosen;
      return;
    }
    if (!best.empty() && chosen.size() + 1 > best.size()) return;
    for (const uint32_t radix : kRadices) {
      if (radix > largest || radix > most || rest % radix != 0) continue;
      chosen.push_back(radix);
      go(rest / radix, radix);
      chosen.pop_back();
    }
  }
};

bool is_smooth(uint32_t n) { return next_smooth_size(n) == n; }

// Bluestein's transforms have lengths 2^n or 3 2^n: cheap radices matter more than a short length.
uint32_t bluestein_length(uint32_t length) {
  const uint32_t least = 2 * length - 1;
  const uint32_t power = std::bit_ceil(least);
  return power / 4 * 3 >= least ? power / 4 * 3 : power;
}

// Layout of a line whose invocations hold at most `values` values, without the number of lines. Empty if it is too long
// or has too many radices.
std::optional<LineLayout> layout_line(uint32_t length, uint32_t most_radix, uint32_t values) {
  if (length > kLongestShared) return {};
  const std::vector<uint32_t> radices = choose_radices(length, std::min(most_radix, values));
  if (radices.size() > ONEPASS_FOURIER_MOST_PASSES || (radices.empty() && length > 1)) return {};
  LineLayout line;
  line.length = length;
  line.passes = std::max<uint32_t>(1, static_cast<uint32_t>(radices.size()));
  line.radices.fill(1);
  std::copy(radices.begin(), radices.end(), line.radices.begin());
  line.lanes = lanes_for(length, radices, values);
  return line;
}

// Padding avoids bank conflicts of power-of-two strides; other lengths start with an odd radix, whose stride is odd.
// The shader adds constants to the padded index of a butterfly's first value: distances within a butterfly must never
// carry out of the lower four bits, neither with the radices in order nor, if there is an inverse, in reverse order.
bool wants_padding(const LineLayout& line, bool both_ways) {
  for (const bool reversed : {false, true}) {
    if (reversed && !both_ways) break;
    uint32_t before = 1;
    for (uint32_t i = 0; i < line.passes; ++i) {
      const uint32_t radix = line.radices[reversed ? line.passes - 1 - i : i];
      if (line.length / radix % 16 != 0) return false;
      if (before % 16 != 0 && (!std::has_single_bit(before) || !std::has_single_bit(radix))) return false;
      before *= radix;
    }
  }
  return line.passes > 1 && line.radices[0] % 2 == 0;
}

// Sets lines and shared memory; false if they do not fit.
bool fit_lines(LineLayout& line, const GroupLimits& limits, uint32_t lines, bool shares, bool both_ways) {
  if (line.lanes * lines > limits.invocations) return false;
  for (const bool pad : {wants_padding(line, both_ways), false}) {
    const uint32_t floats = shares ? (pad ? line.length + line.length / 16 : line.length) * lines : 1;
    if (floats * sizeof(float) > limits.shared_bytes) continue;
    line.lines = lines;
    line.shared_floats = floats;
    line.pad = pad;
    return true;
  }
  return false;
}

// Lines per row or column: one per signal; twice as many for columns of real channels, with their mirrors.
uint32_t lines_together(const TransformPlan& plan, const StageLayout& layout) {
  const uint32_t signals = intermediate_signals(plan) / layout.signals;
  return !is_row(layout.stage) && layout.kind == ONEPASS_FOURIER_CHANNELS ? 2 * signals : signals;
}

uint32_t lines_of(const TransformPlan& plan, const StageLayout& layout) {
  const TransformOptions& o = plan.options;
  const uint32_t together = lines_together(plan, layout);
  if (!is_row(layout.stage)) return plan.spectrum_size.width * together;
  const uint32_t rows = layout.stage == Stage::kRowsForward ? o.crop.height : o.result.height;
  return (layout.kind == ONEPASS_FOURIER_ROWS ? div_up(rows, 2) : rows) * together;
}

// Small workgroups: several are resident on a multiprocessor and some compute while others wait at a barrier. Shared
// memory limits occupancy as well: some devices have no more for all workgroups than one may use. Adjacent rows fill
// the 32 bytes of a memory sector; half precision is no faster with more rows. Where there would be fewer workgroups
// than fill a device they are smaller still, down to a subgroup of the largest size.
uint32_t wanted_lines(const TransformPlan& plan, const StageLayout& layout, const GroupLimits& limits, uint32_t lanes,
                      uint32_t asked) {
  const uint32_t together = lines_together(plan, layout);
  if (asked != 0) return asked * together;
  const uint32_t least = is_row(layout.stage) ? 4 / layout.signals : together;
  uint32_t lines = std::max(std::min(std::bit_ceil(div_up(kFullGroup, lanes)), 64U), least);
  const uint64_t all = uint64_t{layout.line_count} * plan.options.slices;
  while (lines > least && lines * lanes > kSmallGroup && div_up(all, uint64_t{lines}) < full_device(limits)) lines /= 2;
  return lines;
}

// Signals per value: both of a texel. Columns of the smallest images have one, so that more invocations share the work.
uint32_t wanted_signals(const TransformPlan& plan, const StageLayout& layout, const StageTuning& tuning,
                        const GroupLimits& limits) {
  const uint32_t signals = intermediate_signals(plan);
  if (is_row(layout.stage) || signals == 1 || tuning.values_per_invocation != 0) return signals;
  StageLayout both = layout;
  both.signals = signals;
  const uint64_t values = uint64_t{lines_of(plan, both)} * plan.options.slices * layout.plan.transform_length;
  return values / kLeastValues < full_device(limits) * kFullGroup / 4 ? 1 : signals;
}

// Few values per invocation where more would leave the device partly idle.
uint32_t wanted_values(const TransformPlan& plan, const StageLayout& layout, const GroupLimits& limits,
                       uint32_t asked) {
  if (asked != 0) return asked;
  const uint64_t all = uint64_t{layout.line_count} * plan.options.slices * layout.plan.transform_length;
  uint32_t values = kMostValues;
  while (values > kLeastValues && all / values < full_device(limits) * kFullGroup) values /= 2;
  return values;
}

bool plan_shared(const TransformPlan& plan, StageLayout& layout, const StageTuning& tuning, const GroupLimits& limits) {
  TransformStagePlan& out = layout.plan;
  if (!is_row(layout.stage) && !limits.shuffles) return false;  // the kernels of columns have the capability
  uint32_t values = wanted_values(plan, layout, limits, tuning.values_per_invocation);
  auto found = layout_line(out.transform_length, tuning.most_radix, values);
  while (!found && values < kMostValues) found = layout_line(out.transform_length, tuning.most_radix, values *= 2);
  if (!found) return false;
  LineLayout line = *found;
  const uint32_t asked = is_row(layout.stage) ? tuning.lines_of_rows : tuning.lines_of_columns;
  uint32_t lines =
      std::min(std::bit_ceil(wanted_lines(plan, layout, limits, line.lanes, asked)), std::bit_ceil(layout.line_count));
  const uint32_t least = layout.join ? 2 : 1;
  const bool shares = line.passes > 1 || layout.stage == Stage::kColumnsBoth;
  const bool both_ways = layout.stage == Stage::kColumnsBoth || out.transform_length != out.length;
  while (lines > least && !fit_lines(line, limits, lines, shares, both_ways)) lines /= 2;
  if (!fit_lines(line, limits, lines, shares, both_ways)) return false;
  if (div_up(layout.line_count, lines) > limits.groups) return false;
  // Lines that leave a device partly idle wait for barriers more than for shared memory: all floats cross it at once.
  const uint32_t floats = 2 * layout.signals;
  line.whole = values < kMostValues && shares && line.shared_floats * floats * sizeof(float) <= limits.shared_bytes;
  layout.lines[0] = line;
  out.passes = line.passes;
  std::copy(line.radices.begin(), line.radices.end(), out.radices.begin());
  out.lanes = line.lanes;
  out.lines = line.lines;
  out.shared_bytes = line.shared_floats * (line.whole ? floats : 1) * sizeof(float);
  out.technique = FourierTechnique::kSharedMemory;
  out.dispatches = 1;
  return true;
}

// Bluestein's convolution and operations on the spectrum run all passes forward and inverse.
uint32_t passes_of(const StageLayout& layout) {
  const TransformStagePlan& plan = layout.plan;
  const bool twice = layout.stage == Stage::kColumnsBoth || plan.transform_length != plan.length;
  return twice ? 2 * plan.passes : plan.passes;
}

// Splits the line into two factors as equal as possible; false if none fit.
bool plan_four_step(StageLayout& layout, const StageTuning& tuning, const GroupLimits& limits) {
  constexpr uint32_t kLeastLines = 8;  // adjacent, for accesses of 64 bytes or more
  TransformStagePlan& out = layout.plan;
  const uint32_t length = out.transform_length;
  for (auto first = static_cast<uint32_t>(std::sqrt(length)); first > 1; --first) {
    if (length % first != 0) continue;
    const auto one = layout_line(first, tuning.most_radix, kMostValues);
    const auto two = layout_line(length / first, tuning.most_radix, kMostValues);
    if (!one || !two) continue;
    layout.lines = {*two, *one};
    for (LineLayout& line : layout.lines) {
      uint32_t lines = std::max(std::bit_ceil(div_up(kFullGroup, line.lanes)), kLeastLines);
      while (lines > 1 && !fit_lines(line, limits, lines, line.passes > 1, false)) lines /= 2;
      if (!fit_lines(line, limits, lines, line.passes > 1, false)) return false;
    }
    out.technique = FourierTechnique::kFourStep;
    out.passes = 2;
    out.radices.fill(1);
    out.radices[0] = layout.lines[0].length;
    out.radices[1] = layout.lines[1].length;
    // Bluestein: the rows of the transform forward and the columns of its inverse are one dispatch.
    out.dispatches = length != out.length ? 3 : passes_of(layout);
    return true;
  }
  return false;
}

void plan_ping_pong(StageLayout& layout, const StageTuning& tuning) {
  TransformStagePlan& out = layout.plan;
  std::vector<uint32_t> radices;
  for (uint32_t most = std::max(tuning.most_radix, 2U); radices.empty() || radices.size() > out.radices.size();
       most = 7) {
    radices = choose_radices(out.transform_length, most);
    if (out.transform_length == 1) radices = {1};
  }
  out.technique = FourierTechnique::kPingPong;
  out.passes = static_cast<uint32_t>(radices.size());
  out.radices.fill(1);
  std::copy(radices.begin(), radices.end(), out.radices.begin());
  out.dispatches = passes_of(layout) + (layout.stage == Stage::kColumnsBoth ? 3 : 2);
}

// Columns that passes between buffers read twice, to remove their non-Hermitian part.
uint64_t self_mirrored_columns(const TransformPlan& plan, uint32_t kind) {
  if (kind != ONEPASS_FOURIER_CHANNELS) return 0;
  return plan.options.size.width % 2 == 0 ? 2 : 1;
}

// Bytes that invocations read and write in images, spectrum, intermediate buffer and buffers between passes. Four-step
// and ping-pong read columns of real signals twice: the two lines of a column are in different workgroups.
void set_traffic(const TransformPlan& plan, StageLayout& layout) {
  const TransformOptions& o = plan.options;
  const bool paired = layout.kind == ONEPASS_FOURIER_ROWS;
  const bool buffers = layout.plan.technique != FourierTechnique::kSharedMemory;
  const uint64_t pair = o.precision == SpectrumPrecision::kHalf ? 4 : 8;
  const uint64_t between = pair * intermediate_signals(plan);
  const uint64_t width = o.size.width;
  const uint64_t height = o.size.height;
  const uint64_t columns = plan.spectrum_size.width;
  const uint64_t spectrum_pair = pair * plan.spectrum_channels;
  const uint64_t twice = buffers && layout.join ? 2 : 1;
  const uint64_t back = paired ? pair * columns * o.result.height : between * width * o.result.height;
  const bool reads_padding = o.boundary != Boundary::kZero;
  Traffic& t = layout.plan.traffic;
  switch (layout.stage) {
    case Stage::kRowsForward: {
      const uint64_t texels = (reads_padding ? width : o.crop.width) * o.crop.height;
      const uint64_t rows = paired ? div_up(o.crop.height, 2) : o.crop.height;
      t = {texels * format_info(o.source).bytes_per_texel, between * width * rows};
      break;
    }
    case Stage::kColumnsForward:
    case Stage::kColumnsBoth: {
      // One channel: each column reads itself and its mirror. Several channels: each line reads its own column.
      const uint64_t lines = paired ? 2 : layout.line_count / columns * layout.signals;
      const uint64_t rows = reads_padding ? height : o.crop.height;
      t = {pair * lines * columns * rows * twice, spectrum_pair * columns * height};
      if (layout.stage == Stage::kColumnsBoth) t.bytes_written = back;
      break;
    }
    case Stage::kColumnsInverse:
      t = {spectrum_pair * (columns + (buffers ? self_mirrored_columns(plan, layout.kind) : 0)) * height * twice, back};
      break;
    case Stage::kRowsInverse: {
      const uint64_t rows = o.result.height;
      t = {paired ? pair * width * rows : between * width * rows,
           uint64_t{o.result.width} * rows * format_info(o.target).bytes_per_texel};
      break;
    }
  }
  if (buffers) {
    const uint64_t lines = uint64_t{8} * layout.signals * layout.plan.transform_length * layout.line_count;
    const uint64_t rejoined = layout.stage == Stage::kColumnsBoth && layout.join ? lines : 0;
    t.bytes_read += lines * (layout.plan.dispatches - 1) + rejoined;
    if (layout.plan.technique == FourierTechnique::kPingPong) {  // the last dispatch reads the values that it stores
      t.bytes_read -= lines / layout.plan.transform_length * (layout.plan.transform_length - layout.plan.length);
    }
    t.bytes_written += lines * (layout.plan.dispatches - 1);
  }
  t.bytes_read *= o.slices;
  t.bytes_written *= o.slices;
}

}  // namespace

uint32_t signal_kind(const TransformPlan& plan) {
  if (plan.options.signal == Signal::kComplex) return ONEPASS_FOURIER_COMPLEX;
  return plan.options.channels == 1 ? ONEPASS_FOURIER_ROWS : ONEPASS_FOURIER_CHANNELS;
}

uint32_t element_bytes(const TransformPlan& plan) {
  return (plan.options.precision == SpectrumPrecision::kHalf ? 4 : 8) * intermediate_signals(plan);
}

uint32_t intermediate_signals(const TransformPlan& plan) { return plan.options.channels > 2 ? 2 : 1; }

uint64_t intermediate_bytes(const TransformPlan& plan, bool forward) {
  const TransformOptions& o = plan.options;
  const bool paired = signal_kind(plan) == ONEPASS_FOURIER_ROWS;
  const uint32_t rows = !forward ? o.result.height : paired ? div_up(o.crop.height, 2) : o.crop.height;
  const uint32_t width = paired && !forward ? plan.spectrum_size.width : o.size.width;
  const uint32_t block = 64 / element_bytes(plan);  // kBlockRows of the shader
  return uint64_t{element_bytes(plan)} * width * div_up(rows, block) * block * o.slices;
}

std::vector<uint32_t> choose_radices(uint32_t length, uint32_t most) {
  if (!is_smooth(length)) return {};
  Search search{.length = length, .most = most, .chosen = {}, .best = {}};
  search.go(length, kMostValues);
  std::stable_partition(search.best.begin(), search.best.end(), [](uint32_t radix) { return radix % 2 != 0; });
  return search.best;
}

StageLayout plan_stage(const TransformPlan& plan, const StageOptions& options, const StageTuning& tuning,
                       const GroupLimits& limits) {
  const bool row = is_row(options.stage);
  StageLayout layout;
  layout.stage = options.stage;
  layout.kind = signal_kind(plan);
  layout.plan.axis = row ? Axis::kX : Axis::kY;
  layout.plan.length = row ? plan.options.size.width : plan.options.size.height;
  layout.plan.transform_length =
      is_smooth(layout.plan.length) ? layout.plan.length : bluestein_length(layout.plan.length);
  layout.signals = wanted_signals(plan, layout, tuning, limits);
  layout.join = !row && layout.kind == ONEPASS_FOURIER_CHANNELS && options.join;
  layout.line_count = lines_of(plan, layout);
  const FourierTechnique technique = limits.whole_lines ? tuning.technique : FourierTechnique::kPingPong;
  const bool four_step = technique == FourierTechnique::kFourStep;
  if (technique == FourierTechnique::kPingPong || four_step || !plan_shared(plan, layout, tuning, limits)) {
    if (!row) layout.signals = 1;
    layout.line_count = lines_of(plan, layout);
    if (technique == FourierTechnique::kPingPong || !plan_four_step(layout, tuning, limits)) {
      plan_ping_pong(layout, tuning);
    }
  }
  set_traffic(plan, layout);
  return layout;
}

}  // namespace onepass::fourier
