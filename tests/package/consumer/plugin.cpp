// plugin.cpp: a plugin of somebody else's that links the static library. It shows make_plugin() and nothing of onepass.
#include "onepass/pyramid.hpp"

extern "C" __attribute__((visibility("default"))) unsigned make_plugin() {
  auto pyramid = onepass::cpu::Pyramid::create(
      {.size = {7, 5}, .source = onepass::Format::kR32Sfloat, .target = onepass::Format::kR32Sfloat});
  return pyramid ? onepass::full_level_count({7, 5}) : 0;
}
