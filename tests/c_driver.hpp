// c_driver.hpp: the C objects behind a driver from make_c_driver().
#pragma once

#include "c_api_vulkan_client.h"
#include "technique_rig.hpp"

namespace onepass::testing {

/// `driver`: from make_c_driver().
const client& client_of(const Driver& driver);

}  // namespace onepass::testing
