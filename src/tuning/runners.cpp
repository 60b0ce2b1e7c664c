// runners.cpp: techniques on images of noise, ready to be recorded, and their outputs as numbers.
#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <utility>

#include "image/div_up.hpp"
#include "tuning/experiments.hpp"
#include "vulkan/host_image.hpp"

namespace onepass::vulkan {
namespace {

// Images that are used in turn, so that caches do not hold them from one recording to the next, as in a frame.
constexpr uint64_t kBytesOfSets = uint64_t{256} << 20;
constexpr size_t kMostSets = 8;

constexpr VkImageUsageFlags kSourceUsage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
constexpr VkImageUsageFlags kTargetUsage = VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;

// Positive numbers of the formats in experiments.cpp, the same in every run.
void fill_with_noise(Format format, std::byte* bytes, uint64_t count) {
  std::minstd_rand random(7);  // NOLINT(cert-msc51-cpp)
  const FormatInfo& info = format_info(format);
  const auto fill = [&](auto make) {
    using Value = decltype(make());
    for (uint64_t i = 0; i + sizeof(Value) <= count; i += sizeof(Value)) {
      const Value value = make();
      std::memcpy(bytes + i, &value, sizeof value);
    }
  };
  if (info.type != ChannelType::kFloat) {
    fill([&] { return static_cast<uint8_t>(random() >> 8); });
  } else if (info.bytes_per_texel == 4 * info.channels) {
    fill([&] { return static_cast<float>(random() >> 8 & 0xFFFF) / 65536.0F; });
  } else {
    fill([&] { return static_cast<uint16_t>(0x2400 + (random() >> 8) % 0x2000); });  // halves from 2^-6 to 4
  }
}

// Appends bytes of floats.
void append_floats(const void* bytes, uint64_t count, std::vector<float>& out) {
  const size_t begin = out.size();
  out.resize(begin + count / sizeof(float));
  std::memcpy(out.data() + begin, bytes, (out.size() - begin) * sizeof(float));
}

// Appends the levels of a downloaded image.
void append_levels(const DeviceImage& image, const std::byte* bytes, Output& out) {
  constexpr uint64_t kAlign = 16;  // of copy_levels()
  for (uint32_t level = 0; level < image.levels; ++level) {
    const uint64_t count = image.level_bytes(level);
    if (format_info(image.format).type == ChannelType::kFloat) {
      append_floats(bytes, count, out.numbers);
    } else {
      const auto* codes = reinterpret_cast<const uint8_t*>(bytes);
      out.codes.insert(out.codes.end(), codes, codes + count);
    }
    bytes += round_up(count, kAlign);
  }
}

/// The images of an experiment.
struct ExperimentImages {
  Device device;
  std::vector<DeviceImage> sources;
  std::vector<DeviceImage> targets;  // none: the technique writes to buffers

  [[nodiscard]] size_t sets() const { return sources.size(); }

  /// Runs `record`, which works on set 0, and returns its target, if there is one.
  Result<Output> run(const std::function<void(VkCommandBuffer)>& record) const {
    const Device::Impl& impl = device.impl();
    Buffer staging;
    if (!targets.empty()) {
      auto made =
          Buffer::create(impl, packed_bytes(targets[0], 0, targets[0].levels), VK_BUFFER_USAGE_TRANSFER_DST_BIT, true);
      if (!made) return made.error();
      staging = std::move(*made);
    }
    auto ran = device.run([&](VkCommandBuffer commands) {
      record(commands);
      if (!targets.empty()) {
        record_download(targets[0], staging, 0, commands);
        targets[0].transition(commands, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, kTransferReads, VK_IMAGE_LAYOUT_GENERAL,
                              kShaderWrites);
      }
      record_barrier(impl, commands, kFullBarrier);
    });
    if (!ran) return ran.error();
    Output out;
    if (!targets.empty()) append_levels(targets[0], static_cast<const std::byte*>(staging.mapped), out);
    return out;
  }
};

struct ImagesRequest {
  Format source = Format::kUndefined;
  Extent size;
  Format target = Format::kUndefined;  // kUndefined: no targets
  Extent target_size;
  uint32_t target_levels = 1;
};

Result<void> upload(const Device& device, const ExperimentImages& images) {
  const Device::Impl& impl = device.impl();
  const uint64_t bytes = packed_bytes(images.sources[0], 0, 1);
  auto staging = Buffer::create(impl, bytes, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, true);
  if (!staging) return staging.error();
  fill_with_noise(images.sources[0].format, static_cast<std::byte*>(staging->mapped), bytes);
  return device.run([&](VkCommandBuffer commands) {
    for (const DeviceImage& source : images.sources) record_upload(source, *staging, 0, commands);
    for (const DeviceImage& target : images.targets) {
      target.transition(commands, VK_IMAGE_LAYOUT_UNDEFINED, kNoAccesses, VK_IMAGE_LAYOUT_GENERAL, kShaderWrites);
    }
  });
}

Result<std::shared_ptr<ExperimentImages>> create_images(const Device& device, const ImagesRequest& request) {
  const Device::Impl& impl = device.impl();
  auto out = std::make_shared<ExperimentImages>(ExperimentImages{device, {}, {}});
  const auto bytes_of = [](Extent size, Format format) {
    return uint64_t{size.width} * size.height * format_info(format).bytes_per_texel;
  };
  const uint64_t bytes = bytes_of(request.size, request.source) + bytes_of(request.target_size, request.target);
  // A software device has the caches of the CPU, which other work uses, too.
  const size_t sets = device.info().software ? 1 : std::clamp<size_t>(kBytesOfSets / bytes, 1, kMostSets);
  for (size_t i = 0; i < sets; ++i) {
    auto source = DeviceImage::create(impl, {.format = request.source, .size = request.size, .usage = kSourceUsage});
    if (!source) return source.error();
    out->sources.push_back(std::move(*source));
    if (request.target == Format::kUndefined) continue;
    auto target = DeviceImage::create(impl, {.format = request.target,
                                             .size = request.target_size,
                                             .levels = request.target_levels,
                                             .usage = kTargetUsage});
    if (!target) return target.error();
    out->targets.push_back(std::move(*target));
  }
  if (auto uploaded = upload(device, *out); !uploaded) return uploaded.error();
  return out;
}

/// A technique and its bindings, one per set.
template <typename Technique, typename Binding>
struct Bound {
  std::shared_ptr<ExperimentImages> images;
  Technique technique;
  std::vector<Binding> bindings;
};

/// Binds `technique` to each set by bind(set).
template <typename Technique, typename Bind>
auto bind_sets(std::shared_ptr<ExperimentImages> images, Technique technique, const Bind& bind) {
  using Binding = std::decay_t<decltype(*bind(technique, size_t{0}))>;
  using Made = std::shared_ptr<Bound<Technique, Binding>>;
  const size_t sets = images->sets();
  auto bound = std::make_shared<Bound<Technique, Binding>>(
      Bound<Technique, Binding>{std::move(images), std::move(technique), {}});
  for (size_t i = 0; i < sets; ++i) {
    auto binding = bind(bound->technique, i);
    if (!binding) return Result<Made>(binding.error());
    bound->bindings.push_back(std::move(*binding));
  }
  return Result<Made>(std::move(bound));
}

/// The runner of a technique whose only output is its target image.
template <typename Made>
Runner image_runner(const Made& bound) {
  Runner runner;
  runner.sets = bound->images->sets();
  runner.record = [bound](VkCommandBuffer commands, size_t set) {
    bound->technique.record(commands, bound->bindings[set]);
  };
  runner.output = [bound] {
    return bound->images->run([&](VkCommandBuffer commands) { bound->technique.record(commands, bound->bindings[0]); });
  };
  return runner;
}

constexpr MeterFrame kNewScene{.seconds = 0, .cut = true};  // results do not depend on earlier recordings

void append_result(const MeterResult& result, std::vector<float>& out) {
  out.insert(out.end(), {result.exposure, result.log_average, result.mean_luminance, result.min_luminance,
                         result.max_luminance, static_cast<float>(result.finite_count)});
  out.insert(out.end(), result.mean_colour.begin(), result.mean_colour.end());
  std::transform(result.histogram.begin(), result.histogram.end(), std::back_inserter(out),
                 [](uint64_t weight) { return static_cast<float>(weight); });
}

Result<std::shared_ptr<Buffer>> result_buffer(const Device& device) {
  auto buffer = Buffer::create(device.impl(), sizeof(MeterResult),
                               VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT, true);
  if (!buffer) return buffer.error();
  return std::make_shared<Buffer>(std::move(*buffer));
}

// A buffer of the device that a runner keeps.
Result<std::shared_ptr<Buffer>> shared_buffer(const Device& device, uint64_t bytes) {
  auto buffer = Buffer::create(device.impl(), bytes,
                               VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT, false);
  if (!buffer) return buffer.error();
  return std::make_shared<Buffer>(std::move(*buffer));
}

/// The runner of a technique that meters: from results of zero to a target, if it has one, and results.
template <typename Made>
Runner meter_runner(const Made& bound, const std::shared_ptr<Buffer>& results) {
  Runner runner;
  runner.sets = bound->images->sets();
  runner.record = [bound, results](VkCommandBuffer commands, size_t set) {
    bound->technique.record(commands, bound->bindings[set], kNewScene);
  };
  runner.output = [bound, results] {
    const Device::Impl& impl = bound->images->device.impl();
    auto out = bound->images->run([&](VkCommandBuffer commands) {
      bound->technique.record_reset(commands, bound->bindings[0]);
      record_barrier(impl, commands, kFullBarrier);
      bound->technique.record(commands, bound->bindings[0], kNewScene);
    });
    MeterResult result;
    std::memcpy(static_cast<void*>(&result), results->mapped, sizeof result);
    if (out) append_result(result, out->numbers);
    return out;
  };
  return runner;
}

}  // namespace

template <>
Result<std::function<Result<Runner>(const PyramidTuning&)>> open_experiment(
    const Device& device, const Experiment<PyramidTuning>& experiment) {
  const PyramidOptions& options = experiment.options;
  const auto plan = plan_pyramid(options);
  if (!plan) return plan.error();
  auto images = create_images(device, {options.source, options.size, options.target, plan->sizes[1], plan->levels - 1});
  if (!images) return images.error();
  return std::function([device, options, images = *images](const PyramidTuning& tuning) -> Result<Runner> {
    auto pyramid = Pyramid::create(device, options, tuning);
    if (!pyramid) return pyramid.error();
    auto bound = bind_sets(images, *pyramid, [&](const Pyramid& technique, size_t i) {
      return technique.bind(
          {.source = images->sources[i].image, .target = images->targets[i].image, .target_level = 0});
    });
    if (!bound) return bound.error();
    return image_runner(*bound);
  });
}

template <>
Result<std::function<Result<Runner>(const TileReductionTuning&)>> open_experiment(
    const Device& device, const Experiment<TileReductionTuning>& experiment) {
  const TileReductionOptions& options = experiment.options;
  const auto plan = plan_tile_reduction(options);
  if (!plan) return plan.error();
  auto images = create_images(device, {options.source, options.size, options.target, plan->size});
  if (!images) return images.error();
  return std::function([device, options, images = *images](const TileReductionTuning& tuning) -> Result<Runner> {
    auto tiles = TileReduction::create(device, options, tuning);
    if (!tiles) return tiles.error();
    auto bound = bind_sets(images, *tiles, [&](const TileReduction& technique, size_t i) {
      return technique.bind({.source = images->sources[i].image, .target = images->targets[i].image});
    });
    if (!bound) return bound.error();
    return image_runner(*bound);
  });
}

template <>
Result<std::function<Result<Runner>(const ToneMapTuning&)>> open_experiment(
    const Device& device, const Experiment<ToneMapTuning>& experiment) {
  const ToneMapOptions& options = experiment.options;
  auto images = create_images(device, {options.source, options.size, options.target, options.size});
  if (!images) return images.error();
  return std::function([device, options, images = *images](const ToneMapTuning& tuning) -> Result<Runner> {
    auto map = ToneMap::create(device, options, tuning);
    if (!map) return map.error();
    auto bound = bind_sets(images, *map, [&](const ToneMap& technique, size_t i) {
      return technique.bind({.source = images->sources[i].image, .target = images->targets[i].image});
    });
    if (!bound) return bound.error();
    return image_runner(*bound);
  });
}

template <>
Result<std::function<Result<Runner>(const MeterTuning&)>> open_experiment(const Device& device,
                                                                          const Experiment<MeterTuning>& experiment) {
  const MeterOptions& options = experiment.options;
  auto images = create_images(device, {options.source, options.size, Format::kUndefined, {}});
  if (!images) return images.error();
  return std::function([device, options, images = *images](const MeterTuning& tuning) -> Result<Runner> {
    auto meter = Meter::create(device, options, tuning);
    if (!meter) return meter.error();
    auto results = result_buffer(device);
    if (!results) return results.error();
    auto bound = bind_sets(images, *meter, [&](const Meter& technique, size_t i) {
      return technique.bind({.source = images->sources[i].image, .results = (*results)->buffer});
    });
    if (!bound) return bound.error();
    return meter_runner(*bound, *results);
  });
}

template <>
Result<std::function<Result<Runner>(const FrameToneMapTuning&)>> open_experiment(
    const Device& device, const Experiment<FrameToneMapTuning>& experiment) {
  const FrameToneMapOptions& options = experiment.options;
  const ToneMapOptions& tone = options.tone;
  auto images = create_images(device, {tone.source, tone.size, tone.target, tone.size});
  if (!images) return images.error();
  return std::function([device, options, images = *images](const FrameToneMapTuning& tuning) -> Result<Runner> {
    auto frames = FrameToneMap::create(device, options, tuning);
    if (!frames) return frames.error();
    auto results = result_buffer(device);
    if (!results) return results.error();
    auto bound = bind_sets(images, *frames, [&](const FrameToneMap& technique, size_t i) {
      return technique.bind(
          {.source = images->sources[i].image, .target = images->targets[i].image, .results = (*results)->buffer});
    });
    if (!bound) return bound.error();
    return meter_runner(*bound, *results);
  });
}

template <>
Result<std::function<Result<Runner>(const TransformTuning&)>> open_experiment(
    const Device& device, const Experiment<TransformTuning>& experiment) {
  const TransformOptions& options = experiment.options;
  auto images = create_images(device, {options.source, options.size, options.target, options.size});
  if (!images) return images.error();
  return std::function([device, options, images = *images](const TransformTuning& tuning) -> Result<Runner> {
    auto transform = Transform::create(device, options, {}, tuning);
    if (!transform) return transform.error();
    // One spectrum and one scratch memory for all sets: each dispatch reads what the one before it has just written.
    auto spectrum = shared_buffer(device, transform->plan().spectrum_bytes);
    if (!spectrum) return spectrum.error();
    auto scratch = shared_buffer(device, std::max<uint64_t>(transform->dispatch_plan().scratch_bytes, 4));
    if (!scratch) return scratch.error();
    auto bound = bind_sets(images, *transform, [&](const Transform& technique, size_t i) {
      return technique.bind({.source = {.image = images->sources[i].image},
                             .spectrum = {.buffer = (*spectrum)->buffer},
                             .target = {.image = images->targets[i].image},
                             .scratch = {.buffer = (*scratch)->buffer}});
    });
    if (!bound) return bound.error();
    const auto record = [made = *bound, scratch = *scratch](VkCommandBuffer commands, size_t set) {
      made->technique.record_forward(commands, made->bindings[set]);
      record_barrier(made->images->device.impl(), commands, kBetweenDispatches);
      made->technique.record_inverse(commands, made->bindings[set]);
    };
    // What the inverse makes of the spectrum, and the spectrum.
    const auto output = [images, record, spectrum = *spectrum]() -> Result<Output> {
      const Device::Impl& impl = images->device.impl();
      auto staging = Buffer::create(impl, spectrum->size, VK_BUFFER_USAGE_TRANSFER_DST_BIT, true);
      if (!staging) return staging.error();
      auto out = images->run([&](VkCommandBuffer commands) {
        record(commands, 0);
        record_barrier(impl, commands, {.before = kShaderWrites, .after = kTransferReads});
        const VkBufferCopy all{0, 0, spectrum->size};
        impl.functions.vkCmdCopyBuffer(commands, spectrum->buffer, staging->buffer, 1, &all);
      });
      if (out) append_floats(staging->mapped, spectrum->size, out->numbers);
      return out;
    };
    return Runner{.record = record, .sets = images->sets(), .output = output};
  });
}

}  // namespace onepass::vulkan
