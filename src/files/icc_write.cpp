// icc_write.cpp: builds RGB and grey profiles with Little CMS, then replaces the date of creation and the platform, so
// that the bytes do not depend on clock and system. Source: ICC.1:2022.
#include "files/icc_write.hpp"

#include <cstdint>
#include <cstring>

#ifdef ONEPASS_HAS_LCMS
#include "files/lcms_context.hpp"
#endif

namespace onepass::files {

#ifdef ONEPASS_HAS_LCMS

namespace {

constexpr uint64_t kMemory = uint64_t{4} << 20;

cmsToneCurve* new_curve(const LcmsContext& context, ProfileCurve curve) {
  // IEC 61966-2-1 as ICC's parametric curve of type 4: (a x + b)^g from d up, c x below d.
  const double srgb[] = {2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045};
  cmsToneCurve* tone = curve == ProfileCurve::kSrgb ? cmsBuildParametricToneCurve(context.get(), 4, srgb)
                                                    : cmsBuildGamma(context.get(), 1.0);
  if (tone == nullptr) throw std::bad_alloc();
  return tone;
}

std::vector<std::byte> bytes_of(const LcmsProfile& profile) {
  cmsUInt32Number size = 0;
  if (!profile || cmsSaveProfileToMem(profile.get(), nullptr, &size) == 0) return {};
  std::vector<std::byte> bytes(size);
  if (cmsSaveProfileToMem(profile.get(), bytes.data(), &size) == 0) return {};
  // The date of creation, six 16-bit numbers from byte 24: 1 January 2000, so that files do not depend on the clock.
  constexpr uint8_t kDate[] = {0x07, 0xD0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0};
  std::memcpy(bytes.data() + 24, kDate, sizeof(kDate));
  // The primary platform, at byte 40: Little CMS writes MSFT on Windows and this elsewhere.
  constexpr char kPlatform[] = {'A', 'P', 'P', 'L'};
  std::memcpy(bytes.data() + 40, kPlatform, sizeof(kPlatform));
  return bytes;
}

}  // namespace

std::vector<std::byte> rgb_profile(const Chromaticities& primaries, ProfileCurve curve) {
  const LcmsContext context(kMemory);
  cmsToneCurve* tone = new_curve(context, curve);
  cmsToneCurve* tones[] = {tone, tone, tone};
  const cmsCIExyY white{primaries.white[0], primaries.white[1], 1};
  const cmsCIExyYTRIPLE corners{{primaries.red[0], primaries.red[1], 1},
                                {primaries.green[0], primaries.green[1], 1},
                                {primaries.blue[0], primaries.blue[1], 1}};
  const LcmsProfile profile(cmsCreateRGBProfileTHR(context.get(), &white, &corners, tones));
  cmsFreeToneCurve(tone);
  return bytes_of(profile);
}

std::vector<std::byte> gray_profile(ProfileCurve curve) {
  const LcmsContext context(kMemory);
  cmsToneCurve* tone = new_curve(context, curve);
  const LcmsProfile profile(cmsCreateGrayProfileTHR(context.get(), cmsD50_xyY(), tone));
  cmsFreeToneCurve(tone);
  return bytes_of(profile);
}

#else

std::vector<std::byte> rgb_profile(const Chromaticities& /*primaries*/, ProfileCurve /*curve*/) { return {}; }
std::vector<std::byte> gray_profile(ProfileCurve /*curve*/) { return {}; }

#endif

}  // namespace onepass::files
