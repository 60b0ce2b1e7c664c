# The stages of reflections, in the order of their dispatches. The filter runs once per pass.
foreach(stage classify prepare march temporal filter resolve)
  onepass_add_kernel_table(SOURCE reflection_${stage}.comp ROWS "reflection_${stage}")
endforeach()
