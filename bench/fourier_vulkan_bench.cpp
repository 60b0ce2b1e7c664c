// fourier_vulkan_bench.cpp: per case: sets of memory, the faster of two copies as reference, the transform checked
// against the CPU engine and run on every set, because a stage that is timed alone reads the output of the stage
// before.
#include "fourier_vulkan_bench.hpp"

#include <optional>

#include <benchmark/benchmark.h>

#include "fourier_vulkan.hpp"
#include "show_row.hpp"

namespace onepass::bench {
namespace {

void run_benchmark(benchmark::State& state, const FourierVulkanBenchmark& benchmark, FourierVulkanRunner& runner,
                   Report& report) {
  auto row = runner.measure(benchmark);
  show_row(state, row, report, "copy_us", "x_copy");
  if (row) state.SetLabel(runner.note());
}

}  // namespace

/// Memory, and the objects created for it so far.
struct FourierVulkanRunner::Work {
  std::unique_ptr<FourierSets> sets;
  std::shared_ptr<const CopyKernel> copy;  // null: vkCmdCopyBuffer is faster, or the kernel is not supported
  std::shared_ptr<const BoundTransform> bound;
  std::optional<FourierPath> prepared;          // path of `bound`, whose output has been checked
  std::optional<FourierSets::Output> expected;  // by the CPU engine
};

FourierVulkanRunner::FourierVulkanRunner(VulkanRunner& runner) : runner_(runner) {}
FourierVulkanRunner::~FourierVulkanRunner() = default;

Result<Row> FourierVulkanRunner::measure(const FourierVulkanBenchmark& benchmark) {
  const FourierCase& transform = benchmark.transform;
  Row row = {.name = benchmark.name(),
             .engine = "vulkan",
             .format = std::string(format_word(transform.format)),
             .width = transform.size.width,
             .height = transform.size.height,
             .slices = transform.slices,
             .reduction = {},
             .footprint = {},
             .path = benchmark.path_word(),
             .mode = std::string(mode_description(benchmark.mode)),
             .times = {}};
  if (auto prepared = prepare_memory(benchmark); !prepared) return prepared.error();
  Work& work = *work_;
  const Gpu& gpu = runner_.gpu();
  std::unique_ptr<VulkanTechnique> technique;
  if (benchmark.path == FourierPath::kDeviceCopy) {
    technique = make_device_copy(gpu, *work.sets, work.copy, work.sets->bytes());
  } else {
    if (auto prepared = prepare_transform(benchmark); !prepared) return prepared.error();
    technique = make_fourier_technique(gpu, work.bound, benchmark.work);
  }
  const auto copy = make_device_copy(gpu, *work.sets, work.copy, technique->bytes());
  auto times = runner_.timer().compare(*work.sets, *technique, *copy, benchmark.mode);
  if (!times) return times.error();
  row.times = times->technique;
  row.bytes = technique->bytes();
  row.reference = times->reference.median;
  note_ = work.copy ? "copy: kernel" : "copy: vkCmdCopyBuffer";
  return row;
}

Result<void> FourierVulkanRunner::prepare_memory(const FourierVulkanBenchmark& benchmark) {
  if (work_ && work_->sets->benchmark().same_memory(benchmark)) return {};
  work_.reset();  // frees its memory for the next sets
  runner_.release();
  auto sets = FourierSets::create(runner_.gpu(), benchmark, runner_.timer().most_sets());
  if (!sets) return sets.error();
  work_ = std::make_unique<Work>();
  work_->sets = std::move(*sets);
  auto chosen = choose_copy();
  if (!chosen) work_.reset();
  return chosen;
}

// Chooses the faster of the two copies.
Result<void> FourierVulkanRunner::choose_copy() {
  Work& work = *work_;
  auto kernel = CopyKernel::create(runner_.gpu(), *work.sets);
  if (!kernel) return kernel.error().code == ErrorCode::kUnsupported ? Result<void>() : kernel.error();
  const auto by_kernel = make_device_copy(runner_.gpu(), *work.sets, *kernel, work.sets->bytes());
  const auto by_command = make_device_copy(runner_.gpu(), *work.sets, nullptr, work.sets->bytes());
  auto times = runner_.timer().compare(*work.sets, *by_kernel, *by_command, Mode::kThroughput);
  if (!times) return times.error();
  if (times->technique.median < times->reference.median) work.copy = *kernel;
  return {};
}

Result<void> FourierVulkanRunner::prepare_transform(const FourierVulkanBenchmark& benchmark) {
  Work& work = *work_;
  if (work.prepared == benchmark.path) return {};
  work.prepared.reset();
  work.bound.reset();
  auto bound = BoundTransform::create(runner_.gpu(), *work.sets, tuning_of(benchmark.path));
  if (!bound) return bound.error();
  work.bound = std::move(*bound);
  const auto whole = make_fourier_technique(runner_.gpu(), work.bound, FourierWork::kForwardInverse);
  if (auto verified = verify(benchmark, *whole); !verified) return verified;
  if (auto ran = run_everywhere(*whole); !ran) return ran;
  work.prepared = benchmark.path;
  return {};
}

// Runs the transform on every set, so that single stages find the output of the stage before.
Result<void> FourierVulkanRunner::run_everywhere(const VulkanTechnique& technique) {
  const Gpu& gpu = runner_.gpu();
  return gpu.device().run([&](VkCommandBuffer commands) {
    for (size_t i = 0; i < work_->sets->count(); ++i) technique.record(commands, i);
    full_barrier(gpu, commands);
  });
}

Result<void> FourierVulkanRunner::verify(const FourierVulkanBenchmark& benchmark, const VulkanTechnique& technique) {
  Work& work = *work_;
  if (!work.expected) {
    auto expected = expected_output(*work.sets);
    if (!expected) return expected.error();
    work.expected = std::move(*expected);
  }
  return verify_output(runner_.gpu(), *work.sets, technique, *work.expected, benchmark.name());
}

void register_fourier_vulkan(const std::vector<FourierVulkanBenchmark>& benchmarks, FourierVulkanRunner* runner,
                             Report& report) {
  for (const FourierVulkanBenchmark& one : benchmarks) {
    benchmark::RegisterBenchmark(
        one.name().c_str(),
        [one, runner, &report](benchmark::State& state) { run_benchmark(state, one, *runner, report); })
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  }
}

}  // namespace onepass::bench
