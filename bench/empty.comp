// empty.comp: one workgroup that does nothing: what a dispatch and its barrier cost.
#version 460
layout(local_size_x = 256) in;
void main() {}
