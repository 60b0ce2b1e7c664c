// pyramid_extensions.glsl: the GLSL extensions that a variant of a kernel needs.
#if ONEPASS_MEMORY_MODEL
#pragma use_vulkan_memory_model
#endif
#if STORAGE_SOURCE
#extension GL_EXT_shader_image_load_formatted : require
#endif
#if ONEPASS_SUBGROUP
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_quad : require
#extension GL_KHR_shader_subgroup_shuffle : require
#endif
