// row_fold_scalar.cpp: the scalar reference of the box kernels: scalar_box_kernels().
#include <cstddef>
#include <cstdint>

#include "reduction/box_kernels.hpp"

namespace onepass::reduction {
namespace {

// ---- Reductions of two taps. Means are sums until they are scaled.

struct Sum {
  static constexpr bool kMean = true;
  template <typename T>
  static T fold(T a, T b, size_t /*element*/) {
    return a + b;
  }
};

struct Smallest {
  static constexpr bool kMean = false;
  template <typename T>
  static T fold(T a, T b, size_t /*element*/) {
    return a < b ? a : b;
  }
};

struct Largest {
  static constexpr bool kMean = false;
  template <typename T>
  static T fold(T a, T b, size_t /*element*/) {
    return a > b ? a : b;
  }
};

struct Bounds {
  static constexpr bool kMean = false;
  template <typename T>
  static T fold(T a, T b, size_t element) {
    return element % 2 == 0 ? Smallest::fold(a, b, element) : Largest::fold(a, b, element);
  }
};

template <class Op, typename T>
void fold_rows(const T* const* rows, uint32_t taps, const T* weights, size_t count, T* out) {
  for (size_t i = 0; i < count; ++i) {
    const T a = rows[0][i];
    const T b = rows[1][i];
    if (Op::kMean && weights != nullptr) {
      const T sides = taps == 3 ? weights[0] * a + weights[2] * rows[2][i] : weights[0] * a;
      out[i] = sides + weights[1] * b;
    } else {
      out[i] = Op::fold(a, b, i);
      if (taps == 3) out[i] = Op::fold(out[i], rows[2][i], i);
    }
  }
}

template <class Op, uint32_t kChannels, typename T>
void fold_columns(const T* in, const ColumnFold<T>& fold, size_t texels, T* out) {
  for (size_t i = 0; i < texels * kChannels; ++i) {
    const size_t channel = i % kChannels;
    const T* taps = in + (fold.taps == Taps::kOne ? i : 2 * (i - channel) + channel);
    if (fold.taps == Taps::kOne) {
      out[i] = Op::kMean ? taps[0] * fold.scale : taps[0];
    } else if (fold.taps == Taps::kTwo) {
      const T folded = Op::fold(taps[0], taps[kChannels], channel);
      out[i] = Op::kMean ? folded * fold.scale : folded;
    } else if (Op::kMean) {
      const T sides = fold.first[i] * taps[0] + fold.last[i] * taps[2 * kChannels];
      out[i] = sides + fold.middle * taps[kChannels];
    } else {
      out[i] = Op::fold(Op::fold(taps[0], taps[kChannels], channel), taps[2 * kChannels], channel);
    }
  }
}

template <class Op, uint32_t kChannels, typename T>
void fold_quads(const void* const* rows, uint32_t pairs, size_t texels, T* const* outs) {
  for (uint32_t pair = 0; pair < pairs; ++pair) {
    const auto* upper = static_cast<const T*>(rows[2 * pair]);
    const auto* lower = static_cast<const T*>(rows[2 * pair + 1]);
    for (size_t i = 0; i < texels * kChannels; ++i) {
      const size_t channel = i % kChannels;
      const size_t left = 2 * (i - channel) + channel;
      const size_t right = left + kChannels;
      const T folded =
          Op::fold(Op::fold(upper[left], lower[left], channel), Op::fold(upper[right], lower[right], channel), channel);
      outs[pair][i] = Op::kMean ? folded * T(0.25) : folded;
    }
  }
}

// ---- Selection of functions

template <class Op, typename T>
void set_folds(uint32_t channels, BoxKernels<T>& kernels) {
  kernels.fold_rows = fold_rows<Op, T>;
  kernels.fold_columns = channels == 1   ? fold_columns<Op, 1, T>
                         : channels == 2 ? fold_columns<Op, 2, T>
                                         : fold_columns<Op, 4, T>;
  kernels.fold_quads = channels == 1   ? fold_quads<Op, 1, T>
                       : channels == 2 ? fold_quads<Op, 2, T>
                                       : fold_quads<Op, 4, T>;
}

}  // namespace

template <typename T>
BoxKernels<T> scalar_box_kernels(const BoxSpec& spec) {
  BoxKernels<T> kernels;
  switch (spec.reduction) {
    case Reduction::kMean:
      set_folds<Sum>(spec.channels(), kernels);
      break;
    case Reduction::kMin:
      set_folds<Smallest>(spec.channels(), kernels);
      break;
    case Reduction::kMax:
      set_folds<Largest>(spec.channels(), kernels);
      break;
    case Reduction::kMinMax:
      set_folds<Bounds>(spec.channels(), kernels);
      break;
    case Reduction::kMode:  // of labels, which are not boxes of numbers
      break;
  }
  return kernels;
}

template BoxKernels<float> scalar_box_kernels<float>(const BoxSpec&);
template BoxKernels<double> scalar_box_kernels<double>(const BoxSpec&);

}  // namespace onepass::reduction
