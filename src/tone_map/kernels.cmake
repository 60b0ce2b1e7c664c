# The tone map kernel: operators, formats and shapes are specialization constants.
onepass_add_kernel(tone_map ${CMAKE_CURRENT_LIST_DIR}/tone_map.comp)
