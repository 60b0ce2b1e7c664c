// host_variant.cpp: a kernel of the library, TEXT, on the host: one of the rows of its kernels.cmake, with the same
// macros.
#include "tests/cuda/fake_driver.hpp"
#include "tests/cuda/kernels.hpp"

// Behind all other headers: its macros have names of functions.
#include TEXT

// Behind the kernel, whose types it needs.
#include "tests/cuda/host_kernel.hpp"

#define NAME_(name) #name
#define NAME(name) NAME_(name)

namespace {

const onepass::testing::HostKernel kKernel(NAME(KERNEL), sizeof(KERNEL_STRUCT),
                                           [](const void* parameter, const onepass::testing::Workgroups& groups) {
                                             KERNEL_STRUCT copy;
                                             std::memcpy(static_cast<void*>(&copy), parameter, sizeof copy);
                                             return onepass::testing::run_workgroups(groups, [&] { KERNEL(copy); });
                                           });

}  // namespace
