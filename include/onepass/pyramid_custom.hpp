// pyramid_custom.hpp: pyramids with a reduction of your own on the CPU, for texels of any type: the counterpart of the
// callbacks of shaders/onepass/pyramid.glsl.
//
// Three functions take the place of images and options: one loads a texel of the base, one reduces the texels of a
// footprint, one stores a texel of a level. A pyramid of medians:
//
//     auto load = [&](uint32_t x, uint32_t y, uint32_t slice) { return base[y * size.width + x]; };
//     auto reduce = [](float v00, float v10, float v01, float v11) {
//       return 0.5F * (std::max(std::min(v00, v10), std::min(v01, v11)) +
//                      std::min(std::max(v00, v10), std::max(v01, v11)));
//     };
//     auto store = [&](uint32_t level, uint32_t x, uint32_t y, uint32_t slice, float value) {
//       levels[level][y * onepass::level_size(size, level).width + x] = value;
//     };
//     auto made = onepass::cpu::reduce_pyramid({.size = size}, load, reduce, store);
//
// docs/shaders/custom_reduction.md has the same reductions as shaders and on the CPU.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <type_traits>

#include "onepass/export.h"
#include "onepass/image.hpp"
#include "onepass/pyramid.hpp"
#include "onepass/result.hpp"

namespace onepass {

/// Options of a pyramid with a reduction of your own.
struct CustomPyramidOptions {
  Extent size;          ///< Size of the base, 1 to 65535 per axis.
  uint32_t slices = 1;  ///< Array layers or cube faces; each has its own chain.
  uint32_t levels = 0;  ///< Number of levels including level 0; 0 = down to 1x1.
  /// kAligned; for pairwise reductions also kCovering and kEdge. The default differs from that of
  /// PyramidOptions, kCovering, because a reduction of four texels needs kAligned.
  Footprint footprint = Footprint::kAligned;
};

namespace cpu {

/// Weights of two or three texels along an axis: those of a mean. They add up to 1.
using PairWeights = std::array<float, 2>;
/// The same for three texels.
using TripleWeights = std::array<float, 3>;

/// A reduction of four texels in order, reduce(v00, v10, v01, v11), where vXY is texel (2x + X, 2y + Y) of the finer
/// level for texel (x, y) of a level. Along an axis of one texel both are that texel.
template <typename Reduce, typename Element>
concept ReducesFourInOrder = requires(const Reduce& reduce, const Element& texel) {
  { reduce(texel, texel, texel, texel) } -> std::convertible_to<Element>;
};

/// A pairwise reduction: an object with two overloads, reduce(a, b, PairWeights) and reduce(a, b, c, TripleWeights), of
/// texels along one axis. It must not depend on the order of texels, and unless it uses the weights,
/// reduce(a, a) == a: docs/shaders/custom_reduction.md.
template <typename Reduce, typename Element>
concept ReducesPairs = requires(const Reduce& reduce, const Element& texel) {
  { reduce(texel, texel, PairWeights{}) } -> std::convertible_to<Element>;
  { reduce(texel, texel, texel, TripleWeights{}) } -> std::convertible_to<Element>;
};

/// Makes levels 1 and up of every slice with three functions of the caller. `load(x, y, slice)` returns the element of
/// a texel of the base. `reduce` combines elements: ReducesFourInOrder or ReducesPairs. `store(level, x, y, slice,
/// element)` is called once for each texel of each level. An element is of any type that can be default-constructed and
/// copied. Every level is reduced from the elements of the level before, whatever `store` makes of them.
///
/// A pairwise reduction reduces along x, then along y, with the weights of the shaders. Where the sliding-window stage
/// of a shader reduces along y first, results that are rounded may differ in the last bit.
///
/// Cost: loads the base once (kCovering at odd sizes and kEdge: 2.25 times); one pass per level over the level before.
/// Memory: the elements of levels 1 and 2 of all slices.
/// Threads: calls of `load`, `reduce` and `store` for different texels run at once on up to tuning.threads threads, so
/// that they must not write to common data. The result does not depend on the number of threads. A build of the
/// library without the CPU engine uses the calling thread only. An exception of a function passes through to the
/// caller; levels are then partly stored.
/// Errors: kInvalidArgument, naming the field; kOutOfMemory, also where a function throws std::bad_alloc; kCancelled.
template <typename Load, typename Reduce, typename Store>
[[nodiscard]] Result<void> reduce_pyramid(const CustomPyramidOptions& options, const Load& load, const Reduce& reduce,
                                          const Store& store, const PyramidTuning& tuning = {});

/// The texels of the finer level that a texel takes along one axis: at[0], at[1] and, if `three`, at[2].
struct AxisTaps {
  std::array<uint32_t, 3> at{};   ///< Along an axis of one texel all are 0.
  std::array<float, 3> weight{};  ///< Weights of a mean; without `three` the first two, one half each.
  bool three = false;             ///< A reduction of three; the same for all texels of a level.
};

/// Rows [begin, end) of one level of one slice: a task of reduce_pyramid().
struct CustomPyramidRows {
  uint32_t level = 0;           ///< 1 and up.
  uint32_t slice = 0;           ///< Array layer or cube face.
  uint32_t begin = 0, end = 0;  ///< Rows to make.
  Extent size;                  ///< Of the level.
  Extent finer;                 ///< Size of the level before.
  const AxisTaps* x = nullptr;  ///< size.width elements.
  const AxisTaps* y = nullptr;  ///< size.height elements.
};

/// The part of reduce_pyramid() that does not depend on the element: checks the options, and returns the number of
/// levels including level 0. `in_order`: a reduction of four texels in order.
/// Errors: kInvalidArgument, naming the field.
[[nodiscard]] ONEPASS_API Result<uint32_t> count_custom_levels(const CustomPyramidOptions& options, bool in_order);

/// The part of reduce_pyramid() that does not depend on the element: calls `make` for all rows of all levels, level by
/// level, on several threads within a level. Errors: those of reduce_pyramid().
[[nodiscard]] ONEPASS_API Result<void> for_each_custom_rows(const CustomPyramidOptions& options, bool in_order,
                                                            const PyramidTuning& tuning,
                                                            const std::function<void(const CustomPyramidRows&)>& make);

// ---- Implementation -------------------------------------------------------------------------------------------------

/// Texel (x, y) of a level, where finer(x, y) is a texel of the level before.
template <typename Element, typename Reduce, typename Finer>
Element reduce_taps(const Reduce& reduce, const AxisTaps& x, const AxisTaps& y, const Finer& finer) {
  if constexpr (ReducesFourInOrder<Reduce, Element>) {
    return reduce(finer(x.at[0], y.at[0]), finer(x.at[1], y.at[0]), finer(x.at[0], y.at[1]), finer(x.at[1], y.at[1]));
  } else {
    const auto along = [&](const AxisTaps& taps, const auto& texel) -> Element {
      const Element a = texel(taps.at[0]);
      const Element b = texel(taps.at[1]);
      if (!taps.three) return reduce(a, b, PairWeights{taps.weight[0], taps.weight[1]});
      return reduce(a, b, Element(texel(taps.at[2])), TripleWeights{taps.weight});
    };
    return along(y, [&](uint32_t v) -> Element { return along(x, [&](uint32_t u) { return finer(u, v); }); });
  }
}

template <typename Load, typename Reduce, typename Store>
Result<void> reduce_pyramid(const CustomPyramidOptions& options, const Load& load, const Reduce& reduce,
                            const Store& store, const PyramidTuning& tuning) {
  using Element = std::remove_cvref_t<decltype(load(0U, 0U, 0U))>;
  constexpr bool kInOrder = ReducesFourInOrder<Reduce, Element>;
  static_assert(kInOrder || ReducesPairs<Reduce, Element>,
                "reduce: either reduce(v00, v10, v01, v11), or reduce(a, b, PairWeights) and "
                "reduce(a, b, c, TripleWeights)");
  const auto levels = count_custom_levels(options, kInOrder);
  if (!levels) return levels.error();

  // Elements of all levels but the last, which the level after them reads: odd levels in kept[1], even ones in kept[0].
  std::array<std::unique_ptr<Element[]>, 2> kept;
  for (uint32_t n = 1; n < 3 && n + 1 < *levels; ++n) {
    const Extent size = level_size(options.size, n);
    const uint64_t count = uint64_t{size.width} * size.height * options.slices;
    if (count <= SIZE_MAX / sizeof(Element)) {
      kept[n % 2].reset(new (std::nothrow) Element[static_cast<size_t>(count)]);
    }
    if (!kept[n % 2]) {
      return Error{ErrorCode::kOutOfMemory, "no memory for the elements of level " + std::to_string(n), {}};
    }
  }

  return for_each_custom_rows(options, kInOrder, tuning, [&](const CustomPyramidRows& rows) {
    const auto first = [&](Extent size) { return size_t{size.width} * size.height * rows.slice; };
    const Element* finer = rows.level > 1 ? kept[(rows.level - 1) % 2].get() + first(rows.finer) : nullptr;
    Element* out = rows.level + 1 < *levels ? kept[rows.level % 2].get() + first(rows.size) : nullptr;
    for (uint32_t y = rows.begin; y < rows.end; ++y) {
      for (uint32_t x = 0; x < rows.size.width; ++x) {
        const auto make = [&](const auto& texel) { return reduce_taps<Element>(reduce, rows.x[x], rows.y[y], texel); };
        const Element value = finer == nullptr
                                  ? make([&](uint32_t u, uint32_t v) -> Element { return load(u, v, rows.slice); })
                                  : make([&](uint32_t u, uint32_t v) -> const Element& {
                                      return finer[size_t{v} * rows.finer.width + u];
                                    });
        if (out != nullptr) out[size_t{y} * rows.size.width + x] = value;
        store(rows.level, x, y, rows.slice, value);
      }
    }
  });
}

}  // namespace cpu
}  // namespace onepass
