// cmyk.cpp: Little CMS, with relative colorimetric intent and black point compensation, where the build has it and the
// profile is usable; otherwise R = (1 - C)(1 - K) with a warning.
#include "files/cmyk.hpp"

#include <cstdint>
#include <cstring>
#include <limits>

#ifdef ONEPASS_HAS_LCMS
#include "files/lcms_context.hpp"
#endif

namespace onepass::files {
namespace {

/// Without a profile: R = (1 - C)(1 - K), likewise green and blue.
template <typename Code>
void plainly(Image& image, InkPolarity inks) {
  constexpr uint64_t kMost = std::numeric_limits<Code>::max();
  auto* texel = reinterpret_cast<Code*>(image.data());
  const Code* end = texel + image.size_in_bytes() / sizeof(Code);
  for (; texel != end; texel += 4) {
    for (int c = 0; inks == InkPolarity::kAmount && c < 4; ++c) texel[c] = static_cast<Code>(kMost - texel[c]);
    for (int c = 0; c < 3; ++c) {
      texel[c] = static_cast<Code>((uint64_t{texel[c]} * texel[3] + kMost / 2) / kMost);
    }
    texel[3] = kMost;
  }
}

bool wide(const Image& image) { return format_info(image.format()).bytes_per_texel == 8; }

#ifdef ONEPASS_HAS_LCMS

/// Converts by the profile. False, with the pixels unchanged, if the profile is damaged or not CMYK.
bool by_profile(Image& image, std::span<const std::byte> profile, InkPolarity inks) {
  const LcmsContext context(inks_bytes(profile.size()));
  const LcmsProfile from = open_profile(context, profile);
  const LcmsProfile to(cmsCreate_sRGBProfileTHR(context.get()));
  if (!from || !to || cmsGetColorSpace(from.get()) != cmsSigCmykData) return false;
  const cmsUInt32Number size = wide(image) ? 2 : 1;
  const cmsUInt32Number inverted = inks == InkPolarity::kInverted ? 1 : 0;
  const cmsUInt32Number source = COLORSPACE_SH(PT_CMYK) | CHANNELS_SH(4) | BYTES_SH(size) | FLAVOR_SH(inverted);
  const cmsUInt32Number target = COLORSPACE_SH(PT_RGB) | EXTRA_SH(1) | CHANNELS_SH(3) | BYTES_SH(size);
  const LcmsTransform transform(cmsCreateTransformTHR(context.get(), from.get(), source, to.get(), target,
                                                      INTENT_RELATIVE_COLORIMETRIC,
                                                      cmsFLAGS_BLACKPOINTCOMPENSATION | cmsFLAGS_NOCACHE));
  if (!transform) return false;
  const uint32_t width = image.size().width;
  for (uint32_t y = 0; y < image.size().height; ++y) {
    std::byte* row = image.view().row(y);
    cmsDoTransform(transform.get(), row, row, width);
    // Little CMS does not write the fourth channel.
    for (size_t x = 0; x < width; ++x) std::memset(row + (4 * x + 3) * size, 0xFF, size);
  }
  return true;
}

#else

bool by_profile(Image& /*image*/, std::span<const std::byte> /*profile*/, InkPolarity /*inks*/) { return false; }

#endif

}  // namespace

// Little CMS needs up to four times the bytes of the profile for its tables, and copies them once. Its table of the
// whole conversion has 23 steps per axis.
uint64_t inks_bytes(uint64_t profile_size) { return profile_size == 0 ? 0 : (uint64_t{5} << 19) + 8 * profile_size; }

void inks_to_srgb(Image& image, std::span<const std::byte> profile, InkPolarity codes,
                  std::vector<std::string>& warnings) {
  if (!profile.empty() && by_profile(image, profile, codes)) return;
  if (wide(image)) {
    plainly<uint16_t>(image, codes);
  } else {
    plainly<uint8_t>(image, codes);
  }
#ifdef ONEPASS_HAS_LCMS
  const std::string reason =
      profile.empty() ? "there is no ICC profile" : "the ICC profile is not a usable one of CMYK";
#else
  const std::string reason = "this build is without Little CMS";
#endif
  warnings.push_back("CMYK was turned into RGB as (1 - C)(1 - K), because " + reason);
}

}  // namespace onepass::files
