// light.cpp: meters and tone maps.
#include <cstddef>
#include <cstring>
#include <optional>

#include "arrays.hpp"
#include "errors.hpp"
#include "module.hpp"
#include "onepass/luminance.hpp"
#include "onepass/tone_map.hpp"
#include "onepass/vulkan/luminance.hpp"
#include "onepass/vulkan/tone_map.hpp"
#include "watch.hpp"

namespace onepass::python {
namespace {

class MeterObject {
 public:
  MeterObject(const py::tuple& shape, const std::string& type, const std::string& mask_type, py::dict values) {
    Options options(std::move(values));
    options.choice("weights", o_.weights);
    options.choice("metering", o_.metering);
    options.choice("statistic", o_.statistic);
    options.choice("rule", o_.rule);
    options.number("delta", o_.delta);
    options.number("centre_x", o_.centre_x);
    options.number("centre_y", o_.centre_y);
    options.number("radius", o_.radius);
    options.number("histogram_low", o_.histogram_low);
    options.number("histogram_high", o_.histogram_high);
    options.number("clip_low", o_.clip_low);
    options.number("clip_high", o_.clip_high);
    options.number("lowest_ev100", o_.lowest_ev100);
    options.number("highest_ev100", o_.highest_ev100);
    options.number("key", o_.key);
    options.number("calibration", o_.calibration);
    options.number("lens_attenuation", o_.lens_attenuation);
    options.number("compensation", o_.compensation);
    options.number("up_stops_per_second", o_.adaptation.up_stops_per_second);
    options.number("down_stops_per_second", o_.adaptation.down_stops_per_second);
    options.number("ease_stops", o_.adaptation.ease_stops);
    options.number("x", o_.rect.x);
    options.number("y", o_.rect.y);
    options.number("width", o_.rect.width);
    options.number("height", o_.rect.height);
    if (const py::object shares = options.take("percentiles"); !shares.is_none()) {
      read_floats(shares, o_.percentiles.data(), o_.percentiles.size(), "percentiles");
    }
    const Call call(options);
    options.finish();
    device_ = call.device;
    image_ = layout_of(shape, type, "a");
    o_.size = image_.size;
    o_.slices = image_.slices;
    o_.source = format_of(Padding::padded(image_), call.numbers, "a");
    if (!mask_type.empty()) {
      mask_ = {.type = mask_type[0], .slices = 1, .size = image_.size, .channels = 1};
      o_.mask = format_of(mask_, Numbers::kLinear, "mask");
    }
    bytes_ = take(plan_meter(o_)).bytes_read;
    if (device_ != nullptr) return;
    padding_.pass_through();
    const py::gil_scoped_release unlocked;
    engine_.emplace(take(cpu::Meter::create(o_, {.threads = call.threads})));
  }

  /// `results`: uint8 of shape (N, sizeof(MeterResult)), read and written.
  uint64_t measure(const py::array& a, const py::array& results, const py::object& mask, float seconds, bool cut) {
    const ImageView source = source_view(a, image_, o_.source, "a");
    const bool fits = results.ndim() == 2 && results.dtype().char_() == 'B' && results.writeable() &&
                      (results.flags() & py::array::c_style) != 0 &&
                      results.shape(0) == static_cast<py::ssize_t>(image_.slices) &&
                      results.shape(1) == static_cast<py::ssize_t>(sizeof(MeterResult)) &&
                      reinterpret_cast<uintptr_t>(results.data()) % alignof(MeterResult) == 0;
    if (!fits) fail(ErrorCode::kInvalidArgument, "does not have the shape and type of the measurements", "results");
    const std::span<MeterResult> values(static_cast<MeterResult*>(const_cast<void*>(results.data())), image_.slices);
    ImageView mask_view{};
    if (mask_.type != 0) {
      if (!py::isinstance<py::array>(mask)) fail(ErrorCode::kInvalidArgument, "is missing", "mask");
      mask_view = source_view(py::reinterpret_borrow<py::array>(mask), mask_, o_.mask, "mask");
    }
    uint64_t copied = 0;
    watch_.run(bytes_, py::none(), [&]() -> Result<void> {
      const ImageView from = padding_.source(source, image_, o_.source);
      copied = padding_.bytes();
      const MeterFrame frame{.seconds = seconds, .cut = cut};
      if (device_ == nullptr) return engine_->measure(from, values, frame, mask_view);
      const std::lock_guard lock(device_->busy);
      auto report = vulkan::meter_image(device_->device, o_, {}, from, values, frame, mask_view);
      return report ? Result<void>() : Result<void>(report.error());
    });
    return copied;
  }

 private:
  MeterOptions o_;
  Layout image_, mask_;
  uint64_t bytes_ = 0;
  SharedDevice* device_ = nullptr;
  Padding padding_;
  Watch watch_;
  std::optional<cpu::Meter> engine_;
};

class ToneMapObject {
 public:
  ToneMapObject(const py::tuple& shape, const std::string& type, const std::string& target_type, py::dict values) {
    Options options(std::move(values));
    options.choice("operator", o_.tone_operator);
    options.choice("transfer", o_.transfer);
    options.choice("look", o_.look);
    options.choice("primaries", o_.primaries);
    bool dither = false;
    options.flag("dither", dither);
    if (dither) o_.dither = Dither::kOn;
    options.number("white", o_.white);
    options.number("gamma", o_.gamma);
    options.number("peak_nits", o_.peak_nits);
    options.number("paper_white_nits", o_.paper_white_nits);
    options.number("headroom", o_.headroom);
    options.number("drago_bias", o_.drago.bias);
    options.number("drago_average", o_.drago.average);
    options.number("drago_white", o_.drago.white);
    options.number("highlights", o_.local.highlights);
    options.number("shadows", o_.local.shadows);
    options.number("detail", o_.local.detail);
    options.number("grey", o_.local.grey);
    options.number("region", o_.local.region);
    const Call call(options);
    options.finish();
    device_ = call.device;
    source_ = layout_of(shape, type, "a");
    target_ = source_;
    target_.type = target_type.size() == 1 ? target_type[0] : '\0';
    o_.size = source_.size;
    o_.slices = source_.slices;
    o_.source = format_of(Padding::padded(source_), call.numbers, "a");
    o_.target = format_of(Padding::padded(target_), Numbers::kLinear, "out");
    const ToneMapPlan plan = take(plan_tone_map(o_));
    bytes_ = plan.bytes_read + plan.bytes_written;
    if (device_ != nullptr) return;
    padding_.pass_through();
    const py::gil_scoped_release unlocked;
    engine_.emplace(take(cpu::ToneMap::create(o_, {.threads = call.threads})));
  }

  uint64_t apply(const py::array& a, const py::array& out, float exposure) {
    const ImageView source = source_view(a, source_, o_.source, "a");
    const MutableImageView target = target_view(out, target_, o_.target, "out");
    uint64_t copied = 0;
    watch_.run(bytes_, py::none(), [&]() -> Result<void> {
      const ImageView from = padding_.source(source, source_, o_.source);
      const MutableImageView to = padding_.target(target, target_, o_.target);
      if (device_ == nullptr) {
        if (auto done = engine_->apply(from, to, exposure); !done) return done;
      } else {
        const std::lock_guard lock(device_->busy);
        auto report = vulkan::map_tones(device_->device, o_, {}, from, to, exposure);
        if (!report) return report.error();
      }
      copied = padding_.finish();
      return {};
    });
    return copied;
  }

 private:
  ToneMapOptions o_;
  Layout source_, target_;
  uint64_t bytes_ = 0;
  SharedDevice* device_ = nullptr;
  Padding padding_;
  Watch watch_;
  std::optional<cpu::ToneMap> engine_;
};

// The fields of MeterResult for numpy.dtype: {"names": [...], "formats": [...], "offsets": [...], "itemsize": n}.
py::dict meter_fields() {
  py::list names, formats, offsets;
  const auto add = [&](const char* name, const char* format, size_t offset) {
    names.append(name);
    formats.append(format);
    offsets.append(offset);
  };
  add("valid", "u4", offsetof(MeterResult, valid));
  add("exposure", "f4", offsetof(MeterResult, exposure));
  add("ev100", "f4", offsetof(MeterResult, ev100));
  add("log_average", "f4", offsetof(MeterResult, log_average));
  add("adapted_luminance", "f4", offsetof(MeterResult, adapted_luminance));
  add("mean_luminance", "f4", offsetof(MeterResult, mean_luminance));
  add("min_luminance", "f4", offsetof(MeterResult, min_luminance));
  add("max_luminance", "f4", offsetof(MeterResult, max_luminance));
  add("mean_colour", "3f4", offsetof(MeterResult, mean_colour));
  add("metered_luminance", "f4", offsetof(MeterResult, metered_luminance));
  add("finite_count", "u4", offsetof(MeterResult, finite_count));
  add("nan_count", "u4", offsetof(MeterResult, nan_count));
  add("infinite_count", "u4", offsetof(MeterResult, infinite_count));
  add("negative_count", "u4", offsetof(MeterResult, negative_count));
  add("zero_count", "u4", offsetof(MeterResult, zero_count));
  add("histogram_low", "f4", offsetof(MeterResult, histogram_low));
  add("histogram_high", "f4", offsetof(MeterResult, histogram_high));
  add("total_weight", "u8", offsetof(MeterResult, total_weight));
  add("zero_weight", "u8", offsetof(MeterResult, zero_weight));
  add("percentiles", "8f4", offsetof(MeterResult, percentiles));
  add("histogram", "256u8", offsetof(MeterResult, histogram));
  py::dict fields;
  fields["names"] = names;
  fields["formats"] = formats;
  fields["offsets"] = offsets;
  fields["itemsize"] = sizeof(MeterResult);
  return fields;
}

}  // namespace

void add_light(py::module_& module) {
  py::class_<MeterObject>(module, "Meter")
      .def(py::init<const py::tuple&, const std::string&, const std::string&, py::dict>())
      .def("measure", &MeterObject::measure);
  py::class_<ToneMapObject>(module, "ToneMap")
      .def(py::init<const py::tuple&, const std::string&, const std::string&, py::dict>())
      .def("apply", &ToneMapObject::apply);
  module.def("meter_fields", &meter_fields);
}

}  // namespace onepass::python
