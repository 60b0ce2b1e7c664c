// host_names_end.h: undefines the names of host_names.h.
#undef ONEPASS_STRUCT_
#undef uint
#undef uint2
