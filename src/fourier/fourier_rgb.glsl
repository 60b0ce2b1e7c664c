// fourier_rgb.glsl: loads and stores of three real channels, for row and column stages.
//
// A line of a row stage is a pair of rows, 2 p and 2 p + 1, as three complex signals: red + i green of each row, and
// blue of the first row + i blue of the second. Of an odd number of rows the last has no partner.
// A line of a column stage is column q <= W/2 of the three channels.
//
// The intermediate buffer holds, for each slice, two parts in the layout of between(), a complex number per element:
//     z = red + i green    W columns of all rows
//     blue                 forward: W columns of all pairs of rows; inverse: columns 0 to W/2 of all rows
// A column stage reads columns q and W - q and separates channels, and the rows of a pair, as fourier_stage.glsl
// describes; it writes columns q and W - q of z.
//
// Two values of blue are computed from the same two numbers of the buffer: those of a pair of rows in a column, those
// at x and W - x in a row of spectra. Where lines are in shared memory, one invocation reads both numbers and the
// values reach their invocations through shared memory; passes between buffers read the numbers once per value.

#define SHARES_BLUE (!BETWEEN_BUFFERS && (STAGE == ROWS_INVERSE || STAGE == COLUMNS_FORWARD || STAGE == COLUMNS_BOTH))

// Elements of a part. Blocks have an even number of rows, so that both rows of a pair exist.
uint part_elements(uint width, uint rows) { return (rows + kBlockRows - 1u) / kBlockRows * kBlockRows * width; }

#if STAGE == ROWS_FORWARD || STAGE == COLUMNS_FORWARD || STAGE == COLUMNS_BOTH
uint blue_in_slice() { return part_elements(pc.size.x, pc.crop_size.y); }

uint forward_slice(uint slice) {
  return slice * (blue_in_slice() + part_elements(pc.size.x, pair_rows(pc.crop_size.y)));
}

uint forward_z(uint slice, uint x, uint row, const uint more) {
  return forward_slice(slice) + between(0u, x, row, more, pc.size.x, pc.crop_size.y);
}

uint forward_blue(uint slice, uint x, uint pair) {
  return forward_slice(slice) + blue_in_slice() + between(0u, x, pair, 0u, pc.size.x, pair_rows(pc.crop_size.y));
}
#endif

#if STAGE == ROWS_INVERSE || STAGE == COLUMNS_INVERSE || STAGE == COLUMNS_BOTH
uint inverse_slice(uint slice) {
  return slice * (part_elements(pc.size.x, pc.result_size.y) + part_elements(pc.size.x / 2u + 1u, pc.result_size.y));
}

uint inverse_z(uint slice, uint x, uint row, const uint more) {
  return inverse_slice(slice) + between(0u, x, row, more, pc.size.x, pc.result_size.y);
}

uint inverse_blue(uint slice, uint q, uint row, const uint more) {
  return inverse_slice(slice) + part_elements(pc.size.x, pc.result_size.y) +
         between(0u, q, row, more, pc.size.x / 2u + 1u, pc.result_size.y);
}
#endif

#if STAGE == ROWS_FORWARD
T load(uint pair, uint slice, uint b, const uint more) {
  uint x;
  bool exists = crop_texel(b + more, pc.placement.x, pc.size.x, pc.crop_size.x, x);
  COUNT_ONLY_IF(exists);
  uint row = 2u * pair;
  uint other = row + 1u;
  float4 first = source_texel(uint2(x, row), slice);
  COUNT_ONLY_IF(other < pc.crop_size.y);
  float4 second = source_texel(uint2(x, min(other, pc.crop_size.y - 1u)), slice);
  // Blue of a row that does not enter the domain must be 0, or its rounding errors and NaN would reach the other row.
  float3 re = float3(first.r, second.r, ONLY_IF(is_seen(row), first.b));
  float3 im = float3(first.g, second.g, ONLY_IF(is_seen(other), second.b));
  return value_if(exists, T(re, im));
}

void store(uint pair, uint slice, uint b, const uint more, T value) {
  uint k = b + more;
  value = scaled(value);
  write_two(forward_z(slice, k, 2u * pair, 0u) / 2u, float4(value[0].x, value[1].x, value[0].y, value[1].y));
  write_pair(forward_blue(slice, k, pair), float2(value[0].z, value[1].z));
}
#endif

#if STAGE == ROWS_INVERSE
// The spectrum of blue of both rows, first + i second, at q and at W - q.
float4 blue_values(uint pair, uint slice, uint q) {
  float4 both = read_two(inverse_blue(slice, q, 2u * pair, 0u) / 2u);
  float2 first = both.xy;
  float2 second = ONLY_IF(2u * pair + 1u < pc.result_size.y, both.zw);
  // Self-mirrored frequencies of a real signal are real.
  bool self_mirrored = q == 0u || 2u * q == pc.size.x;
  first.y = ONLY_IF(!self_mirrored, first.y);
  second.y = ONLY_IF(!self_mirrored, second.y);
  return float4(first.x - second.y, first.y + second.x, first.x + second.y, second.x - first.y);
}

#if SHARES_BLUE
DERIVED uint kMostBlue = AXIS / 2u + 1u;
uint blue_count() { return kMostBlue; }
uint2 blue_places(uint q) { return uint2(q, q == 0u ? 0u : pc.size.x - q); }
bool blue_place(uint position, out uint place) {
  place = position;
  return true;
}
#endif

T load(uint pair, uint slice, uint b, const uint more) {
  uint k = b + more;
  uint row = 2u * pair;
  float4 z = read_two(inverse_z(slice, k, row, 0u) / 2u);
  float2 blue = float2(0.0, 0.0);
#if BETWEEN_BUFFERS
  bool conjugate = 2u * k > pc.size.x;
  float4 values = blue_values(pair, slice, conjugate ? pc.size.x - k : k);
  blue = conjugate ? values.zw : values.xy;
#endif
  return onepass_swapped(from_signals(z.xy, z.zw, blue));
}

void store(uint pair, uint slice, uint b, const uint more, T value) {
  uint k = b + more;
  uint x = WHOLE ? k : k - pc.result_at.x;  // columns before the first wrap around to >= width
  if (!WHOLE && x >= pc.result_size.x) return;
  value = scaled(onepass_swapped(value));
  uint row = 2u * pair;
  store_texel(uint2(x, row), slice, float4(value[0].x, value[1].x, value[0].z, 1.0));
  if (row + 1u < pc.result_size.y) {
    store_texel(uint2(x, row + 1u), slice, float4(value[0].y, value[1].y, value[1].z, 1.0));
  }
}
#endif

#if COLUMNS
DERIVED uint kLinesOfColumn = 1u;

// Lines of columns hold separate channels already.
T split(T value, uint member) { return value; }
T unite(T value, uint member) { return value; }
T real_channels(T value, uint q) { return value; }
#endif

#if STAGE == COLUMNS_FORWARD || STAGE == COLUMNS_BOTH
uint mirror_of(uint q) { return q == 0u ? 0u : pc.size.x - q; }

// Twice the spectrum of blue in column q: of rows 2 pair and 2 pair + 1.
float4 blue_values(uint q, uint slice, uint pair) {
  float2 z = read_pair(forward_blue(slice, q, pair));
  float2 m = read_pair(forward_blue(slice, mirror_of(q), pair));
  return float4(z.x + m.x, z.y - m.y, z.y + m.y, m.x - z.x);
}

#if SHARES_BLUE
DERIVED uint kMostBlue = (AXIS + 1u) / 2u;
uint blue_count() { return pair_rows(pc.crop_size.y); }
// Of an odd number of rows the last one has no partner: its value is stored twice.
uint2 blue_places(uint pair) { return uint2(2u * pair, min(2u * pair + 1u, pc.crop_size.y - 1u)); }
bool blue_place(uint position, out uint place) {
  return crop_texel(position, pc.placement.y, pc.size.y, pc.crop_size.y, place);
}
#endif

T load(uint q, uint slice, uint b, const uint more) {
  uint row;
  bool exists = crop_texel(b + more, pc.placement.y, pc.size.y, pc.crop_size.y, row);
  COUNT_ONLY_IF(exists);
  float2 z = read_pair(forward_z(slice, q, row, 0u));
  float2 m = read_pair(forward_z(slice, mirror_of(q), row, 0u));
  float2 blue = float2(0.0, 0.0);
#if BETWEEN_BUFFERS
  float4 values = blue_values(q, slice, row / 2u);
  blue = row % 2u == 1u ? values.zw : values.xy;
#endif
  return value_if(exists, from_signals(float2(z.x + m.x, z.y - m.y), float2(z.y + m.y, m.x - z.x), blue));
}
#endif

#if STAGE == COLUMNS_FORWARD
void store(uint q, uint slice, uint b, const uint more, T value) {
  uint element = 3u * spectrum_element(slice, q, b + more);
  value = scaled(value);
  ONEPASS_UNROLL for (uint c = 0u; c < 3u; ++c) write_pair(element + c, signal_of(value, c));
}
#endif

#if STAGE == COLUMNS_INVERSE
T load(uint q, uint slice, uint b, const uint more) {
  uint element = 3u * spectrum_element(slice, q, b + more);
  float2 red = read_pair(element);
  float2 green = read_pair(element + 1u);
  float2 blue = read_pair(element + 2u);
  return onepass_swapped(from_signals(red, green, blue));
}
#endif

#if STAGE == COLUMNS_INVERSE || STAGE == COLUMNS_BOTH
void store_back(uint q, uint slice, uint b, const uint more, T value) {
  uint row = WHOLE ? b : b + more - pc.result_at.y;  // rows before the first wrap around
  const uint rest = WHOLE ? more : 0u;
  if (!WHOLE && row >= pc.result_size.y) return;
  value = scaled(onepass_swapped(value));
  float3 re = value[0];
  // Self-mirrored columns of a real signal are real.
  float3 im = ONLY_IF(!self_mirrored(q), value[1]);
  write_pair(inverse_z(slice, q, row, rest), float2(re.x - im.y, im.x + re.y));
  write_pair(inverse_blue(slice, q, row, rest), float2(re.z, im.z));
  if (!self_mirrored(q)) {
    write_pair(inverse_z(slice, pc.size.x - q, row, rest), float2(re.x + im.y, re.y - im.x));
  }
}
#endif

#if SHARES_BLUE
// Completes the values of blue that load() left 0.
void load_blue(uint line, uint slice, uint lane, uint in_group, bool has_line) {
  const uint first = radix_of(0u);
  const uint rounds = (kMostBlue + LANES - 1u) / LANES;
  float4 read[ONEPASS_FOURIER_MOST / 2 + 1];
  ONEPASS_UNROLL for (uint i = 0u; i < rounds; ++i) {
    uint n = lane + i * LANES;
    COUNTED(has_line && n < blue_count());
    read[i] = blue_values(line, slice, min(n, blue_count() - 1u));
  }
  ONEPASS_UNROLL for (uint part = 0u; part < 2u; ++part) {
    onepass_group_barrier();  // the previous contents have been read
    ONEPASS_UNROLL for (uint i = 0u; i < rounds; ++i) {
      uint n = lane + i * LANES;
      if (n < blue_count()) {
        uint2 places = blue_places(n);
        s_exchange[onepass_fourier_slot(places.y, in_group)] = read[i][2u + part];
        s_exchange[onepass_fourier_slot(places.x, in_group)] = read[i][part];
      }
    }
    onepass_group_barrier();  // the whole line is stored
    const uint into = STAGE == ROWS_INVERSE ? 1u - part : part;  // re and im are exchanged
    EACH_VALUE(first) {
      uint place;
      uint position = onepass_fourier_butterfly(lane, m, first) + j * (LENGTH / first);
      bool exists = blue_place(min(position, AXIS - 1u), place);
      v[m * first + j][into].z = ONLY_IF(exists, s_exchange[onepass_fourier_slot(place, in_group)]);
    }
  }
}
#endif
