// test_tuning.hpp: parameters of the Vulkan pyramid that only tests and the benchmark set.
#pragma once

#include "onepass/vulkan/pyramid.hpp"

namespace onepass::vulkan {

/// Stages and workgroups of a single dispatch that the library would not choose, workgroups that arrive late,
/// and fewer polls. Results change at most within the rounding contract, unless `max_polls` is too low.
struct PyramidTestTuning {
  uint32_t stage_depth = 0;          ///< Most levels of a 2:1 stage, 3 to 6; 0: six.
  uint32_t tiles_per_workgroup = 0;  ///< Of stage 0; in a sliding-window stage: rows of the third level per subgroup.
                                     ///< 1, 2, 4 or 8; 0: chosen by size. Halved until a workgroup's texels lie in one
                                     ///< tile of the next stage and its direct neighbours.
  uint32_t delay = 0;                ///< Idle iterations that delay a third of the workgroups, several times each. At
                                     ///< most 10000: lavapipe's loops end after 65535 iterations in all.
  uint32_t max_polls = 0;            ///< Limit of an invocation's polls; 0: ONEPASS_DEFAULT_MAX_POLLS on
                                     ///< software drivers, an eighth of it on others.
};

/// Pyramid::create() with these parameters. Errors: those of Pyramid::create().
Result<Pyramid> create_pyramid(const Device& device, const PyramidOptions& options, const PyramidTuning& tuning,
                               const PyramidTestTuning& test);

}  // namespace onepass::vulkan
