// volume_viewer_decode.js: decoders of chunks, in the Web Workers of the volume viewer. Each returns exactly `size`
// bytes or throws an Error whose message continues "FILE is damaged: ". Lengths in a file are checked before anything
// is written, and every loop consumes input or makes output, so that damaged files end, too.
//
// Sources: Y. Collet, M. Kucherawy, "Zstandard Compression and the application/zstd Media Type", RFC 8878, 2021; Y.
// Collet, "LZ4 Block Format Description"; "Blosc Chunk Format", version 1; Y. Collet, "xxHash fast digest algorithm",
// version 0.1.1.
'use strict';

function need(condition, message) {
  if (!condition) throw new Error(message);
}

// ---- Zstandard

const kMostBlock = 1 << 17; // bytes that a block may stand for

// Codes 0 to `first` - 1 of lengths stand for `from` + code, the others for a base and some bits that follow.
function lengthCodes(first, from, bits) {
  const bases = Array.from({ length: first }, (_, code) => from + code);
  const extra = bases.map(() => 0);
  for (let code = first, base = from + first; code < first + bits.length; ++code) {
    bases.push(base);
    extra.push(bits[code - first]);
    base += 2 ** bits[code - first];
  }
  return { bases: Uint32Array.from(bases), extra: Uint8Array.from(extra) };
}
const kLiteralLengths = lengthCodes(16, 0, [1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);
const kMatchLengths = lengthCodes(32, 3, [1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);

// The three kinds of numbers of a sequence, in the order of their tables: the largest code and table, the predefined
// distribution (RFC 8878, 3.1.1.3.2.2).
const repeat = (count, value) => new Array(count).fill(value);
const kKinds = [
  {
    name: 'literal lengths',
    mostCode: 35,
    mostLog: 9,
    log: 6,
    counts: [4, 3, ...repeat(11, 2), 1, 1, 1, ...repeat(9, 2), 3, 2, ...repeat(5, 1), ...repeat(4, -1)],
  },
  {
    name: 'offsets',
    mostCode: 31,
    mostLog: 8,
    log: 5,
    counts: [...repeat(6, 1), 2, 2, 2, ...repeat(15, 1), ...repeat(5, -1)],
  },
  {
    name: 'match lengths',
    mostCode: 52,
    mostLog: 9,
    log: 6,
    counts: [1, 4, 3, ...repeat(6, 2), ...repeat(37, 1), ...repeat(7, -1)],
  },
];

const highestBit = (value) => 31 - Math.clz32(value);

// The table of a finite state entropy code: per state the symbol, the number of bits to read, what to add to them.
// `counts` are the probabilities of symbols in 2^-log; -1: less than one.
function entropyTable(counts, log) {
  const size = 1 << log;
  const symbols = new Uint8Array(size);
  const bits = new Uint8Array(size);
  const bases = new Uint16Array(size);
  const next = counts.map((count) => Math.abs(count));
  let high = size;
  counts.forEach((count, symbol) => {
    if (count < 0) symbols[--high] = symbol;
  });
  const step = (size >> 1) + (size >> 3) + 3;
  let at = 0;
  counts.forEach((count, symbol) => {
    for (let i = 0; i < count; ++i) {
      symbols[at] = symbol;
      do at = (at + step) & (size - 1);
      while (at >= high);
    }
  });
  for (let state = 0; state < size; ++state) {
    const number = next[symbols[state]]++;
    bits[state] = log - highestBit(number);
    bases[state] = (number << bits[state]) - size;
  }
  return { log, symbols, bits, bases };
}

const oneSymbol = (symbol) => ({
  log: 0,
  symbols: Uint8Array.of(symbol),
  bits: new Uint8Array(1),
  bases: new Uint16Array(1),
});

// Bits of bytes [begin, end) from the last to the first, below the mark that is the highest one of the last byte.
// `data` has 8 bytes more. Before the first bit there are zeros; `left` is negative then.
class BackwardBits {
  constructor(data, begin, end) {
    need(end > begin && data[end - 1] !== 0, 'a stream of bits has no end');
    this.data = data;
    this.begin = begin;
    this.left = 8 * (end - 1 - begin) + highestBit(data[end - 1]);
  }

  read(count) {
    if (count > 24) {
      const high = this.read(count - 16);
      return high * 65536 + this.read(16);
    }
    this.left -= count;
    if (this.left < 0) return count + this.left > 0 ? this.bitsAt(0, count + this.left) << -this.left : 0;
    return this.bitsAt(this.left, count);
  }

  bitsAt(bit, count) {
    const { data } = this;
    const at = this.begin + (bit >> 3);
    const word = data[at] | (data[at + 1] << 8) | (data[at + 2] << 16) | (data[at + 3] << 24);
    return (word >>> (bit & 7)) & ((1 << count) - 1);
  }
}

// The distribution of a finite state entropy code, from byte `at` on; returns the table and the byte behind it.
function readDistribution(data, at, end, { mostCode, mostLog }) {
  let bit = 8 * at;
  const peek = (count) => {
    need(bit + count <= 8 * end + 7, 'a table ends too early');
    const from = bit >> 3;
    return ((data[from] | (data[from + 1] << 8) | (data[from + 2] << 16)) >>> (bit & 7)) & ((1 << count) - 1);
  };
  const take = (count) => {
    const value = peek(count);
    bit += count;
    return value;
  };
  const log = take(4) + 5;
  need(log <= mostLog, 'a table is too large');
  const counts = [];
  let left = 1 << log;
  while (left > 0) {
    need(counts.length <= mostCode, 'a table has too many codes');
    // Values below `short` have one bit less than the others.
    const length = highestBit(left + 1) + 1;
    const short = 2 ** length - 2 - left;
    let value = peek(length);
    const low = value & ((1 << (length - 1)) - 1);
    if (low < short) {
      bit += length - 1;
      value = low;
    } else {
      bit += length;
      if (value >= 1 << (length - 1)) value -= short;
    }
    const count = value - 1;
    counts.push(count);
    left -= Math.abs(count);
    if (count !== 0) continue;
    for (let zeros = 3; zeros === 3; ) {
      zeros = take(2);
      for (let i = 0; i < zeros; ++i) counts.push(0);
      need(counts.length <= mostCode + 1, 'a table has too many codes');
    }
  }
  const behind = (bit + 7) >> 3;
  need(left === 0 && behind <= end, 'a table has wrong sums');
  return { table: entropyTable(counts, log), behind };
}

// Weights of a Huffman code, which two alternating states of an entropy code give until the bits end.
function readWeights(data, begin, end) {
  const { table, behind } = readDistribution(data, begin, end, { mostCode: 255, mostLog: 6 });
  const bits = new BackwardBits(data, behind, end);
  const states = [bits.read(table.log), bits.read(table.log)];
  const weights = [];
  for (let turn = 0; ; turn ^= 1) {
    need(weights.length < 254, 'a Huffman code has too many weights');
    const state = states[turn];
    weights.push(table.symbols[state]);
    states[turn] = table.bases[state] + bits.read(table.bits[state]);
    if (bits.left < 0) {
      weights.push(table.symbols[states[turn ^ 1]]);
      return weights;
    }
  }
}

// A Huffman code as a table of its longest words: symbol and length of the word at the front.
function readHuffman(data, at, end) {
  need(at < end, 'a Huffman code ends too early');
  const header = data[at++];
  const behind = at + (header < 128 ? header : (header - 126) >> 1);
  need(behind <= end, 'a Huffman code ends too early');
  const weights =
    header < 128
      ? readWeights(data, at, behind)
      : Array.from({ length: header - 127 }, (_, i) => (i & 1 ? data[at + (i >> 1)] & 15 : data[at + (i >> 1)] >> 4));
  let sum = 0;
  for (const weight of weights) {
    need(weight <= 11, 'a Huffman code has words that are too long');
    sum += weight > 0 ? 1 << (weight - 1) : 0;
  }
  need(sum > 0, 'a Huffman code is empty');
  const log = highestBit(sum) + 1;
  const rest = (1 << log) - sum;
  need(log <= 11 && (rest & (rest - 1)) === 0, 'a Huffman code is not complete');
  weights.push(highestBit(rest) + 1);
  const symbols = new Uint8Array(1 << log);
  const lengths = new Uint8Array(1 << log);
  let from = 0;
  for (let weight = 1; weight <= log; ++weight) {
    weights.forEach((own, symbol) => {
      if (own !== weight) return;
      const to = from + (1 << (weight - 1));
      symbols.fill(symbol, from, to);
      lengths.fill(log + 1 - weight, from, to);
      from = to;
    });
  }
  return { code: { log, symbols, lengths }, behind };
}

// Decodes literals [from, to) of `out` from the stream in bytes [begin, end).
function readStream(data, begin, end, { log, symbols, lengths }, out, from, to) {
  const bits = new BackwardBits(data, begin, end);
  let { left } = bits;
  const mask = (1 << log) - 1;
  for (let i = from; i < to; ++i) {
    const bit = left - log;
    let word;
    if (bit >= 0) {
      const at = begin + (bit >> 3);
      word = ((data[at] | (data[at + 1] << 8) | (data[at + 2] << 16)) >>> (bit & 7)) & mask;
    } else {
      need(left > 0, 'a stream of literals ends too early');
      word = (bits.bitsAt(0, left) << -bit) & mask;
    }
    out[i] = symbols[word];
    left -= lengths[word];
  }
  need(left === 0, 'a stream of literals has another length');
}

// The literals of a block, and the byte behind them.
function readLiterals(frame, data, at, end) {
  const type = data[at] & 3;
  const format = (data[at] >> 2) & 3;
  const little = (from, count) => {
    let value = 0;
    for (let i = count - 1; i >= 0; --i) value = value * 256 + data[from + i];
    return value;
  };
  if (type < 2) {
    const bytes = [1, 2, 1, 3][format];
    const count = Math.floor(little(at, bytes) / (bytes === 1 ? 8 : 16));
    at += bytes;
    need(count <= kMostBlock && at + (type === 0 ? count : 1) <= end, 'literals are too long');
    if (type === 0) return { literals: data.subarray(at, at + count), behind: at + count };
    return { literals: new Uint8Array(count).fill(data[at]), behind: at + 1 };
  }
  const bytes = [3, 3, 4, 5][format];
  const width = [10, 10, 14, 18][format];
  const header = little(at, bytes);
  const count = Math.floor(header / 16) % 2 ** width;
  const stored = Math.floor(header / 16 / 2 ** width);
  at += bytes;
  const behind = at + stored;
  need(count <= kMostBlock && behind <= end, 'literals are too long');
  if (type === 2) {
    const read = readHuffman(data, at, behind);
    frame.huffman = read.code;
    at = read.behind;
  }
  need(frame.huffman, 'literals have no Huffman code');
  const literals = new Uint8Array(count);
  if (format === 0) {
    readStream(data, at, behind, frame.huffman, literals, 0, count);
    return { literals, behind };
  }
  need(at + 6 <= behind, 'literals end too early');
  const part = (count + 3) >> 2;
  let begin = at + 6;
  for (let i = 0; i < 4; ++i) {
    const stop = i < 3 ? begin + little(at + 2 * i, 2) : behind;
    const to = i < 3 ? part * (i + 1) : count;
    need(stop <= behind && to <= count, 'literals are too long');
    readStream(data, begin, stop, frame.huffman, literals, part * i, to);
    begin = stop;
  }
  return { literals, behind };
}

// The tables of a block's sequences: predefined, of one symbol, from the block, or those of the block before.
function readTables(frame, data, at, end) {
  const modes = data[at++];
  need((modes & 3) === 0, 'sequences have an unknown mode');
  kKinds.forEach((kind, i) => {
    const mode = (modes >> (6 - 2 * i)) & 3;
    if (mode === 0) {
      frame.tables[i] = kind.table ??= entropyTable(kind.counts, kind.log);
    } else if (mode === 1) {
      need(at < end && data[at] <= kind.mostCode, `a table of ${kind.name} has an unknown code`);
      frame.tables[i] = oneSymbol(data[at++]);
    } else if (mode === 2) {
      const { table, behind } = readDistribution(data, at, end, kind);
      frame.tables[i] = table;
      at = behind;
    }
    need(frame.tables[i], `a table of ${kind.name} is missing`);
  });
  return at;
}

// The distance of a match. Values 1 to 3 stand for recent distances.
function distanceOf(recent, value, literalLength) {
  const index = value > 3 ? 3 : value - 1 + (literalLength === 0 ? 1 : 0);
  if (index === 0) return recent[0];
  const distance = value > 3 ? value - 3 : index < 3 ? recent[index] : recent[0] - 1;
  if (index > 1) recent[2] = recent[1];
  recent[1] = recent[0];
  recent[0] = distance;
  return distance;
}

// Writes the sequences of a block: literals, then a copy of what was `distance` bytes before.
function runSequences(frame, data, at, end, count, literals) {
  const { out } = frame;
  const [lengths, offsets, matches] = frame.tables;
  const bits = new BackwardBits(data, at, end);
  let lengthState = bits.read(lengths.log);
  let offsetState = bits.read(offsets.log);
  let matchState = bits.read(matches.log);
  let to = frame.at;
  let used = 0;
  for (let i = 0; i < count; ++i) {
    const offsetCode = offsets.symbols[offsetState];
    const lengthCode = lengths.symbols[lengthState];
    const matchCode = matches.symbols[matchState];
    const value = 2 ** offsetCode + bits.read(offsetCode);
    let match = kMatchLengths.bases[matchCode] + bits.read(kMatchLengths.extra[matchCode]);
    const length = kLiteralLengths.bases[lengthCode] + bits.read(kLiteralLengths.extra[lengthCode]);
    if (i + 1 < count) {
      lengthState = lengths.bases[lengthState] + bits.read(lengths.bits[lengthState]);
      matchState = matches.bases[matchState] + bits.read(matches.bits[matchState]);
      offsetState = offsets.bases[offsetState] + bits.read(offsets.bits[offsetState]);
    }
    const distance = distanceOf(frame.recent, value, length);
    need(bits.left >= 0, 'sequences end too early');
    need(used + length <= literals.length && to + length + match <= out.length, 'sequences are longer than the chunk');
    for (const stop = used + length; used < stop; ) out[to++] = literals[used++];
    need(distance > 0 && distance <= to - frame.begin, 'a match lies before the chunk');
    for (let from = to - distance; match > 0; --match) out[to++] = out[from++];
  }
  need(bits.left === 0, 'sequences have another length');
  frame.at = to;
  return used;
}

function readBlock(frame, data, at, end) {
  need(at < end, 'a block is empty');
  const { literals, behind } = readLiterals(frame, data, at, end);
  at = behind;
  need(at < end, 'a block has no sequences');
  let count = data[at++];
  if (count === 255) {
    count = data[at] + (data[at + 1] << 8) + 0x7f00;
    at += 2;
  } else if (count >= 128) {
    count = ((count - 128) << 8) + data[at++];
  }
  const begin = frame.at;
  let used = 0;
  if (count > 0) {
    need(at < end, 'sequences end too early');
    at = readTables(frame, data, at, end);
    used = runSequences(frame, data, at, end, count, literals);
  } else {
    need(at === end, 'a block has bytes behind its end');
  }
  need(frame.at + literals.length - used <= frame.out.length, 'it is longer than the chunk');
  frame.out.set(literals.subarray(used), frame.at);
  frame.at += literals.length - used;
  need(frame.at - begin <= kMostBlock, 'a block is too long');
}

// The low 32 bits of the XXH64 digest of bytes, with seed 0.
function checksumOf(bytes) {
  const [p1, p2, p3, p4, p5] = [
    0x9e3779b185ebca87n,
    0xc2b2ae3d27d4eb4fn,
    0x165667b19e3779f9n,
    0x85ebca77c2b2ae63n,
    0x27d4eb2f165667c5n,
  ];
  const wrap = (value) => BigInt.asUintN(64, value);
  const turn = (value, count) => wrap(value << count) | (value >> (64n - count));
  const round = (lane, word) => wrap(turn(wrap(lane + word * p2), 31n) * p1);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = 0;
  let hash = p5;
  if (bytes.length >= 32) {
    const lanes = [wrap(p1 + p2), p2, 0n, wrap(-p1)];
    for (; at + 32 <= bytes.length; at += 32) {
      for (let i = 0; i < 4; ++i) lanes[i] = round(lanes[i], view.getBigUint64(at + 8 * i, true));
    }
    hash = wrap(turn(lanes[0], 1n) + turn(lanes[1], 7n) + turn(lanes[2], 12n) + turn(lanes[3], 18n));
    for (const lane of lanes) hash = wrap((hash ^ round(0n, lane)) * p1 + p4);
  }
  hash = wrap(hash + BigInt(bytes.length));
  for (; at + 8 <= bytes.length; at += 8) {
    hash = wrap(turn(hash ^ round(0n, view.getBigUint64(at, true)), 27n) * p1 + p4);
  }
  for (; at + 4 <= bytes.length; at += 4) {
    hash = wrap(turn(hash ^ wrap(BigInt(view.getUint32(at, true)) * p1), 23n) * p2 + p3);
  }
  for (; at < bytes.length; ++at) hash = wrap(turn(hash ^ wrap(BigInt(bytes[at]) * p5), 11n) * p1);
  hash = wrap((hash ^ (hash >> 33n)) * p2);
  hash = wrap((hash ^ (hash >> 29n)) * p3);
  return Number((hash ^ (hash >> 32n)) & 0xffffffffn);
}

// Decodes the frame at byte `at` of `view` into `out` from byte `begin` on. Returns the bytes behind both.
function readFrame(data, view, length, at, out, begin) {
  need(at + 5 <= length, 'its Zstandard frame ends too early');
  const magic = view.getUint32(at, true);
  if (magic >>> 4 === 0x184d2a5) {
    need(at + 8 <= length, 'its Zstandard frame ends too early');
    return [at + 8 + view.getUint32(at + 4, true), begin];
  }
  need(magic === 0xfd2fb528, 'it is no Zstandard frame');
  const flags = data[at + 4];
  need((flags & 8) === 0, 'its Zstandard frame has an unknown flag');
  const single = (flags >> 5) & 1;
  at += 5 + (single ? 0 : 1);
  const idBytes = [0, 1, 2, 4][flags & 3];
  for (let i = 0; i < idBytes; ++i) need(data[at + i] === 0, 'its Zstandard frame needs a dictionary');
  at += idBytes + [single, 2, 4, 8][flags >> 6];
  const frame = { out, begin, at: begin, huffman: null, tables: [null, null, null], recent: [1, 4, 8] };
  for (let last = 0; last === 0; ) {
    need(at + 3 <= length, 'its Zstandard frame ends too early');
    const header = data[at] | (data[at + 1] << 8) | (data[at + 2] << 16);
    at += 3;
    last = header & 1;
    const type = (header >> 1) & 3;
    const size = header >> 3;
    const stored = type === 1 ? 1 : size;
    need(type < 3 && size <= kMostBlock, 'a block has an unknown type');
    need(at + stored <= length, 'its Zstandard frame ends too early');
    if (type < 2) need(frame.at + size <= out.length, 'it is longer than the chunk');
    if (type === 0) out.set(data.subarray(at, at + size), frame.at);
    if (type === 1) out.fill(data[at], frame.at, frame.at + size);
    if (type === 2) readBlock(frame, data, at, at + size);
    else frame.at += size;
    at += stored;
  }
  if ((flags & 4) === 0) return [at, frame.at];
  need(at + 4 <= length, 'its Zstandard frame ends too early');
  need(view.getUint32(at, true) === checksumOf(out.subarray(begin, frame.at)), 'its checksum is another one');
  return [at + 4, frame.at];
}

/** Zstandard frames, one after the other. */
function decodeZstd(source, size) {
  const data = new Uint8Array(source.length + 8); // readers of bits take whole words
  data.set(source);
  const view = new DataView(data.buffer);
  const out = new Uint8Array(size);
  let at = 0;
  let end = 0;
  while (at < source.length) [at, end] = readFrame(data, view, source.length, at, out, end);
  need(at === source.length && end === size, 'it is shorter than the chunk');
  return out;
}

// ---- LZ4 and Blosc

/** A block of LZ4. */
function decodeLz4(source, size) {
  const out = new Uint8Array(size);
  let at = 0;
  let to = 0;
  const lengthOf = (nibble) => {
    let length = nibble;
    for (let byte = nibble === 15 ? 255 : 0; byte === 255; length += byte) {
      need(at < source.length, 'its LZ4 block ends too early');
      byte = source[at++];
    }
    return length;
  };
  while (at < source.length) {
    const token = source[at++];
    const literals = lengthOf(token >> 4);
    need(at + literals <= source.length && to + literals <= size, 'its LZ4 block has literals behind its end');
    out.set(source.subarray(at, at + literals), to);
    at += literals;
    to += literals;
    if (at === source.length) break;
    need(at + 2 <= source.length, 'its LZ4 block ends too early');
    const distance = source[at] | (source[at + 1] << 8);
    at += 2;
    let match = lengthOf(token & 15) + 4;
    need(distance > 0 && distance <= to && to + match <= size, 'its LZ4 block has a match outside the chunk');
    for (let from = to - distance; match > 0; --match) out[to++] = out[from++];
  }
  need(to === size, 'its LZ4 block is shorter than the chunk');
  return out;
}

// Byte k of all elements stands before byte k + 1 of all; bytes behind the last whole element are in place.
function unshuffle(from, to, typesize) {
  const count = Math.floor(from.length / typesize);
  for (let k = 0; k < typesize; ++k) {
    for (let i = 0, at = k; i < count; ++i, at += typesize) to[at] = from[k * count + i];
  }
  to.set(from.subarray(count * typesize), count * typesize);
}

/** A chunk of Blosc 1: blocks, each of which may be split into one stream per byte of an element. */
function decodeBlosc(source, size) {
  need(source.length >= 16, 'its Blosc header ends too early');
  const view = new DataView(source.buffer, source.byteOffset, source.length);
  const int = (at) => {
    need(at >= 0 && at + 4 <= source.length, 'a block of Blosc lies outside of it');
    return view.getInt32(at, true);
  };
  const flags = source[2];
  const typesize = Math.max(source[3], 1);
  const blockSize = int(8);
  need(int(4) === size && int(12) === source.length, 'its Blosc header states other lengths');
  if (flags & 2) {
    need(source.length === size + 16, 'its Blosc header states other lengths');
    return source.slice(16);
  }
  need((flags & 12) === 0, 'its filter of Blosc is not the shuffle of bytes');
  const decode = { 1: decodeLz4, 4: decodeZstd }[flags >> 5];
  need(decode, 'its codec of Blosc is neither LZ4 nor Zstandard');
  need(blockSize > 0, 'its blocks of Blosc are empty');
  const out = new Uint8Array(size);
  for (let block = 0, begin = 0; begin < size; ++block, begin += blockSize) {
    const to = out.subarray(begin, Math.min(begin + blockSize, size));
    const splits = flags & 16 || to.length < blockSize ? 1 : typesize;
    need(to.length % splits === 0, 'its blocks of Blosc cannot be split');
    const plain = flags & 1 && typesize > 1 ? new Uint8Array(to.length) : to;
    const part = to.length / splits;
    let at = int(16 + 4 * block);
    for (let i = 0; i < splits; ++i) {
      const stored = int(at);
      at += 4;
      need(stored > 0 && at + stored <= source.length, 'a block of Blosc lies outside of it');
      const bytes = source.subarray(at, at + stored);
      plain.set(stored === part ? bytes : decode(bytes, part), i * part);
      at += stored;
    }
    if (plain !== to) unshuffle(plain, to, typesize);
  }
  return out;
}

/** Undoes the codecs of a chunk, the last one first. */
function decodeChunk(source, size, codecs) {
  const decoders = { zstd: decodeZstd, blosc: decodeBlosc };
  let bytes = source;
  for (const name of codecs) bytes = decoders[name](bytes, size);
  need(bytes.length === size, `it has ${bytes.length} bytes, not ${size}`);
  return bytes;
}
