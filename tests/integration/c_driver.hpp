// c_driver.hpp: the C objects behind a driver from make_c_driver().
#pragma once

#include "tests/c_api/c_api_vulkan_client.h"
#include "tests/integration/technique_rig.hpp"

namespace onepass::testing {

/// `driver`: from make_c_driver().
const client& client_of(const Driver& driver);

}  // namespace onepass::testing
