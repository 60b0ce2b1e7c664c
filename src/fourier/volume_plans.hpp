// volume_plans.hpp: the domains of operations on volumes.
#pragma once

#include "fourier/domain.hpp"
#include "fourier/volume_domain.hpp"
#include "onepass/fourier_volume.hpp"

namespace onepass::cpu {

VolumeDomain convolution_domain(const VolumeConvolutionPlan& plan);
VolumeDomain deconvolution_domain(const VolumeDeconvolutionPlan& plan);

}  // namespace onepass::cpu
