// fourier_cpu_bench.cpp: times the CPU engine's transforms and convolutions in alternation with a copy of as many bytes
// and, if the build has it, with FFTW. All results are checked first.
#include "fourier_cpu_bench.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include <benchmark/benchmark.h>

#include "copies.hpp"
#include "cpu/aligned_vector.hpp"
#include "cpu_timer.hpp"
#include "fourier_checks.hpp"
#include "fourier_fftw.hpp"
#include "levels.hpp"

namespace onepass::bench {
namespace {

using Bytes = cpu::AlignedVector<std::byte>;

constexpr double kAllowedError = 1e-6;  // relative L2
constexpr int kCheckedValues = 6;

uint64_t sum(const Traffic& traffic) { return traffic.bytes_read + traffic.bytes_written; }

Error wrong(const std::string& what, const FourierCpuBenchmark& benchmark) {
  return {ErrorCode::kBadData, "wrong output: " + what, benchmark.name()};
}

std::string position(Extent at) { return "(" + std::to_string(at.width) + ", " + std::to_string(at.height) + ")"; }

/// Copies `bytes` / 2 bytes with `threads` threads: reads and writes are `bytes` together.
class Copy {
 public:
  Copy(uint64_t bytes, uint32_t threads) : workers_(threads), from_(bytes / 2), to_(bytes / 2) {}
  void operator()() { copy_plain(workers_, to_.data(), from_.data(), to_.size()); }

 private:
  cpu::Workers workers_;
  Bytes from_;
  Bytes to_;
};

Row row_of(const FourierCpuBenchmark& benchmark, const std::string& path) {
  const ConvolutionCase* convolution = benchmark.convolution ? &*benchmark.convolution : nullptr;
  const Extent size = convolution != nullptr ? convolution->size : benchmark.transform.size;
  return {.name = benchmark.name(),
          .engine = "cpu",
          .format = std::string(format_word(convolution != nullptr ? convolution->format : benchmark.transform.format)),
          .width = size.width,
          .height = size.height,
          .reduction = {},
          .footprint = {},
          .path = path,
          .mode = "repeated",
          .times = {},
          .threads = benchmark.threads};
}

void run_benchmark(benchmark::State& state, const FourierCpuBenchmark& benchmark, FourierCpuRunner& runner,
                   Report& report) {
  auto rows = runner.measure(benchmark);
  if (!rows) {
    report.fail();
    state.SkipWithError(rows.error().text().c_str());
    return;
  }
  const Row& row = rows->front();
  for ([[maybe_unused]] auto iteration : state) state.SetIterationTime(row.times.median * 1e-6);
  state.counters["min_us"] = row.times.least;
  state.counters["max_us"] = row.times.most;
  state.counters["GB/s"] = row.gigabytes_per_second();
  state.counters["memcpy_us"] = row.reference;
  state.counters["r"] = row.ratio();
  if (rows->size() > 1) {
    state.counters["fftw_us"] = rows->back().times.median;
    state.counters["x_fftw"] = row.times.median / rows->back().times.median;
  }
  for (const Row& one : *rows) report.add(one);
}

}  // namespace

std::string FourierCpuBenchmark::name() const {
  const std::string count = "/threads:" + std::to_string(threads);
  if (convolution) return "convolution/cpu/" + convolution_word(*convolution) + count;
  return "fourier/cpu/" + fourier_word(transform) + (inverse ? "/forward+inverse" : "/forward") + count;
}

std::vector<FourierCpuBenchmark> fourier_cpu_benchmarks() {
  std::vector<uint32_t> thread_counts = {1};
  if (const uint32_t all = cpu::Workers(0).slots(); all > 1) thread_counts.push_back(all);
  std::vector<FourierCpuBenchmark> out;
  for (const FourierCase& transform : fourier_cpu_cases()) {
    for (const uint32_t threads : thread_counts) {
      for (const bool inverse : {false, true}) {
        out.push_back({.transform = transform, .inverse = inverse, .convolution = {}, .threads = threads});
      }
    }
  }
  for (const ConvolutionCase& convolution : convolution_cpu_cases()) {
    for (const uint32_t threads : thread_counts) {
      out.push_back({.transform = {}, .convolution = convolution, .threads = threads});
    }
  }
  return out;
}

/// Images, spectra and transforms of one case and number of threads.
struct FourierCpuRunner::Transforms {
  FourierCase transform;
  uint32_t threads = 0;
  Image source;
  Image target;
  Bytes spectrum;
  std::optional<cpu::Transform> engine;
  std::optional<Error> failed;
  Image fftw_source;
  Bytes fftw_spectrum;
  std::unique_ptr<FftwTransform> fftw;  // null: see FftwTransform::create()

  void forward() {
    if (auto done = engine->forward(source.view(), spectrum); !done) failed = done.error();
  }
  void inverse() {
    if (auto done = engine->inverse(spectrum, target.view()); !done) failed = done.error();
  }
  Result<void> create(const FourierCpuBenchmark& benchmark, bool patient);
  Result<void> create_fftw(bool patient);
  Result<void> verify(const FourierCpuBenchmark& benchmark);
};

Result<void> FourierCpuRunner::Transforms::create(const FourierCpuBenchmark& benchmark, bool patient) {
  transform = benchmark.transform;
  threads = benchmark.threads;
  auto random = random_image(transform.format, transform.size, 1);
  if (!random) return random.error();
  source = std::move(*random);
  auto empty = Image::create(transform.format, transform.size);
  if (!empty) return empty.error();
  target = std::move(*empty);
  auto made = cpu::Transform::create(transform.options(SpectrumOrder::kRows), {.threads = threads});
  if (!made) return made.error();
  engine.emplace(std::move(*made));
  spectrum.resize(engine->plan().spectrum_bytes);
  if (auto done = create_fftw(patient); !done) return done;
  return verify(benchmark);
}

Result<void> FourierCpuRunner::Transforms::create_fftw(bool patient) {
  auto copy = Image::create(transform.format, transform.size);
  if (!copy) return copy.error();
  fftw_source = std::move(*copy);
  fftw_spectrum.resize(spectrum.size());
  fftw = FftwTransform::create(transform, threads, patient, {fftw_source.data(), fftw_source.size_in_bytes()},
                               fftw_spectrum, {target.data(), target.size_in_bytes()});
  std::memcpy(fftw_source.data(), source.data(), source.size_in_bytes());
  return {};
}

Result<void> FourierCpuRunner::Transforms::verify(const FourierCpuBenchmark& benchmark) {
  forward();
  if (failed) return *failed;
  const TransformPlan& plan = engine->plan();
  const double texels = static_cast<double>(transform.size.width) * transform.size.height;
  std::mt19937_64 random(run_seed());
  for (int i = 0; i < kCheckedValues; ++i) {
    const Extent at = {static_cast<uint32_t>(random() % plan.spectrum_size.width),
                       static_cast<uint32_t>(random() % plan.spectrum_size.height)};
    const auto channel = static_cast<uint32_t>(random() % plan.spectrum_channels);
    const std::complex<double> expected = spectrum_value(transform, source.view(), at, channel);
    std::complex<float> actual;
    std::memcpy(&actual, spectrum.data() + plan.index(at.width, at.height, channel) * sizeof(actual), sizeof(actual));
    const double error = std::abs(std::complex<double>(actual) - expected);
    if (!(error < 5e-6 * std::sqrt(texels) + 1e-6 * std::abs(expected))) {
      return wrong("frequency " + position(at) + " is off by " + std::to_string(error), benchmark);
    }
  }
  if (fftw) {
    fftw->forward();
    const double error = relative_error(Format::kRG32Sfloat, spectrum, fftw_spectrum);
    if (!(error < kAllowedError))
      return wrong("spectrum and FFTW's: " + std::to_string(error * 1e6) + "e-6", benchmark);
  }
  inverse();
  if (failed) return *failed;
  const double error = relative_error(transform.format, {target.data(), target.size_in_bytes()},
                                      {source.data(), source.size_in_bytes()});
  if (!(error < kAllowedError))
    return wrong("forward and inverse: relative error " + std::to_string(error * 1e6) + "e-6", benchmark);
  return {};
}

FourierCpuRunner::FourierCpuRunner(uint32_t rounds, bool patient) : rounds_(rounds), patient_(patient) {}
FourierCpuRunner::~FourierCpuRunner() = default;

Result<std::vector<Row>> FourierCpuRunner::measure(const FourierCpuBenchmark& benchmark) {
  return benchmark.convolution ? measure_convolution(benchmark) : measure_transform(benchmark);
}

Result<void> FourierCpuRunner::prepare(const FourierCpuBenchmark& benchmark) {
  if (transforms_ && transforms_->transform == benchmark.transform && transforms_->threads == benchmark.threads) {
    return {};
  }
  transforms_.reset();  // frees its memory for the next transforms
  auto transforms = std::make_unique<Transforms>();
  if (auto created = transforms->create(benchmark, patient_); !created) return created;
  transforms_ = std::move(transforms);
  return {};
}

Result<std::vector<Row>> FourierCpuRunner::measure_transform(const FourierCpuBenchmark& benchmark) {
  if (auto prepared = prepare(benchmark); !prepared) return prepared.error();
  Transforms& t = *transforms_;
  const TransformPlan& plan = t.engine->plan();
  const uint64_t bytes = sum(plan.forward) + (benchmark.inverse ? sum(plan.inverse) : 0);
  Copy copy(bytes, benchmark.threads);
  std::vector<Task> tasks = {[&] {
                               t.forward();
                               if (benchmark.inverse) t.inverse();
                             },
                             [&] { copy(); }};
  if (t.fftw) {
    tasks.emplace_back([&] {
      t.fftw->forward();
      if (benchmark.inverse) t.fftw->inverse();
    });
  }
  const std::vector<Times> times = compare(tasks, rounds_);
  if (t.failed) return *t.failed;
  Row row = row_of(benchmark, benchmark.inverse ? "forward+inverse" : "forward");
  row.times = times[0];
  row.bytes = bytes;
  row.reference = times[1].median;
  std::vector<Row> rows = {row};
  if (t.fftw) {
    row.name = "baseline/cpu/" + fourier_word(benchmark.transform) + "/" + row.path +
               "/fftw/threads:" + std::to_string(benchmark.threads);
    row.path += "_fftw";
    row.times = times[2];
    rows.push_back(row);
  }
  return rows;
}

namespace {

/// Compares some texels of the result with the definition.
Result<void> check_convolution(const FourierCpuBenchmark& benchmark, const ImageView& source, const ImageView& kernel,
                               const ImageView& result) {
  const ConvolutionCase& c = *benchmark.convolution;
  std::mt19937_64 random(run_seed());
  for (int i = 0; i < kCheckedValues; ++i) {
    // Every second texel lies in the first column, where the boundary matters.
    const Extent at = {i % 2 == 0 ? 0 : static_cast<uint32_t>(random() % c.size.width),
                       static_cast<uint32_t>(random() % c.size.height)};
    const auto channel = static_cast<uint32_t>(random() % c.channels);
    const double expected = convolved_value(c, source, kernel, at, channel);
    float texel[4] = {};
    decode_row(c.format, result.row(at.height) + size_t{at.width} * format_info(c.format).bytes_per_texel, 1, texel);
    // An absolute bound suffices: weights sum to 1 and texels are below 1.
    if (!(std::abs(static_cast<double>(texel[channel]) - expected) < kAllowedError)) {
      return wrong(
          "texel " + position(at) + " is " + std::to_string(texel[channel]) + ", not " + std::to_string(expected),
          benchmark);
    }
  }
  return {};
}

}  // namespace

Result<std::vector<Row>> FourierCpuRunner::measure_convolution(const FourierCpuBenchmark& benchmark) {
  transforms_.reset();
  const ConvolutionCase& c = *benchmark.convolution;
  auto source = random_image(c.format, c.size, 1);
  if (!source) return source.error();
  auto kernel = random_image(c.options().kernel, c.kernel, 1);
  if (!kernel) return kernel.error();
  auto target = Image::create(c.format, c.size);
  if (!target) return target.error();
  auto convolver = cpu::Convolver::create(c.options(), {.threads = benchmark.threads});
  if (!convolver) return convolver.error();
  if (auto set = convolver->set_kernel(kernel->view()); !set) return set.error();
  std::optional<Error> failed;
  std::vector<Task> tasks = {[&] {
    if (auto done = convolver->convolve(source->view(), target->view()); !done) failed = done.error();
  }};
  const std::unique_ptr<FftwConvolution> fftw = FftwConvolution::create(c, benchmark.threads, kernel->view());
  if (fftw) tasks.emplace_back([&] { fftw->convolve(source->view(), target->view()); });
  for (const Task& task : tasks) {
    task();
    if (failed) return *failed;
    auto checked = check_convolution(benchmark, source->view(), kernel->view(), target->view());
    if (!checked) return checked.error();
  }
  Row row = row_of(benchmark, "convolution");
  row.bytes = sum(convolver->plan().traffic);
  Copy copy(row.bytes, benchmark.threads);
  tasks.emplace_back([&] { copy(); });
  const std::vector<Times> times = compare(tasks, rounds_);
  if (failed) return *failed;
  row.times = times.front();
  row.reference = times.back().median;
  std::vector<Row> rows = {row};
  if (fftw) {
    row.name = "baseline/cpu/" + convolution_word(c) + "/fftw/threads:" + std::to_string(benchmark.threads);
    row.path += "_fftw";
    row.times = times[1];
    rows.push_back(row);
  }
  return rows;
}

void register_fourier_cpu(const std::vector<FourierCpuBenchmark>& benchmarks, FourierCpuRunner& runner,
                          Report& report) {
  for (const FourierCpuBenchmark& one : benchmarks) {
    benchmark::RegisterBenchmark(
        one.name().c_str(),
        [one, &runner, &report](benchmark::State& state) { run_benchmark(state, one, runner, report); })
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  }
}

}  // namespace onepass::bench
