// tone_map.cpp: options for C.
#include "c_api/options.hpp"

namespace onepass::c_api {
namespace {

static_assert(ONEPASS_TONE_EXPOSURE == number(ToneOperator::kExposure));
static_assert(ONEPASS_TONE_REINHARD == number(ToneOperator::kReinhard));
static_assert(ONEPASS_TONE_REINHARD_EXTENDED == number(ToneOperator::kReinhardExtended));
static_assert(ONEPASS_TONE_REINHARD_LUMINANCE == number(ToneOperator::kReinhardLuminance));
static_assert(ONEPASS_TONE_HABLE == number(ToneOperator::kHable));
static_assert(ONEPASS_TONE_HEJL_BURGESS_DAWSON == number(ToneOperator::kHejlBurgessDawson));
static_assert(ONEPASS_TONE_ACES_NARKOWICZ == number(ToneOperator::kAcesNarkowicz));
static_assert(ONEPASS_TONE_ACES_HILL == number(ToneOperator::kAcesHill));
static_assert(ONEPASS_TONE_AGX_SOBOTKA == number(ToneOperator::kAgxSobotka));
static_assert(ONEPASS_TONE_AGX_BLENDER == number(ToneOperator::kAgxBlender));
static_assert(ONEPASS_TONE_PBR_NEUTRAL == number(ToneOperator::kPbrNeutral));
static_assert(ONEPASS_TONE_LOTTES == number(ToneOperator::kLottes));
static_assert(ONEPASS_TONE_UCHIMURA == number(ToneOperator::kUchimura));
static_assert(ONEPASS_TONE_DRAGO == number(ToneOperator::kDrago));
static_assert(ONEPASS_TRANSFER_LINEAR == number(Transfer::kLinear));
static_assert(ONEPASS_TRANSFER_SRGB == number(Transfer::kSrgb));
static_assert(ONEPASS_TRANSFER_GAMMA == number(Transfer::kGamma));
static_assert(ONEPASS_TRANSFER_PQ == number(Transfer::kPq));
static_assert(ONEPASS_TRANSFER_HLG == number(Transfer::kHlg));
static_assert(ONEPASS_PRIMARIES_REC709 == number(Primaries::kRec709));
static_assert(ONEPASS_PRIMARIES_REC2020 == number(Primaries::kRec2020));
static_assert(ONEPASS_AGX_LOOK_NONE == number(AgxLook::kNone));
static_assert(ONEPASS_AGX_LOOK_GOLDEN == number(AgxLook::kGolden));
static_assert(ONEPASS_AGX_LOOK_PUNCHY == number(AgxLook::kPunchy));
static_assert(ONEPASS_DITHER_OFF == number(Dither::kOff));
static_assert(ONEPASS_DITHER_ON == number(Dither::kOn));
static_assert(sizeof(size_t) != 8 || sizeof(onepass_tone_map_options) == 112);
static_assert(sizeof(size_t) != 8 || had_size<onepass_tone_map_options>(80), "as before local exposure");
static_assert(sizeof(size_t) != 8 || had_size<onepass_tone_map_options>(104), "as before paper white");

onepass_tone_map_options tone_map_defaults() {
  const ToneMapOptions o;
  return {.struct_size = 0,
          .size = to_c(o.size),
          .slices = o.slices,
          .source = number(o.source),
          .target = number(o.target),
          .tone_operator = number(o.tone_operator),
          .exposure = o.exposure,
          .white = o.white,
          .drago_bias = o.drago.bias,
          .drago_average = o.drago.average,
          .drago_white = o.drago.white,
          .look = number(o.look),
          .transfer = number(o.transfer),
          .gamma = o.gamma,
          .peak_nits = o.peak_nits,
          .primaries = number(o.primaries),
          .dither = number(o.dither),
          .reserved = 0,
          .local_highlights = o.local.highlights,
          .local_shadows = o.local.shadows,
          .local_detail = o.local.detail,
          .local_grey = o.local.grey,
          .local_region = o.local.region,
          .reserved2 = 0,
          .paper_white_nits = o.paper_white_nits,
          .headroom = o.headroom};
}

}  // namespace

Result<ToneMapOptions> read_options(const onepass_tone_map_options* options, const char* name) {
  auto o = read_struct(name, options, tone_map_defaults());
  if (!o) return o.error();
  if (auto zero = require_zero(o->reserved); !zero) return zero.error();
  if (auto zero = require_zero(o->reserved2, "reserved2"); !zero) return zero.error();
  return ToneMapOptions{.size = to_cpp(o->size),
                        .slices = o->slices,
                        .source = static_cast<Format>(o->source),
                        .target = static_cast<Format>(o->target),
                        .tone_operator = static_cast<ToneOperator>(o->tone_operator),
                        .exposure = o->exposure,
                        .white = o->white,
                        .drago = {.bias = o->drago_bias, .average = o->drago_average, .white = o->drago_white},
                        .look = static_cast<AgxLook>(o->look),
                        .transfer = static_cast<Transfer>(o->transfer),
                        .gamma = o->gamma,
                        .peak_nits = o->peak_nits,
                        .primaries = static_cast<Primaries>(o->primaries),
                        .dither = static_cast<Dither>(o->dither),
                        .local = {.highlights = o->local_highlights,
                                  .shadows = o->local_shadows,
                                  .detail = o->local_detail,
                                  .grey = o->local_grey,
                                  .region = o->local_region},
                        .paper_white_nits = o->paper_white_nits,
                        .headroom = o->headroom};
}

}  // namespace onepass::c_api

using namespace onepass;
using namespace onepass::c_api;

extern "C" {

void onepass_tone_map_options_init(onepass_tone_map_options* options, size_t struct_size) {
  write_struct(options, struct_size, tone_map_defaults());
}

}  // extern "C"
