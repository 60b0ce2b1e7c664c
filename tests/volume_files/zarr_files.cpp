#include "tests/volume_files/zarr_files.hpp"

#include <zlib.h>
#include <zstd.h>
#ifdef ONEPASS_HAS_BLOSC
#include <blosc.h>
#endif

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "tests/files/files_support.hpp"

namespace volume_files_test {
namespace {

template <typename T>
std::string json_list(const std::vector<T>& numbers) {
  std::string text;
  for (const T number : numbers) text += (text.empty() ? "" : ", ") + std::to_string(number);
  return "[" + text + "]";
}

void put(Bytes& out, uint64_t bits, size_t bytes, bool big_endian) {
  for (size_t i = 0; i < bytes; ++i) {
    out.push_back(static_cast<std::byte>(bits >> (8 * (big_endian ? bytes - 1 - i : i)) & 0xFF));
  }
}

Bytes deflated(const Bytes& bytes, bool gzip) {
  z_stream stream{};
  if (deflateInit2(&stream, 6, Z_DEFLATED, gzip ? 31 : 15, 8, Z_DEFAULT_STRATEGY) != Z_OK) throw std::runtime_error("");
  Bytes out(deflateBound(&stream, bytes.size()));
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) throw std::runtime_error("deflate");
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

Bytes encoded(const std::string& codec, Bytes bytes, size_t element) {
  if (codec == "gzip" || codec == "zlib") return deflated(bytes, codec == "gzip");
  if (codec == "zstd") {
    Bytes out(ZSTD_compressBound(bytes.size()));
    out.resize(ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 1));
    return out;
  }
#ifdef ONEPASS_HAS_BLOSC
  if (codec == "blosc") {
    Bytes out(bytes.size() + BLOSC_MAX_OVERHEAD);
    const int count =
        blosc_compress_ctx(5, BLOSC_SHUFFLE, element, bytes.size(), bytes.data(), out.data(), out.size(), "lz4", 0, 1);
    if (count <= 0) throw std::runtime_error("blosc");
    out.resize(static_cast<size_t>(count));
    return out;
  }
#endif
  if (codec != "crc32c") throw std::runtime_error(codec);
  put(bytes, crc32c_of(bytes), 4, false);
  return bytes;
}

std::vector<size_t> identity(size_t count) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

// B[i] = A[order[i]]
Position permuted(const Position& a, const std::vector<size_t>& order) {
  Position b;
  for (const size_t i : order) b.push_back(a[i]);
  return b;
}

std::string codec_json(const std::string& name, size_t element) {
  if (name == "gzip") return R"({"name": "gzip", "configuration": {"level": 6}})";
  if (name == "zstd") return R"({"name": "zstd", "configuration": {"level": 1, "checksum": false}})";
  if (name == "crc32c") return R"({"name": "crc32c"})";
  return R"({"name": "blosc", "configuration": {"cname": "lz4", "clevel": 5, "shuffle": "shuffle", "typesize": )" +
         std::to_string(element) + R"(, "blocksize": 0}})";
}

std::string bytes_json(bool big_endian) {
  return std::string(R"({"name": "bytes", "configuration": {"endian": ")") + (big_endian ? "big" : "little") + R"("}})";
}

std::string transpose_json(const std::vector<size_t>& order) {
  return R"({"name": "transpose", "configuration": {"order": )" + json_list(order) + "}}, ";
}

std::string version_2(const ZarrFile& file) {
  const std::string kind = file.type.starts_with("float") ? "f" : file.type.starts_with("u") ? "u" : "i";
  const std::string order = file.bytes == 1 ? "|" : file.big_endian ? ">" : "<";
  const std::string compressor = file.codecs.empty() ? "null" : R"({"id": ")" + file.codecs[0] + R"("})";
  return R"({"zarr_format": 2, "shape": )" + json_list(file.shape) + R"(, "chunks": )" + json_list(file.chunk) +
         R"(, "dtype": ")" + order + kind + std::to_string(file.bytes) + R"(", "fill_value": )" + file.fill_text +
         R"(, "order": ")" + (file.transpose.empty() ? "C" : "F") + R"(", "filters": null, "compressor": )" +
         compressor +
         (file.states_separator ? R"(, "dimension_separator": ")" + std::string(1, file.separator) + R"("})" : "}");
}

std::string version_3(const ZarrFile& file) {
  std::string chain;
  if (!file.transpose.empty()) chain += transpose_json(file.transpose);
  chain += bytes_json(file.big_endian);
  for (const std::string& codec : file.codecs) chain += ", " + codec_json(codec, file.bytes);
  if (!file.block.empty()) {
    const auto order = file.shard_transpose.empty() ? identity(file.shape.size()) : file.shard_transpose;
    const std::string prefix = file.shard_transpose.empty() ? "" : transpose_json(order);
    chain = prefix + R"({"name": "sharding_indexed", "configuration": {"chunk_shape": )" +
            json_list(permuted(file.block, order)) + R"(, "codecs": [)" + chain + R"(], "index_codecs": [)" +
            bytes_json(file.index_big_endian) + (file.index_has_crc ? R"(, {"name": "crc32c"})" : "") +
            R"(], "index_location": ")" + (file.index_at_start ? "start" : "end") + R"("}})";
  }
  return R"({"zarr_format": 3, "node_type": "array", "shape": )" + json_list(file.shape) + R"(, "data_type": ")" +
         file.type + R"(", "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": )" +
         json_list(file.chunk) + R"(}}, "chunk_key_encoding": {"name": ")" + (file.version_2_keys ? "v2" : "default") +
         R"(", "configuration": {"separator": ")" + file.separator + R"("}}, "fill_value": )" + file.fill_text +
         R"(, "codecs": [)" + chain + "]}";
}

// A block as it is stored; its elements beyond the array have the fill value.
Bytes block_bytes(const ZarrFile& file, const Position& block) {
  const Position& size = file.block_shape();
  auto order = identity(size.size());
  if (!file.shard_transpose.empty()) order = file.shard_transpose;
  if (!file.transpose.empty()) {
    std::vector<size_t> next;
    for (const size_t i : file.transpose) next.push_back(order[i]);
    order = next;
  }
  Bytes bytes;
  for_each(permuted(size, order), [&](const Position& stored) {
    Position at(size.size());
    for (size_t i = 0; i < order.size(); ++i) at[order[i]] = stored[i] + block[order[i]] * size[order[i]];
    put(bytes, file.element(at), file.bytes, file.big_endian);
  });
  for (const std::string& codec : file.codecs) bytes = encoded(codec, std::move(bytes), file.bytes);
  return bytes;
}

Bytes shard_bytes(const ZarrFile& file, const Position& chunk, bool& stored) {
  const size_t count = file.shape.size();
  const auto order = file.shard_transpose.empty() ? identity(count) : file.shard_transpose;
  Position grid;
  for (size_t i = 0; i < count; ++i) grid.push_back(file.chunk[i] / file.block[i]);
  size_t blocks = 1;
  for (const uint32_t n : grid) blocks *= n;
  const size_t index_bytes = blocks * 16 + (file.index_has_crc ? 4 : 0);
  Bytes data;
  Bytes index;
  stored = false;
  for_each(permuted(grid, order), [&](const Position& at) {
    Position block(count);
    for (size_t i = 0; i < count; ++i) block[order[i]] = chunk[order[i]] * grid[order[i]] + at[i];
    bool beyond = false;
    for (size_t i = 0; i < count; ++i) beyond = beyond || block[i] * file.block[i] >= file.shape[i];
    if (beyond || (file.left_out && file.left_out(block))) {
      put(index, UINT64_MAX, 8, false);
      put(index, UINT64_MAX, 8, false);
      return;
    }
    stored = true;
    const Bytes bytes = block_bytes(file, block);
    put(index, data.size() + (file.index_at_start ? index_bytes : 0), 8, file.index_big_endian);
    put(index, bytes.size(), 8, file.index_big_endian);
    data.insert(data.end(), bytes.begin(), bytes.end());
  });
  if (file.index_has_crc) put(index, crc32c_of(index), 4, false);
  data.insert(file.index_at_start ? data.begin() : data.end(), index.begin(), index.end());
  return data;
}

}  // namespace

uint32_t crc32c_of(const Bytes& bytes) {
  uint32_t crc = 0xFFFFFFFF;
  for (const std::byte byte : bytes) {
    crc ^= std::to_integer<uint32_t>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 1) != 0 ? crc >> 1 ^ 0x82F63B78 : crc >> 1;
  }
  return ~crc;
}

void for_each(const Position& size, const std::function<void(const Position&)>& each) {
  Position at(size.size());
  while (true) {
    each(at);
    size_t i = size.size();
    while (i > 0 && ++at[i - 1] == size[i - 1]) at[--i] = 0;
    if (i == 0) return;
  }
}

uint64_t ZarrFile::element(const Position& at) const {
  const uint64_t mask = bytes == 8 ? UINT64_MAX : (uint64_t{1} << (8 * bytes)) - 1;
  Position of_block;
  uint64_t linear = 0;
  for (size_t i = 0; i < at.size(); ++i) {
    if (at[i] >= shape[i]) return fill & mask;
    of_block.push_back(at[i] / block_shape()[i]);
    linear = linear * shape[i] + at[i];
  }
  if (left_out && left_out(of_block)) return fill & mask;
  // Some redundancy, so that codecs compress.
  return (linear / 3 * 0x9E3779B97F4A7C15 >> (linear % 5 == 0 ? 20 : 60)) & mask;
}

std::string ZarrFile::metadata() const { return version == 3 ? version_3(*this) : version_2(*this); }

void ZarrFile::write(const std::filesystem::path& folder) const {
  std::filesystem::create_directories(folder);
  files_test::save(folder / metadata_name(), files_test::bytes_of(metadata()));
  Position grid;
  for (size_t i = 0; i < shape.size(); ++i) grid.push_back((shape[i] + chunk[i] - 1) / chunk[i]);
  for_each(grid, [&](const Position& at) {
    std::string key = version == 3 && !version_2_keys ? "c" : "";
    for (const uint32_t n : at) key += (key.empty() ? "" : std::string(1, separator)) + std::to_string(n);
    bool stored = !left_out || !left_out(at);
    const Bytes chunk_data =
        block.empty() ? (stored ? block_bytes(*this, at) : Bytes()) : shard_bytes(*this, at, stored);
    if (!stored) return;
    std::filesystem::create_directories((folder / key).parent_path());
    files_test::save(folder / key, chunk_data);
  });
}

}  // namespace volume_files_test
