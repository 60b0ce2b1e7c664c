// cpp_driver.cpp: every technique driven through the C++ classes.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <span>
#include <utility>

#include "onepass/vulkan/blocks.hpp"
#include "onepass/vulkan/bloom.hpp"
#include "onepass/vulkan/fourier_convolution.hpp"
#include "onepass/vulkan/fourier_correlation.hpp"
#include "onepass/vulkan/fourier_deconvolution.hpp"
#include "onepass/vulkan/fourier_filter.hpp"
#include "onepass/vulkan/frame_tone_map.hpp"
#include "onepass/vulkan/luminance.hpp"
#include "onepass/vulkan/pyramid.hpp"
#include "onepass/vulkan/reflection.hpp"
#include "onepass/vulkan/tile_reduction.hpp"
#include "onepass/vulkan/tone_map.hpp"
#include "tests/integration/technique_rig.hpp"

namespace onepass::testing {
namespace {

constexpr Format kHalf = Format::kRGBA16Sfloat;

PyramidOptions pyramid_options() {
  return {.size = kRigSize, .source = kHalf, .target = kHalf, .reduction = Reduction::kMax};
}
BlockCompressorOptions block_options() {
  return {.size = kRigSize, .source = kHalf, .blocks = BlockFormat::kBc6hSfloat};
}

TileReductionOptions tile_options() {
  return {.size = kRigSize, .source = kHalf, .target = kHalf, .reduction = Reduction::kMax, .factor = 8};
}
MeterOptions meter_options() {
  return {.size = kRigSize, .source = kHalf, .metering = Metering::kMask, .mask = Format::kR8Unorm};
}
ToneMapOptions tone_options() { return {.size = kRigSize, .source = kHalf, .target = Format::kRGBA8Srgb}; }
TransformOptions transform_options() { return {.size = kRigSize, .source = kHalf, .order = SpectrumOrder::kColumns}; }
ConvolutionOptions convolution_options() {
  return {.size = kRigSize,
          .source = kHalf,
          .kernel_size = {5, 5},
          .kernel = Format::kR8Unorm,
          .boundary = Boundary::kMirror,
          .scale = KernelScale::kUnitSum};
}
FilterOptions filter_options() { return {.size = kRigSize, .source = kHalf}; }
FrameToneMapOptions frame_options() {
  ToneMapOptions tone = tone_options();
  tone.tone_operator = ToneOperator::kAcesHill;
  return {.meter = meter_options(), .tone = tone};
}
ToneMapOptions local_options() {
  ToneMapOptions tone = tone_options();
  tone.local = {.highlights = 0.5F, .shadows = 0.75F, .detail = 1.25F};
  return tone;
}
DeconvolutionOptions deconvolution_options() {
  return {.size = kRigSize,
          .source = kHalf,
          .kernel_size = {5, 5},
          .kernel = Format::kR8Unorm,
          .method = DeconvolutionMethod::kRichardsonLucy,
          .iterations = 2};
}
CorrelationOptions correlation_options() {
  return {.size = kRigSize, .first = kHalf, .second = kHalf, .kind = CorrelationKind::kCross};
}
BloomOptions bloom_options() {
  return {.size = kRigSize, .source = kHalf, .scatter = 0.5F, .threshold = 0.25F, .knee = 0.125F};
}
BloomOptions mip_bloom_options() {
  BloomOptions options = bloom_options();
  options.method = BloomMethod::kMipChain;
  options.resolution = BloomResolution::kHalf;
  options.kernel_width = 2;
  return options;
}

/// The value; an error fails the test and aborts.
template <typename T>
T take(Result<T> result) {
  if (!result) {
    ADD_FAILURE() << result.error().text();
    std::abort();
  }
  return std::move(*result);
}

/// One slice of one level, as a side of a transform.
vulkan::Side side_of(const PlacedImage& image, VkImageLayout layout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL) {
  return {.image = image.image, .level = image.at.level, .slice = image.at.slice, .layout = layout};
}

class CppDriver : public Driver {
 public:
  explicit CppDriver(Rig& rig)
      : pyramid_(take(vulkan::Pyramid::create(rig.device, pyramid_options()))),
        tiles_(take(vulkan::TileReduction::create(rig.device, tile_options()))),
        meter_(take(vulkan::Meter::create(rig.device, meter_options()))),
        map_(take(vulkan::ToneMap::create(rig.device, tone_options()))),
        transform_(take(vulkan::Transform::create(rig.device, transform_options()))),
        convolver_(take(vulkan::Convolver::create(rig.device, convolution_options()))),
        filter_(take(vulkan::Filter::create(rig.device, filter_options()))),
        frames_(take(vulkan::FrameToneMap::create(rig.device, frame_options()))),
        local_(take(vulkan::ToneMap::create(rig.device, local_options()))),
        deconvolver_(take(vulkan::Deconvolver::create(rig.device, deconvolution_options()))),
        correlator_(take(vulkan::Correlator::create(rig.device, correlation_options()))),
        bloom_(take(vulkan::Bloom::create(rig.device, bloom_options()))),
        mip_bloom_(take(vulkan::Bloom::create(rig.device, mip_bloom_options()))),
        reflection_(take(vulkan::Reflection::create(rig.device, rig.hall.options()))),
        blocks_(take(vulkan::BlockCompressor::create(rig.device, block_options()))),
        mip_chain_(rig.take_image(mip_bloom_.mip_chain_info())),
        rig_(rig),
        bindings_(bind()) {
    EXPECT_LE(correlator_.dispatch_plan().result_bytes, rig.shift.size);
    EXPECT_EQ(transform_.plan().spectrum_bytes, rig.spectrum.size);
    for (const auto& set :
         {convolver_.set_kernel(rig.kernel_pixels.view()), deconvolver_.set_kernel(rig.kernel_pixels.view())}) {
      if (!set) ADD_FAILURE() << set.error().text();
    }
  }

  void bind_again() const override { static_cast<void>(bind()); }

  void reset(VkCommandBuffer commands) const override {
    pyramid_.record_reset(commands, bindings_.pyramid);
    meter_.record_reset(commands, bindings_.meter);
    map_.record_reset(commands, bindings_.map);  // nothing
    local_.record_reset(commands, bindings_.local);
    frames_.record_reset(commands, bindings_.frames);
    record_kernels(commands);
  }
  void reset_scratch(VkCommandBuffer commands) const override {
    pyramid_.record_reset(commands, bindings_.pyramid);
    local_.record_reset(commands, bindings_.local);
    meter_.record_reset_scratch(commands, bindings_.meter);
    frames_.record_reset_scratch(commands, bindings_.frames);
  }
  void record_kernels(VkCommandBuffer commands) const override {
    convolver_.record_kernel(commands);
    deconvolver_.record_kernel(commands);
    bloom_.record_kernel(commands);
  }

  void record(Technique technique, VkCommandBuffer commands) const override {
    switch (technique) {
      case Technique::kPyramid:
        return pyramid_.record(commands, bindings_.pyramid);
      case Technique::kTiles:
        return tiles_.record(commands, bindings_.tiles);
      case Technique::kMeter:
        return meter_.record(commands, bindings_.meter);
      case Technique::kToneMap:
        return map_.record(commands, bindings_.map, 1.5F);
      case Technique::kForward:
        return transform_.record_forward(commands, bindings_.transform);
      case Technique::kInverse:
        return transform_.record_inverse(commands, bindings_.transform);
      case Technique::kConvolver:
        return convolver_.record(commands, bindings_.convolver);
      case Technique::kFilter:
        return filter_.record(commands, bindings_.filter);
      case Technique::kFrame:
        return frames_.record(commands, bindings_.frames, {.seconds = 0.25F, .cut = true});
      case Technique::kLocal:
        return local_.record(commands, bindings_.local, 1.5F);
      case Technique::kDeconvolver:
        return deconvolver_.record(commands, bindings_.deconvolver);
      case Technique::kCorrelator:
        return correlator_.record(commands, bindings_.correlator);
      case Technique::kBloom:
        return bloom_.record(commands, bindings_.bloom);
      case Technique::kMipBloom:
        return mip_bloom_.record(commands, bindings_.mip_bloom);
      case Technique::kReflection:
        reflection_.record(commands, bindings_.reflection, rig_.hall.first_frame());
        return reflection_.record(commands, bindings_.reflection, rig_.hall.second_frame());
      case Technique::kBlocks:
        return blocks_.record(commands, bindings_.blocks);
    }
  }

  std::array<double, 3> shift(std::span<const std::byte> result) const override {
    const ShiftEstimate found = take(correlator_.finish(result));
    return {found.x, found.y, found.confidence};
  }

 private:
  struct Bindings {
    vulkan::PyramidBinding pyramid;
    vulkan::TileReductionBinding tiles;
    vulkan::MeterBinding meter;
    vulkan::ToneMapBinding map;
    vulkan::TransformBinding transform;
    vulkan::OperationBinding convolver;
    vulkan::OperationBinding filter;
    vulkan::FrameToneMapBinding frames;
    vulkan::ToneMapBinding local;
    vulkan::OperationBinding deconvolver;
    vulkan::CorrelationBinding correlator;
    vulkan::OperationBinding bloom;
    vulkan::OperationBinding mip_bloom;
    vulkan::ReflectionBinding reflection;
    vulkan::BlockBinding blocks;
  };

  Bindings bind() const {
    return {
        .pyramid = bind_pyramid(),
        .tiles = take(tiles_.bind({.source = rig_.source.image,
                                   .source_level = rig_.source.at.level,
                                   .source_slice = rig_.source.at.slice,
                                   .target = rig_.tiles.image,
                                   .target_level = rig_.tiles.at.level,
                                   .target_slice = rig_.tiles.at.slice})),
        .meter = bind_meter(),
        .map = bind_map(map_, rig_.picture, rig_.results.buffer),
        .transform = take(transform_.bind({.source = side_of(rig_.source),
                                           .spectrum = {.buffer = rig_.spectrum.buffer},
                                           .target = side_of(rig_.restored),
                                           .scratch = rig_.take_scratch(transform_.dispatch_plan().scratch_bytes)})),
        .convolver = bind_operation(convolver_, rig_.blurred),
        .filter = bind_operation(filter_, rig_.filtered),
        .frames = bind_frames(),
        .local = bind_map(local_, rig_.local, VK_NULL_HANDLE),
        .deconvolver = bind_operation(deconvolver_, rig_.sharpened),
        .correlator = take(correlator_.bind({.first = side_of(rig_.source),
                                             .second = side_of(rig_.blurred, VK_IMAGE_LAYOUT_GENERAL),
                                             .result = {.buffer = rig_.shift.buffer},
                                             .surface = {.buffer = rig_.surface.buffer},
                                             .scratch = rig_.take_scratch(correlator_.dispatch_plan().scratch_bytes)})),
        .bloom = bind_operation(bloom_, rig_.glowing),
        .mip_bloom = bind_operation(mip_bloom_, rig_.mip_glowing, mip_chain_),
        .reflection = take(reflection_.bind(rig_.hall.bound(rig_.take_scratch(reflection_.plan().scratch_bytes)))),
        .blocks = take(blocks_.bind({.source = rig_.source.image,
                                     .source_level = rig_.source.at.level,
                                     .source_slice = rig_.source.at.slice,
                                     .blocks = rig_.blocks.buffer}))};
  }
  template <typename Operation>
  vulkan::OperationBinding bind_operation(const Operation& operation, const PlacedImage& target,
                                          VkImage mip_chain = VK_NULL_HANDLE) const {
    return take(operation.bind({.source = side_of(rig_.source),
                                .target = side_of(target),
                                .scratch = rig_.take_scratch(operation.dispatch_plan().scratch_bytes),
                                .mip_chain = mip_chain}));
  }
  vulkan::ToneMapBinding bind_map(const vulkan::ToneMap& map, const PlacedImage& target, VkBuffer exposure) const {
    const auto scratch = map.dispatch_plan().scratch_bytes != 0 ? rig_.take_scratch(map.dispatch_plan().scratch_bytes)
                                                                : vulkan::BufferRange{};
    return take(map.bind({.source = rig_.source.image,
                          .source_level = rig_.source.at.level,
                          .source_slice = rig_.source.at.slice,
                          .target = target.image,
                          .target_level = target.at.level,
                          .target_slice = target.at.slice,
                          .exposure = exposure,
                          .exposure_offset = exposure != VK_NULL_HANDLE ? 4U : 0U,
                          .scratch = scratch.buffer,
                          .scratch_offset = scratch.offset}));
  }
  vulkan::PyramidBinding bind_pyramid() const {
    const auto scratch = rig_.take_scratch(pyramid_.dispatch_plan().scratch_bytes);
    return take(pyramid_.bind({.source = rig_.source.image,
                               .source_level = rig_.source.at.level,
                               .source_slice = rig_.source.at.slice,
                               .target = rig_.levels.image,
                               .target_level = rig_.levels.at.level,
                               .target_slice = rig_.levels.at.slice,
                               .scratch = scratch.buffer,
                               .scratch_offset = scratch.offset}));
  }
  vulkan::MeterBinding bind_meter() const {
    const auto scratch = rig_.take_scratch(meter_.dispatch_plan().scratch_bytes);
    return take(meter_.bind({.source = rig_.source.image,
                             .source_level = rig_.source.at.level,
                             .source_slice = rig_.source.at.slice,
                             .mask = rig_.mask.image,
                             .mask_level = rig_.mask.at.level,
                             .mask_slice = rig_.mask.at.slice,
                             .results = rig_.results.buffer,
                             .scratch = scratch.buffer,
                             .scratch_offset = scratch.offset}));
  }

  vulkan::FrameToneMapBinding bind_frames() const {
    const auto scratch = rig_.take_scratch(frames_.dispatch_plan().scratch_bytes);
    return take(frames_.bind({.source = rig_.source.image,
                              .source_level = rig_.source.at.level,
                              .source_slice = rig_.source.at.slice,
                              .mask = rig_.mask.image,
                              .mask_level = rig_.mask.at.level,
                              .mask_slice = rig_.mask.at.slice,
                              .target = rig_.frame.image,
                              .target_level = rig_.frame.at.level,
                              .target_slice = rig_.frame.at.slice,
                              .results = rig_.frame_results.buffer,
                              .scratch = scratch.buffer,
                              .scratch_offset = scratch.offset}));
  }

  vulkan::Pyramid pyramid_;
  vulkan::TileReduction tiles_;
  vulkan::Meter meter_;
  vulkan::ToneMap map_;
  vulkan::Transform transform_;
  vulkan::Convolver convolver_;
  vulkan::Filter filter_;
  vulkan::FrameToneMap frames_;
  vulkan::ToneMap local_;
  vulkan::Deconvolver deconvolver_;
  vulkan::Correlator correlator_;
  vulkan::Bloom bloom_;
  vulkan::Bloom mip_bloom_;
  vulkan::Reflection reflection_;
  vulkan::BlockCompressor blocks_;
  VkImage mip_chain_;
  Rig& rig_;
  Bindings bindings_;
};

}  // namespace

std::unique_ptr<Driver> make_cpp_driver(Rig& rig) { return std::make_unique<CppDriver>(rig); }

}  // namespace onepass::testing
