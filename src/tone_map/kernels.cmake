# The kernel of the tone map. Operators, formats and shapes of curves are specialization constants.
onepass_add_kernel(tone_map ${CMAKE_CURRENT_LIST_DIR}/tone_map.comp)
# The kernel that makes the grid of local exposure, in a dispatch before it.
onepass_add_kernel(local_exposure ${CMAKE_CURRENT_LIST_DIR}/local_exposure.comp)
