// pyramid.cpp: pyramids and tile reductions.
#include <pybind11/stl.h>

#include <cstring>
#include <optional>
#include <utility>

#include "arrays.hpp"
#include "engine.hpp"
#include "errors.hpp"
#include "module.hpp"
#include "onepass/pyramid.hpp"
#include "onepass/pyramid_stream.hpp"
#include "onepass/tile_reduction.hpp"
#include "onepass/vulkan/pyramid.hpp"
#include "onepass/vulkan/tile_reduction.hpp"
#include "options.hpp"
#include "watch.hpp"

namespace onepass::python {
namespace {

/// The engine for a shape, a type and options; build() takes the arrays.
class PyramidObject {
 public:
  PyramidObject(const py::tuple& shape, const std::string& type, py::dict values) {
    Options options(std::move(values));
    options.choice("reduction", o_.reduction);
    options.choice("footprint", o_.footprint);
    options.choice("alpha", o_.alpha);
    options.number("alpha_threshold", o_.alpha_threshold);
    bool normals = false;
    options.flag("normal_map", normals);
    if (normals) o_.normal_map = NormalMap::kRenormalize;
    options.number("levels", o_.levels);
    const Call call(options);
    options.finish();

    source_ = layout_of(shape, type, "a");
    target_ = source_;
    if (o_.reduction == Reduction::kMinMax) target_.channels = 2;
    const Numbers numbers = o_.reduction == Reduction::kMode ? Numbers::kLabels : call.numbers;
    device_ = call.device;
    o_.size = source_.size;
    o_.slices = source_.slices;
    // Streams of rows take three channels as they are. Other engines and options need a fourth.
    streams_ = source_.channels == 3 && device_ == nullptr && o_.footprint != Footprint::kTight && !normals &&
               o_.reduction != Reduction::kMinMax;
    const bool pads = source_.channels == 3 && !streams_;
    o_.source = format_of(pads ? Padding::padded(source_) : source_, numbers, "a");
    o_.target = format_of(pads ? Padding::padded(target_) : target_, numbers, "a");
    threads_ = call.threads;
    const cpu::PyramidTuning tuning{.threads = threads_, .progress = watch_.progress()};
    if (streams_) {
      o_.slices = 1;  // a stream per slice
      plan_ = take(plan_pyramid_stream(o_));
    } else if (device_ != nullptr) {
      plan_ = take(plan_pyramid(o_));
    } else {
      const py::gil_scoped_release unlocked;
      engine_.emplace(take(cpu::Pyramid::create(o_, tuning)));
      plan_ = engine_->plan();
    }
    paddings_.resize(pads ? plan_.levels : 0);
  }

  /// (N, H, W, C) of every level, level 0 first.
  [[nodiscard]] py::list shapes() const {
    py::list list;
    for (uint32_t n = 0; n < plan_.levels; ++n) {
      const uint32_t channels = n == 0 ? source_.channels : target_.channels;
      list.append(py::make_tuple(source_.slices, plan_.sizes[n].height, plan_.sizes[n].width, channels));
    }
    return list;
  }

  uint64_t build(const py::array& a, const py::sequence& levels, const py::object& report) {
    return run(a, levels, std::nullopt, report);
  }

  uint64_t update(const py::array& a, const py::sequence& levels, const std::array<uint32_t, 4>& rect,
                  const py::object& report) {
    return run(a, levels, Rect{rect[0], rect[1], rect[2], rect[3]}, report);
  }

 private:
  // Returns the bytes that were copied because of three channels.
  uint64_t run(const py::array& a, const py::sequence& levels, std::optional<Rect> changed, const py::object& report) {
    if (levels.size() + 1 != plan_.levels) {
      fail(ErrorCode::kInvalidArgument,
           "has " + std::to_string(levels.size()) + " arrays, expected " + std::to_string(plan_.levels - 1), "out");
    }
    const ImageView source = source_view(a, source_, o_.source, "a");
    std::vector<MutableImageView> targets(levels.size());
    for (uint32_t n = 1; n < plan_.levels; ++n) {
      Layout layout = target_;
      layout.size = plan_.sizes[n];
      const py::object level = levels[n - 1];
      if (!py::isinstance<py::array>(level)) fail(ErrorCode::kInvalidArgument, "must hold NumPy arrays", "out");
      targets[n - 1] = target_view(py::reinterpret_borrow<py::array>(level), layout, o_.target, "out");
    }
    uint64_t copied = 0;
    const uint64_t streams = streams_ ? source_.slices : 1;
    watch_.run(streams * (plan_.bytes_read + plan_.bytes_written), report, [&]() -> Result<void> {
      for (uint32_t slice = 0; streams_ && slice < source_.slices; ++slice) {
        if (auto done = stream(source, targets, slice); !done) return done;
      }
      if (streams_) return {};
      if (paddings_.empty()) return work(source, targets, changed);
      const ImageView padded = paddings_[0].source(source, source_, o_.source);
      std::vector<MutableImageView> wide(targets);
      for (uint32_t n = 1; n < plan_.levels; ++n) {
        wide[n - 1] = paddings_[n].target(targets[n - 1], target_, o_.target);
      }
      if (auto done = work(padded, wide, std::nullopt); !done) return done;
      for (Padding& padding : paddings_) copied += padding.finish();
      return {};
    });
    return copied;
  }

  Result<void> work(const ImageView& source, std::span<const MutableImageView> targets, std::optional<Rect> changed) {
    if (device_ != nullptr) {
      const std::lock_guard lock(device_->busy);
      auto report = vulkan::make_pyramid(device_->device, o_, {}, source, targets, changed);
      return report ? Result<void>() : Result<void>(report.error());
    }
    return changed ? engine_->update(source, targets, *changed) : engine_->build(source, targets);
  }

  Result<void> stream(const ImageView& source, std::span<const MutableImageView> targets, uint32_t slice) {
    const auto sink = [&](const cpu::LevelRows& rows) -> Result<void> {
      const MutableImageView& target = targets[rows.level - 1];
      const auto* from = static_cast<const std::byte*>(rows.data);
      for (uint32_t y = 0; y < rows.count; ++y, from += rows.row_stride) {
        std::memcpy(target.row(rows.first + y, slice), from, rows.width * texel_info(o_.target).bytes_per_texel);
      }
      return {};
    };
    const auto progress = [report = watch_.progress(), slice, slices = source.slices](double fraction) {
      return report((slice + fraction) / slices);
    };
    auto stream = cpu::PyramidStream::create(o_, sink, {.threads = threads_, .progress = progress});
    if (!stream) return stream.error();
    return stream->push(source.row(0, slice), source.row_stride, source.size.height);
  }

  PyramidOptions o_;
  PyramidPlan plan_;
  Layout source_, target_;
  bool streams_ = false;
  uint32_t threads_ = 0;
  SharedDevice* device_ = nullptr;
  std::vector<Padding> paddings_;  ///< One per level, if three channels become four.
  Watch watch_;
  std::optional<cpu::Pyramid> engine_;
};

class TileReductionObject {
 public:
  TileReductionObject(const py::tuple& shape, const std::string& type, py::dict values) {
    Options options(std::move(values));
    options.choice("reduction", o_.reduction);
    options.number("factor", o_.factor);
    const Call call(options);
    options.finish();
    source_ = layout_of(shape, type, "a");
    target_ = source_;
    if (o_.reduction == Reduction::kMinMax) target_.channels = 2;
    o_.size = source_.size;
    o_.slices = source_.slices;
    o_.source = format_of(Padding::padded(source_), call.numbers, "a");
    o_.target = format_of(Padding::padded(target_), call.numbers, "a");
    device_ = call.device;
    plan_ = take(plan_tile_reduction(o_));
    target_.size = plan_.size;
    if (device_ != nullptr) return;
    const py::gil_scoped_release unlocked;
    engine_.emplace(take(cpu::TileReduction::create(o_, {.threads = call.threads})));
  }

  [[nodiscard]] py::tuple shape() const {
    return py::make_tuple(target_.slices, target_.size.height, target_.size.width, target_.channels);
  }

  uint64_t reduce(const py::array& a, const py::array& out) {
    const ImageView source = source_view(a, source_, o_.source, "a");
    const MutableImageView target = target_view(out, target_, o_.target, "out");
    uint64_t copied = 0;
    watch_.run(plan_.bytes_read, py::none(), [&]() -> Result<void> {
      const ImageView from = padding_.source(source, source_, o_.source);
      const MutableImageView to = padding_.target(target, target_, o_.target);
      if (device_ != nullptr) {
        const std::lock_guard lock(device_->busy);
        auto report = vulkan::reduce_tiles(device_->device, o_, {}, from, to);
        if (!report) return report.error();
      } else if (auto done = engine_->reduce(from, to); !done) {
        return done;
      }
      copied = padding_.finish();
      return {};
    });
    return copied;
  }

 private:
  TileReductionOptions o_;
  TileReductionPlan plan_;
  Layout source_, target_;
  SharedDevice* device_ = nullptr;
  Padding padding_;
  Watch watch_;
  std::optional<cpu::TileReduction> engine_;
};

}  // namespace

void add_pyramids(py::module_& module) {
  py::class_<PyramidObject>(module, "Pyramid")
      .def(py::init<const py::tuple&, const std::string&, py::dict>())
      .def_property_readonly("shapes", &PyramidObject::shapes)
      .def("build", &PyramidObject::build)
      .def("update", &PyramidObject::update);
  py::class_<TileReductionObject>(module, "TileReduction")
      .def(py::init<const py::tuple&, const std::string&, py::dict>())
      .def_property_readonly("shape", &TileReductionObject::shape)
      .def("reduce", &TileReductionObject::reduce);
}

}  // namespace onepass::python
