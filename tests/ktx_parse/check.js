// check.js: reads KTX2 files with ktx-parse and compares what it sees with what the file's name says:
// FORMAT_WIDTHxHEIGHT_lLEVELS_sSLICES[_cube][_array][_zstd].ktx2
//
// usage: node check.js FILE...      exit status 1 if any file is wrong
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { read } from 'ktx-parse';

const UNSPECIFIED = 0,
  LINEAR = 1,
  SRGB = 2,
  BT709 = 1,
  RGBSDA = 1;
const ONE = 0x3f800000,
  MINUS_ONE = 0xbf800000;

// Bits of each channel from the lowest up, and how they are to be read; by the names of VkFormat.
const formats = {
  r8_unorm: { vk: 9, typeSize: 1, bits: [8] },
  r8_srgb: { vk: 15, typeSize: 1, bits: [8], srgb: true },
  r8g8_unorm: { vk: 16, typeSize: 1, bits: [8, 8] },
  r8g8_srgb: { vk: 22, typeSize: 1, bits: [8, 8], srgb: true },
  r8g8b8a8_unorm: { vk: 37, typeSize: 1, bits: [8, 8, 8, 8] },
  r8g8b8a8_srgb: { vk: 43, typeSize: 1, bits: [8, 8, 8, 8], srgb: true },
  b8g8r8a8_unorm: { vk: 44, typeSize: 1, bits: [8, 8, 8, 8], channels: [2, 1, 0, 15] },
  b8g8r8a8_srgb: { vk: 50, typeSize: 1, bits: [8, 8, 8, 8], channels: [2, 1, 0, 15], srgb: true },
  a2b10g10r10_unorm_pack32: { vk: 64, typeSize: 4, bits: [10, 10, 10, 2] },
  r16_unorm: { vk: 70, typeSize: 2, bits: [16] },
  r16_sfloat: { vk: 76, typeSize: 2, bits: [16], float: true },
  r16g16_unorm: { vk: 77, typeSize: 2, bits: [16, 16] },
  r16g16_sfloat: { vk: 83, typeSize: 2, bits: [16, 16], float: true },
  r16g16b16a16_unorm: { vk: 91, typeSize: 2, bits: [16, 16, 16, 16] },
  r16g16b16a16_sfloat: { vk: 97, typeSize: 2, bits: [16, 16, 16, 16], float: true },
  r32_sfloat: { vk: 100, typeSize: 4, bits: [32], float: true },
  r32g32_sfloat: { vk: 103, typeSize: 4, bits: [32, 32], float: true },
  r32g32b32a32_sfloat: { vk: 109, typeSize: 4, bits: [32, 32, 32, 32], float: true },
  b10g11r11_ufloat_pack32: { vk: 122, typeSize: 4, bits: [11, 11, 10], float: true, unsigned: true },
  d16_unorm: { vk: 124, typeSize: 2, bits: [16], depth: true },
  d32_sfloat: { vk: 126, typeSize: 4, bits: [32], float: true, depth: true },
};

// Blocks: bytes, colour model, and of each sample its channel with qualifiers and its limits.
const WHOLE = [0, 0xffffffff];
const SIGNED = [0x80000000, 0x7fffffff];
const blockFormats = {
  bc1_rgb_unorm: { vk: 131, bytes: 8, model: 128, samples: [[0, ...WHOLE]] },
  bc1_rgb_srgb: { vk: 132, bytes: 8, model: 128, samples: [[0, ...WHOLE]], srgb: true },
  bc1_rgba_unorm: { vk: 133, bytes: 8, model: 128, samples: [[1, ...WHOLE]] },
  bc1_rgba_srgb: { vk: 134, bytes: 8, model: 128, samples: [[1, ...WHOLE]], srgb: true },
  bc2_unorm: { vk: 135, bytes: 16, model: 129, samples: [[15, ...WHOLE], [0, ...WHOLE]] }, // prettier-ignore
  bc2_srgb: { vk: 136, bytes: 16, model: 129, samples: [[31, ...WHOLE], [0, ...WHOLE]], srgb: true }, // prettier-ignore
  bc3_unorm: { vk: 137, bytes: 16, model: 130, samples: [[15, ...WHOLE], [0, ...WHOLE]] }, // prettier-ignore
  bc3_srgb: { vk: 138, bytes: 16, model: 130, samples: [[31, ...WHOLE], [0, ...WHOLE]], srgb: true }, // prettier-ignore
  bc4_unorm: { vk: 139, bytes: 8, model: 131, samples: [[0, ...WHOLE]] },
  bc4_snorm: { vk: 140, bytes: 8, model: 131, samples: [[0x40, ...SIGNED]] },
  bc5_unorm: { vk: 141, bytes: 16, model: 132, samples: [[0, ...WHOLE], [1, ...WHOLE]] }, // prettier-ignore
  bc5_snorm: { vk: 142, bytes: 16, model: 132, samples: [[0x40, ...SIGNED], [0x41, ...SIGNED]] }, // prettier-ignore
  bc6h_ufloat: { vk: 143, bytes: 16, model: 133, samples: [[0x80, 0, ONE]] },
  bc6h_sfloat: { vk: 144, bytes: 16, model: 133, samples: [[0xc0, MINUS_ONE, ONE]] },
  bc7_unorm: { vk: 145, bytes: 16, model: 134, samples: [[0, ...WHOLE]] },
  bc7_srgb: { vk: 146, bytes: 16, model: 134, samples: [[0, ...WHOLE]], srgb: true },
};
const astcSizes = '4x4 5x4 5x5 6x5 6x6 8x5 8x6 8x8 10x5 10x6 10x8 10x10 12x10 12x12'.split(' ');
astcSizes.forEach((size, i) => {
  const astc = { bytes: 16, model: 162, samples: [[0, ...WHOLE]], block: size.split('x').map(Number) };
  blockFormats[`astc_${size}_unorm`] = { ...astc, vk: 157 + 2 * i };
  blockFormats[`astc_${size}_srgb`] = { ...astc, vk: 158 + 2 * i, srgb: true };
  blockFormats[`astc_${size}_sfloat`] = { ...astc, vk: 1000066000 + i, samples: [[0xc0, MINUS_ONE, ONE]] };
});
for (const format of Object.values(blockFormats)) {
  Object.assign(format, { typeSize: 1, block: format.block ?? [4, 4], bits: [8 * format.bytes] });
}

let failures = 0;
let checks = 0;

function expect(file, what, actual, expected) {
  ++checks;
  if (JSON.stringify(actual) === JSON.stringify(expected)) return;
  ++failures;
  console.error(`${file}: ${what} is ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`);
}

// What the data format descriptor has to say about each channel.
function expectedSamples(format) {
  if (format.block) {
    const bits = (8 * format.bytes) / format.samples.length;
    return format.samples.map(([channelType, lower, upper], i) => ({
      bitOffset: i * bits,
      bitLength: bits - 1,
      channelType,
      samplePosition: [0, 0, 0, 0],
      lower,
      upper,
    }));
  }
  let offset = 0;
  return format.bits.map((bits, i) => {
    let channel = format.depth ? 14 : (format.channels ?? [0, 1, 2, 15])[i];
    if (format.float) channel |= format.unsigned ? 0x80 : 0xc0;
    if (format.srgb && i === 3) channel |= 0x10;
    const sample = { bitOffset: offset, bitLength: bits - 1, channelType: channel, samplePosition: [0, 0, 0, 0] };
    sample.lower = format.float ? (format.unsigned ? 0 : MINUS_ONE) : 0;
    sample.upper = format.float ? ONE : 2 ** bits - 1;
    offset += bits;
    return sample;
  });
}

function checkDescriptor(file, format, texelBytes, blocks) {
  expect(file, 'number of descriptor blocks', blocks.length, 1);
  const block = blocks[0];
  expect(file, 'vendor, type, version', [block.vendorId, block.descriptorType, block.versionNumber], [0, 0, 2]);
  expect(file, 'colorModel', block.colorModel, format.model ?? RGBSDA);
  expect(file, 'colorPrimaries', block.colorPrimaries, format.depth ? UNSPECIFIED : BT709);
  const transfer = format.depth ? UNSPECIFIED : format.srgb ? SRGB : LINEAR;
  expect(file, 'transferFunction', block.transferFunction, transfer);
  expect(file, 'flags', block.flags, 0);
  const [width, height] = format.block ?? [1, 1];
  expect(file, 'texelBlockDimension', [...block.texelBlockDimension], [width - 1, height - 1, 0, 0]);
  expect(file, 'bytesPlane', [...block.bytesPlane], [texelBytes, 0, 0, 0, 0, 0, 0, 0]);
  const samples = block.samples.map((s) => ({
    bitOffset: s.bitOffset,
    bitLength: s.bitLength,
    channelType: s.channelType,
    samplePosition: [...s.samplePosition],
    lower: s.sampleLower >>> 0,
    upper: s.sampleUpper >>> 0,
  }));
  expect(file, 'samples', samples, expectedSamples(format));
}

// Sizes, contents, order and alignment of the levels. Byte i of level n is (31 n + i) mod 251.
function checkLevels(file, shape, texelBytes, levels, total) {
  expect(file, 'number of levels', levels.length, shape.levels);
  const multiple = texelBytes % 4 === 0 ? texelBytes : 4; // the least common multiple with 4
  let end = total;
  levels.forEach((level, n) => {
    const width = Math.max(1, shape.width >> n);
    const height = Math.max(1, shape.height >> n);
    const units = Math.ceil(width / shape.block[0]) * Math.ceil(height / shape.block[1]);
    const bytes = units * shape.slices * texelBytes;
    const data = level.levelData;
    expect(file, `uncompressed length of level ${n}`, level.uncompressedByteLength, bytes);
    const gap = end - data.byteOffset - data.byteLength;
    end = data.byteOffset;
    if (shape.zstd) {
      expect(file, `padding after level ${n}`, gap, 0);
      expect(file, `Zstandard signature of level ${n}`, [...data.slice(0, 4)], [0x28, 0xb5, 0x2f, 0xfd]);
      return;
    }
    expect(file, `length of level ${n}`, data.byteLength, bytes);
    expect(file, `alignment of level ${n}`, data.byteOffset % multiple, 0);
    expect(file, `less padding than the alignment after level ${n}`, gap >= 0 && gap < multiple, true);
    expect(
      file,
      `bytes of level ${n}`,
      data.findIndex((value, i) => value !== (31 * n + i) % 251),
      -1,
    );
  });
}

function check(path) {
  const file = basename(path, '.ktx2');
  const match = /^(.+)_(\d+)x(\d+)_l(\d+)_s(\d+)((?:_cube|_array|_zstd)*)$/.exec(file);
  const format = match && (formats[match[1]] ?? blockFormats[match[1]]);
  if (!format) throw new Error(`${path}: the name says nothing known`);
  const [width, height, levels, slices] = match.slice(2, 6).map(Number);
  const flag = (name) => match[6].includes(name);
  const shape = { width, height, levels, slices, zstd: flag('_zstd'), block: format.block ?? [1, 1] };
  const faces = flag('_cube') ? 6 : 1;
  const layers = slices / faces;
  const texelBytes = format.bits.reduce((sum, bits) => sum + bits) / 8;

  // A copy of its own, so that byte offsets into it are byte offsets into the file.
  const bytes = Uint8Array.from(readFileSync(path));
  const ktx = read(bytes);
  expect(file, 'vkFormat', ktx.vkFormat, format.vk);
  expect(file, 'typeSize', ktx.typeSize, format.typeSize);
  expect(file, 'size', [ktx.pixelWidth, ktx.pixelHeight, ktx.pixelDepth], [width, height, 0]);
  expect(file, 'layerCount', ktx.layerCount, layers > 1 || flag('_array') ? layers : 0);
  expect(file, 'faceCount', ktx.faceCount, faces);
  expect(file, 'levelCount', ktx.levelCount, levels);
  expect(file, 'supercompressionScheme', ktx.supercompressionScheme, shape.zstd ? 2 : 0);
  expect(file, 'keys', Object.keys(ktx.keyValue), ['KTXorientation', 'KTXwriter']);
  expect(file, 'KTXorientation', ktx.keyValue.KTXorientation, 'rd');
  expect(file, 'KTXwriter', /^onepass \d+\.\d+\.\d+$/.test(ktx.keyValue.KTXwriter), true);
  checkDescriptor(file, format, texelBytes, ktx.dataFormatDescriptor);
  checkLevels(file, shape, texelBytes, ktx.levels, bytes.length);
}

const files = process.argv.slice(2);
if (files.length === 0) {
  console.error('usage: node check.js FILE...');
  process.exit(2);
}
for (const path of files) check(path);
console.log(`${files.length} files, ${checks} checks, ${failures} wrong`);
process.exit(failures === 0 ? 0 : 1);
