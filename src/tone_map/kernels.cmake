# The tone map kernel: operators, formats and shapes are specialization constants.
onepass_add_kernel(tone_map ${CMAKE_CURRENT_LIST_DIR}/tone_map.comp)
# What local exposure does before it.
onepass_add_kernel(local_exposure ${CMAKE_CURRENT_LIST_DIR}/local_exposure.comp)
