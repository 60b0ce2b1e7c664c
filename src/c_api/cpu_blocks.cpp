// cpu_blocks.cpp: C functions for block-compressed textures.
#include "c_api/block_views.hpp"
#include "c_api/options.hpp"
#include "onepass/blocks.hpp"

using namespace onepass;
using namespace onepass::c_api;

extern "C" {

uint32_t onepass_block_bytes(onepass_block_format format) {
  return block_format_info(static_cast<BlockFormat>(format)).bytes_per_block;
}

onepass_extent onepass_block_size(onepass_block_format format) {
  const BlockFormatInfo& info = block_format_info(static_cast<BlockFormat>(format));
  return info.channels == 0 ? onepass_extent{0, 0} : onepass_extent{info.size.width, info.size.height};
}

int onepass_has_astc(void) { return has_astc() ? 1 : 0; }

onepass_code onepass_compress_blocks(const onepass_image_view* source, const onepass_mutable_block_view* blocks,
                                     const onepass_block_options* options, const onepass_cpu_tuning* tuning,
                                     onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    const auto from = view_of("source", source);
    if (!from) return from.error();
    const auto to = blocks_of<MutableBlockView>("blocks", blocks);
    if (!to) return to.error();
    const auto how = read_options(options);
    if (!how) return how.error();
    const auto threads = threads_of(tuning);
    if (!threads) return threads.error();
    return cpu::compress(*from, *to, *how, {.threads = *threads});
  });
}

onepass_code onepass_decompress_blocks(const onepass_block_view* blocks, const onepass_mutable_image_view* target,
                                       const onepass_cpu_tuning* tuning, onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    const auto from = blocks_of<BlockView>("blocks", blocks);
    if (!from) return from.error();
    const auto to = view_of("target", target);
    if (!to) return to.error();
    const auto threads = threads_of(tuning);
    if (!threads) return threads.error();
    return cpu::decompress(*from, *to, {.threads = *threads});
  });
}

}  // extern "C"
