// cpu_filter.cpp: a fused pass that multiplies each strip of the spectrum by gains; kLogarithm: from and to logarithms.
#include <cmath>
#include <new>
#include <utility>

#include "cpu/views.hpp"
#include "fourier/cpu_image_rows.hpp"
#include "fourier/cpu_impl.hpp"
#include "fourier/cpu_kernel_spectrum.hpp"
#include "fourier/filter_gain.hpp"
#include "onepass/fourier_filter.hpp"

namespace onepass::cpu {

struct ONEPASS_INTERNAL Filter::Impl {
  FilterPlan plan;
  TransformTuning tuning;
  FourierFilterParams params{};
  Transform transform;
  Workers workers;
  std::vector<float> rows;                ///< fy for every ky.
  std::vector<std::vector<float>> gains;  ///< Gains of a strip, per slot.
  Image logarithms;                       ///< kLogarithm: input of the filter;
  Image filtered;                         ///< its output.

  Impl(FilterPlan planned, Transform made, const TransformTuning& tuned)
      : plan(std::move(planned)), tuning(tuned), transform(std::move(made)), workers(tuned.threads) {
    make_filter_params(plan.options, params);
    gains.resize(transform.impl().slots());
    rows.resize(plan.domain.height);
    for (uint32_t ky = 0; ky < plan.domain.height; ++ky) {
      rows[ky] = static_cast<float>(frequency(ky, plan.domain.height));
    }
  }

  void filter_strip(const SpectrumStrip& strip, uint32_t slot);
  Result<void> run(const ImageView& source, const MutableImageView& target);
  void to_logarithms(const ImageView& source);
  void from_logarithms(const ImageView& source, const MutableImageView& target);
};

// Multiplies a strip by its gains. Without notches fy and -fy have the same gain.
void Filter::Impl::filter_strip(const SpectrumStrip& strip, uint32_t slot) {
  FilterGain gain(params);
  std::vector<float>& all = gains[slot];
  const size_t stride = SpectrumStrip::kImaginary / strip.channels;
  all.resize(stride * strip.height);
  const bool symmetric = params.notch_count == 0;
  for (uint32_t i = 0; i < strip.columns; ++i) {
    const auto fx = static_cast<float>(frequency(strip.first_kx + i, plan.domain.width));
    for (uint32_t ky = 0; ky < strip.height; ++ky) {
      const bool known = symmetric && 2 * ky > strip.height;
      all[ky * stride + i] = known ? all[(strip.height - ky) * stride + i] : gain(fx, rows[ky]);
    }
  }
  scale_strip(strip, all.data());
}

void Filter::Impl::to_logarithms(const ImageView& source) {
  const FilterOptions& o = plan.options;
  const uint32_t stored = format_info(logarithms.format()).channels;
  const uint32_t width = o.size.width;
  std::vector<std::vector<float>> scratch(workers.slots());
  for_rows(workers, o.size.height, o.slices, [&](uint32_t y, uint32_t slice, uint32_t slot) {
    scratch[slot].resize(size_t{4} * width);
    float* rgba = scratch[slot].data();
    decode_row(source.format, source.row(y, slice), width, rgba);
    auto* out = reinterpret_cast<float*>(logarithms.view().row(y, slice));
    for (size_t x = 0; x < width; ++x) {
      for (size_t c = 0; c < stored; ++c) {
        const float value = rgba[4 * x + c];
        // The comparison lets NaN pass.
        out[stored * x + c] = static_cast<float>(std::log(double{value < 0 ? 0 : value} + o.log_offset));
      }
    }
  });
}

void Filter::Impl::from_logarithms(const ImageView& source, const MutableImageView& target) {
  const FilterOptions& o = plan.options;
  const uint32_t stored = format_info(filtered.format()).channels;
  const uint32_t width = o.size.width;
  std::vector<std::vector<float>> scratch(workers.slots());
  for_rows(workers, o.size.height, o.slices, [&](uint32_t y, uint32_t slice, uint32_t slot) {
    scratch[slot].resize(size_t{4} * width);
    float* rgba = scratch[slot].data();
    decode_row(source.format, source.row(y, slice), width, rgba);
    const auto* in = reinterpret_cast<const float*>(filtered.view().row(y, slice));
    for (size_t x = 0; x < width; ++x) {
      for (size_t c = 0; c < 4; ++c) {
        if (c == 3) continue;  // alpha is not changed
        rgba[4 * x + c] = c < plan.image_transform.channels
                              ? static_cast<float>(std::exp(double{in[stored * x + c]}) - o.log_offset)
                              : 0.0F;
      }
      if (o.channels < 4) rgba[4 * x + 3] = 1.0F;
    }
    encode_row(target.format, rgba, width, target.row(y, slice));
  });
}

Result<void> Filter::Impl::run(const ImageView& source, const MutableImageView& target) {
  ProgressWatch watch(tuning.progress);
  const auto operation = [&](const SpectrumStrip& strip, uint32_t slot) { filter_strip(strip, slot); };
  if (plan.options.domain == FilterDomain::kLogarithm) {
    to_logarithms(source);
    transform.impl().apply(logarithms.view(), operation, filtered.view(), {}, {&watch});
    if (!watch.is_cancelled()) from_logarithms(source, target);
    return finish(watch);
  }
  transform.impl().apply(source, operation, target, {}, {&watch});
  if (watch.is_cancelled()) return finish(watch);
  if (plan.image_transform.channels == 3 && plan.options.channels == 4) copy_alpha(workers, source, target, {});
  return finish(watch);
}

Result<Filter> Filter::create(const FilterOptions& options, const TransformTuning& tuning) {
  auto plan = plan_filter(options);
  if (!plan) return plan.error();
  auto transform = Transform::create(plan->image_transform, tuning);
  if (!transform) return transform.error();
  try {
    auto impl = std::make_unique<Impl>(std::move(*plan), std::move(*transform), tuning);
    const FilterOptions& o = impl->plan.options;
    if (o.domain == FilterDomain::kLogarithm) {
      for (Image* image : {&impl->logarithms, &impl->filtered}) {
        auto created = Image::create(impl->plan.image_transform.source, o.size, o.slices);
        if (!created) return created.error();
        *image = std::move(*created);
      }
    }
    return Filter(std::move(impl));
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, "no memory for a filter", ""};
  }
}

Result<void> Filter::apply(const ImageView& source, const MutableImageView& target) {
  const FilterOptions& o = impl_->plan.options;
  auto checked = check_color_view("source", source, o.source, o.size, o.slices);
  if (checked) checked = check_color_view("target", target, o.target, o.size, o.slices);
  if (!checked) return checked;
  try {
    return impl_->run(source, target);
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, "no memory to filter", ""};
  }
}

const FilterPlan& Filter::plan() const { return impl_->plan; }

Filter::Filter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Filter::Filter(Filter&&) noexcept = default;
Filter& Filter::operator=(Filter&&) noexcept = default;
Filter::~Filter() = default;

}  // namespace onepass::cpu
