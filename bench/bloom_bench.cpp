// bloom_bench.cpp: times a bloom and the convolution with the same built-in kernel on the same images, in alternation.
// On Vulkan the result of set 0 is first compared with the CPU engine's.
#include "bloom_bench.hpp"

#include <optional>

#include <benchmark/benchmark.h>

#include "cpu/workers.hpp"
#include "cpu_timer.hpp"
#include "fourier_checks.hpp"
#include "fourier_vulkan.hpp"
#include "levels.hpp"
#include "onepass/vulkan/bloom.hpp"
#include "show_row.hpp"

namespace onepass::bench {
namespace {

constexpr Format kFormat = Format::kRGBA16Sfloat;
constexpr double kAllowedError = 1e-3;  // relative L2; the target holds halves
constexpr Extent kTiny{64, 64};
constexpr Extent kHD{1920, 1080};

constexpr BloomCase kCases[] = {
    {"convolution", kTiny},
    {"convolution", kHD},
    {.word = "convolution_threshold", .size = kHD, .threshold = 0.5F},
    {.word = "convolution_half", .size = kHD, .resolution = BloomResolution::kHalf, .threshold = 0.5F},
    {.word = "mip_chain", .size = kHD, .method = BloomMethod::kMipChain, .threshold = 0.5F},
    {.word = "mip_chain_half",
     .size = kHD,
     .method = BloomMethod::kMipChain,
     .resolution = BloomResolution::kHalf,
     .threshold = 0.5F},
};

std::string name_of(const BloomCase& bloom, const std::string& engine) {
  return "bloom/" + engine + "/rgba16f/" + std::to_string(bloom.size.width) + "x" + std::to_string(bloom.size.height) +
         "/" + std::string(bloom.word);
}

Row row_of(const BloomCase& bloom, const std::string& name, const std::string& engine) {
  const auto plan = plan_bloom(bloom.options());
  return {.name = name,
          .engine = engine,
          .format = "rgba16f",
          .width = bloom.size.width,
          .height = bloom.size.height,
          .reduction = {},
          .footprint = {},
          .path = std::string(bloom.word),
          .mode = "repeated",
          .times = {},
          .bytes = plan->traffic.bytes_read + plan->traffic.bytes_written};
}

/// The built-in kernel, for the convolution alone.
Result<Image> kernel_of(const BloomCase& bloom) {
  BloomOptions full = bloom.options();
  full.method = BloomMethod::kConvolution;
  full.resolution = BloomResolution::kFull;
  const auto plan = plan_bloom(full);
  if (!plan) return plan.error();
  return make_bloom_kernel(*plan);
}

// ---- Vulkan

/// A bloom or a convolution (their interfaces are alike) from the source image of each set to its target.
template <typename Operation>
class OnSets final : public VulkanTechnique {
 public:
  static Result<std::unique_ptr<OnSets>> create(const Gpu& gpu, const FourierSets& sets, Operation operation,
                                                uint64_t bytes) {
    std::unique_ptr<OnSets> out(new OnSets(std::move(operation), bytes));
    for (size_t i = 0; i < sets.count(); ++i) {
      const vulkan::TransformResources r = sets.resources(i, 0);
      auto binding = out->operation_.bind({.source = r.source, .target = r.target});
      if (!binding) return binding.error();
      out->bindings_.push_back(std::move(*binding));
    }
    auto ran = gpu.device().run([&](VkCommandBuffer commands) {
      out->operation_.record_kernel(commands);
      full_barrier(gpu, commands);
    });
    if (!ran) return ran.error();
    return out;
  }
  void record(VkCommandBuffer commands, size_t set) const override { operation_.record(commands, bindings_[set]); }
  uint64_t bytes() const override { return bytes_; }

 private:
  OnSets(Operation operation, uint64_t bytes) : operation_(std::move(operation)), bytes_(bytes) {}
  Operation operation_;
  uint64_t bytes_ = 0;
  std::vector<vulkan::OperationBinding> bindings_;
};

Result<void> verify(const Gpu& gpu, const FourierSets& sets, const VulkanTechnique& bloom, const BloomOptions& options,
                    const std::string& name) {
  if (auto cleared = sets.clear(); !cleared) return cleared;
  auto ran = gpu.device().run([&](VkCommandBuffer commands) {
    bloom.record(commands, 0);
    full_barrier(gpu, commands);
  });
  if (!ran) return ran;
  const auto actual = sets.download();
  if (!actual) return actual.error();
  auto expected = Image::create(kFormat, options.size);
  if (!expected) return expected.error();
  auto engine = cpu::Bloom::create(options);
  if (!engine) return engine.error();
  if (auto done = engine->apply(sets.host_source(), expected->view()); !done) return done;
  const double error = relative_error(kFormat, {actual->target.data(), actual->target.size_in_bytes()},
                                      {expected->data(), expected->size_in_bytes()});
  if (error < kAllowedError) return {};  // false for NaN
  return Error{ErrorCode::kBadData, "wrong image: relative error " + std::to_string(error * 1e6) + "e-6", name};
}

Result<Row> measure_on_vulkan(VulkanRunner& runner, const BloomCase& bloom, Mode mode) {
  const Gpu& gpu = runner.gpu();
  runner.release();
  auto sets =
      FourierSets::create(gpu, {.transform = {kFormat, bloom.size}, .images = true}, runner.timer().most_sets());
  if (!sets) return sets.error();
  Row row = row_of(bloom, name_of(bloom, "vulkan") + "/" + std::string(mode_word(mode)), "vulkan");
  row.mode = std::string(mode_description(mode));
  auto made = vulkan::Bloom::create(gpu.device(), bloom.options());
  if (!made) return made.error();
  const auto technique = OnSets<vulkan::Bloom>::create(gpu, **sets, std::move(*made), row.bytes);
  if (!technique) return technique.error();
  if (auto verified = verify(gpu, **sets, **technique, bloom.options(), row.name); !verified) return verified.error();
  const auto kernel = kernel_of(bloom);
  if (!kernel) return kernel.error();
  auto convolver = vulkan::Convolver::create(gpu.device(), bloom.convolution());
  if (!convolver) return convolver.error();
  if (auto set = convolver->set_kernel(kernel->view()); !set) return set.error();
  const auto reference = OnSets<vulkan::Convolver>::create(gpu, **sets, std::move(*convolver), row.bytes);
  if (!reference) return reference.error();
  auto times = runner.timer().compare(**sets, **technique, **reference, mode);
  if (!times) return times.error();
  row.times = times->technique;
  row.reference = times->reference.median;
  return row;
}

// ---- CPU

Result<Row> measure_on_cpu(const BloomCase& bloom, uint32_t threads, uint32_t rounds) {
  auto source = random_image(kFormat, bloom.size, 1);
  if (!source) return source.error();
  auto target = Image::create(kFormat, bloom.size);
  if (!target) return target.error();
  auto made = cpu::Bloom::create(bloom.options(), {.threads = threads});
  if (!made) return made.error();
  auto convolver = cpu::Convolver::create(bloom.convolution(), {.threads = threads});
  if (!convolver) return convolver.error();
  const auto kernel = kernel_of(bloom);
  if (!kernel) return kernel.error();
  if (auto set = convolver->set_kernel(kernel->view()); !set) return set.error();
  std::optional<Error> failed;
  const std::vector<Times> times = compare({[&] {
                                              auto done = made->apply(source->view(), target->view());
                                              if (!done) failed = done.error();
                                            },
                                            [&] {
                                              auto done = convolver->convolve(source->view(), target->view());
                                              if (!done) failed = done.error();
                                            }},
                                           rounds);
  if (failed) return *failed;
  Row row = row_of(bloom, name_of(bloom, "cpu") + "/threads:" + std::to_string(threads), "cpu");
  row.threads = threads;
  row.times = times[0];
  row.reference = times[1].median;
  return row;
}

template <typename Measure>
void add(const std::string& name, Report& report, const Measure& measure) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [measure, &report](benchmark::State& state) {
                                 show_row(state, measure(), report, "convolution_us", "x_convolution");
                               })
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
}

}  // namespace

BloomOptions BloomCase::options() const {
  return {.size = size,
          .source = kFormat,
          .method = method,
          .resolution = resolution,
          .scatter = 0.1F,
          .threshold = threshold,
          .knee = threshold / 2};
}

ConvolutionOptions BloomCase::convolution() const {
  BloomOptions full = options();
  full.method = BloomMethod::kConvolution;
  full.resolution = BloomResolution::kFull;
  const auto plan = plan_bloom(full);
  return {.size = size,
          .source = kFormat,
          .kernel_size = plan->kernel_size,
          .kernel = Format::kR32Sfloat,
          .boundary = full.boundary,
          .scale = KernelScale::kUnitSum,
          .alpha = AlphaPolicy::kPass};
}

std::span<const BloomCase> bloom_cases() { return kCases; }

void register_bloom_vulkan(VulkanRunner* runner, Report& report) {
  for (const BloomCase& bloom : kCases) {
    for (const Mode mode : {Mode::kThroughput, Mode::kIsolated, Mode::kWarm}) {
      add(name_of(bloom, "vulkan") + "/" + std::string(mode_word(mode)), report,
          [bloom, mode, runner] { return measure_on_vulkan(*runner, bloom, mode); });
    }
  }
}

void register_bloom_cpu(uint32_t rounds, Report& report) {
  std::vector<uint32_t> thread_counts = {1};
  if (const uint32_t all = cpu::Workers(0).slots(); all > 1) thread_counts.push_back(all);
  for (const BloomCase& bloom : kCases) {
    for (const uint32_t threads : thread_counts) {
      add(name_of(bloom, "cpu") + "/threads:" + std::to_string(threads), report,
          [bloom, threads, rounds] { return measure_on_cpu(bloom, threads, rounds); });
    }
  }
}

}  // namespace onepass::bench
