// empty.comp: does nothing. The time of one workgroup is the cost of a dispatch and its barrier.
#version 460
layout(local_size_x = 256) in;
void main() {}
