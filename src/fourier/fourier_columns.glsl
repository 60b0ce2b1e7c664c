// fourier_columns.glsl: loads and stores of the column stages, between intermediate buffer and spectrum, and the
// separation of real channels (real packing).
//
// With real channels each column q <= W/2 takes two lines, members 0 and 1: column q, and the conjugate of its mirror,
// column W - q. Together they hold the spectra of two channels per signal. Invocations 2 i and 2 i + 1 hold the same
// positions of both and are assumed to be neighbours in a subgroup: drivers fill subgroups with the invocations of a
// one-dimensional workgroup in order, although Vulkan does not require it.

// Lines per column; in passes between buffers each signal is a line.
DERIVED uint kLinesOfColumn = (KIND == ONEPASS_FOURIER_CHANNELS ? 2u : 1u) * kSignals / ONEPASS_FOURIER_SIGNALS;

// Index of element `row + more` of the intermediate column of a line.
uint column_element(uint slice, uint q, uint member, uint rows, uint row, const uint more) {
  bool mirror = KIND == ONEPASS_FOURIER_CHANNELS && member % 2u == 1u && q != 0u;
  return between(slice, mirror ? kSize.x - q : q, row, more, kSize.x, rows);
}

uint signal_of(uint member) { return KIND == ONEPASS_FOURIER_CHANNELS ? member / 2u : member; }

// Factor that conjugates member 1. No branch, because compilers wait for each load after a branch.
T sign_of(uint member) { return KIND == ONEPASS_FOURIER_CHANNELS && member % 2u == 1u ? ONEPASS_CONJUGATE : T(1.0); }

uint spectrum_element(uint slice, uint kx, uint ky) {
  uint x = kx;
  uint y = ky;
  if (CENTRED) {
    x += SHIFT_X;
    y += SHIFT_Y;
    x = x >= kSize.x ? x - kSize.x : x;
    y = y >= kSize.y ? y - kSize.y : y;
  }
  return slice * SLICE_STRIDE + x * STRIDE_X + y * STRIDE_Y;
}

// Columns 0 and W/2 of a real signal's spectrum are their own mirrors.
bool self_mirrored(uint q) { return q == 0u || 2u * q == kSize.x; }

#if !BETWEEN_BUFFERS
float2 pair_times_minus_i(float2 x) { return float2(x.y, -x.x); }

// From both lines of a column to the spectra of its channels: member m gets channel m, with two signals channels 2 m
// and 2 m + 1. All invocations must call this.
T split(T value, uint member) {
  bool first = member % 2u == 0u;
#if ONEPASS_FOURIER_SIGNALS == 2
  float2 other = onepass_shuffle_xor(first ? value.zw : value.xy, 1u);
  float2 a = first ? value.xy : other;
  float2 b = first ? other : value.zw;
  return float4(a + b, pair_times_minus_i(a - b));
#else
  float2 other = onepass_shuffle_xor(value, 1u);
  return first ? value + other : onepass_times_minus_i(other - value);
#endif
}

// The inverse of split(), with re and im exchanged.
T unite(T value, uint member) {
  bool first = member % 2u == 0u;
#if ONEPASS_FOURIER_SIGNALS == 2
  float2 a = value.xy + pair_times_minus_i(value.zw);
  float2 b = value.xy - pair_times_minus_i(value.zw);
  float2 other = onepass_shuffle_xor(first ? b : a, 1u);
  return first ? float4(a, other) : float4(other, b);
#else
  float2 other = onepass_shuffle_xor(value, 1u);
  return first ? value + onepass_times_minus_i(other) : other - onepass_times_minus_i(value);
#endif
}

// Makes the channels of an inverse-transformed self-mirrored column real, or the non-Hermitian part of one spectrum
// would leak into the other channel. For member 0, which alone is stored, with re and im exchanged; other columns do
// not change. All invocations of a workgroup must call this.
T real_channels(T value, uint q) {
  T real = 0.5 * (value - ONEPASS_CONJUGATE * onepass_shuffle_xor(value, 1u));
  return self_mirrored(q) ? real : value;
}
#endif

T load_forward(uint line, uint slice, uint b, const uint more) {
  uint q = line / kLinesOfColumn;
  uint member = line % kLinesOfColumn;
#if !BETWEEN_BUFFERS
  if (BOUNDARY == BOUNDARY_NONE && KIND != ONEPASS_FOURIER_ROWS) {
    return read_element(column_element(slice, q, member, kSize.y, b, more), signal_of(member)) * sign_of(member);
  }
#endif
  uint row;
  bool exists = crop_texel(b + more, kPlacement.y, kSize.y, kCropSize.y, row);
  COUNT_ONLY_IF(exists);
#if ONEPASS_FOURIER_SIGNALS == 1
  if (KIND == ONEPASS_FOURIER_ROWS) {
    uint rows = pair_rows(kCropSize.y);
    bool second = row >= rows;
    row = second ? row - rows : row;
    uint mirror = q == 0u ? 0u : kSize.x - q;
    float2 z = read_pair(between(slice, q, row, 0u, kSize.x, rows));
    float2 m = read_pair(between(slice, mirror, row, 0u, kSize.x, rows));
    return ONLY_IF(exists, second ? float2(z.y + m.y, m.x - z.x) : float2(z.x + m.x, z.y - m.y));
  }
#endif
  uint rows = kCropSize.y;
  T value = read_element(column_element(slice, q, member, rows, row, 0u), signal_of(member)) * sign_of(member);
#if BETWEEN_BUFFERS
  if (JOIN) {
    float2 other = read_element(column_element(slice, q, member ^ 1u, rows, row, 0u), signal_of(member));
    value = member % 2u == 0u ? float2(value.x + other.x, value.y - other.y) : onepass_times_minus_i(other - value);
  }
#endif
  return ONLY_IF(exists, value);
}

#if STAGE == COLUMNS
void store_forward(uint line, uint slice, uint b, const uint more, T value) {
  uint member = line % kLinesOfColumn;
  uint element = spectrum_element(slice, line / kLinesOfColumn, b + more);
  value = scaled(value);
#if ONEPASS_FOURIER_SIGNALS == 2
  if (CHANNELS != 3u) {
    write_two(element * (CHANNELS / 2u) + member, value);
  } else {
    write_pair(element * 3u + 2u * member, value.xy);
    if (member == 0u) write_pair(element * 3u + 1u, value.zw);
  }
#else
  if (member < CHANNELS) write_pair(element * CHANNELS + member, value);
#endif
}

// The values of `member` at a frequency, in the layout of store_forward().
T spectrum_value(uint slice, uint q, uint ky, uint member) {
  uint element = spectrum_element(slice, q, ky);
#if ONEPASS_FOURIER_SIGNALS == 2
  if (CHANNELS != 3u) return read_two(element * (CHANNELS / 2u) + member);
  float2 first = read_pair(element * 3u + 2u * member);
  COUNT_ONLY_IF(member == 0u);
  return float4(first, ONLY_IF(member == 0u, read_pair(element * 3u + 1u)));
#else
  if (member >= CHANNELS) return none();
  return read_pair(element * CHANNELS + member);
#endif
}

#if BETWEEN_BUFFERS
// Without real_channels() the non-Hermitian part is removed on load.
T load_one(uint slice, uint q, uint ky, uint member) {
  T value = onepass_swapped(spectrum_value(slice, q, ky, member));
  if (KIND != ONEPASS_FOURIER_CHANNELS || !self_mirrored(q)) return value;
  T other = spectrum_value(slice, q, ky == 0u ? 0u : kSize.y - ky, member);
  return 0.5 * (value - onepass_times_minus_i(other));
}
#endif

T load_inverse(uint line, uint slice, uint b, const uint more) {
  uint position = b + more;
  uint q = line / kLinesOfColumn;
  uint member = line % kLinesOfColumn;
#if BETWEEN_BUFFERS
  T value = load_one(slice, q, position, member);
  if (KIND != ONEPASS_FOURIER_CHANNELS) return value;
  T other = load_one(slice, q, position, member ^ 1u);
  return member % 2u == 0u ? value + onepass_times_minus_i(other) : other - onepass_times_minus_i(value);
#else
  return onepass_swapped(spectrum_value(slice, q, position, member));
#endif
}
#endif

void store_inverse(uint line, uint slice, uint b, const uint more, T value) {
  uint q = line / kLinesOfColumn;
  uint member = line % kLinesOfColumn;
  uint row = WHOLE ? b : b + more - kResultAt.y;  // rows before the first wrap around
  const uint rest = WHOLE ? more : 0u;
  uint rows = kResultSize.y;
  if (!WHOLE && row >= rows) return;
  value = scaled(onepass_swapped(value)) * sign_of(member);
#if ONEPASS_FOURIER_SIGNALS == 1
  if (KIND == ONEPASS_FOURIER_ROWS) {
    write_pair(between(slice, q, row, rest, kSize.x / 2u + 1u, rows), value);
    return;
  }
#endif
  if (KIND == ONEPASS_FOURIER_CHANNELS && member % 2u == 1u && self_mirrored(q)) return;
  write_element(column_element(slice, q, member, rows, row, rest), signal_of(member), value);
}

#if STAGE == COLUMNS_BOTH
#define load load_forward
#define store store_inverse
#else
T load(uint line, uint slice, uint b, const uint more) {
  if (INVERSE) return load_inverse(line, slice, b, more);
  return load_forward(line, slice, b, more);
}

void store(uint line, uint slice, uint b, const uint more, T value) {
  if (INVERSE) {
    store_inverse(line, slice, b, more, value);
  } else {
    store_forward(line, slice, b, more, value);
  }
}
#endif
