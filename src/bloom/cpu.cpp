// cpu.cpp: cpu::Bloom. At full resolution the row passes of the transform apply the bright pass and the composite. At
// half resolution, and with a mip chain, the glow is stored, and a pass over the rows of the image adds it.
#include <array>
#include <cmath>
#include <new>
#include <utility>
#include <vector>

#include "bloom/cpu_light.hpp"
#include "bloom/settings.hpp"
#include "cpu/views.hpp"
#include "fourier/cpu_impl.hpp"
#include "fourier/cpu_kernel_spectrum.hpp"
#include "fourier/kernel_weights.hpp"
#include "image/error.hpp"

namespace onepass::cpu {
namespace {

/// Texels of a smaller image from which each texel of a larger one is interpolated, along an axis.
template <size_t taps>
struct Enlargement {
  struct Texel {
    std::array<uint32_t, taps> from{};
    std::array<float, taps> weights{};
  };
  std::vector<Texel> texels;
};

// Beyond the edge the smaller image is mirrored, with the edge texel repeated.
template <size_t taps>
Enlargement<taps> enlarge_axis(uint32_t target, uint32_t source) {
  Enlargement<taps> out;
  out.texels.resize(target);
  for (uint32_t x = 0; x < target; ++x) {
    // The exact position, (x + 0.5) source / target - 0.5, as a fraction; the kernel does the same.
    const int64_t position = (2 * int64_t{x} + 1) * source - int64_t{target};
    const int64_t whole = 2 * int64_t{target};
    const int64_t left = position < 0 ? -1 : position / whole;
    const float offset = static_cast<float>(position - left * whole) / static_cast<float>(whole);
    auto& texel = out.texels[x];
    for (size_t i = 0; i < taps; ++i) {
      const int64_t n = source;
      int64_t at = left + static_cast<int64_t>(i) - (taps == 4 ? 1 : 0);
      at = at < 0 ? -1 - at : at >= n ? 2 * n - 1 - at : at;
      texel.from[i] = static_cast<uint32_t>(std::clamp<int64_t>(at, 0, n - 1));
    }
    if constexpr (taps == 4) tent_weights(offset, texel.weights.data());
    if constexpr (taps == 2) texel.weights = {1 - offset, offset};
  }
  return out;
}

/// Memory and tables of a glow that is stored: the bright light and its levels, or a half-size glow.
struct StoredGlow {
  std::vector<Image> levels;                                            ///< A half-size glow: one.
  std::vector<std::pair<Enlargement<4>, Enlargement<4>>> enlargements;  ///< Of level n + 1 to level n: x, y.
  Enlargement<2> x, y;  ///< Of level 0 to the image; empty if they have the same size.
  std::optional<Pyramid> pyramid;
};

Result<void> create_levels(const BloomPlan& plan, const TransformTuning& tuning, StoredGlow& glow) {
  const BloomOptions& o = plan.options;
  const bool chain = o.method == BloomMethod::kMipChain;
  const uint32_t levels = chain ? plan.levels : o.resolution == BloomResolution::kHalf ? 1 : 0;
  for (uint32_t level = 0; level < levels; ++level) {
    auto image = Image::create(glow_format(o), level_size(plan.glow_size, level), o.slices);
    if (!image) return image.error();
    glow.levels.push_back(std::move(*image));
  }
  for (uint32_t level = 0; level + 1 < levels; ++level) {
    const Extent fine = glow.levels[level].size(), coarse = glow.levels[level + 1].size();
    glow.enlargements.emplace_back(enlarge_axis<4>(fine.width, coarse.width),
                                   enlarge_axis<4>(fine.height, coarse.height));
  }
  if (levels > 0 && o.resolution == BloomResolution::kHalf) {
    // Texel x of the image lies at (x + 0.5) / 2 - 0.5, also where the glow has a column for half a texel pair.
    glow.x = enlarge_axis<2>(2 * plan.glow_size.width, plan.glow_size.width);
    glow.y = enlarge_axis<2>(2 * plan.glow_size.height, plan.glow_size.height);
  }
  if (levels < 2) return {};
  auto pyramid = Pyramid::create(chain_options(plan), {.threads = tuning.threads});
  if (!pyramid) return pyramid.error();
  glow.pyramid = std::move(*pyramid);
  return {};
}

const float* floats_of(const ImageView& view, uint32_t y, uint32_t slice) {
  return reinterpret_cast<const float*>(view.row(y, slice));
}

}  // namespace

struct ONEPASS_INTERNAL Bloom::Impl {
  BloomPlan plan;
  TransformTuning tuning;
  Workers workers;
  LightRows light;
  image::RowEncoder<float> encoder;
  std::optional<ConvolutionPlan> convolution;
  std::optional<Transform> transform;
  std::optional<KernelSpectrum> kernel;
  bool kernel_set = false;
  StoredGlow glow;
  std::vector<std::vector<float>> scratch;  // by slot

  Impl(const BloomPlan& planned, const TransformTuning& tuned)
      : plan(planned),
        tuning(tuned),
        workers(tuned.threads),
        light(planned.options),
        encoder(image::make_encode_spec(planned.options.target)),
        scratch(workers.slots()) {}

  Result<void> create();
  Result<void> set_kernel(const ImageView* image);
  void convolve(const ImageView& source, const MutableImageView& target, ProgressWatch& watch);
  Result<void> add_levels(const ImageView& source);
  void add_coarser(uint32_t level);
  void compose_rows(const ImageView& source, const MutableImageView& target);
  void encode_rgb(const float* rgba, const MutableImageView& target, std::byte* row) const;
  void each_row(uint32_t height, const std::function<void(uint32_t y, uint32_t slice, std::vector<float>&)>& row);
};

Result<void> Bloom::Impl::create() {
  if (auto created = create_levels(plan, tuning, glow); !created) return created;
  if (plan.options.method == BloomMethod::kMipChain) return {};
  auto planned = plan_convolution(convolution_options(plan));
  if (!planned) return planned.error();
  convolution = std::move(*planned);
  const auto kernel_plan = plan_transform(convolution->kernel_transform);
  if (!kernel_plan) return kernel_plan.error();
  auto made = Transform::create(convolution->image_transform, tuning);
  if (!made) return made.error();
  transform = std::move(*made);
  kernel.emplace(*kernel_plan, convolution->image_transform.channels);
  if (plan.options.kernel == Format::kUndefined) return set_kernel(nullptr);
  return {};
}

Result<void> Bloom::Impl::set_kernel(const ImageView* image) {
  const auto made = make_bloom_kernel(plan, image);
  if (!made) return made.error();
  const auto weights = convolution_weights(*convolution, made->view());
  if (!weights) return weights.error();
  kernel_set = false;
  if (auto done = kernel->set(weights->view(), tuning); !done) return done;
  kernel_set = true;
  return {};
}

// The convolution of the bright light; at full resolution with the composite, to the target, otherwise to the glow.
void Bloom::Impl::convolve(const ImageView& source, const MutableImageView& target, ProgressWatch& watch) {
  RowChanges changes;
  changes.load = [&](uint32_t slice, uint32_t y, uint32_t x, uint32_t count, float* texels) {
    light.bright_part(source, slice, y, x, count, texels);
  };
  const bool full = plan.options.resolution == BloomResolution::kFull;
  const uint32_t stored = encoder.spec().stored_channels;
  if (full) {
    changes.store = [&, stored](uint32_t slice, uint32_t y, uint32_t x, uint32_t count, float* texels) {
      // A part of the target may have more texels than fit with the channels of the source.
      std::array<float, LightRows::kPartFloats + image::kRowPadding> originals;
      const uint32_t most = LightRows::kPartFloats / light.channels();
      for (uint32_t i = 0; i < count; i += most) {
        const uint32_t n = std::min(most, count - i);
        light.read(source, slice, y, x + i, n, originals.data());
        light.compose(originals.data(), n, texels + size_t{i} * stored, stored);
      }
    };
  }
  const auto multiply = [&](const SpectrumStrip& strip, uint32_t /*slot*/) { kernel->multiply(strip); };
  transform->impl().apply(source, multiply, full ? target : glow.levels[0].view(), changes, {&watch});
}

void Bloom::Impl::each_row(uint32_t height,
                           const std::function<void(uint32_t y, uint32_t slice, std::vector<float>&)>& row) {
  workers.run(size_t{height} * plan.options.slices, [&](size_t task, uint32_t slot) {
    row(static_cast<uint32_t>(task % height), static_cast<uint32_t>(task / height), scratch[slot]);
  });
}

// The bright light, its mip chain, and the sum of the levels, in level 0.
Result<void> Bloom::Impl::add_levels(const ImageView& source) {
  const uint32_t width = plan.glow_size.width, channels = light.channels();
  const uint32_t part = LightRows::kPartFloats / channels;
  each_row(plan.glow_size.height, [&](uint32_t y, uint32_t slice, std::vector<float>& /*unused*/) {
    auto* out = reinterpret_cast<float*>(glow.levels[0].view().row(y, slice));
    std::array<float, LightRows::kPartFloats + image::kRowPadding> texels;
    for (uint32_t x = 0; x < width; x += part) {
      const uint32_t count = std::min(part, width - x);
      light.bright_part(source, slice, y, x, count, texels.data());
      std::copy_n(texels.data(), size_t{count} * channels, out + size_t{x} * channels);
    }
  });
  if (plan.levels < 2) return {};
  std::vector<MutableImageView> coarser;
  for (uint32_t level = 1; level < plan.levels; ++level) coarser.push_back(glow.levels[level].view());
  if (auto built = glow.pyramid->build(glow.levels[0].view(), coarser); !built) return built;
  for (uint32_t level = plan.levels - 1; level-- > 0;) add_coarser(level);
  return {};
}

// level = (1 - spread) * level + spread * the coarser level, enlarged.
void Bloom::Impl::add_coarser(uint32_t level) {
  const size_t channels = light.channels();
  const auto& [x_axis, y_axis] = glow.enlargements[level];
  const MutableImageView fine = glow.levels[level].view();
  const ImageView coarse = glow.levels[level + 1].view();
  const float spread = plan.options.spread;
  each_row(fine.size.height,
           [&, &x_axis = x_axis, &y_axis = y_axis](uint32_t y, uint32_t slice, std::vector<float>& sums) {
             const auto& rows = y_axis.texels[y];
             const size_t floats = channels * coarse.size.width;
             sums.resize(std::max(sums.size(), floats));
             const float* from[4];
             for (size_t i = 0; i < 4; ++i) from[i] = floats_of(coarse, rows.from[i], slice);
             for (size_t i = 0; i < floats; ++i) {
               sums[i] = rows.weights[0] * from[0][i] + rows.weights[1] * from[1][i] + rows.weights[2] * from[2][i] +
                         rows.weights[3] * from[3][i];
             }
             auto* out = reinterpret_cast<float*>(fine.row(y, slice));
             for (uint32_t x = 0; x < fine.size.width; ++x, out += channels) {
               const auto& taps = x_axis.texels[x];
               for (size_t c = 0; c < channels; ++c) {
                 float sum = 0;
                 for (size_t i = 0; i < 4; ++i) sum += taps.weights[i] * sums[taps.from[i] * channels + c];
                 out[c] = (1 - spread) * out[c] + spread * sum;
               }
             }
           });
}

// Encodes a row without alpha.
void Bloom::Impl::encode_rgb(const float* rgba, const MutableImageView& target, std::byte* row) const {
  constexpr uint32_t kPart = 64;
  alignas(16) std::array<std::byte, size_t{16} * kPart> texels;
  for (uint32_t x = 0; x < target.size.width; x += kPart) {
    const uint32_t count = std::min(kPart, target.size.width - x);
    encoder.encode(rgba + size_t{4} * x, count, texels.data());
    image::drop_alpha(target.format, texels.data(), count, row + x * texel_bytes(target));
  }
}

// Adds the stored glow to the image.
void Bloom::Impl::compose_rows(const ImageView& source, const MutableImageView& target) {
  const size_t channels = light.channels();
  const uint32_t stored = encoder.spec().stored_channels;
  const ImageView from = glow.levels[0].view();
  const bool enlarges = plan.options.resolution == BloomResolution::kHalf;
  const uint32_t width = target.size.width;
  each_row(target.size.height, [&](uint32_t y, uint32_t slice, std::vector<float>& memory) {
    // A row of the source, of the glow, and of the result.
    const size_t source_floats = channels * width + image::kRowPadding;
    const size_t glow_floats = channels * from.size.width;
    memory.resize(std::max(memory.size(), source_floats + glow_floats + size_t{stored} * width + image::kRowPadding));
    float* texels = memory.data();
    float* row = texels + source_floats;
    float* result = row + glow_floats;
    light.read(source, slice, y, 0, width, texels);
    if (enlarges) {
      const auto& rows = glow.y.texels[y];
      const float* above = floats_of(from, rows.from[0], slice);
      const float* below = floats_of(from, rows.from[1], slice);
      for (size_t i = 0; i < glow_floats; ++i) row[i] = rows.weights[0] * above[i] + rows.weights[1] * below[i];
    } else {
      std::copy_n(floats_of(from, y, slice), glow_floats, row);
    }
    for (uint32_t x = 0; x < width; ++x) {
      for (uint32_t c = 0; c < std::min<uint32_t>(stored, light.colours()); ++c) {
        float value = row[x * channels + c];
        if (enlarges) {
          const auto& taps = glow.x.texels[x];
          value =
              taps.weights[0] * row[taps.from[0] * channels + c] + taps.weights[1] * row[taps.from[1] * channels + c];
        }
        result[size_t{x} * stored + c] = value;
      }
    }
    light.compose(texels, width, result, stored);
    encoder.finish(result, width, {}, result);
    if (is_rgb(target.format)) return encode_rgb(result, target, target.row(y, slice));
    encoder.encode(result, width, target.row(y, slice));
  });
}

Result<Bloom> Bloom::create(const BloomOptions& options, const TransformTuning& tuning) try {
  const auto plan = plan_bloom(options);
  if (!plan) return plan.error();
  auto impl = std::make_unique<Impl>(*plan, tuning);
  if (auto created = impl->create(); !created) return created.error();
  return Bloom(std::move(impl));
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::kOutOfMemory, "no memory for a bloom", ""};
}

Result<void> Bloom::set_kernel(const ImageView& kernel) try {
  return impl_->set_kernel(&kernel);
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::kOutOfMemory, "no memory for a kernel", ""};
}

Result<void> Bloom::apply(const ImageView& source, const MutableImageView& target) try {
  const BloomOptions& o = impl_->plan.options;
  auto checked = check_color_view("source", source, o.source, o.size, o.slices);
  if (checked) checked = check_color_view("target", target, o.target, o.size, o.slices);
  if (!checked) return checked;
  if (o.method == BloomMethod::kMipChain) {
    if (auto done = impl_->add_levels(source); !done) return done;
  } else {
    if (!impl_->kernel_set) return invalid("no kernel is set", "kernel");
    ProgressWatch watch(impl_->tuning.progress);
    impl_->convolve(source, target, watch);
    if (o.resolution == BloomResolution::kHalf && !watch.is_cancelled()) impl_->compose_rows(source, target);
    return finish(watch);
  }
  impl_->compose_rows(source, target);
  return {};
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::kOutOfMemory, "no memory for a bloom", ""};
}

const BloomPlan& Bloom::plan() const { return impl_->plan; }

Bloom::Bloom(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Bloom::Bloom(Bloom&&) noexcept = default;
Bloom& Bloom::operator=(Bloom&&) noexcept = default;
Bloom::~Bloom() = default;

}  // namespace onepass::cpu
