// halving_axis.cpp: runs of texels with the same taps, and their weights tap by tap.
#include "pyramid/halving_axis.hpp"

#include "image/row_codec.hpp"

namespace onepass::cpu {

template <typename T>
HalvingAxis<T>::HalvingAxis(const FilterAxis<T>& axis, uint32_t level, uint32_t repeats) {
  if (axis.input() < uint64_t{2} * level || axis.input() >= uint64_t{3} * level) return;
  for (uint32_t i = 0; i < level; ++i) {
    const FilterTaps<T> taps = axis.taps(i);
    const auto first = static_cast<uint32_t>(taps.first + axis.margin() - 2 * int64_t{i});
    if (!runs_.empty() && runs_.back().first == first && runs_.back().count == taps.count) {
      runs_.back().end = i + 1;
    } else {
      runs_.push_back({i, i + 1, first, taps.count});
    }
  }
  for (Run& run : runs_) {
    run.weights = weights_.size();
    run.stride = axis.is_uniform() ? 1 : size_t{run.end - run.begin} * repeats;
    for (uint32_t k = 0; k < run.count; ++k) {
      for (uint32_t i = run.begin; i < (axis.is_uniform() ? run.begin + 1 : run.end); ++i) {
        weights_.insert(weights_.end(), axis.is_uniform() ? 1 : repeats, axis.taps(i).weights[size_t{k} * repeats]);
      }
    }
  }
  weights_.resize(weights_.size() + image::kRowPadding);
}

template class HalvingAxis<float>;
template class HalvingAxis<double>;

}  // namespace onepass::cpu
