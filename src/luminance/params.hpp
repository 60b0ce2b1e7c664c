// params.hpp: the constants and results that kernels, the CPU engine and callers share, under their names in shaders.
#pragma once

#include "onepass/luminance_params.h"

namespace onepass::luminance {

using LuminanceParams = ::OnepassLuminanceConstants;
using LuminanceResult = ::OnepassLuminanceResult;

}  // namespace onepass::luminance
