// convolution_vulkan_bench.cpp: times a convolution beside a forward and an inverse transform of the padded size. The
// transform has its own, fewer sets of memory, so that its set numbers wrap around.
#include "convolution_vulkan_bench.hpp"

#include <memory>
#include <utility>

#include <benchmark/benchmark.h>

#include "fourier_checks.hpp"
#include "fourier_vulkan.hpp"
#include "levels.hpp"
#include "onepass/vulkan/fourier_convolution.hpp"
#include "show_row.hpp"

namespace onepass::bench {
namespace {

constexpr double kAllowedError = 1e-6;  // relative L2

/// A convolution from the source image of each set to its target. Each binding has its own scratch memory.
class Convolution final : public VulkanTechnique {
 public:
  static Result<std::unique_ptr<Convolution>> create(const Gpu& gpu, const FourierSets& sets,
                                                     const ConvolutionOptions& options, const ImageView& kernel) {
    auto convolver = vulkan::Convolver::create(gpu.device(), options);
    if (!convolver) return convolver.error();
    if (auto set = convolver->set_kernel(kernel); !set) return set.error();
    std::unique_ptr<Convolution> out(new Convolution(std::move(*convolver)));
    for (size_t i = 0; i < sets.count(); ++i) {
      const vulkan::TransformResources r = sets.resources(i, 0);
      auto binding = out->convolver_.bind({.source = r.source, .target = r.target});
      if (!binding) return binding.error();
      out->bindings_.push_back(std::move(*binding));
    }
    auto ran = gpu.device().run([&](VkCommandBuffer commands) {
      out->convolver_.record_kernel(commands);
      full_barrier(gpu, commands);
    });
    if (!ran) return ran.error();
    return out;
  }

  void record(VkCommandBuffer commands, size_t set) const override { convolver_.record(commands, bindings_[set]); }
  uint64_t bytes() const override {
    uint64_t sum = 0;
    for (const vulkan::StagePlan& stage : convolver_.dispatch_plan().stages) {
      sum += stage.traffic.bytes_read + stage.traffic.bytes_written;
    }
    return sum;
  }
  [[nodiscard]] const ConvolutionPlan& plan() const { return convolver_.plan(); }

 private:
  explicit Convolution(vulkan::Convolver convolver) : convolver_(std::move(convolver)) {}
  vulkan::Convolver convolver_;
  std::vector<vulkan::OperationBinding> bindings_;
};

/// Another technique with its own, fewer sets of memory. Set numbers wrap around.
class OnOwnSets final : public VulkanTechnique {
 public:
  OnOwnSets(std::unique_ptr<VulkanTechnique> technique, size_t count)
      : technique_(std::move(technique)), count_(count) {}
  void record(VkCommandBuffer commands, size_t set) const override { technique_->record(commands, set % count_); }
  uint64_t bytes() const override { return technique_->bytes(); }

 private:
  std::unique_ptr<VulkanTechnique> technique_;
  size_t count_;
};

Result<void> verify(const Gpu& gpu, const FourierSets& sets, const Convolution& convolution, const ImageView& kernel,
                    const std::string& name) {
  const ConvolutionOptions& options = convolution.plan().options;
  if (auto cleared = sets.clear(); !cleared) return cleared;
  auto ran = gpu.device().run([&](VkCommandBuffer commands) {
    convolution.record(commands, 0);
    full_barrier(gpu, commands);
  });
  if (!ran) return ran;
  auto actual = sets.download();
  if (!actual) return actual.error();
  auto expected = Image::create(options.target, options.size);
  if (!expected) return expected.error();
  auto engine = cpu::Convolver::create(options);
  if (!engine) return engine.error();
  if (auto set = engine->set_kernel(kernel); !set) return set;
  if (auto done = engine->convolve(sets.host_source(), expected->view()); !done) return done;
  const double error = relative_error(options.target, {actual->target.data(), actual->target.size_in_bytes()},
                                      {expected->data(), expected->size_in_bytes()});
  if (error < kAllowedError) return {};  // false for NaN
  return Error{ErrorCode::kBadData, "wrong image: relative error " + std::to_string(error * 1e6) + "e-6", name};
}

void run_benchmark(benchmark::State& state, const ConvolutionVulkanBenchmark& benchmark, VulkanRunner& runner,
                   Report& report) {
  auto row = measure_convolution(runner, benchmark);
  show_row(state, row, report, "transform_us", "x_transform");
}

}  // namespace

std::string ConvolutionVulkanBenchmark::name() const {
  return "convolution/vulkan/" + convolution_word(convolution) + "/" + std::string(mode_word(mode));
}

std::vector<ConvolutionVulkanBenchmark> convolution_vulkan_benchmarks() {
  std::vector<ConvolutionVulkanBenchmark> out;
  for (const ConvolutionCase& convolution : convolution_vulkan_cases()) {
    for (const Mode mode : {Mode::kThroughput, Mode::kIsolated, Mode::kWarm}) out.push_back({convolution, mode});
  }
  return out;
}

Result<Row> measure_convolution(VulkanRunner& runner, const ConvolutionVulkanBenchmark& benchmark) {
  const ConvolutionCase& c = benchmark.convolution;
  const Gpu& gpu = runner.gpu();
  runner.release();
  const uint32_t most = runner.timer().most_sets();
  auto sets = FourierSets::create(gpu, {.transform = {c.format, c.size}, .images = true}, most);
  if (!sets) return sets.error();
  auto kernel = random_image(c.options().kernel, c.kernel, 1);
  if (!kernel) return kernel.error();
  auto convolution = Convolution::create(gpu, **sets, c.options(), kernel->view());
  if (!convolution) return convolution.error();
  if (auto verified = verify(gpu, **sets, **convolution, kernel->view(), benchmark.name()); !verified) {
    return verified.error();
  }
  const Extent padded = (*convolution)->plan().image_transform.size;
  auto padded_sets = FourierSets::create(gpu, {.transform = {c.format, padded}}, most);
  if (!padded_sets) return padded_sets.error();
  auto bound = BoundTransform::create(gpu, **padded_sets, tuning_of(FourierPath::kSharedMemory));
  if (!bound) return bound.error();
  const OnOwnSets transform(make_fourier_technique(gpu, *bound, FourierWork::kForwardInverse), (*padded_sets)->count());
  auto times = runner.timer().compare(**sets, **convolution, transform, benchmark.mode);
  if (!times) return times.error();
  return Row{.name = benchmark.name(),
             .engine = "vulkan",
             .format = std::string(format_word(c.format)),
             .width = c.size.width,
             .height = c.size.height,
             .reduction = {},
             .footprint = {},
             .path = "convolution",
             .mode = std::string(mode_description(benchmark.mode)),
             .times = times->technique,
             .bytes = (*convolution)->bytes(),
             .reference = times->reference.median};
}

void register_convolution_vulkan(const std::vector<ConvolutionVulkanBenchmark>& benchmarks, VulkanRunner* runner,
                                 Report& report) {
  for (const ConvolutionVulkanBenchmark& one : benchmarks) {
    benchmark::RegisterBenchmark(
        one.name().c_str(),
        [one, runner, &report](benchmark::State& state) { run_benchmark(state, one, *runner, report); })
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  }
}

}  // namespace onepass::bench
