// vulkan/pyramid.hpp: mip chains and hierarchical depth buffers on a GPU, in your own command buffer.
//
//     auto device = onepass::vulkan::Device::adopt({.instance = ..., .device = ..., .features = ...});
//     auto pyramid = onepass::vulkan::Pyramid::create(*device, {.size = {1920, 1080}, .source = Format::kD32Sfloat,
//                                                                .target = Format::kR32Sfloat, .reduction =
//                                                                Reduction::kMax});
//     auto hiz = pyramid->bind({.source = depth_image, .target = hiz_image, .target_level = 0});
//     pyramid->record_reset(setup_commands, *hiz);   // once, before the first use
//     pyramid->record(commands, *hiz);               // every frame
//
// Barriers the caller owes:
//   before record(): writes to the source made visible to VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT /
//   VK_ACCESS_SHADER_READ_BIT,
//     with the source in PyramidImages::source_layout; earlier accesses to the target's levels finished, the levels in
//     VK_IMAGE_LAYOUT_GENERAL; and the previous record() or record_reset() on the same binding made available
//     (COMPUTE_SHADER or TRANSFER write -> COMPUTE_SHADER read and write);
//   after record(): COMPUTE_SHADER / SHADER_WRITE -> whatever reads the levels next.
// samples/mip_chain.cpp shows them in full.
#pragma once

#include <vulkan/vulkan_core.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "onepass/export.h"
#include "onepass/pyramid.hpp"
#include "onepass/vulkan/device.hpp"

namespace onepass::vulkan {

/// How the base is read.
enum class Sampling : uint32_t {
  kAuto,    ///< kLinear where the contract allows it and the device can, on a real GPU: not for sRGB.
  kFetch,   ///< One texel fetch a texel.
  kLinear,  ///< One linear sample for the mean of 2x2 texels, where a level halves exactly. Mean without alpha or
            ///< normal modes, up to 4096 texels a side, 8192 where sizes are powers of two; elsewhere texels are
            ///< fetched. Software devices filter with float weights: good to 8 ULP per texel of the longer side.
};

/// Arithmetic inside the kernel.
enum class Arithmetic : uint32_t {
  kFloat,
  kPackedHalf,  ///< 16-bit floats in registers and shared memory. Targets of at most 8 bits or half floats; the mean is
                ///< then good to half precision, min and max stay exact for sources of at most 8 bits or half floats.
                ///< Seldom faster on an H200 (docs/benchmarks.md).
};

/// Options that never change a result beyond the contract on rounding (docs/accuracy.md).
struct PyramidTuning {
  PyramidPath path = PyramidPath::kAuto;
  Switch subgroup = Switch::kAuto;  ///< Ballot, quad and shuffle operations, not shared memory.
  Sampling sampling = Sampling::kAuto;
  Arithmetic arithmetic = Arithmetic::kFloat;
  Switch memory_model = Switch::kAuto;  ///< kOn: hand-over between workgroups in terms of the Vulkan memory model;
                                        ///< else by coherent buffers and memory barriers, which is faster.
  /// kOn: of workgroups that hand over single texels, the one that begins last takes over and waits for the others;
  /// kOff: the one that ends last, which takes longer. For devices on which every workgroup that has begun goes on
  /// whatever others do, which Vulkan does not promise: kAuto is on with NVIDIA's driver and lavapipe. Where nothing is
  /// handed over in this way, and with kPackedHalf or memory_model, it changes nothing.
  Switch waits = Switch::kAuto;
  uint32_t stage_depth = 0;  ///< Most levels a tile makes at a time where every level halves exactly, 3 to 6;
                             ///< 0: six. Elsewhere it makes three.
  uint32_t run = 0;          ///< What a workgroup of the finest stage makes one after the other: tiles, or rows of the
                             ///< third level where levels are odd. 1, 2, 4 or 8; 0: more for large images. Fewer where
                             ///< small subgroups would reach past a neighbour of the next stage.
  bool prepare_update = false;  ///< Creates the pipeline of record_update() in create() and not when the first update
                                ///< is recorded, so that no frame waits for it.
  uint32_t delay = 0;           ///< For tests: holds some workgroups back by so many idle rounds.
};

/// What a pyramid costs on a device: known before anything is created.
struct PyramidDispatchPlan {
  /// Workgroups of one dispatch.
  struct Groups {
    uint32_t x = 0, y = 0, z = 0;
  };
  PyramidPlan plan;
  PyramidPath path = PyramidPath::kSingleDispatch;
  std::vector<Groups> dispatches;  ///< Workgroups of every dispatch of record(), in order.
  uint32_t workgroup_size = 256;   ///< Invocations.
  uint64_t scratch_bytes = 0;      ///< Device memory for counters and hand-over.
  uint64_t bytes_read = 0;         ///< Predicted least: the source once, and hand-over reads.
  uint64_t bytes_written = 0;      ///< Predicted: the levels, and hand-over writes.
};

/// Lays out the dispatches. Pure arithmetic; kAuto counts as kSingleDispatch, subgroups as 32 wide. Pyramid::plan() has
/// what a device really gets.
/// Errors: those of plan_pyramid; kInvalidArgument for tuning.stage_depth and tuning.run.
[[nodiscard]] ONEPASS_API Result<PyramidDispatchPlan> plan_pyramid_dispatches(const PyramidOptions& options,
                                                                              const PyramidTuning& tuning = {});

/// The images of one pyramid. Level 0 is read from `source`; level n is written to mip level target_level + n - 1 of
/// `target`, slices target_slice and up. Both may be the same image.
struct PyramidImages {
  VkImage source = VK_NULL_HANDLE;  ///< Usage SAMPLED. Format options.source.
  uint32_t source_level = 0;
  uint32_t source_slice = 0;
  VkImageLayout source_layout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;  ///< During the dispatch.
  VkImage target = VK_NULL_HANDLE;  ///< Usage STORAGE. Format options.target; an sRGB image is written through a view
                                    ///< of its UNORM twin: flags MUTABLE_FORMAT and EXTENDED_USAGE.
  uint32_t target_level = 1;        ///< The mip level that receives level 1.
  uint32_t target_slice = 0;
  VkBuffer scratch =
      VK_NULL_HANDLE;  ///< Usage STORAGE_BUFFER and TRANSFER_DST, scratch_bytes long; null: allocated by bind().
  VkDeviceSize scratch_offset = 0;  ///< A multiple of 256.
};

/// A pyramid tied to images and scratch memory: what one frame in flight needs. Destroy it after its commands have run.
class ONEPASS_API PyramidBinding {
 public:
  PyramidBinding(PyramidBinding&&) noexcept;
  PyramidBinding& operator=(PyramidBinding&&) noexcept;
  ~PyramidBinding();

  struct Impl;  // private to the library
  ONEPASS_INTERNAL explicit PyramidBinding(std::unique_ptr<Impl> impl);
  [[nodiscard]] const Impl& impl() const { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

/// What the scratch memory of a binding holds when an update is recorded.
enum class Scratch : uint32_t {
  kUnknown,        ///< Anything: the whole source is read again, but only affected texels are written.
  kFromLastBuild,  ///< What the last record() on this binding left, for this content of the source outside the changed
                   ///< rectangle: only what the rectangle affects is read again.
};

/// Makes pyramids of one shape. create() may fail; record() cannot: it allocates nothing and waits for nothing.
/// Threads: create() and bind() from any thread; record() from any number at once with distinct command buffers.
class ONEPASS_API Pyramid {
 public:
  /// Validates, compiles pipelines.
  /// Errors: those of plan_pyramid; kUnsupported, naming the format or the feature the device lacks; kDevice;
  /// kOutOfMemory.
  static Result<Pyramid> create(const Device& device, const PyramidOptions& options, const PyramidTuning& tuning = {});

  /// Makes views, descriptors and (unless given) scratch memory for a set of images.
  /// Errors: kInvalidArgument, kOutOfMemory, kDevice.
  [[nodiscard]] Result<PyramidBinding> bind(const PyramidImages& images) const;

  /// Zeroes the scratch memory. Record it once before the first use of a binding, and again if the memory was used for
  /// something else. Every record() leaves it ready for the next.
  void record_reset(VkCommandBuffer commands, const PyramidBinding& binding) const;

  /// Makes levels 1 and up of every slice: the dispatches of plan(), with barriers between but not around them. With
  /// Alpha::kCoverage it begins by clearing a histogram: TRANSFER, ordered within the commands recorded here.
  void record(VkCommandBuffer commands, const PyramidBinding& binding) const;

  /// Rewrites only the texels that a change of `changed`, a rectangle of the base (every slice), can affect; the result
  /// equals record(). With Alpha::kCoverage, everything can be affected; with Footprint::kTight the whole source is
  /// read. An empty rectangle, or one outside the base, records nothing. Without
  /// PyramidTuning::prepare_update the first update creates a pipeline, which may take as long as create(); where that
  /// fails, everything is rewritten.
  void record_update(VkCommandBuffer commands, const PyramidBinding& binding, Rect changed, Scratch scratch) const;

  [[nodiscard]] const PyramidDispatchPlan& plan() const;  ///< What it costs on this device.
  [[nodiscard]] const PyramidOptions& options() const;    ///< As given to create().

  struct Impl;  // private to the library
  explicit Pyramid(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

 private:
  std::shared_ptr<const Impl> impl_;
};

/// What make_pyramid() did.
struct HostPyramidReport {
  PyramidDispatchPlan plan;
  double gpu_microseconds = 0;  ///< From GPU timestamps around record(); 0 where the queue has none.
};

/// For programs that work on files: uploads `source`, makes the pyramid on an opened device, downloads the levels.
/// With `changed`, `levels` hold an existing pyramid on entry and only affected texels change.
/// Errors: those of Pyramid::create and bind; kInvalidArgument when a view does not match the options; kOutOfMemory.
ONEPASS_API Result<HostPyramidReport> make_pyramid(const Device& device, const PyramidOptions& options,
                                                   const PyramidTuning& tuning, const ImageView& source,
                                                   std::span<const MutableImageView> levels,
                                                   std::optional<Rect> changed = std::nullopt);

}  // namespace onepass::vulkan
