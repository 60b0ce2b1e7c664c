// cufft.cpp: cuFFT on the device that the benchmark measures, timed by CUDA events.
//
// Forward goes from the planes to a spectrum, inverse is in place on the spectrum: cuFFT does not scale, so that values
// would grow beyond the range of floats if records transformed their own results. For the same reason an inverse that
// is timed alone goes from the planes to the other buffer.
#include <cstdio>

#include "peers/cuda.hpp"
#include "peers/fourier_peers.hpp"

namespace onepass::bench {
namespace {

using CufftHandle = int;

/// cufftType and directions.
enum : int { kCufftR2C = 0x2a, kCufftC2R = 0x2c, kCufftC2C = 0x29, kCufftForward = -1, kCufftInverse = 1 };

/// Functions of libcufft.so. All return 0 for success.
struct CufftFunctions {
  int (*plan_many)(CufftHandle* plan, int rank, int* size, int* in_embed, int in_stride, int in_distance,
                   int* out_embed, int out_stride, int out_distance, int type, int batch);
  int (*plan_destroy)(CufftHandle plan);
  int (*plan_stream)(CufftHandle plan, CudaStream stream);
  int (*execute_c2c)(CufftHandle plan, void* in, void* out, int direction);
  int (*execute_r2c)(CufftHandle plan, void* in, void* out);
  int (*execute_c2r)(CufftHandle plan, void* in, void* out);
  int (*version)(int* version);
};

Result<CufftFunctions> find_functions() {
  CufftFunctions out{};
  FunctionLoader find({"libcufft.so", "libcufft.so.12", "libcufft.so.11"});
  find("cufftPlanMany", out.plan_many)("cufftDestroy", out.plan_destroy)("cufftSetStream", out.plan_stream);
  find("cufftExecC2C", out.execute_c2c)("cufftExecR2C", out.execute_r2c)("cufftExecC2R", out.execute_c2r);
  find("cufftGetVersion", out.version);
  if (!find.missing().empty()) return Error{ErrorCode::kUnsupported, find.missing(), "cuFFT"};
  return out;
}

/// Loads the library once per process. Prints one line that says which version was found or what is missing.
Result<const CufftFunctions*> load_cufft() {
  static const Result<CufftFunctions> functions = [] {
    auto found = find_functions();
    int number = 0;
    if (found && found->version(&number) == 0) {
      std::fprintf(stderr, "onepass-bench: cuFFT version %d\n", number);
    } else {
      std::fprintf(stderr, "onepass-bench: %s: no benchmarks of cuFFT\n",
                   found ? "cuFFT: cufftGetVersion failed" : found.error().text().c_str());
    }
    return found;
  }();
  if (!functions) return functions.error();
  return &*functions;
}

class Cufft final : public FourierPeerPlan {
 public:
  Cufft(std::unique_ptr<CudaQueue> queue, const CufftFunctions& cufft, const PeerSignal& signal)
      : queue_(std::move(queue)), cufft_(cufft), signal_(signal), bytes_(signal.floats() * sizeof(float)) {}

  ~Cufft() override {
    for (const CufftHandle plan : plans_) cufft_.plan_destroy(plan);
  }

  Result<void> init(size_t sets) {
    if (signal_.complex) {
      if (auto made = add_plan(kCufftC2C); !made) return made;
    } else {
      if (auto made = add_plan(kCufftR2C); !made) return made;
      if (auto made = add_plan(kCufftC2R); !made) return made;
    }
    sets_ = sets;
    for (size_t i = 0; i < 2 * sets; ++i) {
      auto memory = queue_->allocate(bytes_);
      if (!memory) return memory.error();
      memory_.push_back(*memory);
    }
    return {};
  }

  Result<void> upload(std::span<const float> planes) override {
    for (size_t i = 0; i < sets_; ++i) {
      ONEPASS_CUDA(queue_->cuda().copy_to_device(planes_of(i), planes.data(), bytes_));
    }
    return queue_->finish();
  }
  Result<void> forward() override {
    if (auto ran = transform(0, false); !ran) return ran;
    return queue_->finish();
  }
  Result<void> inverse() override {
    if (auto ran = transform(0, true); !ran) return ran;
    return queue_->finish();
  }
  Result<std::vector<float>> download() override {
    std::vector<float> out(signal_.floats());
    ONEPASS_CUDA(queue_->cuda().copy_to_host(out.data(), spectrum_of(0), bytes_));
    return out;
  }
  double round_trip_factor() const override {
    return static_cast<double>(signal_.size.width) * static_cast<double>(signal_.size.height);
  }

  Result<Comparison> compare(VulkanTimer& timer, MemorySets& sets, const VulkanTechnique& reference,
                             Mode mode) override {
    const auto timed = [this](size_t set) -> Result<void> {
      if (signal_.only_inverse) {
        ONEPASS_CUDA(cufft_.execute_c2c(plans_[0], pointer(planes_of(set)), pointer(spectrum_of(set)), kCufftInverse));
        return {};
      }
      auto ran = transform(set, false);
      return ran ? transform(set, true) : ran;
    };
    return queue_->compare(timer, sets, sets_, timed, reference, mode);
  }

 private:
  [[nodiscard]] CudaPointer planes_of(size_t set) const { return memory_[2 * set]; }
  [[nodiscard]] CudaPointer spectrum_of(size_t set) const { return memory_[2 * set + 1]; }

  Result<void> add_plan(int type) {
    const auto width = static_cast<int>(signal_.size.width);
    const auto height = static_cast<int>(signal_.size.height);
    const auto pairs = static_cast<int>(signal_.pairs());
    int size[2] = {height, width};
    int in_embed[2] = {height, type == kCufftR2C ? 2 * pairs : pairs};
    int out_embed[2] = {height, type == kCufftC2R ? 2 * pairs : pairs};
    CufftHandle plan = 0;
    ONEPASS_CUDA(cufft_.plan_many(&plan, 2, size, in_embed, 1, height * in_embed[1], out_embed, 1,
                                  height * out_embed[1], type, static_cast<int>(signal_.planes())));
    plans_.push_back(plan);
    ONEPASS_CUDA(cufft_.plan_stream(plan, queue_->stream()));
    return {};
  }

  static void* pointer(CudaPointer memory) { return reinterpret_cast<void*>(static_cast<uintptr_t>(memory)); }

  Result<void> transform(size_t set, bool inverse) {
    void* planes = pointer(planes_of(set));
    void* spectrum = pointer(spectrum_of(set));
    void* from = inverse ? spectrum : planes;
    if (signal_.complex) {
      ONEPASS_CUDA(cufft_.execute_c2c(plans_[0], from, spectrum, inverse ? kCufftInverse : kCufftForward));
    } else if (inverse) {
      ONEPASS_CUDA(cufft_.execute_c2r(plans_[1], from, spectrum));
    } else {
      ONEPASS_CUDA(cufft_.execute_r2c(plans_[0], from, spectrum));
    }
    return {};
  }

  std::unique_ptr<CudaQueue> queue_;
  const CufftFunctions& cufft_;
  PeerSignal signal_;
  uint64_t bytes_;
  size_t sets_ = 0;
  std::vector<CufftHandle> plans_;
  std::vector<CudaPointer> memory_;
};

}  // namespace

FourierPeerResult make_cufft(const Gpu& gpu, const PeerSignal& signal, size_t sets) {
  auto cufft = load_cufft();
  if (!cufft) return cufft.error();
  auto queue = CudaQueue::create(gpu, "cuFFT");
  if (!queue) return queue.error();
  auto out = std::make_unique<Cufft>(std::move(*queue), **cufft, signal);
  if (auto made = out->init(sets); !made) return made.error();
  return std::unique_ptr<FourierPeerPlan>(std::move(out));
}

}  // namespace onepass::bench
