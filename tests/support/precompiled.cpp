// precompiled.cpp: a source for the target that owns precompiled.hpp.
