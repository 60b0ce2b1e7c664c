// fourier.cpp: transforms and correlations. operations.cpp has the operations on spectra that make images.
#include <optional>

#include "arrays.hpp"
#include "errors.hpp"
#include "module.hpp"
#include "onepass/fourier.hpp"
#include "onepass/fourier_correlation.hpp"
#include "onepass/vulkan/fourier.hpp"
#include "onepass/vulkan/fourier_correlation.hpp"
#include "watch.hpp"

namespace onepass::python {
namespace {

class TransformObject {
 public:
  /// `shape` and `type` are those of the image, float16, float32 or complex64.
  TransformObject(const py::tuple& shape, const std::string& type, py::dict values) {
    Options options(std::move(values));
    options.choice("norm", o_.norm);
    image_ = layout_of(shape, type, "a");
    o_.size = image_.size;
    options.number("height", o_.size.height);  // of the domain; the image is cropped or padded with zeros
    options.number("width", o_.size.width);
    const Call call(options);
    options.finish();

    device_ = call.device;
    complex_ = image_.type == 'F';
    result_ = image_;
    result_.size = o_.size;
    result_.type = complex_ ? 'F' : 'f';
    o_.slices = image_.slices;
    o_.signal = complex_ ? Signal::kComplex : Signal::kReal;
    o_.channels = complex_ ? image_.channels * 2 : image_.channels;
    o_.source = format_of(Padding::padded(image_), Numbers::kLinear, "a");
    o_.target = format_of(Padding::padded(result_), Numbers::kLinear, "a");
    o_.crop = {0, 0, std::min(image_.size.width, o_.size.width), std::min(image_.size.height, o_.size.height)};
    const TransformPlan plan = take(plan_transform(o_));
    bytes_ = plan.forward.bytes_read + plan.forward.bytes_written;
    spectrum_ = {.type = 'F', .slices = o_.slices, .size = plan.spectrum_size, .channels = plan.spectrum_channels};
    spectrum_bytes_ = plan.spectrum_bytes;
    if (device_ != nullptr) return;
    padding_.pass_through();
    const py::gil_scoped_release unlocked;
    engine_.emplace(take(cpu::Transform::create(o_, {.threads = call.threads, .progress = watch_.progress()})));
  }

  [[nodiscard]] py::tuple spectrum_shape() const { return shape_of(spectrum_); }
  [[nodiscard]] py::tuple result_shape() const { return shape_of(result_); }

  uint64_t forward(const py::array& a, const py::array& out) {
    const ImageView source = source_view(a, image_, o_.source, "a");
    const std::span<std::byte> spectrum(static_cast<std::byte*>(packed_spectrum(out, true)), spectrum_bytes_);
    uint64_t copied = 0;
    watch_.run(bytes_, py::none(), [&]() -> Result<void> {
      const ImageView from = padding_.source(source, image_, o_.source);
      copied = padding_.bytes();
      if (device_ == nullptr) return engine_->forward(from, spectrum);
      const std::lock_guard lock(device_->busy);
      auto report = vulkan::transform_forward(device_->device, o_, {}, from, spectrum);
      return report ? Result<void>() : Result<void>(report.error());
    });
    return copied;
  }

  uint64_t inverse(const py::array& spectrum, const py::array& out) {
    const std::span<const std::byte> from(static_cast<const std::byte*>(packed_spectrum(spectrum, false)),
                                          spectrum_bytes_);
    const MutableImageView target = target_view(out, result_, o_.target, "out");
    uint64_t copied = 0;
    watch_.run(bytes_, py::none(), [&]() -> Result<void> {
      const MutableImageView to = padding_.target(target, result_, o_.target);
      if (device_ == nullptr) {
        if (auto done = engine_->inverse(from, to); !done) return done;
      } else {
        const std::lock_guard lock(device_->busy);
        auto report = vulkan::transform_inverse(device_->device, o_, {}, from, to);
        if (!report) return report.error();
      }
      copied = padding_.finish();
      return {};
    });
    return copied;
  }

 private:
  static py::tuple shape_of(const Layout& layout) {
    return py::make_tuple(layout.slices, layout.size.height, layout.size.width, layout.channels);
  }

  // The first byte of an array of the spectrum's shape (N, H, W, C), without gaps.
  void* packed_spectrum(const py::array& array, bool writes) {
    const char* name = writes ? "out" : "spectrum";
    const bool shaped = array.ndim() == 4 && array.dtype().char_() == 'F' && shape_matches(array);
    if (!shaped) fail(ErrorCode::kInvalidArgument, "does not have the shape and type of the spectrum", name);
    if ((array.flags() & py::array::c_style) == 0) fail(ErrorCode::kInvalidArgument, "is not contiguous", name);
    if (reinterpret_cast<uintptr_t>(array.data()) % alignof(float) != 0) {
      fail(ErrorCode::kInvalidArgument, "is not aligned", name);
    }
    if (writes && !array.writeable()) fail(ErrorCode::kInvalidArgument, "is read-only", name);
    return const_cast<void*>(array.data());
  }

  bool shape_matches(const py::array& array) const {
    const std::array<uint32_t, 4> shape{spectrum_.slices, spectrum_.size.height, spectrum_.size.width,
                                        spectrum_.channels};
    for (py::ssize_t i = 0; i < 4; ++i) {
      if (array.shape(i) != static_cast<py::ssize_t>(shape[static_cast<size_t>(i)])) return false;
    }
    return true;
  }

  TransformOptions o_;
  Layout image_, result_, spectrum_;
  bool complex_ = false;
  uint64_t bytes_ = 0, spectrum_bytes_ = 0;
  SharedDevice* device_ = nullptr;
  Padding padding_;
  Watch watch_;
  std::optional<cpu::Transform> engine_;
};

class CorrelatorObject {
 public:
  CorrelatorObject(const py::tuple& shape, const std::string& first, const std::string& second, py::dict values) {
    Options options(std::move(values));
    options.choice("kind", o_.kind);
    options.choice("window", o_.window);
    options.choice("refinement", o_.refinement);
    options.number("floor", o_.floor);
    const Call call(options);
    options.finish();
    device_ = call.device;
    first_ = layout_of(shape, first, "a");
    second_ = layout_of(shape, second, "b");
    if (first_.slices != 1) fail(ErrorCode::kInvalidArgument, "is a stack; one image is correlated at a time", "a");
    target_ = {.type = 'f', .slices = 1, .size = first_.size, .channels = 1};
    o_.size = first_.size;
    o_.first = format_of(Padding::padded(first_), first == "B" ? call.numbers : Numbers::kLinear, "a");
    o_.second = format_of(Padding::padded(second_), second == "B" ? call.numbers : Numbers::kLinear, "b");
    const CorrelationPlan plan = take(plan_correlation(o_));
    bytes_ = plan.traffic.bytes_read + plan.traffic.bytes_written;
    if (device_ != nullptr) return;
    first_padding_.pass_through();
    second_padding_.pass_through();
    const py::gil_scoped_release unlocked;
    engine_.emplace(take(cpu::Correlator::create(o_, {.threads = call.threads, .progress = watch_.progress()})));
  }

  /// (x, y, confidence, bytes copied)
  py::tuple estimate(const py::array& a, const py::array& b) {
    ShiftEstimate shift;
    const uint64_t copied = run(a, b, [&](const ImageView& first, const ImageView& second) -> Result<void> {
      if (device_ != nullptr) {
        const std::lock_guard lock(device_->busy);
        auto report = vulkan::estimate_shift(device_->device, o_, {}, first, second);
        if (!report) return report.error();
        shift = report->shift;
        return {};
      }
      auto found = engine_->estimate(first, second);
      if (!found) return found.error();
      shift = *found;
      return {};
    });
    return py::make_tuple(shift.x, shift.y, shift.confidence, copied);
  }

  uint64_t correlate(const py::array& a, const py::array& b, const py::array& out) {
    const MutableImageView target = target_view(out, target_, Format::kR32Sfloat, "out");
    return run(a, b, [&](const ImageView& first, const ImageView& second) -> Result<void> {
      if (device_ == nullptr) return engine_->correlate(first, second, target);
      const std::lock_guard lock(device_->busy);
      auto report = vulkan::estimate_shift(device_->device, o_, {}, first, second, &target);
      return report ? Result<void>() : Result<void>(report.error());
    });
  }

 private:
  template <typename Work>
  uint64_t run(const py::array& a, const py::array& b, const Work& work) {
    const ImageView first = source_view(a, first_, o_.first, "a");
    const ImageView second = source_view(b, second_, o_.second, "b");
    uint64_t copied = 0;
    watch_.run(bytes_, py::none(), [&]() -> Result<void> {
      const ImageView padded = first_padding_.source(first, first_, o_.first);
      const ImageView other = second_padding_.source(second, second_, o_.second);
      copied = first_padding_.bytes() + second_padding_.bytes();
      return work(padded, other);
    });
    return copied;
  }

  CorrelationOptions o_;
  Layout first_, second_, target_;
  uint64_t bytes_ = 0;
  SharedDevice* device_ = nullptr;
  Padding first_padding_, second_padding_;
  Watch watch_;
  std::optional<cpu::Correlator> engine_;
};

}  // namespace

void add_fourier(py::module_& module) {
  py::class_<TransformObject>(module, "Transform")
      .def(py::init<const py::tuple&, const std::string&, py::dict>())
      .def_property_readonly("spectrum_shape", &TransformObject::spectrum_shape)
      .def_property_readonly("result_shape", &TransformObject::result_shape)
      .def("forward", &TransformObject::forward)
      .def("inverse", &TransformObject::inverse);
  py::class_<CorrelatorObject>(module, "Correlator")
      .def(py::init<const py::tuple&, const std::string&, const std::string&, py::dict>())
      .def("estimate", &CorrelatorObject::estimate)
      .def("correlate", &CorrelatorObject::correlate);
  module.def("next_smooth_size", &next_smooth_size);
}

}  // namespace onepass::python
