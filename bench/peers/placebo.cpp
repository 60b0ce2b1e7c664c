// placebo.cpp: libplacebo's peak detection and tone mapping, one compute shader an image, on a device that libplacebo
// creates for itself. Its detected values count for the next image.
//
// Light is linear, 1 is the display's white. Its operator is Reinhard's per channel between the detected peak and
// white. A dispatch is timed by libplacebo's own timestamps around it.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include <libplacebo/dispatch.h>
#include <libplacebo/log.h>
#include <libplacebo/shaders/colorspace.h>
#include <libplacebo/shaders/sampling.h>
#include <libplacebo/tone_mapping.h>
#include <libplacebo/vulkan.h>

#include "image/small_float.hpp"
#include "peers/light_peers.hpp"

namespace onepass::bench {
namespace {

// Codes of 8 bits: rounding, and the curve as a table of 256 light levels and 256 peaks with linear interpolation.
constexpr int kMostCodes = 1;

/// What this machine lacks, and what fails although it has all that is needed.
Error lacks(const char* what) { return {ErrorCode::kUnsupported, what, "libplacebo"}; }
Error failed(const char* what) { return {ErrorCode::kDevice, what, "libplacebo"}; }

class Placebo final : public LightPeerPlan {
 public:
  Placebo() = default;
  ~Placebo() override {
    if (gpu_ != nullptr) {
      pl_gpu_finish(gpu_);
      pl_shader_obj_destroy(&peak_and_curve_);
      pl_dispatch_destroy(&dispatch_);
      pl_timer_destroy(gpu_, &timer_);
      for (pl_tex texture : sources_) pl_tex_destroy(gpu_, &texture);
      for (pl_tex texture : targets_) pl_tex_destroy(gpu_, &texture);
    }
    pl_vulkan_destroy(&vulkan_);
    pl_log_destroy(&log_);
  }

  Result<void> init(const Gpu& gpu, const ImageView& source, size_t sets) {
    log_ = pl_log_create(PL_API_VER, nullptr);
    pl_vulkan_params params = pl_vulkan_default_params;
    std::ranges::copy(gpu.uuid(), params.device_uuid);
    params.allow_software = true;
    vulkan_ = pl_vulkan_create(log_, &params);
    if (vulkan_ == nullptr) return lacks("cannot use this device");
    gpu_ = vulkan_->gpu;
    dispatch_ = pl_dispatch_create(log_, gpu_);
    timer_ = pl_timer_create(gpu_);
    if (dispatch_ == nullptr || timer_ == nullptr) return lacks("has no timer on this device");
    size_ = source.size;
    pl_tex_params texture{};
    texture.w = static_cast<int>(size_.width);
    texture.h = static_cast<int>(size_.height);
    for (size_t i = 0; i < sets; ++i) {
      pl_tex_params from = texture;
      from.format = pl_find_named_fmt(gpu_, "rgba16hf");
      from.sampleable = true;
      from.initial_data = source.data;
      sources_.push_back(pl_tex_create(gpu_, &from));
      pl_tex_params to = texture;
      to.format = pl_find_named_fmt(gpu_, "rgba8");
      to.renderable = true;
      to.storable = true;
      to.host_readable = true;
      targets_.push_back(pl_tex_create(gpu_, &to));
      if (sources_.back() == nullptr || targets_.back() == nullptr) return failed("cannot create images");
    }
    return {};
  }

  Result<void> verify(const ImageView& source) override {
    // The second image has the peak of the first one, and all others have nearly the same.
    for (int i = 0; i < 3; ++i) {
      if (auto ran = run(0, nullptr); !ran) return ran;
    }
    pl_gpu_finish(gpu_);
    float peak = 0;
    float average = 0;
    if (!pl_get_detected_peak(peak_and_curve_, &peak, &average)) return failed("has detected no peak");
    std::vector<uint8_t> picture(size_t{4} * size_.width * size_.height);
    pl_tex_transfer_params transfer{};
    transfer.tex = targets_[0];
    transfer.ptr = picture.data();
    if (!pl_tex_download(gpu_, &transfer)) return failed("cannot read an image");

    const std::vector<float> light = colours_of(source);
    // The measured peak lies between the mean and the largest value, which it exceeds on purpose by 5 %.
    const auto largest = *std::max_element(light.begin(), light.end());
    const double mean = std::accumulate(light.begin(), light.end(), 0.0) / static_cast<double>(light.size());
    if (!(peak >= mean && peak <= largest * 1.06F)) {
      return Error{ErrorCode::kBadData,
                   "wrong peak " + std::to_string(peak) + ", largest value " + std::to_string(largest), "libplacebo"};
    }
    pl_tone_map_params curve{};
    curve.function = &pl_tone_map_reinhard;
    curve.input_scaling = PL_HDR_NORM;
    curve.output_scaling = PL_HDR_NORM;
    curve.input_max = peak;
    curve.output_max = 1;
    for (size_t i = 0; i < light.size(); ++i) {
      const float shown = pl_tone_map_sample(std::clamp(light[i], 0.0F, peak), &curve);
      const double encoded = shown <= 0.0031308F ? 12.92 * shown : 1.055 * std::pow(shown, 1 / 2.4) - 0.055;
      const int expected = static_cast<int>(std::lround(255 * std::clamp(encoded, 0.0, 1.0)));
      const int actual = picture[i / 3 * 4 + i % 3];
      if (std::abs(actual - expected) > kMostCodes) {
        return Error{ErrorCode::kBadData,
                     "wrong output: texel " + std::to_string(i / 3) + " of light " + std::to_string(light[i]) + " is " +
                         std::to_string(actual) + ", not " + std::to_string(expected) + ", peak " +
                         std::to_string(peak),
                     "libplacebo"};
      }
    }
    return {};
  }

  Result<Comparison> compare(VulkanTimer& timer, MemorySets& sets, const VulkanTechnique& reference,
                             Mode mode) override {
    return timer.compare(
        sets, [&](uint32_t untimed, uint32_t records, bool cold) { return time(untimed, records, cold); }, reference,
        mode);
  }

 private:
  std::vector<float> colours_of(const ImageView& source) const {
    std::vector<float> out;
    out.reserve(size_t{3} * size_.width * size_.height);
    const auto* halves = reinterpret_cast<const uint16_t*>(source.data);
    for (size_t i = 0; i < size_t{size_.width} * size_.height; ++i) {
      for (size_t c = 0; c < 3; ++c) out.push_back(decode_half(halves[4 * i + c]));
    }
    return out;
  }

  Result<void> run(size_t set, pl_timer timer) {
    pl_color_space scene{};
    scene.primaries = PL_COLOR_PRIM_BT_709;
    scene.transfer = PL_COLOR_TRC_LINEAR;
    scene.hdr.max_luma = 10000;
    scene.hdr.min_luma = 1e-6F;
    pl_color_space display = scene;
    display.transfer = PL_COLOR_TRC_SRGB;
    display.hdr.max_luma = PL_COLOR_SDR_WHITE;
    pl_color_map_params map = pl_color_map_default_params;
    map.tone_mapping_function = &pl_tone_map_reinhard;
    map.tone_mapping_mode = PL_TONE_MAP_RGB;
    map.tone_mapping_crosstalk = 0;

    pl_shader shader = pl_dispatch_begin(dispatch_);
    pl_sample_src from{};
    from.tex = sources_[set];
    pl_dispatch_params work{};
    work.shader = &shader;
    work.target = targets_[set];
    work.timer = timer;
    if (!pl_shader_sample_nearest(shader, &from) ||
        !pl_shader_detect_peak(shader, scene, &peak_and_curve_, &pl_peak_detect_default_params)) {
      pl_dispatch_abort(dispatch_, &shader);
      return lacks("cannot detect peaks on this device");
    }
    pl_shader_color_map(shader, &map, scene, display, &peak_and_curve_, false);
    return pl_dispatch_finish(dispatch_, &work) ? Result<void>() : failed("cannot run its shader");
  }

  Result<double> time(uint32_t untimed, uint32_t records, bool cold) {
    for (uint32_t i = 0; i < untimed + records; ++i) {
      if (auto ran = run(cold ? i % sources_.size() : 0, i < untimed ? nullptr : timer_); !ran) return ran.error();
    }
    pl_gpu_finish(gpu_);
    double nanoseconds = 0;
    uint32_t measured = 0;
    while (const uint64_t one = pl_timer_query(gpu_, timer_)) {
      nanoseconds += static_cast<double>(one);
      ++measured;
    }
    if (measured == 0) return failed("its timer has no results");
    return nanoseconds / 1000 / measured;
  }

  pl_log log_ = nullptr;
  pl_vulkan vulkan_ = nullptr;
  pl_gpu gpu_ = nullptr;
  pl_dispatch dispatch_ = nullptr;
  pl_timer timer_ = nullptr;
  pl_shader_obj peak_and_curve_ = nullptr;
  Extent size_;
  std::vector<pl_tex> sources_;
  std::vector<pl_tex> targets_;
};

}  // namespace

LightPeerResult make_placebo(const Gpu& gpu, const ImageView& source, size_t sets) {
  auto out = std::make_unique<Placebo>();
  if (auto made = out->init(gpu, source, sets); !made) return made.error();
  return std::unique_ptr<LightPeerPlan>(std::move(out));
}

}  // namespace onepass::bench
