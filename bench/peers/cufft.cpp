// cufft.cpp: cuFFT on the device that the benchmark measures, timed by CUDA events.
//
// Forward goes from the planes to a spectrum, inverse is in place on the spectrum: cuFFT does not scale, so that values
// would grow beyond the range of floats if records transformed their own results. As Vulkan's records are in command
// buffers before they are timed, those of a round are captured into a CUDA graph.
#include <cstring>

#include "peers/cuda.hpp"
#include "peers/fourier_peers.hpp"

namespace onepass::bench {
namespace {

Error cuda_error(const char* function, int code) {
  return {ErrorCode::kDevice, "error " + std::to_string(code), function};
}

// Returns from the caller with an error of `call`.
#define ONEPASS_CUDA(call)                                                  \
  do {                                                                      \
    if (const int code = (call); code != 0) return cuda_error(#call, code); \
  } while (false)

/// The CUDA device that is the Vulkan device, by UUID.
Result<int> same_device(const CudaFunctions& cuda, const Gpu& gpu) {
  const auto device_uuid = gpu.uuid();
  int count = 0;
  ONEPASS_CUDA(cuda.device_count(&count));
  for (int i = 0; i < count; ++i) {
    int device = 0;
    CudaUuid uuid{};
    ONEPASS_CUDA(cuda.device_get(&device, i));
    ONEPASS_CUDA(cuda.device_uuid(&uuid, device));
    if (std::memcmp(uuid.bytes, device_uuid.data(), device_uuid.size()) == 0) return device;
  }
  return Error{ErrorCode::kUnsupported, "no CUDA device has the UUID of the measured device", "cuFFT"};
}

/// Forward and inverse of consecutive sets, ready to launch.
struct Batch {
  CudaGraph graph = nullptr;
  CudaGraphExec exec = nullptr;
};

class Cufft final : public FourierPeerPlan {
 public:
  Cufft(const CudaFunctions& cuda, int device, const PeerSignal& signal)
      : cuda_(cuda), device_(device), signal_(signal), bytes_(signal.floats() * sizeof(float)) {}

  ~Cufft() override {
    clear_batches();
    for (const CufftHandle plan : plans_) cuda_.plan_destroy(plan);
    for (const CudaPointer memory : memory_) cuda_.release(memory);
    if (begin_ != nullptr) cuda_.event_destroy(begin_);
    if (end_ != nullptr) cuda_.event_destroy(end_);
    if (stream_ != nullptr) cuda_.stream_destroy(stream_);
    if (context_ != nullptr) cuda_.context_release(device_);
  }

  Result<void> init(size_t sets) {
    ONEPASS_CUDA(cuda_.context_retain(&context_, device_));
    ONEPASS_CUDA(cuda_.context_set(context_));
    constexpr unsigned kNonBlocking = 1;
    ONEPASS_CUDA(cuda_.stream_create(&stream_, kNonBlocking));
    ONEPASS_CUDA(cuda_.event_create(&begin_, 0));
    ONEPASS_CUDA(cuda_.event_create(&end_, 0));
    if (signal_.complex) {
      if (auto made = add_plan(kCufftC2C); !made) return made;
    } else {
      if (auto made = add_plan(kCufftR2C); !made) return made;
      if (auto made = add_plan(kCufftC2R); !made) return made;
    }
    sets_ = sets;
    for (size_t i = 0; i < 2 * sets; ++i) {
      CudaPointer memory = 0;
      ONEPASS_CUDA(cuda_.allocate(&memory, bytes_));
      memory_.push_back(memory);
    }
    return {};
  }

  Result<void> upload(std::span<const float> planes) override {
    for (size_t i = 0; i < sets_; ++i) ONEPASS_CUDA(cuda_.copy_to_device(planes_of(i), planes.data(), bytes_));
    return {};
  }
  Result<void> forward() override {
    if (auto ran = transform(0, false); !ran) return ran;
    ONEPASS_CUDA(cuda_.stream_synchronize(stream_));
    return {};
  }
  Result<void> inverse() override {
    if (auto ran = transform(0, true); !ran) return ran;
    ONEPASS_CUDA(cuda_.stream_synchronize(stream_));
    return {};
  }
  Result<std::vector<float>> download() override {
    std::vector<float> out(signal_.floats());
    ONEPASS_CUDA(cuda_.copy_to_host(out.data(), spectrum_of(0), bytes_));
    return out;
  }
  double round_trip_factor() const override {
    return static_cast<double>(signal_.size.width) * static_cast<double>(signal_.size.height);
  }

  Result<Comparison> compare(VulkanTimer& timer, MemorySets& sets, const VulkanTechnique& reference,
                             Mode mode) override {
    clear_batches();
    return timer.compare(
        sets, [&](uint32_t untimed, uint32_t records, bool cold) { return time(untimed, records, cold); }, reference,
        mode);
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
    ONEPASS_CUDA(cuda_.plan_many(&plan, 2, size, in_embed, 1, height * in_embed[1], out_embed, 1, height * out_embed[1],
                                 type, static_cast<int>(signal_.planes())));
    plans_.push_back(plan);
    ONEPASS_CUDA(cuda_.plan_stream(plan, stream_));
    return {};
  }

  Result<void> transform(size_t set, bool inverse) {
    void* planes = reinterpret_cast<void*>(static_cast<uintptr_t>(planes_of(set)));
    void* spectrum = reinterpret_cast<void*>(static_cast<uintptr_t>(spectrum_of(set)));
    void* from = inverse ? spectrum : planes;
    if (signal_.complex) {
      ONEPASS_CUDA(cuda_.execute_c2c(plans_[0], from, spectrum, inverse ? kCufftInverse : kCufftForward));
    } else if (inverse) {
      ONEPASS_CUDA(cuda_.execute_c2r(plans_[1], from, spectrum));
    } else {
      ONEPASS_CUDA(cuda_.execute_r2c(plans_[0], from, spectrum));
    }
    return {};
  }

  Result<void> transform_sets(size_t first, uint32_t count, bool cold) {
    for (size_t i = first; i < first + count; ++i) {
      for (const bool inverse : {false, true}) {
        if (auto ran = transform(cold ? i % sets_ : 0, inverse); !ran) return ran;
      }
    }
    return {};
  }

  Result<Batch> capture(size_t first, uint32_t count, bool cold) {
    constexpr int kThreadLocal = 1;
    Batch out;
    ONEPASS_CUDA(cuda_.begin_capture(stream_, kThreadLocal));
    const auto recorded = transform_sets(first, count, cold);
    ONEPASS_CUDA(cuda_.end_capture(stream_, &out.graph));
    if (!recorded) return recorded.error();
    ONEPASS_CUDA(cuda_.graph_instantiate(&out.exec, out.graph, 0));
    return out;
  }

  // A round: the untimed records, then all timed ones. The untimed ones use the sets before the first timed one.
  Result<double> time(uint32_t untimed, uint32_t records, bool cold) {
    if (batches_.empty()) {
      for (const auto& [first, count] : {std::pair<size_t, uint32_t>{0, untimed}, {untimed, records}}) {
        auto batch = capture(first, count, cold);
        if (!batch) return batch.error();
        batches_.push_back(*batch);
      }
    }
    ONEPASS_CUDA(cuda_.graph_launch(batches_[0].exec, stream_));
    ONEPASS_CUDA(cuda_.event_record(begin_, stream_));
    ONEPASS_CUDA(cuda_.graph_launch(batches_[1].exec, stream_));
    ONEPASS_CUDA(cuda_.event_record(end_, stream_));
    ONEPASS_CUDA(cuda_.stream_synchronize(stream_));
    float milliseconds = 0;
    ONEPASS_CUDA(cuda_.event_elapsed(&milliseconds, begin_, end_));
    return static_cast<double>(milliseconds) * 1000 / records;
  }

  void clear_batches() {
    for (const Batch& batch : batches_) {
      cuda_.graph_exec_destroy(batch.exec);
      cuda_.graph_destroy(batch.graph);
    }
    batches_.clear();
  }

  const CudaFunctions& cuda_;
  int device_;
  PeerSignal signal_;
  uint64_t bytes_;
  size_t sets_ = 0;
  CudaContext context_ = nullptr;
  CudaStream stream_ = nullptr;
  CudaEvent begin_ = nullptr;
  CudaEvent end_ = nullptr;
  std::vector<CufftHandle> plans_;
  std::vector<CudaPointer> memory_;
  std::vector<Batch> batches_;  // untimed and timed records of the mode that is being measured
};

}  // namespace

FourierPeerResult make_cufft(const Gpu& gpu, const PeerSignal& signal, size_t sets) {
  auto cuda = CudaFunctions::load();
  if (!cuda) return cuda.error();
  auto device = same_device(**cuda, gpu);
  if (!device) return device.error();
  auto out = std::make_unique<Cufft>(**cuda, *device, signal);
  if (auto made = out->init(sets); !made) return made.error();
  return std::unique_ptr<FourierPeerPlan>(std::move(out));
}

}  // namespace onepass::bench
