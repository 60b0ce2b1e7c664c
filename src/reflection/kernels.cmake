# The stages of reflections, in the order of their dispatches. The filter runs once per pass.
foreach(stage classify prepare march temporal filter resolve)
  string(TOUPPER ${stage} macro)
  onepass_add_kernel_table(SOURCE reflection.comp ROWS "reflection_${stage} ${macro}=1")
endforeach()
