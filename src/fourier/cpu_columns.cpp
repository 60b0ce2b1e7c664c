// cpu_columns.cpp: the column passes of cpu::Transform: strips of work memory to strips of the spectrum and back, and
// copies of those to and from the caller's memory.
#include <algorithm>
#include <cstring>

#include "fourier/cpu_impl.hpp"

namespace onepass::cpu {
namespace {

constexpr size_t kPage = 4096;

}  // namespace

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

/// Transforms a strip of work memory to a strip of the spectrum, or to `pairs` in the caller's memory.
void Transform::Impl::columns_forward(std::byte* work, float* values, Scratch& scratch, std::byte* pairs,
                                      double factor) const {
  const size_t zero = size_t{work_rows_ - 2} * kElementFloats;
  auto* rows = reinterpret_cast<float*>(work);
  if (half()) {
    rows = values;
    halves_.load(work, plan.options.crop.height * kElementFloats, rows);
  }
  std::fill_n(rows + zero, kElementFloats, 0.0F);
  // Rows a multiple of 4096 bytes apart map to the same cache sets: the pass stores to scratch memory, interleave()
  // stores one row after the other.
  const bool staged = pairs != nullptr && pair_stride_ * sizeof(float) % kPage == 0 && column_plan_.chirp == nullptr;
  auto* passes = reinterpret_cast<float*>(scratch.passes);
  LineJob job = {.plan = &column_plan_,
                 .source = rows,
                 .source_elements = row_of_y_.data(),
                 .target = values,
                 .target_elements = column_plan_.identity.data(),
                 .scratch = passes};
  if (staged) {
    job.target = passes;
    job.target_elements = column_plan_.positions.data();
  } else if (pairs != nullptr) {
    job.target = reinterpret_cast<float*>(pairs);
    job.target_elements = position_of_ky_.data();
    job.target_pair_stride = pair_stride_;
    job.scale = static_cast<float>(factor);
    job.far = true;
  }
  kernels_.transform(job);
  if (!staged) return;
  kernels_.interleave(passes, column_plan_.positions.data(), plan.spectrum_size.height, static_cast<float>(factor),
                      reinterpret_cast<float*>(pairs), pair_stride_, position_of_ky_.data());
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
  kernels_.interleave(strip.values, column_plan_.identity.data(), strip.height, static_cast<float>(factor), pairs,
                      kElementFloats, column_plan_.identity.data());
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
