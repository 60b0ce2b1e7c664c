// cpu_columns.cpp: the column passes of cpu::Transform: strips of work memory to strips of the spectrum and back, and
// copies of those to and from the caller's memory.
#include <algorithm>
#include <cstring>

#include "fourier/cpu_impl.hpp"
#include "image/div_up.hpp"

namespace onepass::cpu {

/// A strip's values at ky = 0 in the caller's memory, if column passes can access them there: sixteen adjacent pairs of
/// floats per row. Else null.
std::byte* Transform::Impl::pairs_of(const SpectrumStrip& strip, std::byte* spectrum) const {
  const uint32_t width = plan.spectrum_size.width;
  if (half() || plan.options.order != SpectrumOrder::kRows || strip.columns * strip.channels != kLanes) return nullptr;
  const bool centred = plan.options.origin == SpectrumOrigin::kCentre && !real();
  uint32_t x = strip.first_kx + (centred ? width / 2 : 0);
  if (x >= width) x -= width;
  if (x + strip.columns > width) return nullptr;
  return spectrum + plan.index(x, 0, 0, strip.slice) * 2 * sizeof(float);
}

/// The forward transform of the columns of a strip of work memory, without target and scratch memory. Halves are
/// converted in `values`.
LineJob Transform::Impl::column_job(std::byte* work, float* values) const {
  const size_t zero = size_t{work_rows_ - 2} * kElementFloats;
  auto* rows = reinterpret_cast<float*>(work);
  if (half()) {
    rows = values;
    halves_.load(work, plan.options.crop.height * kElementFloats, rows);
  }
  std::fill_n(rows + zero, kElementFloats, 0.0F);
  return {.plan = &column_plan_, .source = rows, .source_elements = row_of_y_.data()};
}

/// Transforms a strip of work memory to a strip of the spectrum, or to `pairs` in the caller's memory.
void Transform::Impl::columns_forward(std::byte* work, float* values, Scratch& scratch, std::byte* pairs,
                                      double factor) const {
  LineJob job = column_job(work, values);
  job.scratch = reinterpret_cast<float*>(scratch.passes);
  job.target = values;
  job.target_elements = column_plan_.identity.data();
  if (pairs != nullptr) {
    job.target = reinterpret_cast<float*>(pairs);
    job.target_elements = position_of_ky_.data();
    job.target_pair_stride = pair_stride_;
    job.scale = static_cast<float>(factor);
    job.far = true;
  }
  kernels_.transform(job);
}

/// Transforms strips of work memory to `spectrum`. In a large spectrum, and in one whose rows are a multiple of 4096
/// bytes apart and so map to the same cache sets, storing 128 bytes of many rows is slow: several strips then stay in
/// scratch memory, and interleave() stores one row after the other.
void Transform::Impl::strips_to_spectrum(Slices slices, double factor, double part, std::span<std::byte> spectrum) {
  const uint32_t tasks = div_up(strips_, strips_together_);
  const size_t strip_floats = size_t{column_plan_.size} * kElementFloats;
  run_pass(size_t{slices.count} * tasks, slices, part, [&](size_t index, uint32_t slot) {
    const auto slice = static_cast<uint32_t>(index / tasks);
    const auto first = static_cast<uint32_t>(index % tasks) * strips_together_;
    Scratch& s = scratch(slot);
    StripPairs staged = {.order = column_plan_.positions.data(),
                         .positions = position_of_ky_.data(),
                         .rows = plan.spectrum_size.height,
                         .stride = pair_stride_,
                         .scale = static_cast<float>(factor)};
    const auto store_staged = [&] {
      if (staged.strips > 0) kernels_.interleave(staged);
      staged.strips = 0;
    };
    for (uint32_t n = first; n < std::min(strips_, first + strips_together_); ++n) {
      const SpectrumStrip strip = strip_at(slices, slice, n, s);
      std::byte* work = work_strip(slice, n);
      std::byte* pairs = pairs_of(strip, spectrum.data());
      if (pairs != nullptr && stages_columns_) {
        LineJob job = column_job(work, strip.values);
        job.scratch = job.target = reinterpret_cast<float*>(s.passes) + staged.strips * strip_floats;
        job.target_elements = column_plan_.positions.data();
        kernels_.transform(job);
        staged.elements[staged.strips] = job.target;
        staged.pairs[staged.strips++] = reinterpret_cast<float*>(pairs);
        continue;
      }
      store_staged();  // unstaged strips use the same scratch memory
      columns_forward(work, strip.values, s, pairs, factor);
      if (pairs == nullptr) store_strip(strip, factor, spectrum, s);
    }
    store_staged();
  });
}

/// Transforms a strip of the spectrum, or `pairs` in the caller's memory, to rows of work memory. `factor` is 1 unless
/// they are halves.
void Transform::Impl::columns_inverse(float* values, std::byte* work, double factor, Scratch& scratch,
                                      const std::byte* pairs) const {
  float* rows = half() ? values : reinterpret_cast<float*>(work);
  kernels_.transform({.plan = &column_plan_,
                      .source = pairs != nullptr ? reinterpret_cast<const float*>(pairs) : values,
                      .source_elements = pairs != nullptr ? position_of_ky_.data() : column_plan_.identity.data(),
                      .target = rows,
                      .target_elements = row_to_y_.data(),
                      .scratch = pairs == nullptr && column_plan_.chirp == nullptr && !half()
                                     ? values
                                     : reinterpret_cast<float*>(scratch.passes),
                      .inverse = true,
                      .source_pair_stride = pairs != nullptr ? pair_stride_ : 0,
                      .far = true});
  if (!half()) return;
  const size_t count = plan.options.result.height * kElementFloats;
  const auto scale = static_cast<float>(factor);
  for (size_t i = 0; i < count; ++i) rows[i] *= scale;
  halves_.store(rows, count, work);
}

template <class Copy>
void Transform::Impl::each_run(const SpectrumStrip& strip, const Copy& copy) const {
  const uint32_t width = plan.spectrum_size.width;
  const uint32_t height = plan.spectrum_size.height;
  const bool centred = plan.options.origin == SpectrumOrigin::kCentre;
  const uint32_t shift_x = centred && !real() ? width / 2 : 0;
  const uint32_t shift_y = centred ? height / 2 : 0;
  const size_t pair_bytes = half() ? 4 : 8;
  const size_t channel_bytes = strip.channels * pair_bytes;
  const bool by_rows = plan.options.order == SpectrumOrder::kRows;
  for (uint32_t ky = 0; ky < height; ++ky) {
    const uint32_t y = ky + shift_y < height ? ky + shift_y : ky + shift_y - height;
    for (uint32_t i = 0; i < strip.columns;) {
      const uint32_t kx = strip.first_kx + i;
      const uint32_t x = kx + shift_x < width ? kx + shift_x : kx + shift_x - width;
      const uint32_t run = by_rows ? std::min(strip.columns - i, width - x) : 1;
      const size_t position = plan.index(x, y, 0, strip.slice) * pair_bytes;
      copy(position, ky * kLanes * pair_bytes + i * channel_bytes, run * channel_bytes);
      i += run;
    }
  }
}

void Transform::Impl::store_strip(const SpectrumStrip& strip, double factor, std::span<std::byte> spectrum,
                                  Scratch& scratch) const {
  auto* pairs = reinterpret_cast<float*>(scratch.passes);
  kernels_.interleave({.strips = 1,
                       .elements = {strip.values},
                       .pairs = {pairs},
                       .order = column_plan_.identity.data(),
                       .positions = column_plan_.identity.data(),
                       .rows = strip.height,
                       .stride = kElementFloats,
                       .scale = static_cast<float>(factor)});
  auto* bytes = reinterpret_cast<const std::byte*>(pairs);
  if (half()) {
    halves_.store(pairs, strip.height * kElementFloats, strip.values);
    bytes = reinterpret_cast<const std::byte*>(strip.values);
  }
  each_run(strip, [&](size_t position, size_t in_strip, size_t count) {
    std::memcpy(spectrum.data() + position, bytes + in_strip, count);
  });
}

void Transform::Impl::load_strip(std::span<const std::byte> spectrum, const SpectrumStrip& strip,
                                 Scratch& scratch) const {
  auto* bytes = half() ? reinterpret_cast<std::byte*>(strip.values) : scratch.passes;
  if (strip.columns < strip_columns_ || strip_columns_ * strip.channels < kLanes) {
    std::memset(bytes, 0, strip.height * kElementFloats * (half() ? 2 : 4));
  }
  each_run(strip, [&](size_t position, size_t in_strip, size_t count) {
    std::memcpy(bytes + in_strip, spectrum.data() + position, count);
  });
  auto* pairs = reinterpret_cast<float*>(scratch.passes);
  if (half()) halves_.load(bytes, strip.height * kElementFloats, pairs);
  kernels_.deinterleave(pairs, kElementFloats, strip.height, strip.values);
}

}  // namespace onepass::cpu
