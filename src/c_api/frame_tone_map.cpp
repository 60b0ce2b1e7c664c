// frame_tone_map.cpp: options for C.
#include "c_api/options.hpp"

namespace onepass::c_api {

Result<FrameToneMapOptions> read_options(const FrameOptionPair* options) {
  auto meter = read_options(options->meter, "meter");
  if (!meter) return meter.error();
  auto tone = read_options(options->tone, "tone");
  if (!tone) return tone.error();
  return FrameToneMapOptions{.meter = *meter, .tone = *tone};
}

}  // namespace onepass::c_api
