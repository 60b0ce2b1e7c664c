// viewer_decoders.js SOURCE FOLDER: the decoders of the volume viewer, SOURCE, against the files that viewer_frames.py
// has written, and against damaged ones.
const assert = require('assert');
const fs = require('fs');
const path = require('path');

const [source, folder] = process.argv.slice(2);
const { decodeZstd, decodeLz4, decodeBlosc } = new Function(
  `${fs.readFileSync(source, 'utf8')}; return { decodeZstd, decodeLz4, decodeBlosc };`,
)();

// What a frame consists of, read without decoding it: kinds of blocks, of literals, of tables of sequences.
function kindsOf(frame, kinds) {
  const flags = frame[4];
  let at = 5 + (flags & 32 ? 0 : 1) + [flags & 32 ? 1 : 0, 2, 4, 8][flags >> 6];
  for (let last = 0; !last; ) {
    const header = frame.readUIntLE(at, 3);
    last = header & 1;
    const type = (header >> 1) & 3;
    kinds.add(['raw block', 'block of one byte', 'compressed block'][type]);
    at += 3;
    if (type === 2) kindsOfBlock(frame.subarray(at, at + (header >> 3)), kinds);
    at += type === 1 ? 1 : header >> 3;
  }
  if (flags & 4) kinds.add('checksum');
}

function kindsOfBlock(block, kinds) {
  const type = block[0] & 3;
  const format = (block[0] >> 2) & 3;
  const bytes = type < 2 ? [1, 2, 1, 3][format] : [3, 3, 4, 5][format];
  const size = block.readUIntLE(0, bytes);
  const bits = [10, 10, 14, 18][format];
  const count = type < 2 ? size >> (bytes === 1 ? 3 : 4) : Math.floor(size / 2 ** (4 + bits));
  const streams = format === 0 ? 'one stream' : 'four streams';
  kinds.add(
    ['raw literals', 'literals of one byte', `Huffman, ${streams}`, `Huffman of the block before, ${streams}`][type],
  );
  if (type === 2) kinds.add(block[bytes] < 128 ? 'weights by entropy' : 'weights of four bits');
  let at = bytes + (type === 1 ? 1 : count);
  const sequences = block[at];
  if (sequences === 0) return kinds.add('no sequences');
  at += sequences < 128 ? 1 : sequences < 255 ? 2 : 3;
  for (const shift of [6, 4, 2]) {
    kinds.add(
      ['predefined table', 'table of one code', 'table', 'table of the block before'][(block[at] >> shift) & 3],
    );
  }
  return kinds;
}

// A damaged file is an error, or what is damaged says nothing: the output has its size, and with a checksum its bytes.
function damage(decode, file, raw, checked) {
  const attempt = (bytes, must) => {
    try {
      const made = decode(bytes, raw.length);
      assert.ok(!must && made.length === raw.length);
      if (checked) assert.ok(Buffer.from(made).equals(raw));
      return 0;
    } catch (error) {
      assert.strictEqual(error.constructor, Error, error.stack);
      return 1;
    }
  };
  let errors = 0;
  for (let i = 0; i < 25; ++i) errors += attempt(file.subarray(0, Math.floor((file.length * i) / 25)), true);
  for (let i = 0; i < 100; ++i) {
    const bytes = Uint8Array.from(file);
    const bit = (i * 7919 + ((i * i * 31) % 101)) % (8 * Math.min(file.length, i % 3 ? 300 : file.length));
    bytes[bit >> 3] ^= 1 << (bit & 7);
    errors += attempt(bytes, false);
  }
  assert.throws(() => decode(file, raw.length + 1));
  assert.throws(() => decode(file, raw.length - 1));
  return errors;
}

const kinds = new Set();
let errors = 0;
let files = 0;
for (const name of fs.readdirSync(folder).sort()) {
  const [content, variant, ending] = name.split('.');
  if (ending === undefined) continue;
  const raw = fs.readFileSync(path.join(folder, `${content}.raw`));
  const file = new Uint8Array(fs.readFileSync(path.join(folder, name)));
  const decode = ending === 'zst' ? decodeZstd : decodeBlosc;
  assert.ok(Buffer.from(decode(file, raw.length)).equals(raw), name);
  ++files;
  if (ending === 'zst' && variant !== 'two') kindsOf(Buffer.from(file), kinds);
  const small = raw.length < 40000 || (content === 'few' && ending === 'zst');
  if (small && /^(1|2|5|13|window|lz42140965|zstd2100|zstd2140965)$/.test(variant)) {
    errors += damage(decode, file, raw, ending === 'zst' && variant % 2 === 1);
  }
}

const wanted = [
  'raw block',
  'block of one byte',
  'compressed block',
  'raw literals',
  'literals of one byte',
  'Huffman, one stream',
  'Huffman, four streams',
  'Huffman of the block before, four streams',
  'weights by entropy',
  'weights of four bits',
  'no sequences',
  'predefined table',
  'table of one code',
  'table',
  'table of the block before',
  'checksum',
];
for (const kind of wanted) assert.ok(kinds.has(kind), `no frame has: ${kind}`);

// A block of LZ4 by hand: "ab", then 6 bytes from 2 before, then "c".
const lz4 = (bytes, size) => Buffer.from(decodeLz4(Uint8Array.from(bytes), size)).toString();
assert.strictEqual(lz4([0x22, 97, 98, 2, 0, 0x10, 99], 9), 'ababababc');
assert.throws(() => lz4([0x22, 97, 98, 3, 0, 0x10, 99], 9), /match outside/);
assert.throws(() => lz4([0x22, 97, 98, 0, 0, 0x10, 99], 9), /match outside/);
assert.throws(() => lz4([0xf2, 255, 255], 9), /ends too early/);
// A frame by hand: literals "ab", then 6 bytes from 2 before, as tables of one code and a byte of bits.
const text = (bytes) => Buffer.from(bytes).toString();
const matching = (bits) => [0x28, 0xb5, 0x2f, 0xfd, 0x20, 8, 0x4d, 0, 0, 0x10, 97, 98, 1, 0x54, 2, 2, 3, bits];
assert.strictEqual(text(decodeZstd(Uint8Array.from(matching(0b101)), 8)), 'abababab');
assert.throws(() => decodeZstd(Uint8Array.from(matching(0b110)), 8), /match lies before the chunk/);
assert.throws(() => decodeZstd(Uint8Array.from(matching(0b1011)), 8), /sequences have another length/);
assert.throws(() => decodeZstd(Uint8Array.from(matching(0b11)), 8), /sequences end too early/);
assert.throws(() => decodeZstd(Uint8Array.from(matching(0)), 8), /no end/);
// Four literals of a Huffman code of two words of one bit.
const coded = (bits) => [0x28, 0xb5, 0x2f, 0xfd, 0x20, 4, 0x3d, 0, 0, 0x42, 0xc0, 0, 0x80, 0x10, bits, 0];
assert.deepStrictEqual([...decodeZstd(Uint8Array.from(coded(0b10101)), 4)], [0, 1, 0, 1]);
assert.throws(() => decodeZstd(Uint8Array.from(coded(0b101010)), 4), /another length/);
assert.throws(() => decodeZstd(Uint8Array.from(coded(0b1010)), 4), /ends too early/);

// A block of Blosc that is stored as it is, of two elements and a half.
const shuffled = [2, 1, 0x31, 2, 5, 0, 0, 0, 5, 0, 0, 0, 29, 0, 0, 0, 20, 0, 0, 0, 5, 0, 0, 0, ...Buffer.from('acbde')];
assert.strictEqual(text(decodeBlosc(Uint8Array.from(shuffled), 5)), 'abcde');
shuffled[2] |= 4;
assert.throws(() => decodeBlosc(Uint8Array.from(shuffled), 5), /not the shuffle of bytes/);
console.log(`${files} files are right, ${errors} damaged ones are errors`);
