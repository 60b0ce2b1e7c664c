# The kernels of frames: the meter with the tone map in its loop; _subgroup: subgroup shuffles.
onepass_add_kernel_table(SOURCE frame_tone_map.comp
  DEFAULTS ONEPASS_LUMINANCE_PASS=0 ONEPASS_LUMINANCE_FRAME=1 ONEPASS_SUBGROUP=0 ROWS
  "frame_tone_map"
  "frame_tone_map_subgroup ONEPASS_SUBGROUP=1")
