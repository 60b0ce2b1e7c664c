#include "blocks_bench.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "onepass/vulkan/pyramid.hpp"
#include "show_row.hpp"
#include "vulkan/barrier.hpp"
#include "vulkan_technique.hpp"

namespace onepass::bench {
namespace {

constexpr Extent kSizes[] = {{64, 64}, {1024, 1024}, {4096, 4096}};
constexpr Format kSource = Format::kRGBA8Unorm;
constexpr double kLeastPsnr = 25;  // of the picture below in the worst format, BC1: 33
constexpr VkImageLayout kLayout = VK_IMAGE_LAYOUT_GENERAL;

/// Smooth colours, edges and noise.
Image picture(Extent size, bool alpha) {
  auto image = Image::create(kSource, size);
  auto* const texels = reinterpret_cast<uint8_t*>(image->data());
  uint32_t state = 1;
  for (size_t i = 0; i < image->size_in_bytes(); ++i) {
    const auto c = static_cast<uint32_t>(i % 4);
    const auto x = static_cast<uint32_t>(i / 4 % size.width);
    const auto y = static_cast<uint32_t>(i / 4 / size.width);
    state = state * 1664525 + 1013904223;
    const auto noise = static_cast<float>(state >> 24) * (8.0F / 255);
    const auto phase = static_cast<float>(c);
    const float wave =
        60 * std::sin(0.05F * static_cast<float>(x) + phase) + 50 * std::cos(0.04F * static_cast<float>(y));
    const float edge = (x / 23 + y / 17) % 3 == c ? 12 : 0;
    texels[i] = static_cast<uint8_t>(c == 3 && !alpha ? 255 : std::clamp(120 + wave + edge + noise, 0.0F, 255.0F));
  }
  return std::move(*image);
}

BlockCompressorOptions all_levels(Extent size, BlockFormat format) {
  return {.size = size, .levels = 0, .source = kSource, .blocks = format};
}

PyramidOptions pyramid_options(Extent size) { return {.size = size, .source = kSource, .target = kSource}; }

}  // namespace

class BlockSets final : public MemorySets {
 public:
  struct Set {
    vulkan::DeviceImage image;  // base and levels
    vulkan::Buffer blocks;      // also half of the bytes of the largest case, for the reference copies
  };

  static Result<std::unique_ptr<BlockSets>> create(const Gpu& gpu, Extent size, bool alpha, uint32_t most) {
    std::unique_ptr<BlockSets> out(new BlockSets(gpu, size, alpha));
    const auto plan = plan_block_compressor(all_levels(size, BlockFormat::kBc7Unorm));
    if (!plan) return plan.error();
    out->levels_ = static_cast<uint32_t>(plan->levels.size());
    out->set_bytes_ = plan->bytes_read + plan->bytes;
    const uint64_t count = std::clamp<uint64_t>(kColdBytes / out->set_bytes_ + 1, 2, most);
    for (uint64_t i = 0; i < count; ++i) {
      if (auto created = out->create_set(2 * plan->bytes_read); !created) return created.error();
    }
    if (auto filled = out->fill(); !filled) return filled.error();
    return out;
  }

  [[nodiscard]] bool is_of(Extent size, bool alpha) const { return size_ == size && alpha_ == alpha; }
  [[nodiscard]] const Set& operator[](size_t set) const { return sets_[set]; }
  [[nodiscard]] const Image& base() const { return base_; }
  [[nodiscard]] std::vector<VkBuffer> buffers() const {
    std::vector<VkBuffer> out;
    for (const Set& set : sets_) out.push_back(set.blocks.buffer);
    return out;
  }

  [[nodiscard]] size_t count() const override { return sets_.size(); }
  [[nodiscard]] bool larger_than_caches() const override { return set_bytes_ * sets_.size() >= kColdBytes; }
  Result<void> use_sources_as(VkImageLayout /*layout*/) override { return {}; }

 private:
  BlockSets(const Gpu& gpu, Extent size, bool alpha)
      : gpu_(gpu), size_(size), alpha_(alpha), base_(picture(size, alpha)) {}

  Result<void> create_set(uint64_t bytes) {
    Set set;
    auto image = vulkan::DeviceImage::create(
        gpu_.impl(),
        {.format = kSource,
         .size = size_,
         .levels = levels_,
         .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT});
    if (!image) return image.error();
    set.image = std::move(*image);
    auto blocks = vulkan::Buffer::create(
        gpu_.impl(), bytes,
        VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
        false);
    if (!blocks) return blocks.error();
    set.blocks = std::move(*blocks);
    sets_.push_back(std::move(set));
    return {};
  }

  /// Uploads the base and makes the levels.
  Result<void> fill() {
    auto pyramid = vulkan::Pyramid::create(gpu_.device(), pyramid_options(size_));
    if (!pyramid) return pyramid.error();
    auto staging = vulkan::Buffer::create(gpu_.impl(), base_.size_in_bytes(), VK_BUFFER_USAGE_TRANSFER_SRC_BIT, true);
    if (!staging) return staging.error();
    std::memcpy(staging->mapped, base_.data(), base_.size_in_bytes());
    for (const Set& set : sets_) {
      auto binding = pyramid->bind({.source = set.image.image, .source_layout = kLayout, .target = set.image.image});
      if (!binding) return binding.error();
      auto ran = gpu_.device().run([&](VkCommandBuffer commands) {
        constexpr VkImageLayout kUpload = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
        set.image.transition(commands, VK_IMAGE_LAYOUT_UNDEFINED, vulkan::kNoAccesses, kUpload,
                             vulkan::kTransferWrites);
        vulkan::copy_levels(set.image, *staging, 0, 0, 1, true, commands);
        set.image.transition(commands, kUpload, vulkan::kTransferWrites, kLayout, vulkan::kShaderReads);
        gpu_.vk().vkCmdFillBuffer(commands, set.blocks.buffer, 0, VK_WHOLE_SIZE, 0);
        full_barrier(gpu_, commands);
        pyramid->record_reset(commands, *binding);
        full_barrier(gpu_, commands);
        pyramid->record(commands, *binding);
      });
      if (!ran) return ran.error();
    }
    return {};
  }

  const Gpu& gpu_;
  Extent size_;
  bool alpha_ = false;
  uint32_t levels_ = 0;
  Image base_;
  std::vector<Set> sets_;
  uint64_t set_bytes_ = 0;
};

namespace {

class Compression final : public VulkanTechnique {
 public:
  Compression(const Gpu& gpu, vulkan::BlockCompressor compressor, std::optional<vulkan::Pyramid> pyramid)
      : gpu_(gpu), compressor_(std::move(compressor)), pyramid_(std::move(pyramid)) {}

  Result<void> init(const BlockSets& sets) {
    for (size_t i = 0; i < sets.count(); ++i) {
      const BlockSets::Set& set = sets[i];
      auto binding =
          compressor_.bind({.source = set.image.image, .source_layout = kLayout, .blocks = set.blocks.buffer});
      if (!binding) return binding.error();
      bindings_.push_back(std::move(*binding));
      if (!pyramid_) continue;
      auto levels = pyramid_->bind({.source = set.image.image, .source_layout = kLayout, .target = set.image.image});
      if (!levels) return levels.error();
      if (auto reset = gpu_.device().run([&](VkCommandBuffer c) { pyramid_->record_reset(c, *levels); }); !reset) {
        return reset.error();
      }
      levels_.push_back(std::move(*levels));
    }
    return {};
  }

  void record(VkCommandBuffer commands, size_t set) const override {
    if (pyramid_) {
      pyramid_->record(commands, levels_[set]);
      stage_barrier(gpu_, commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT);
    }
    compressor_.record(commands, bindings_[set]);
  }
  uint64_t bytes() const override {
    const uint64_t mips = pyramid_ ? pyramid_->plan().bytes_read + pyramid_->plan().bytes_written : 0;
    return mips + compressor_.plan().bytes_read + compressor_.plan().bytes;
  }
  [[nodiscard]] const BlockCompressorPlan& plan() const { return compressor_.plan(); }

 private:
  const Gpu& gpu_;
  vulkan::BlockCompressor compressor_;
  std::optional<vulkan::Pyramid> pyramid_;
  std::vector<vulkan::BlockBinding> bindings_;
  std::vector<vulkan::PyramidBinding> levels_;
};

Result<std::unique_ptr<Compression>> make_compression(const Gpu& gpu, const BlockSets& sets, const BlocksCase& blocks) {
  auto compressor = vulkan::BlockCompressor::create(gpu.device(), blocks.options());
  if (!compressor) return compressor.error();
  std::optional<vulkan::Pyramid> pyramid;
  if (blocks.with_mips) {
    auto made = vulkan::Pyramid::create(gpu.device(), pyramid_options(blocks.size));
    if (!made) return made.error();
    pyramid = std::move(*made);
  }
  auto out = std::make_unique<Compression>(gpu, std::move(*compressor), std::move(pyramid));
  if (auto done = out->init(sets); !done) return done.error();
  return out;
}

/// Decompresses the blocks of the base and compares them with it, in the channels of the format.
Result<void> verify(const Gpu& gpu, const BlockSets& sets, const Compression& technique, const BlocksCase& blocks) {
  const uint64_t bytes = technique.plan().levels[0].slice_bytes;
  auto staging = vulkan::Buffer::create(gpu.impl(), bytes, VK_BUFFER_USAGE_TRANSFER_DST_BIT, true);
  if (!staging) return staging.error();
  auto ran = gpu.device().run([&](VkCommandBuffer commands) {
    technique.record(commands, 0);
    full_barrier(gpu, commands);
    const VkBufferCopy copy{0, 0, bytes};
    gpu.vk().vkCmdCopyBuffer(commands, sets[0].blocks.buffer, staging->buffer, 1, &copy);
    full_barrier(gpu, commands);
  });
  if (!ran) return ran.error();
  const BlockFormatInfo& info = block_format_info(blocks.format);
  const Extent count = size_in_blocks(blocks.format, blocks.size);
  auto image = Image::create(Format::kRGBA8Unorm, blocks.size);
  if (!image) return image.error();
  const BlockView view{
      staging->mapped, blocks.format, blocks.size, 1, size_t{count.width} * info.bytes_per_block, bytes};
  if (auto done = cpu::decompress(view, image->view()); !done) return done.error();
  double sum = 0;
  size_t values = 0;
  for (size_t i = 0; i < image->size_in_bytes(); ++i) {
    if (i % 4 >= info.channels) continue;
    const int difference = static_cast<int>(image->data()[i]) - static_cast<int>(sets.base().data()[i]);
    sum += difference * difference;
    ++values;
  }
  const double psnr = 10 * std::log10(255.0 * 255 * static_cast<double>(values) / sum);
  if (!(psnr > kLeastPsnr)) {
    return Error{ErrorCode::kBadData, blocks.name() + ": PSNR " + std::to_string(psnr) + " dB", ""};
  }
  return {};
}

}  // namespace

BlockCompressorOptions BlocksCase::options() const { return all_levels(size, format); }

std::string BlocksCase::name() const {
  return "blocks/vulkan/" + std::string(format_word(kSource)) + "/" + std::to_string(size.width) + "x" +
         std::to_string(size.height) + "/" + std::string(word);
}

namespace {

std::vector<BlocksCase> blocks_cases() {
  std::vector<BlocksCase> out;
  for (const Extent size : kSizes) {
    out.push_back({.word = "bc1", .format = BlockFormat::kBc1RgbUnorm, .size = size});
    out.push_back({.word = "bc4", .format = BlockFormat::kBc4Unorm, .size = size});
    out.push_back({.word = "bc5", .format = BlockFormat::kBc5Unorm, .size = size});
    out.push_back({.word = "bc6h", .format = BlockFormat::kBc6hUfloat, .size = size});
    out.push_back({.word = "bc7", .format = BlockFormat::kBc7Unorm, .size = size});
    out.push_back({.word = "mips+bc1", .format = BlockFormat::kBc1RgbUnorm, .size = size, .with_mips = true});
    out.push_back({.word = "mips+bc7", .format = BlockFormat::kBc7Unorm, .size = size, .with_mips = true});
    out.push_back({.word = "bc3_alpha", .format = BlockFormat::kBc3Unorm, .size = size, .alpha = true});
    out.push_back({.word = "bc7_alpha", .format = BlockFormat::kBc7Unorm, .size = size, .alpha = true});
  }
  return out;
}

}  // namespace

BlocksRunner::BlocksRunner(VulkanRunner& runner) : runner_(runner) {}
BlocksRunner::~BlocksRunner() = default;

Result<Row> BlocksRunner::measure(const BlocksCase& blocks, Mode mode) {
  const Gpu& gpu = runner_.gpu();
  if (!sets_ || !sets_->is_of(blocks.size, blocks.alpha)) {
    sets_.reset();  // frees its memory for the next sets
    runner_.release();
    auto sets = BlockSets::create(gpu, blocks.size, blocks.alpha, runner_.timer().most_sets());
    if (!sets) return sets.error();
    sets_ = std::move(*sets);
  }
  Row row = {.name = blocks.name() + "/" + std::string(mode_word(mode)),
             .engine = "vulkan",
             .format = std::string(format_word(kSource)),
             .width = blocks.size.width,
             .height = blocks.size.height,
             .reduction = {},
             .footprint = {},
             .path = std::string(blocks.word),
             .mode = std::string(mode_description(mode)),
             .times = {}};
  auto technique = make_compression(gpu, *sets_, blocks);
  if (!technique) return technique.error();
  if (auto checked = verify(gpu, *sets_, **technique, blocks); !checked) return checked.error();
  row.bytes = (*technique)->bytes();
  auto copy = make_copy(gpu, sets_->buffers(), row.bytes);
  if (!copy) return copy.error();
  auto times = runner_.timer().compare(*sets_, **technique, **copy, mode);
  if (!times) return times.error();
  row.times = times->technique;
  row.reference = times->reference.median;
  return row;
}

void register_blocks(BlocksRunner* runner, Report& report) {
  for (const BlocksCase& blocks : blocks_cases()) {
    for (const Mode mode : {Mode::kThroughput, Mode::kIsolated}) {
      benchmark::RegisterBenchmark((blocks.name() + "/" + std::string(mode_word(mode))).c_str(),
                                   [blocks, mode, runner, &report](benchmark::State& state) {
                                     auto row = runner->measure(blocks, mode);
                                     show_row(state, row, report, "copy_us", "x_copy");
                                   })
          ->UseManualTime()
          ->Unit(benchmark::kMicrosecond);
    }
  }
}

}  // namespace onepass::bench
