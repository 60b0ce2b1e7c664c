// openslide_library.hpp: the functions of OpenSlide 3.4 and 4, which is loaded when the first slide is opened: a link
// would load it and thirty further libraries at every start of a program.
#pragma once

#include <cstdint>

namespace onepass::tiles {

struct OpenSlide;  // openslide_t

/// Named without their prefix openslide_.
struct OpenSlideLibrary {
  OpenSlide* (*open)(const char* filename) = nullptr;
  void (*close)(OpenSlide* slide) = nullptr;
  const char* (*get_version)() = nullptr;
  const char* (*get_error)(OpenSlide* slide) = nullptr;
  const char* (*get_property_value)(OpenSlide* slide, const char* name) = nullptr;
  void (*get_level0_dimensions)(OpenSlide* slide, int64_t* width, int64_t* height) = nullptr;
  void (*read_region)(OpenSlide* slide, uint32_t* to, int64_t x, int64_t y, int32_t level, int64_t width,
                      int64_t height) = nullptr;
  int64_t (*get_icc_profile_size)(OpenSlide* slide) = nullptr;     // null before OpenSlide 4
  void (*read_icc_profile)(OpenSlide* slide, void* to) = nullptr;  // likewise
};

/// Null if this machine has no OpenSlide. Threads: any number of calls at once.
const OpenSlideLibrary* find_openslide();

}  // namespace onepass::tiles
