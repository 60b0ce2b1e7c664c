// deconvolution.cpp: options for C.
#include "c_api/options.hpp"

namespace onepass::c_api {
namespace {

static_assert(ONEPASS_DECONVOLUTION_WIENER == number(DeconvolutionMethod::kWiener));
static_assert(ONEPASS_DECONVOLUTION_RICHARDSON_LUCY == number(DeconvolutionMethod::kRichardsonLucy));
static_assert(ONEPASS_WIENER_FLAT == number(WienerPrior::kFlat));
static_assert(ONEPASS_WIENER_LAPLACIAN == number(WienerPrior::kLaplacian));
static_assert(ONEPASS_DECONVOLUTION_EDGES_AUTO == number(DeconvolutionEdges::kAuto));
static_assert(ONEPASS_DECONVOLUTION_EDGES_UNKNOWN == number(DeconvolutionEdges::kUnknown));
static_assert(ONEPASS_DECONVOLUTION_EDGES_MIRROR == number(DeconvolutionEdges::kMirror));
static_assert(ONEPASS_DECONVOLUTION_EDGES_TAPER == number(DeconvolutionEdges::kTaper));
static_assert(ONEPASS_DECONVOLUTION_EDGES_WRAP == number(DeconvolutionEdges::kWrap));
static_assert(ONEPASS_DECONVOLUTION_START_IMAGE == number(DeconvolutionStart::kImage));
static_assert(ONEPASS_DECONVOLUTION_START_CONSTANT == number(DeconvolutionStart::kConstant));
static_assert(sizeof(size_t) != 8 || sizeof(onepass_deconvolution_options) == 88);

onepass_deconvolution_options deconvolution_defaults() {
  const DeconvolutionOptions o;
  return {.struct_size = 0,
          .size = to_c(o.size),
          .slices = o.slices,
          .channels = o.channels,
          .source = number(o.source),
          .target = number(o.target),
          .kernel_size = to_c(o.kernel_size),
          .kernel = number(o.kernel),
          .has_kernel_origin = o.kernel_origin ? 1U : 0U,
          .kernel_origin = {},
          .kernel_channels = number(o.kernel_channels),
          .alpha = number(o.alpha),
          .method = number(o.method),
          .edges = number(o.edges),
          .noise = o.noise,
          .prior = number(o.prior),
          .iterations = o.iterations,
          .start = number(o.start)};
}

}  // namespace

Result<DeconvolutionOptions> read_options(const onepass_deconvolution_options* options) {
  auto o = read_struct("options", options, deconvolution_defaults());
  if (!o) return o.error();
  DeconvolutionOptions out{.size = to_cpp(o->size),
                           .slices = o->slices,
                           .channels = o->channels,
                           .source = static_cast<Format>(o->source),
                           .target = static_cast<Format>(o->target),
                           .kernel_size = to_cpp(o->kernel_size),
                           .kernel = static_cast<Format>(o->kernel),
                           .kernel_channels = static_cast<KernelChannels>(o->kernel_channels),
                           .alpha = static_cast<AlphaPolicy>(o->alpha),
                           .method = static_cast<DeconvolutionMethod>(o->method),
                           .edges = static_cast<DeconvolutionEdges>(o->edges),
                           .noise = o->noise,
                           .prior = static_cast<WienerPrior>(o->prior),
                           .iterations = o->iterations,
                           .start = static_cast<DeconvolutionStart>(o->start)};
  if (o->has_kernel_origin != 0) out.kernel_origin = Offset{o->kernel_origin.x, o->kernel_origin.y};
  return out;
}

}  // namespace onepass::c_api

using namespace onepass;
using namespace onepass::c_api;

extern "C" {

void onepass_deconvolution_options_init(onepass_deconvolution_options* options, size_t struct_size) {
  write_struct(options, struct_size, deconvolution_defaults());
}

}  // extern "C"
