// plugin.cpp: an external plugin that links the static library. It exports make_plugin() and no symbol of onepass.
#include "onepass/pyramid.hpp"

extern "C" __attribute__((visibility("default"))) unsigned make_plugin() {
  auto pyramid = onepass::cpu::Pyramid::create(
      {.size = {7, 5}, .source = onepass::Format::kR32Sfloat, .target = onepass::Format::kR32Sfloat});
  return pyramid ? onepass::full_level_count({7, 5}) : 0;
}
