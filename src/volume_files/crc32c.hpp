// crc32c.hpp: the checksum of Zarr's codec crc32c and of indexes of shards: CRC-32C, the polynomial 0x1EDC6F41 of
// Castagnoli, reflected.
// Source: RFC 3720, "Internet Small Computer Systems Interface (iSCSI)", 2004, appendix B.4.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace onepass::volumes {

/// The CRC-32C of `bytes`.
uint32_t crc32c_of(std::span<const std::byte> bytes);

}  // namespace onepass::volumes
