// operations.cpp: objects that make an image from an image, some with a kernel image: convolution, filter,
// deconvolution and bloom. One template holds what they have in common; a struct per technique holds the differences.
#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "arrays.hpp"
#include "errors.hpp"
#include "module.hpp"
#include "onepass/bloom.hpp"
#include "onepass/fourier_convolution.hpp"
#include "onepass/fourier_deconvolution.hpp"
#include "onepass/fourier_filter.hpp"
#include "onepass/vulkan/bloom.hpp"
#include "onepass/vulkan/fourier_convolution.hpp"
#include "onepass/vulkan/fourier_deconvolution.hpp"
#include "onepass/vulkan/fourier_filter.hpp"
#include "watch.hpp"

namespace onepass::python {
namespace {

void read_origin(Options& options, std::optional<Offset>& origin) {
  const py::object value = options.take("origin");
  if (value.is_none()) return;
  std::array<float, 2> yx{};
  read_floats(value, yx.data(), 2, "origin");
  origin = Offset{static_cast<int32_t>(yx[1]), static_cast<int32_t>(yx[0])};
}

struct Convolution {
  using Values = ConvolutionOptions;
  using Engine = cpu::Convolver;

  static void read(Options& options, Values& o) {
    read_origin(options, o.kernel_origin);
    options.choice("boundary", o.boundary);
    options.choice("mode", o.mode);
    options.choice("scale", o.scale);
    options.choice("kernel_channels", o.kernel_channels);
    options.choice("alpha", o.alpha);
    options.number("mix", o.mix);
  }
  static auto plan(const Values& o) { return plan_convolution(o); }
  static Extent result_size(const ConvolutionPlan& plan) { return plan.result_size; }
  static auto run(Engine& engine, const ImageView& source, const MutableImageView& target) {
    return engine.convolve(source, target);
  }
  static auto run(const vulkan::Device& device, const Values& o, const ImageView* kernel, const ImageView& source,
                  const MutableImageView& target) {
    return vulkan::convolve_image(device, o, {}, *kernel, source, target);
  }
};

struct Deconvolution {
  using Values = DeconvolutionOptions;
  using Engine = cpu::Deconvolver;

  static void read(Options& options, Values& o) {
    read_origin(options, o.kernel_origin);
    options.choice("method", o.method);
    options.choice("edges", o.edges);
    options.choice("start", o.start);
    options.choice("prior", o.prior);
    options.choice("kernel_channels", o.kernel_channels);
    options.choice("alpha", o.alpha);
    options.number("noise", o.noise);
    options.number("iterations", o.iterations);
  }
  static auto plan(const Values& o) { return plan_deconvolution(o); }
  static Extent result_size(const DeconvolutionPlan& plan) { return plan.options.size; }
  static auto run(Engine& engine, const ImageView& source, const MutableImageView& target) {
    return engine.deconvolve(source, target);
  }
  static auto run(const vulkan::Device& device, const Values& o, const ImageView* kernel, const ImageView& source,
                  const MutableImageView& target) {
    return vulkan::deconvolve_image(device, o, {}, *kernel, source, target);
  }
};

struct Filtering {
  using Values = FilterOptions;
  using Engine = cpu::Filter;

  static void read(Options& options, Values& o) {
    options.choice("band", o.band);
    options.choice("shape", o.shape);
    options.number("cutoff", o.cutoff);
    options.number("upper_cutoff", o.upper_cutoff);
    options.number("order", o.order);
    options.number("stop_gain", o.stop_gain);
    options.number("pass_gain", o.pass_gain);
    options.choice("dc", o.dc);
    options.choice("domain", o.domain);
    options.number("log_offset", o.log_offset);
    options.choice("alpha", o.alpha);
    options.choice("boundary", o.boundary);
    options.number("margin", o.margin);
    const py::object notches = options.take("notches");
    if (notches.is_none()) return;
    if (!py::isinstance<py::sequence>(notches) || py::len(notches) > kMaxNotches) {
      fail(ErrorCode::kInvalidArgument, "must be a sequence of at most 32 tuples (fx, fy, radius)", "notches");
    }
    for (const py::handle notch : notches) {
      std::array<float, 3> numbers{};
      read_floats(py::reinterpret_borrow<py::object>(notch), numbers.data(), 3, "notches");
      o.notches[o.notch_count++] = {numbers[0], numbers[1], numbers[2]};
    }
  }
  static auto plan(const Values& o) { return plan_filter(o); }
  static Extent result_size(const FilterPlan& plan) { return plan.options.size; }
  static auto run(Engine& engine, const ImageView& source, const MutableImageView& target) {
    return engine.apply(source, target);
  }
  static auto run(const vulkan::Device& device, const Values& o, const ImageView*, const ImageView& source,
                  const MutableImageView& target) {
    return vulkan::filter_image(device, o, {}, source, target);
  }
};

struct Blooming {
  using Values = BloomOptions;
  using Engine = cpu::Bloom;

  static void read(Options& options, Values& o) {
    options.choice("method", o.method);
    options.choice("resolution", o.resolution);
    options.number("scatter", o.scatter);
    options.number("threshold", o.threshold);
    options.number("knee", o.knee);
    options.number("kernel_width", o.kernel_width);
    options.number("field_of_view", o.glare.field_of_view);
    options.number("rays", o.glare.rays);
    options.choice("boundary", o.boundary);
    options.number("spread", o.spread);
  }
  static auto plan(const Values& o) { return plan_bloom(o); }
  static Extent result_size(const BloomPlan& plan) { return plan.options.size; }
  static auto run(Engine& engine, const ImageView& source, const MutableImageView& target) {
    return engine.apply(source, target);
  }
  static auto run(const vulkan::Device& device, const Values& o, const ImageView* kernel, const ImageView& source,
                  const MutableImageView& target) {
    return vulkan::bloom_image(device, o, {}, kernel, source, target);
  }
};

template <typename Technique>
class OperationObject {
  static constexpr bool kTakesKernel = requires(typename Technique::Engine engine) { engine.set_kernel(ImageView{}); };
  static constexpr bool kTakesChannels = requires(typename Technique::Values o) { o.channels; };

 public:
  /// `kernel_shape`: None for techniques and options without a kernel image.
  OperationObject(const py::tuple& shape, const std::string& type, const py::object& kernel_shape, py::dict values) {
    Options options(std::move(values));
    Technique::read(options, o_);
    const Call call(options);
    options.finish();
    device_ = call.device;
    source_ = layout_of(shape, type, "a");
    o_.size = source_.size;
    o_.slices = source_.slices;
    if constexpr (kTakesChannels) o_.channels = source_.channels;
    o_.source = format_of(Padding::padded(source_), call.numbers, "a");
    o_.target = o_.source;
    if constexpr (kTakesKernel) {
      if (!kernel_shape.is_none()) {
        if (!py::isinstance<py::tuple>(kernel_shape)) fail(ErrorCode::kInvalidArgument, "has no shape", "kernel");
        kernel_layout_ = layout_of(py::reinterpret_borrow<py::tuple>(kernel_shape), "f", "kernel");
        o_.kernel_size = kernel_layout_.size;
        o_.kernel = format_of(Padding::padded(kernel_layout_), Numbers::kLinear, "kernel");
      }
    }
    const auto plan = take(Technique::plan(o_));
    bytes_ = plan.traffic.bytes_read + plan.traffic.bytes_written;
    target_ = source_;
    target_.size = Technique::result_size(plan);
    if (device_ != nullptr) return;
    padding_.pass_through();
    kernel_padding_.pass_through();
    const py::gil_scoped_release unlocked;
    engine_.emplace(take(Technique::Engine::create(o_, {.threads = call.threads, .progress = watch_.progress()})));
  }

  [[nodiscard]] py::tuple shape() const {
    return py::make_tuple(target_.slices, target_.size.height, target_.size.width, target_.channels);
  }

  /// Weights equal to those of the last call cost a comparison.
  void set_kernel(const py::array& kernel) {
    if constexpr (kTakesKernel) {
      const ImageView view = source_view(kernel, kernel_layout_, o_.kernel, "kernel");
      if ((kernel.flags() & py::array::c_style) == 0) {
        fail(ErrorCode::kInvalidArgument, "has strides that need a copy", "kernel");
      }
      const auto* first = static_cast<const std::byte*>(view.data);
      const std::span<const std::byte> bytes(first, static_cast<size_t>(kernel.nbytes()));
      watch_.run(0, py::none(), [&]() -> Result<void> {
        if (std::ranges::equal(bytes, weights_)) return {};
        weights_.clear();  // no kernel is set if the next step fails
        const ImageView padded = kernel_padding_.source(view, kernel_layout_, o_.kernel);
        if (device_ == nullptr) {
          if (auto done = engine_->set_kernel(padded); !done) return done;
        }
        weights_.assign(bytes.begin(), bytes.end());
        // Devices receive the weights with each call: from the padded copy, or from the copy for comparisons.
        kernel_view_ = padded;
        if (padded.data == view.data) {
          kernel_view_.data = weights_.data();
        }
        return {};
      });
    }
  }

  uint64_t apply(const py::array& a, const py::array& out, const py::object& report) {
    const ImageView source = source_view(a, source_, o_.source, "a");
    const MutableImageView target = target_view(out, target_, o_.target, "out");
    uint64_t copied = 0;
    watch_.run(bytes_, report, [&]() -> Result<void> {
      const ImageView from = padding_.source(source, source_, o_.source);
      const MutableImageView to = padding_.target(target, target_, o_.target);
      if (device_ == nullptr) {
        if (auto done = Technique::run(*engine_, from, to); !done) return done;
      } else {
        if (kernel_layout_.type != 0 && weights_.empty()) {
          return Error{ErrorCode::kInvalidArgument, "no kernel is set", ""};
        }
        const std::lock_guard lock(device_->busy);
        const ImageView* kernel = kernel_layout_.type == 0 ? nullptr : &kernel_view_;
        auto report = Technique::run(device_->device, o_, kernel, from, to);
        if (!report) return report.error();
      }
      copied = padding_.finish();
      return {};
    });
    return copied;
  }

 private:
  typename Technique::Values o_;
  Layout source_, target_, kernel_layout_;
  uint64_t bytes_ = 0;
  SharedDevice* device_ = nullptr;
  Padding padding_, kernel_padding_;
  std::vector<std::byte> weights_;  ///< The weights that are set.
  ImageView kernel_view_{};
  Watch watch_;
  std::optional<typename Technique::Engine> engine_;
};

template <typename Technique>
void add_operation(py::module_& module, const char* name) {
  using Object = OperationObject<Technique>;
  py::class_<Object>(module, name)
      .def(py::init<const py::tuple&, const std::string&, const py::object&, py::dict>())
      .def_property_readonly("shape", &Object::shape)
      .def("set_kernel", &Object::set_kernel)
      .def("apply", &Object::apply, py::arg("a"), py::arg("out"), py::arg("progress") = py::none());
}

}  // namespace

void add_operations(py::module_& module) {
  add_operation<Convolution>(module, "Convolver");
  add_operation<Deconvolution>(module, "Deconvolver");
  add_operation<Filtering>(module, "Filter");
  add_operation<Blooming>(module, "Bloom");
}

}  // namespace onepass::python
