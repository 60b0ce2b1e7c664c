/* one_file.c: sets up and records the dispatch of one_file.comp or one_file.hlsl. docs/shaders/one_file.md */
#include "onepass_shader_setup.h"

#include <vulkan/vulkan.h>

/* For each size of the depth buffer. Allocate levels 1 to setup->levels (level n has max(width >> n, 1) columns), a
 * buffer of setup->counters uint32_t that you zero once, and a buffer of setup->kept floats. Both may be empty. */
int set_up_pyramid(uint32_t width, uint32_t height, OnepassPyramidSetup* setup) {
  OnepassPyramidRequest request = {0};
  request.width = width;
  request.height = height;
  request.slices = 1;
  request.levels = -1;                                  /* all levels, down to 1x1 */
  request.footprint = ONEPASS_SETUP_FOOTPRINT_COVERING; /* ONEPASS_FOOTPRINT of the shader */
  request.subgroup_size = 0;                            /* the shader is compiled without ONEPASS_SUBGROUP 1 */
  return onepass_pyramid_setup(&request, setup);        /* ONEPASS_SETUP_OK, 0, if the sizes are valid */
}

/* Every frame, with your pipeline and its descriptor set bound, and with a barrier from the writers of the depth buffer
 * to COMPUTE_SHADER / SHADER_READ before. */
void record_pyramid(VkCommandBuffer commands, VkPipelineLayout layout, const OnepassPyramidSetup* setup) {
  VkMemoryBarrier barrier = {VK_STRUCTURE_TYPE_MEMORY_BARRIER, 0, 0, 0};
  vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof setup->constants, &setup->constants);
  vkCmdDispatch(commands, setup->groups[0], setup->groups[1], setup->groups[2]);
  /* The levels to their readers in compute shaders (add the stages of yours), and both buffers to the next frame. */
  barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1,
                       &barrier, 0, 0, 0, 0);
}
