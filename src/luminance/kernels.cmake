# The meter's kernels: luminance is one dispatch; luminance_partial and luminance_join are the simple sibling's two.
set(luminance_comp ${CMAKE_CURRENT_LIST_DIR}/luminance.comp)
onepass_add_kernel(luminance ${luminance_comp} ONEPASS_LUMINANCE_PASS=0 ONEPASS_MEMORY_MODEL=0)
onepass_add_kernel(luminance_memory_model ${luminance_comp} ONEPASS_LUMINANCE_PASS=0 ONEPASS_MEMORY_MODEL=1)
onepass_add_kernel(luminance_partial ${luminance_comp} ONEPASS_LUMINANCE_PASS=1 ONEPASS_MEMORY_MODEL=0)
onepass_add_kernel(luminance_join ${luminance_comp} ONEPASS_LUMINANCE_PASS=2 ONEPASS_MEMORY_MODEL=0)
