// abi.cpp: functions of C without a technique.
#include "c_api/abi.hpp"

using namespace onepass::c_api;

extern "C" {

uint32_t onepass_abi_version(void) { return ONEPASS_ABI_VERSION; }

const char* onepass_version(void) { return ONEPASS_VERSION; }

const char* onepass_code_text(onepass_code code) {
  switch (code) {
    case ONEPASS_OK:
      return "success";
    case ONEPASS_INVALID_ARGUMENT:
      return "invalid argument";
    case ONEPASS_UNSUPPORTED:
      return "unsupported";
    case ONEPASS_NOT_FOUND:
      return "not found";
    case ONEPASS_BAD_DATA:
      return "bad data";
    case ONEPASS_IO:
      return "input or output failed";
    case ONEPASS_OUT_OF_MEMORY:
      return "out of memory";
    case ONEPASS_DEVICE:
      return "device error";
    case ONEPASS_DEVICE_LOST:
      return "device lost";
    case ONEPASS_CANCELLED:
      return "cancelled";
    default:
      return "not a code of onepass";
  }
}

uint32_t onepass_format_bytes(onepass_format format) {
  return onepass::texel_info(static_cast<onepass::Format>(format)).bytes_per_texel;
}

void onepass_cpu_tuning_init(onepass_cpu_tuning* tuning, size_t struct_size) {
  write_struct(tuning, struct_size, onepass_cpu_tuning{});
}

}  // extern "C"
