// cpu_volume_passes.hpp: the passes of an operation on the spectrum of a volume. Each reads and writes work memory
// once.
//
//     rows  --forward-->   rows, then columns of every plane             a task: a plane, which stays in the L2 cache
//     multiply             lines along z, times the kernel, and back     a task: some lines of a strip
//     --inverse--> rows    columns, then rows of every plane
//     change               inverse(), an operation on rows, forward(): a plane needs no other one
//
// An iteration of Richardson-Lucy is multiply, change (ratio), multiply, change (estimate). Frequencies stay in
// digit-reversed order along y and z, in the spectrum of the kernel as well: their products need no order.
#pragma once

#include <functional>
#include <vector>

#include "cpu/progress_watch.hpp"
#include "cpu/workers.hpp"
#include "fourier/cpu_impl.hpp"
#include "fourier/domain.hpp"
#include "fourier/volume_domain.hpp"

namespace onepass::cpu {

/// The values that a pass reads or writes along one axis of the domain.
struct BoxSide {
  uint32_t count = 1;
  int32_t placement = 0;                ///< Position of the first value; see texel_at().
  Boundary boundary = Boundary::kZero;  ///< Of the other positions, where the pass reads.
};

/// Loads, changes or stores the `x.count` values of row `y` of plane `z` of a box. Called concurrently for distinct
/// rows; concurrent calls have different slots. Up to 32 floats behind the values may be overwritten.
using VolumeRow = std::function<void(uint32_t z, uint32_t y, float* values, uint32_t slot)>;

class VolumePasses {
 public:
  /// The values of a pass, with the tables that place them in the domain.
  struct Box {
    BoxSide x, y, z;
    bool in_place_x = true;        ///< Values are adjacent, none wraps, and zeros surround them.
    bool in_place_y = true;        ///< The same of rows, which are then at their positions in a strip.
    std::vector<uint32_t> from_x;  ///< The value at each position; kNoTexel: zero.
    std::vector<uint32_t> from_y;  ///< The element of a strip at each position, unless in_place_y.
    std::vector<uint32_t> from_z;  ///< The first element of the plane at each position.
    std::vector<uint32_t> to_z;    ///< The same, where the pass writes.
  };

  /// Allocates all memory but that of further threads. `watch` may be null.
  VolumePasses(const VolumeDomain& domain, uint32_t threads, ProgressWatch* watch);

  [[nodiscard]] Box box(const BoxSide& x, const BoxSide& y, const BoxSide& z) const;
  [[nodiscard]] uint32_t slots() const { return workers_.slots(); }

  /// `share`: a pass's part of the whole work, for the watch.
  void forward(const Box& in, const VolumeRow& load, double share);
  void inverse(const Box& out, const VolumeRow& store, double share);
  void change(const Box& box, const VolumeRow& change, double share);
  /// Multiplies by the kernel or its conjugate.
  void multiply(const Box& in, const Box& out, bool conjugate, double share);
  /// Makes the spectrum of what forward() has read, times `scale` / (W * H * D), the kernel.
  void keep_kernel(const Box& in, double scale);

  [[nodiscard]] bool is_cancelled() const { return watch_ != nullptr && watch_->is_cancelled(); }

  /// Runs independent tasks, none once the watch is cancelled.
  void run(size_t tasks, double share, const std::function<void(size_t, uint32_t)>& task);

 private:
  struct Scratch {
    RawMemory memory;
    float* lines = nullptr;  ///< The lines of 32 rows, or a line along z of 16 columns.
    float* pass = nullptr;   ///< LineJob::scratch.
    float* rows = nullptr;   ///< 32 rows.
  };
  static constexpr uint32_t kBlockRows = 2 * kLanes;
  static constexpr uint32_t kTaskLines = 16;  ///< Lines along z of a task.

  Scratch& scratch(uint32_t slot);
  [[nodiscard]] float* strip(uint32_t plane, uint32_t number) const {
    return work() + (plane * domain_.plane() + number * domain_.strip()) * kElementFloats;
  }
  [[nodiscard]] float* work() const { return reinterpret_cast<float*>(work_.data()); }
  [[nodiscard]] float* kernel() const { return reinterpret_cast<float*>(kernel_.data()); }

  StripRows strip_rows(const Box& box, uint32_t plane, uint32_t row, uint32_t group, Scratch& scratch) const;
  void load_block(const Box& in, const VolumeRow& load, uint32_t z, uint32_t row, uint32_t slot);
  void place(const Box& in, float* row) const;
  void block_to_strips(const Box& in, uint32_t plane, uint32_t row, Scratch& scratch) const;
  void strips_to_block(const Box& out, uint32_t plane, uint32_t row, Scratch& scratch) const;
  void columns_forward(const Box& in, uint32_t plane, Scratch& scratch) const;
  void columns_inverse(uint32_t plane, Scratch& scratch) const;
  void each_line(double share, const std::function<void(size_t line, float* first, Scratch&)>& task);
  void depth_forward(const Box& in, const float* first, float* line, Scratch& scratch) const;

  VolumeDomain domain_;
  Workers workers_;
  ProgressWatch* watch_;
  LineKernels kernels_;
  LinePlan x_plan_, y_plan_, z_plan_;
  RawMemory work_;
  RawMemory kernel_;
  std::vector<Scratch> scratch_;
};

}  // namespace onepass::cpu
