// astc.hpp: blocks of ASTC, by astcenc. Without that library both functions return kUnsupported.
#pragma once

#include "onepass/blocks.hpp"

namespace onepass::blocks {

/// cpu::compress() to a format of ASTC, with views and options that have been checked. Throws std::bad_alloc.
Result<void> compress_astc(const ImageView& source, const MutableBlockView& blocks, const BlockOptions& options,
                           uint32_t threads);

/// cpu::decompress() of a format of ASTC, with views that have been checked. Throws std::bad_alloc.
Result<void> decompress_astc(const BlockView& blocks, const MutableImageView& target, uint32_t threads);

}  // namespace onepass::blocks
