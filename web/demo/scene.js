// scene.js: pictures of linear light in half floats: files, and a sample scene that is computed. A picture is
// {name, width, height, texels, original: [width, height]}; it survives the device that shows it.

const mostTexels = 1600; // longest side; larger pictures are reduced on loading

/** Bits of a positive float as a half float. */
function halfOf(value) {
  if (!(value > 0)) return 0;
  if (value >= 65504) return 0x7bff;
  if (value < 2 ** -14) return Math.round(value * 2 ** 24);
  const exponent = Math.floor(Math.log2(value));
  return Math.min(0x7bff, ((exponent + 15) << 10) + Math.round((value / 2 ** exponent - 1) * 1024));
}

/** A picture of linear light in floats, three a texel. */
function pictureOf(name, width, height, light, original = [width, height]) {
  const texels = new Uint16Array(4 * width * height);
  for (let i = 0; i < width * height; ++i) {
    for (let c = 0; c < 3; ++c) texels[4 * i + c] = halfOf(light[3 * i + c]);
    texels[4 * i + 3] = 0x3c00;
  }
  return { name, width, height, texels, original };
}

/** The texture of a picture. */
export function upload(device, { width, height, texels }) {
  const texture = device.createTexture({
    size: [width, height],
    format: 'rgba16float',
    usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST,
  });
  device.queue.writeTexture({ texture }, texels, { bytesPerRow: 8 * width }, [width, height]);
  return texture;
}

/** A picture in words: its size, and the original one where it was reduced. */
export const describe = ({ name, width, height, original: [w, h] }) =>
  `${name}, ${w === width && h === height ? `${w}×${h}` : `${w}×${h}, reduced to ${width}×${height}: this page shows at most ${mostTexels} texels a side`}`;

/** Reads Radiance HDR. Throws an error with a reason. */
export function readHdr(bytes) {
  let at = 0;
  const line = () => {
    const end = bytes.indexOf(10, at);
    if (end < 0) throw new Error('the header has no end');
    const text = String.fromCharCode(...bytes.subarray(at, end));
    at = end + 1;
    return text;
  };
  if (!line().startsWith('#?')) throw new Error('it is not a Radiance file');
  for (let text = line(); text !== ''; text = line()) {
    if (text.startsWith('FORMAT=') && !text.includes('rgbe'))
      throw new Error(`its format is ${text.slice(7)}, not 32-bit_rle_rgbe`);
  }
  const resolution = line();
  const size = /^-Y\s+(\d+)\s+\+X\s+(\d+)\s*$/.exec(resolution);
  if (!size)
    throw new Error(`its rows and columns are "${resolution.slice(0, 40)}"; this page reads "-Y height +X width"`);
  const [height, width] = [Number(size[1]), Number(size[2])];
  if (width === 0 || height === 0) throw new Error(`its size is ${width}×${height}: it has no texels`);
  if (width * height > 2 ** 26) throw new Error(`its size ${width}×${height} is above the limit of 67 million texels`);
  const light = new Float32Array(3 * width * height);
  const row = new Uint8Array(4 * width);
  const byte = () => {
    if (at >= bytes.length) throw new Error('it ends too early');
    return bytes[at++];
  };
  for (let y = 0; y < height; ++y) {
    const coded = width >= 8 && width < 32768 && bytes[at] === 2 && bytes[at + 1] === 2 && !(bytes[at + 2] & 128);
    if (coded) {
      at += 4;
      for (let c = 0; c < 4; ++c) {
        for (let x = 0; x < width; ) {
          const count = byte();
          const run = count > 128;
          const length = run ? count - 128 : count;
          if (length === 0 || x + length > width) throw new Error('a run leaves its row');
          const value = run ? byte() : 0;
          for (let i = 0; i < length; ++i) row[4 * x++ + c] = run ? value : byte();
        }
      }
    } else {
      for (let i = 0; i < 4 * width; ++i) row[i] = byte();
    }
    for (let x = 0; x < width; ++x) {
      const scale = row[4 * x + 3] ? 2 ** (row[4 * x + 3] - 136) : 0;
      for (let c = 0; c < 3; ++c) light[3 * (y * width + x) + c] = row[4 * x + c] * scale;
    }
  }
  return { width, height, light };
}

/** Reduces an image by whole factors until it fits. */
function fit({ width, height, light }) {
  const factor = Math.ceil(Math.max(width, height) / mostTexels);
  if (factor === 1) return { width, height, light };
  const [w, h] = [Math.floor(width / factor), Math.floor(height / factor)];
  const small = new Float32Array(3 * w * h);
  for (let y = 0; y < h * factor; ++y) {
    for (let x = 0; x < w * factor; ++x) {
      const to = 3 * (Math.floor(y / factor) * w + Math.floor(x / factor));
      for (let c = 0; c < 3; ++c) small[to + c] += light[3 * (y * width + x) + c] / (factor * factor);
    }
  }
  return { width: w, height: h, light: small };
}

const radiance = 'PNG, JPEG, WebP, AVIF and Radiance (.hdr) files are read';

/** What this page says of a file that it does not read, from its first bytes; empty: it tries. */
function refusal(name, bytes) {
  const starts = (...codes) => codes.every((code, i) => bytes[i] === code);
  const text = new TextDecoder().decode(bytes.subarray(0, 1024)).trimStart();
  const ends = (...endings) => endings.some((ending) => name.toLowerCase().endsWith(ending));
  if (bytes.length === 0) return 'the file is empty';
  if (starts(0x76, 0x2f, 0x31, 0x01) || ends('.exr'))
    return `it is an OpenEXR file, which this page does not read; save it as Radiance (.hdr)`;
  if (/^<svg[\s>]/.test(text) || /^<\?xml[^]*<svg[\s>]/.test(text) || ends('.svg'))
    return 'it is an SVG drawing, which has no texels of its own; save it as PNG';
  if (starts(0x49, 0x49, 0x2a, 0) || starts(0x4d, 0x4d, 0, 0x2a) || ends('.tif', '.tiff'))
    return `it is a TIFF file, which browsers do not read; save it as PNG`;
  if (starts(0xab, 0x4b, 0x54, 0x58) || ends('.ktx', '.ktx2', '.dds'))
    return 'it is a container of GPU textures, which this page does not read; save it as PNG';
  return '';
}

/** The picture of a file. Throws an error that names the file. */
export async function pictureOfFile(file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const why = refusal(file.name, bytes);
  if (why) throw new Error(`${file.name}: ${why}.`);
  if (file.name.toLowerCase().endsWith('.hdr') || (bytes[0] === 0x23 && bytes[1] === 0x3f)) {
    try {
      const whole = readHdr(bytes);
      const { width, height, light } = fit(whole);
      return pictureOf(file.name, width, height, light, [whole.width, whole.height]);
    } catch (error) {
      throw new Error(`${file.name}: cannot be read: ${error.message}`, { cause: error });
    }
  }
  let bitmap;
  try {
    bitmap = await createImageBitmap(file, { colorSpaceConversion: 'default' });
  } catch (error) {
    throw new Error(`${file.name}: the browser cannot decode it; ${radiance}.`, { cause: error });
  }
  const scale = Math.min(1, mostTexels / Math.max(bitmap.width, bitmap.height));
  const [width, height] = [bitmap.width, bitmap.height].map((n) => Math.max(1, Math.round(n * scale)));
  const context = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
  context.drawImage(bitmap, 0, 0, width, height);
  const { data } = context.getImageData(0, 0, width, height);
  const light = new Float32Array(3 * width * height);
  const table = Float32Array.from({ length: 256 }, (_, i) =>
    i <= 10 ? i / 255 / 12.92 : ((i / 255 + 0.055) / 1.055) ** 2.4,
  );
  for (let i = 0; i < width * height; ++i) for (let c = 0; c < 3; ++c) light[3 * i + c] = table[data[4 * i + c]];
  return pictureOf(file.name, width, height, light, [bitmap.width, bitmap.height]);
}

/** A street at dusk, of an odd size: a sun, lamps, windows and fine railings, 0.01 to 3000. */
export function samplePicture() {
  const [width, height] = [641, 427];
  const light = new Float32Array(3 * width * height);
  const hash = (x, y) => {
    const s = Math.sin(x * 127.1 + y * 311.7) * 43758.5453;
    return s - Math.floor(s);
  };
  const put = (x, y, colour, alpha = 1) => {
    if (x < 0 || y < 0 || x >= width || y >= height) return;
    for (let c = 0; c < 3; ++c) light[3 * (y * width + x) + c] += alpha * (colour[c] - light[3 * (y * width + x) + c]);
  };
  for (let y = 0; y < height; ++y) {
    for (let x = 0; x < width; ++x) {
      const t = y / height;
      const sun = Math.hypot(x - 560, y - 95);
      const glow = 3 / (1 + (sun / 40) ** 2);
      put(
        x,
        y,
        sun < 15
          ? [3000, 2400, 1500]
          : [0.25 + 1.6 * t * t + glow, 0.35 + 0.9 * t * t + 0.6 * glow, 0.9 - 0.5 * t + 0.2 * glow],
      );
    }
  }
  for (let tower = 0; tower < 11; ++tower) {
    const left = Math.floor(tower * 61 - 15 + 20 * hash(tower, 1));
    const wide = 38 + Math.floor(26 * hash(tower, 2));
    const top = 130 + Math.floor(140 * hash(tower, 3));
    for (let y = top; y < height; ++y) {
      for (let x = left; x < left + wide; ++x) {
        const [column, row] = [Math.floor((x - left - 4) / 7), Math.floor((y - top - 6) / 9)];
        const inside =
          (x - left - 4) % 7 < 4 && (y - top - 6) % 9 < 5 && x > left + 4 && x < left + wide - 5 && y > top + 6;
        const lit = hash(tower * 40 + column, row) > 0.62;
        put(
          x,
          y,
          inside && lit ? [9, 6.2, 2.6].map((v) => v * (0.4 + hash(column, row + tower))) : [0.02, 0.024, 0.034],
        );
      }
    }
  }
  for (let y = 345; y < height; ++y) {
    for (let x = 0; x < width; ++x) {
      const wet = 0.5 + 0.5 * Math.sin(x * 0.06 + 900 / (y - 320));
      put(
        x,
        y,
        [0.05 + 0.05 * wet, 0.05 + 0.04 * wet, 0.06 + 0.03 * wet].map((v) => v * (0.6 + 0.8 * hash(x, y))),
      );
    }
  }
  for (let lamp = 0; lamp < 6; ++lamp) {
    const x = 45 + lamp * 110;
    for (let y = 262; y < 380; ++y) put(x, y, [0.01, 0.01, 0.012]);
    for (let y = -5; y <= 5; ++y)
      for (let dx = -5; dx <= 5; ++dx) if (Math.hypot(dx, y) < 4.5) put(x + dx, 257 + y, [420, 300, 120]);
  }
  for (let x = 0; x < width; ++x) {
    if (x % 3 === 0) for (let y = 352; y < 392; ++y) put(x, y, [0.4, 0.42, 0.45]);
    for (const y of [352, 391]) put(x, y, [0.5, 0.5, 0.55]);
  }
  return pictureOf('Sample scene', width, height, light);
}
