// user_sets.comp: a renderer's shader beside the library's: an array of buffers in set 1, push constants of its own.
#version 460

layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Out { uint written[]; };
layout(set = 1, binding = 0) readonly buffer Table { uint value; } tables[4];
layout(push_constant) uniform Constants { uint place, table, added; };

void main() { written[place] = tables[table].value + added; }
