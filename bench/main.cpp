// main.cpp: onepass-bench: times the techniques on this machine, and baselines that bound their speed.
//
// Every output is checked before it is timed. A wrong output is reported, and the program exits with 1. Names of
// benchmarks, with examples:
//
//     pyramid/vulkan/FORMAT/SIZE/REDUCTION/FOOTPRINT/PATH/MODE
//     tile_reduction/vulkan/FORMAT/SIZE/REDUCTION/factor16/STRATEGY/MODE       (tree, subgroup)
//     tile_reduction/cpu/FORMAT/SIZE/REDUCTION/factor16/threads:N
//     baseline/vulkan/FORMAT/SIZE/BASELINE/MODE
//     pyramid/cpu/FORMAT/SIZE/REDUCTION/FOOTPRINT/threads:N
//     baseline/cpu/FORMAT/SIZE/REDUCTION/FOOTPRINT/plain_loop/threads:N
//     baseline/cpu/FORMAT/SIZE/COPY/threads:N
//
//     pyramid/vulkan/rgba8/3840x2160/mean/aligned/single_dispatch/throughput
//     baseline/vulkan/rgba8/3840x2160/speed_of_light/throughput
//     pyramid/cpu/r32f/4096x4096/min/aligned/threads:2
//     baseline/cpu/r32f/4096x4096/min/aligned/plain_loop/threads:2
//     baseline/cpu/r32f/4096x4096/memcpy/threads:2
//
//     fourier/vulkan/FORMAT/SIZE/WORK/TECHNIQUE/MODE     baseline/vulkan/FORMAT/SIZE/forward+inverse/device_copy/MODE
//     fourier/cpu/FORMAT/SIZE[/complex]/forward+inverse/threads:N                             (forward)
//     convolution/cpu/FORMAT/SIZE/channelsN/kernelSIZE/BOUNDARY/threads:N
//     convolution/vulkan/FORMAT/SIZE/channelsN/kernelSIZE/BOUNDARY/MODE
//
//     fourier/vulkan/rgba32f/1920x1080/forward+inverse/shared_memory/throughput
//     fourier/vulkan/rgba8/1920x1080/columns_forward/shared_memory_images/throughput
//     fourier/cpu/rg32f/512x512/complex/forward+inverse/threads:1
//     convolution/cpu/rgba32f/1920x1080/channels3/kernel255x255/mirror/threads:2
//
//     meter/vulkan/FORMAT/SIZE/CONTENT/MODE              tone_map/vulkan/FORMAT/SIZE/OPERATOR/MODE
//     (like tone_map: local_exposure, meter+tone_map, frame_tone_map; all but meter+tone_map also with cpu, threads:N)
//     baseline/vulkan/FORMAT/SIZE/CONTENT/read_only/MODE   baseline/vulkan/FORMAT/SIZE/device_copy/MODE
//
//     meter/vulkan/rgba16f/3840x2160/natural/throughput
//     frame_tone_map/vulkan/rgba16f_rgba8_srgb/3840x2160/agx/throughput
//     meter/cpu/rgba16f/3840x2160/constant/threads:1
//
//     bloom/vulkan/FORMAT/SIZE/BLOOM/MODE                bloom/cpu/FORMAT/SIZE/BLOOM/threads:N
//
//     bloom/vulkan/rgba16f/1920x1080/convolution_threshold/throughput
//
//     reflection/vulkan/FORMAT/SIZE/RAYS/MODE
//
//     reflection/vulkan/rgba16f/1920x1080/one/throughput
//
//     pyramid/cuda/FORMAT/SIZE/REDUCTION/FOOTPRINT/LAUNCHES/MODE
//
//     pyramid/cuda/rgba8/3840x2160/mean/covering/linear_memory/throughput
//
//     tile_reduction/cuda/..., meter/cuda/..., tone_map/cuda/..., meter+tone_map/cuda/...: as on Vulkan
//
//     blocks/vulkan/FORMAT/SIZE/BLOCKS/MODE
//
//     blocks/vulkan/rgba8/4096x4096/mips+bc7/throughput
//
//     nonfinite/cpu/FORMAT/SIZE/find/threads:N           (replace)
//
//     volume/cpu/TYPE/SIZE/REDUCTION/levelsN/threads:N
//
//     volume/cpu/uint8/512x512x512/mean/levels1/threads:1
//
//     creation/vulkan/OBJECT/STATE
//
//     creation/vulkan/pyramid/r32f/1920x1080/min/covering/cold
//
// With --tunings, instead of all of these, the default tunings of a device beside the best candidates:
//
//     tuning/vulkan/TECHNIQUE/CASE
//
// With --peers, the other libraries, under the same names: PEER instead of PATH or TECHNIQUE, or before MODE or
// threads:N.
//
//     pyramid/vulkan/rgba8/3840x2160/mean/aligned/spd/throughput
//     fourier/vulkan/rgba32f/1920x1080/forward+inverse/vkfft_c2c2/warm
//     frame_tone_map/vulkan/rgba16f_rgba8_srgb/3840x2160/agx/libplacebo/throughput
//     pyramid/cpu/rgba8/4096x4096/mean/aligned/opencv/threads:1
//
// FORMAT     d32f (a depth image) r32f rgba8 rgba8_srgb rgba16f rgba32f; r32f_rg32f where the target differs from
//            the source
// SIZE       WIDTHxHEIGHT, and xSLICES if there are several
// PATH       single_dispatch, single_dispatch_own (pipelines of this size alone), single_dispatch_linear (linear
//            samples of sRGB), per_level
// BASELINE   speed_of_light (speed_of_light.comp), blit (vkCmdBlitImage level by level), empty (an empty dispatch),
//            read_only (read_only.comp), levels_1_to_4 (one dispatch per level)
// MODE       throughput: 40 in a row with a barrier after each, on images that are in no cache
//            isolated:   one between full barriers, on images that are in no cache
//            warm:       as throughput, always on the same images
// CONTENT    natural, constant, random
// OPERATOR   name of the operator on the command line
// COPY       memcpy, non_temporal: of as many bytes as the pyramid reads and writes
// WORK       forward+inverse, or a stage alone: rows_forward columns_forward columns_inverse rows_inverse
// TECHNIQUE  shared_memory (four-step where it cannot hold a line), four_step, ping_pong_radix16, ping_pong_radix2;
//            _computed: twiddle factors computed, not read from a table; _images: from and to images, else buffers.
//            Half formats have half spectra.
// BLOOM      convolution (all light); with a threshold: convolution_threshold, convolution_half, mip_chain,
//            mip_chain_half
// RAYS       of a rough texel: quarter, one, two, four; one_without_filter, one_without_filter_and_history; of mirrors
//            alone: mirrors; of nothing: matte
// LAUNCHES   linear_memory, linear_memory_one_launch: of the CUDA engine, on the CUDA device that is the Vulkan device;
//            a CUDA graph of the launches is timed
// BLOCKS     all levels of an opaque picture to bc1, bc4, bc5, bc6h or bc7; with transparent texels: bc3_alpha,
//            bc7_alpha; the pyramid that makes the levels, then the blocks: mips+bc1, mips+bc7
// PEER       another library: spd, spd_load, spd_half, nvpro, dxvk (bench/peers/pyramid_peers.hpp);
//            vkfft_c2c2, vkfft_r2c4, cufft_c2c2, cufft_r2c4 (bench/peers/fourier_peers.hpp);
//            libplacebo, cub_sum, cub_histogram (bench/peers/light_peers.hpp);
//            sssr, sssr_half, sssr_trace (bench/peers/reflection_peers.hpp);
//            opencv, vips, openimageio (bench/peers/cpu_peers.hpp)
// STATE      create() by the host's clock, once: cold (nothing is compiled); medians: warm_cache (all is in the
//            VkPipelineCache), again (on a device that still has the pipelines of the same object)
//
// Google Benchmark appends /manual_time. Times are medians of GPU timestamps or of a steady clock. Rounds of a case
// alternate with rounds of a reference on the same images, and the ratio of both medians is reported: `x_sol` to speed
// of light, `x_copy` to a copy of the same bytes on the GPU, `r` to memcpy with the same threads, `x_fftw` to FFTW,
// `x_transform` to a forward and inverse transform of the padded image, `x_read` to a pass that only reads the image,
// `x_convolution` to the convolution alone, `x_apart` to meter and tone map one after the other,
// `x_vulkan` to the Vulkan engine's pyramid of the same texels,
// `x_onepass` of a peer to the library's technique or CPU engine, with the least and largest ratio of two rounds beside
// it.
// --benchmark_filter takes a regular expression for the names.
#include <charconv>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "blocks_bench.hpp"
#include "bloom_bench.hpp"
#include "convolution_vulkan_bench.hpp"
#include "cpu_bench.hpp"
#include "creation_bench.hpp"
#include "cuda_bench.hpp"
#include "cuda_light_bench.hpp"
#include "cuda_tiles_bench.hpp"
#include "fourier_cpu_bench.hpp"
#include "fourier_vulkan_bench.hpp"
#include "light_cpu_bench.hpp"
#include "light_vulkan_bench.hpp"
#include "nonfinite_cpu_bench.hpp"
#include "peers/cpu_peer_bench.hpp"
#include "peers/fourier_peer_bench.hpp"
#include "peers/light_peer_bench.hpp"
#include "peers/pyramid_peer_bench.hpp"
#include "peers/reflection_peer_bench.hpp"
#include "peers/register_peers.hpp"
#include "reflection_bench.hpp"
#include "report.hpp"
#include "tuning_bench.hpp"
#include "volume_cpu_bench.hpp"
#include "vulkan_bench.hpp"

#ifndef ONEPASS_COMMIT
#define ONEPASS_COMMIT "unknown"
#endif

namespace {

using namespace onepass;
using namespace onepass::bench;

constexpr const char* kUsage = R"(onepass-bench [options] [--benchmark_... options of Google Benchmark]
  --csv=FILE           also write the results as CSV
  --engine=ENGINE      cpu, vulkan or cuda only; cuda needs a Vulkan device, too
  --device=SELECTOR    Vulkan device by index or part of its name; default: the first real GPU
  --software           take a software device where there is no GPU: keeps this program alive, its times mean little
  --all                the long tail too: every mode of everything, images of a gigabyte
  --rounds=N           rounds that a median is taken of (default: Vulkan 7, CPU at most 25)
  --records=N          Vulkan: records timed in a row (default 40)
  --warm-up=MS         Vulkan: milliseconds of work before the first round (default 300)
  --fftw-patient       CPU: transforms of FFTW with plans of FFTW_PATIENT, not FFTW_MEASURE: up to two minutes a size
  --commit=TEXT        commit that the CSV file names
  --peers              the other libraries of this build instead (CMake: ONEPASS_BENCH_PEERS, ONEPASS_BENCH_PLACEBO,
                       ONEPASS_BENCH_CUB, ONEPASS_BENCH_CPU_PEERS)
  --tunings=SECONDS    the distance of this device's default tunings from the best candidates instead (onepass tune)
  --list               names of the benchmarks, and nothing else
)";

struct Arguments {
  std::string csv;
  std::string device;
  std::string engine;
  std::string commit = ONEPASS_COMMIT;
  bool software = false;
  bool all = false;
  bool list = false;
  bool peers = false;
  bool fftw_patient = false;
  bool help = false;
  std::optional<uint32_t> rounds;
  std::optional<uint32_t> records;
  std::optional<uint32_t> warm_up_ms;
  std::optional<uint32_t> tuning_seconds;
  std::vector<char*> rest;  // for Google Benchmark
};

/// Stores the value of "--name=value" in `out` and returns true if `argument` is that option.
bool take(const char* argument, const char* name, std::string& out) {
  const size_t length = std::strlen(name);
  if (std::strncmp(argument, name, length) != 0 || argument[length] != '=') return false;
  out = argument + length + 1;
  return true;
}

bool take(const char* argument, const char* name, bool& out) {
  if (std::strcmp(argument, name) != 0) return false;
  out = true;
  return true;
}

/// False also for a value that is not a number up to 10000: Google Benchmark then reports the option as unknown.
bool take(const char* argument, const char* name, std::optional<uint32_t>& out) {
  std::string text;
  uint32_t value = 0;
  if (!take(argument, name, text)) return false;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() || value > 10000) return false;
  out = value;
  return true;
}

Arguments parse(int argc, char** argv) {
  // Each benchmark computes its own median and reports it as one iteration, however short. The user's options follow
  // and override these.
  static char one_iteration[] = "--benchmark_min_time=0";
  static char tabular[] = "--benchmark_counters_tabular=true";
  static char list_tests[] = "--benchmark_list_tests=true";
  Arguments out;
  out.rest = {argv[0], one_iteration, tabular};
  for (int i = 1; i < argc; ++i) {
    const char* argument = argv[i];
    const bool own = take(argument, "--csv", out.csv) || take(argument, "--device", out.device) ||
                     take(argument, "--engine", out.engine) || take(argument, "--commit", out.commit) ||
                     take(argument, "--software", out.software) || take(argument, "--all", out.all) ||
                     take(argument, "--list", out.list) || take(argument, "--peers", out.peers) ||
                     take(argument, "--fftw-patient", out.fftw_patient) || take(argument, "--help", out.help) ||
                     take(argument, "--rounds", out.rounds) || take(argument, "--records", out.records) ||
                     take(argument, "--warm-up", out.warm_up_ms) || take(argument, "--tunings", out.tuning_seconds);
    if (!own) out.rest.push_back(argv[i]);
  }
  if (out.list) out.rest.push_back(list_tests);
  return out;
}

Schedule schedule_of(const Arguments& arguments, bool software) {
  Schedule schedule;
  if (software) schedule = {.records = 4, .untimed = 1, .rounds = 3, .warm_up_ms = 0};
  schedule.records = std::max(1U, arguments.records.value_or(schedule.records));
  schedule.rounds = std::max(1U, arguments.rounds.value_or(schedule.rounds));
  if (arguments.warm_up_ms) schedule.warm_up_ms = *arguments.warm_up_ms;
  return schedule;
}

int complain(const Error& error) {
  std::fprintf(stderr, "onepass-bench: %s\n", error.text().c_str());
  return 2;
}

/// Opens the device to measure on; null if there is no device and the arguments name none.
Result<std::unique_ptr<VulkanRunner>> open_runner(const Arguments& arguments, Machine& machine) {
  auto gpu = Gpu::open({.selector = arguments.device, .allow_software = arguments.software});
  if (!gpu) {
    if (gpu.error().code != ErrorCode::kNotFound || !arguments.device.empty()) return gpu.error();
    std::fprintf(stderr, "onepass-bench: %s: no benchmarks of the Vulkan engine (--software allows software devices)\n",
                 gpu.error().text().c_str());
    return std::unique_ptr<VulkanRunner>();
  }
  machine.gpu = (*gpu)->device().info().name;
  machine.driver = (*gpu)->device().info().driver;
  benchmark::AddCustomContext("gpu", machine.gpu);
  benchmark::AddCustomContext("driver", machine.driver);
  const Schedule schedule = schedule_of(arguments, (*gpu)->software());
  return VulkanRunner::create(std::move(*gpu), schedule);
}

/// What measures on one device; all null without a device.
struct VulkanRunners {
  VulkanRunners() = default;
  explicit VulkanRunners(std::unique_ptr<VulkanRunner> runner) : vulkan(std::move(runner)) {
    fourier = std::make_unique<FourierVulkanRunner>(*vulkan);
    light = std::make_unique<LightVulkanRunner>(*vulkan);
    reflection = std::make_unique<ReflectionRunner>(*vulkan);
    blocks = std::make_unique<BlocksRunner>(*vulkan);
    cuda = std::make_unique<CudaRunner>(*vulkan);
    cuda_light = std::make_unique<CudaLightRunner>(*vulkan);
    cuda_tiles = std::make_unique<CudaTilesRunner>(*vulkan);
    pyramid_peers = std::make_unique<PyramidPeerRunner>(*vulkan);
    fourier_peers = std::make_unique<FourierPeerRunner>(*vulkan);
    light_peers = std::make_unique<LightPeerRunner>(*vulkan);
    reflection_peers = std::make_unique<ReflectionPeerRunner>(*vulkan);
  }

  std::unique_ptr<VulkanRunner> vulkan;
  std::unique_ptr<FourierVulkanRunner> fourier;
  std::unique_ptr<LightVulkanRunner> light;
  std::unique_ptr<ReflectionRunner> reflection;
  std::unique_ptr<BlocksRunner> blocks;
  std::unique_ptr<CudaRunner> cuda;
  std::unique_ptr<CudaLightRunner> cuda_light;
  std::unique_ptr<CudaTilesRunner> cuda_tiles;
  std::unique_ptr<PyramidPeerRunner> pyramid_peers;
  std::unique_ptr<FourierPeerRunner> fourier_peers;
  std::unique_ptr<LightPeerRunner> light_peers;
  std::unique_ptr<ReflectionPeerRunner> reflection_peers;
};

void register_on_vulkan(const Arguments& arguments, const VulkanRunners& runners, Report& report) {
  if (arguments.peers) {
    register_peers(pyramid_peer_benchmarks(), runners.pyramid_peers.get(), report);
    register_peers(fourier_peer_benchmarks(), runners.fourier_peers.get(), report);
    register_peers(light_peer_benchmarks(), runners.light_peers.get(), report);
    register_peers(reflection_peer_benchmarks(), runners.reflection_peers.get(), report);
    return;
  }
  if (arguments.engine != "vulkan") {
    register_cuda(cuda_benchmarks(arguments.all), runners.cuda.get(), report);
    register_cuda_tiles(cuda_tiles_benchmarks(), runners.cuda_tiles.get(), report);
    register_cuda_light(cuda_light_benchmarks(arguments.all), runners.cuda_light.get(), report);
  }
  if (arguments.engine == "cuda") return;
  register_creation_vulkan(runners.vulkan.get(), report);
  register_vulkan(vulkan_benchmarks(arguments.all), runners.vulkan.get(), report);
  register_fourier_vulkan(fourier_vulkan_benchmarks(arguments.all), runners.fourier.get(), report);
  register_convolution_vulkan(convolution_vulkan_benchmarks(), runners.vulkan.get(), report);
  register_bloom_vulkan(runners.vulkan.get(), report);
  register_light_vulkan(light_vulkan_benchmarks(arguments.all), runners.light.get(), report);
  register_reflections(runners.reflection.get(), report);
  register_blocks(runners.blocks.get(), report);
}

/// Measures tunings instead of the benchmarks. Returns the exit status.
int run_tunings(const Arguments& arguments, Machine& machine) {
  auto device = vulkan::Device::open({.selector = arguments.device, .allow_software = arguments.software});
  if (!device) {
    const int status = complain(device.error());
    return device.error().code == ErrorCode::kNotFound && arguments.device.empty() ? 0 : status;
  }
  machine.gpu = device->info().name;
  machine.driver = device->info().driver;
  Report report;
  if (!arguments.csv.empty()) {
    if (auto opened = report.open(arguments.csv, machine); !opened) return complain(opened.error());
  }
  if (auto measured = report_tunings(*device, *arguments.tuning_seconds, report); !measured) {
    return complain(measured.error());
  }
  auto closed = report.close();
  return closed ? 0 : complain(closed.error());
}

/// Runs the registered benchmarks. Returns the exit status.
int run(Arguments& arguments, const Machine& machine, Report& report) {
  benchmark::AddCustomContext("cpu", machine.cpu);
  benchmark::AddCustomContext("commit", machine.commit);
  int count = static_cast<int>(arguments.rest.size());
  benchmark::Initialize(&count, arguments.rest.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.rest.data())) return 2;
  if (!arguments.csv.empty()) {
    if (auto opened = report.open(arguments.csv, machine); !opened) return complain(opened.error());
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  if (auto closed = report.close(); !closed) return complain(closed.error());
  if (report.failures() > 0) {
    std::fprintf(stderr, "onepass-bench: %d benchmarks failed\n", report.failures());
    return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments = parse(argc, argv);
  if (arguments.help) {
    std::fputs(kUsage, stdout);
    return 0;
  }
  const std::string& engine = arguments.engine;
  if (!engine.empty() && engine != "cpu" && engine != "vulkan" && engine != "cuda") {
    return complain({ErrorCode::kInvalidArgument, "is none of cpu, vulkan and cuda", "--engine=" + engine});
  }
  const bool cpu = engine.empty() || engine == "cpu";
  const bool vulkan = engine != "cpu";
  Machine machine{.cpu = cpu_description(), .gpu = {}, .driver = {}, .commit = arguments.commit, .date = today()};
  if (arguments.tuning_seconds) return run_tunings(arguments, machine);
  Report report;
  VulkanRunners runners;
  if (vulkan && !arguments.list) {
    disable_driver_caches();
    auto opened = open_runner(arguments, machine);
    if (!opened) return complain(opened.error());
    if (*opened) runners = VulkanRunners(std::move(*opened));
  }
  if (vulkan && (runners.vulkan || arguments.list)) register_on_vulkan(arguments, runners, report);
  CpuRunner cpu_runner(arguments.rounds.value_or(25));
  FourierCpuRunner fourier_cpu_runner(arguments.rounds.value_or(25), arguments.fftw_patient);
  CpuPeerRunner cpu_peer_runner(arguments.rounds.value_or(25));
  if (cpu && arguments.peers) {
    register_peers(cpu_peer_benchmarks(), &cpu_peer_runner, report);
  } else if (cpu) {
    register_cpu(cpu_benchmarks(), cpu_runner, report);
    register_fourier_cpu(fourier_cpu_benchmarks(), fourier_cpu_runner, report);
    register_bloom_cpu(arguments.rounds.value_or(25), report);
    register_light_cpu(light_cpu_benchmarks(), arguments.rounds.value_or(25), report);
    register_nonfinite_cpu(nonfinite_cpu_benchmarks(), arguments.rounds.value_or(25), report);
    register_volume_cpu(volume_cpu_benchmarks(), arguments.rounds.value_or(25), report);
  }
  return run(arguments, machine, report);
}
