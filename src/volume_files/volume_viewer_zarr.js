// volume_viewer_zarr.js: the volume of the viewer: OME-Zarr 0.4 over Zarr 2 and 0.5 over Zarr 3, as `onepass volume`
// writes it, read from the server of the page. Axes are numbered 0 x, 1 y, 2 z. A Failure is a sentence for the page.
//
// Sources: "Next-generation file formats (NGFF)", versions 0.4 and 0.5; "Zarr core specification", version 3; "Sharding
// codec", version 1.0; "Zarr storage specification version 2".
'use strict';

class Failure extends Error {}

const kMostChunkBytes = 2 ** 28; // of one chunk
const kMostFileBytes = 2 ** 28; // of a file that the server sends as a whole only

// A least-recently-used cache, limited by the bytes that its entries state.
class Cache {
  constructor(limit) {
    this.limit = limit;
    this.bytes = 0;
    this.entries = new Map();
  }

  get(key) {
    const entry = this.entries.get(key);
    if (!entry) return undefined;
    this.entries.delete(key);
    this.entries.set(key, entry);
    return entry.value;
  }

  set(key, value, bytes) {
    this.remove(key);
    this.entries.set(key, { value, bytes });
    this.bytes += bytes;
    for (const old of this.entries.keys()) {
      if (this.bytes <= this.limit || old === key) break;
      this.remove(old);
    }
  }

  remove(key) {
    this.bytes -= this.entries.get(key)?.bytes ?? 0;
    this.entries.delete(key);
  }

  clear() {
    this.entries.clear();
    this.bytes = 0;
  }
}

// ---- Types

// Values of the 65536 halves.
const halves = () =>
  Float32Array.from({ length: 65536 }, (_, code) => {
    const exponent = (code >> 10) & 31;
    const fraction = code & 1023;
    const size =
      exponent === 0
        ? fraction * 2 ** -24
        : exponent === 31
          ? fraction
            ? NaN
            : Infinity
          : (1024 + fraction) * 2 ** (exponent - 25);
    return code & 32768 ? -size : size;
  });

// Voxels of 8 and 16 bits are kept as codes, so that tables can be made for them. `value` is the number of a code.
const same = (code) => code;
const kTypes = {
  uint8: { array: Uint8Array, value: same, most: 2 ** 8 - 1 },
  int8: { array: Uint8Array, value: (code) => (code << 24) >> 24, most: 2 ** 7 - 1 },
  uint16: { array: Uint16Array, value: same, most: 2 ** 16 - 1 },
  int16: { array: Uint16Array, value: (code) => (code << 16) >> 16, most: 2 ** 15 - 1 },
  uint32: { array: Uint32Array, value: same, most: 2 ** 32 - 1 },
  int32: { array: Int32Array, value: same, most: 2 ** 31 - 1 },
  uint64: { array: BigUint64Array, value: same, most: 2 ** 64 - 1 },
  float16: { array: Uint16Array, value: (code) => (kTypes.float16.halves ??= halves())[code] },
  float32: { array: Float32Array, value: same },
};
const kNumpyTypes = {
  '|u1': 'uint8',
  '|i1': 'int8',
  '<u2': 'uint16',
  '<i2': 'int16',
  '<u4': 'uint32',
  '<i4': 'int32',
  '<u8': 'uint64',
  '<f2': 'float16',
  '<f4': 'float32',
};

// An array of one voxel: the value of chunks that are not stored.
function fillOf(type, value) {
  const number = Number(value ?? 0);
  const { array } = kTypes[type];
  if (type === 'uint64') return array.of(BigInt(Math.max(0, Math.trunc(number) || 0)));
  if (type === 'float16') {
    kTypes.float16.value(0);
    return array.of(
      Math.max(
        0,
        kTypes.float16.halves.findIndex((half) => Object.is(half, number)),
      ),
    );
  }
  return array.of(number);
}

// ---- Files

const base = new URL('.', document.baseURI).href; // of the folder of the page
const nameOf = (url) => decodeURIComponent(url.slice(base.length));

async function request(url, options) {
  try {
    return await fetch(url, options);
  } catch {
    throw new Failure(`${nameOf(url)} cannot be loaded: the server does not answer.`);
  }
}

// The object in a file; null if there is none.
async function readJson(url) {
  const response = await request(url);
  if (response.status === 404) return null;
  if (!response.ok) throw new Failure(`${nameOf(url)} cannot be loaded: the server answers ${response.status}.`);
  const json = await response.json().catch(() => null);
  if (json === null || typeof json !== 'object') throw new Failure(`${nameOf(url)} is not in JSON.`);
  return json;
}

const wholeFiles = new Cache(2 ** 28); // promises of files of servers that do not know ranges

// Bytes of a file; null if there is none. `range`: {from, size}, or {last} for its last bytes. Servers may send the
// whole file for a range; it is kept then, because the next range will be asked for soon.
async function readBytes(url, range) {
  const cut = (bytes) => {
    if (!range) return bytes;
    const from = range.last === undefined ? range.from : bytes.length - range.last;
    const size = range.last ?? range.size;
    if (from < 0 || from + size > bytes.length) throw new Failure(`${nameOf(url)} is damaged: it ends too early.`);
    return bytes.subarray(from, from + size);
  };
  const kept = wholeFiles.get(url);
  if (kept) return cut(await kept);
  const headers = range && {
    Range: range.last === undefined ? `bytes=${range.from}-${range.from + range.size - 1}` : `bytes=-${range.last}`,
  };
  const abort = new AbortController();
  const response = await request(url, { headers, signal: abort.signal });
  // 403: stores of objects that may not be listed answer so for objects that are missing.
  if (response.status === 404 || response.status === 403) return null;
  if (response.status === 416) throw new Failure(`${nameOf(url)} is damaged: it ends too early.`);
  if (!response.ok) throw new Failure(`${nameOf(url)} cannot be loaded: the server answers ${response.status}.`);
  const length = Number(response.headers.get('content-length') ?? 0);
  if (length > kMostFileBytes) {
    abort.abort();
    throw new Failure(`${nameOf(url)} has ${Math.ceil(length / 2 ** 20)} MiB, and the server sends no parts of files.`);
  }
  const whole = response.arrayBuffer().then(
    (buffer) => new Uint8Array(buffer),
    () => {
      throw new Failure(`${nameOf(url)} cannot be loaded: the connection ended.`);
    },
  );
  if (!range) return whole;
  if (response.status === 206) {
    const bytes = await whole;
    if (bytes.length !== (range.last ?? range.size)) throw new Failure(`${nameOf(url)} is damaged: it ends too early.`);
    return bytes;
  }
  if (!wholeFiles.get(url)) wholeFiles.set(url, whole, length || 2 ** 20);
  return cut(await whole);
}

// ---- Metadata

function codecsOf(codecs, where) {
  const [bytes, ...others] = codecs;
  if (bytes?.name !== 'bytes' || (bytes.configuration?.endian ?? 'little') !== 'little') {
    throw new Failure(`${where} has voxels in another order of bytes than this page reads.`);
  }
  const unknown = others.find(({ name }) => name !== 'zstd' && name !== 'blosc');
  if (unknown) throw new Failure(`${where} has the codec ${unknown.name}; this page reads zstd and blosc.`);
  return others.map(({ name }) => name).reverse();
}

function arrayOfZarr3(json, where) {
  const [first] = json.codecs;
  const shard = first.name === 'sharding_indexed' ? first.configuration : null;
  const file = json.chunk_grid.configuration.chunk_shape;
  const encoding = json.chunk_key_encoding;
  const separator = encoding.configuration?.separator ?? (encoding.name === 'default' ? '/' : '.');
  return {
    shape: json.shape,
    file,
    chunk: shard ? shard.chunk_shape : file,
    shard,
    type: json.data_type,
    fill: json.fill_value,
    codecs: codecsOf(shard ? shard.codecs : json.codecs, where),
    nameOf: (place) => (encoding.name === 'default' ? ['c', ...place] : place).join(separator),
  };
}

function arrayOfZarr2(json, where) {
  if (json.order !== 'C' || json.filters?.length)
    throw new Failure(`${where} has an order or filters that are unknown.`);
  const codec = json.compressor?.id;
  if (codec && codec !== 'zstd' && codec !== 'blosc') {
    throw new Failure(`${where} has the codec ${codec}; this page reads zstd and blosc.`);
  }
  return {
    shape: json.shape,
    file: json.chunks,
    chunk: json.chunks,
    shard: null,
    type: kNumpyTypes[json.dtype] ?? json.dtype,
    fill: json.fill_value,
    codecs: codec ? [codec] : [],
    nameOf: (place) => place.join(json.dimension_separator ?? '.'),
  };
}

// x, y and z of an array whose last axes are z, y and x.
const spaceOf = (values) => values.slice(-3).reverse();

async function readLevel(root, dataset, version) {
  const url = `${root}${dataset.path.split('/').map(encodeURIComponent).join('/')}/`;
  const where = nameOf(url).slice(0, -1);
  const json = await readJson(url + (version === 3 ? 'zarr.json' : '.zarray'));
  if (!json) throw new Failure(`${where} is missing.`);
  let array;
  try {
    array = version === 3 ? arrayOfZarr3(json, where) : arrayOfZarr2(json, where);
  } catch (error) {
    throw error instanceof Failure ? error : new Failure(`${where} has metadata that this page does not understand.`);
  }
  if (!kTypes[array.type])
    throw new Failure(`${where} has voxels of type ${array.type}, which this page does not know.`);
  const bytes = array.chunk.reduce((a, b) => a * b, kTypes[array.type].array.BYTES_PER_ELEMENT);
  if (!(bytes <= kMostChunkBytes)) {
    throw new Failure(`${where} has chunks of ${Math.ceil(bytes / 2 ** 20)} MiB; this page reads up to 256 MiB.`);
  }
  const scale = dataset.coordinateTransformations?.find(({ type }) => type === 'scale')?.scale;
  return {
    ...array,
    url,
    bytes,
    size: spaceOf(array.shape),
    box: spaceOf(array.chunk),
    scale: spaceOf(scale ?? array.shape.map(() => 1)),
    fill: fillOf(array.type, array.fill),
  };
}

/** The volume below an address that ends with a slash. */
async function openVolume(root) {
  const group = await readJson(`${root}zarr.json`);
  const attributes = group ? group.attributes?.ome : await readJson(`${root}.zattrs`);
  if (!group && !attributes) throw new Failure(`${nameOf(root)} is not beside this page.`);
  const image = attributes?.multiscales?.[0];
  const names = image?.axes?.map(({ name }) => name).join('');
  if (!/^t?c?zyx$/.test(names ?? '')) throw new Failure(`${nameOf(root)} is no volume that this page understands.`);
  const version = group ? 3 : 2;
  const levels = await Promise.all(image.datasets.map((dataset) => readLevel(root, dataset, version)));
  const [first] = levels;
  for (const level of levels) {
    level.factors = level.scale.map((length, axis) => Math.max(1, Math.round(length / first.scale[axis])));
  }
  const along = (name) => (names.includes(name) ? first.shape[names.indexOf(name)] : 1);
  return {
    name: image.name ?? '',
    levels,
    size: first.size,
    voxel: first.scale,
    unit: image.axes.at(-1).unit ?? '',
    type: first.type,
    times: along('t'),
    channels: along('c'),
    hasTime: names.includes('t'),
    hasChannel: names.includes('c'),
    reduction: image.type ?? '',
    omero: attributes.omero,
    label: attributes['image-label'],
  };
}

// ---- Chunks

// CRC-32C (RFC 3720) of the index of a shard.
function crc32c(bytes) {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let k = 0; k < 8; ++k) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  }
  return ~crc >>> 0;
}

// Workers that decode, and the promises that wait for them.
class Decoders {
  constructor(text, count) {
    const onMessage = `onmessage = ({ data: { id, bytes, size, codecs } }) => {
      try {
        const made = decodeChunk(bytes, size, codecs);
        postMessage({ id, made }, [made.buffer]);
      } catch (error) {
        postMessage({ id, error: error.message });
      }
    };`;
    const url = URL.createObjectURL(new Blob([text, onMessage], { type: 'text/javascript' }));
    this.waiting = new Map();
    this.next = 0;
    this.workers = Array.from({ length: count }, () => {
      const worker = new Worker(url);
      worker.onmessage = ({ data: { id, made, error } }) => {
        const { resolve, reject } = this.waiting.get(id);
        this.waiting.delete(id);
        if (error === undefined) resolve(made);
        else reject(new Error(error));
      };
      return worker;
    });
  }

  decode(bytes, size, codecs) {
    const id = this.next++;
    const own = bytes.slice(); // a part of a file that is kept
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.workers[id % this.workers.length].postMessage({ id, bytes: own, size, codecs }, [own.buffer]);
    });
  }
}

const indices = new Cache(2 ** 25); // promises of indices of shards

// Places and sizes of the chunks of a shard; null if there is no such file.
async function readIndex(url, count, shard) {
  const checked = shard.index_codecs.some(({ name }) => name === 'crc32c');
  const size = 16 * count + (checked ? 4 : 0);
  const bytes = await readBytes(url, shard.index_location === 'start' ? { from: 0, size } : { last: size });
  if (!bytes) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (checked && view.getUint32(16 * count, true) !== crc32c(bytes.subarray(0, 16 * count))) {
    throw new Failure(`${nameOf(url)} is damaged: the checksum of its index is another one.`);
  }
  return view;
}

// The stored bytes of a chunk; null if it is not stored.
async function readStored(level, place) {
  const inner = level.file.map((size, axis) => size / level.chunk[axis]);
  const url = level.url + level.nameOf(place.map((index, axis) => Math.floor(index / inner[axis])));
  if (!level.shard) return { url, bytes: await readBytes(url) };
  const count = inner.reduce((a, b) => a * b, 1);
  let index = indices.get(url);
  if (!index) {
    index = readIndex(url, count, level.shard);
    indices.set(url, index, 16 * count + 100);
  }
  const view = await index;
  const number = place.reduce((sum, at, axis) => sum * inner[axis] + (at % inner[axis]), 0);
  const from = view?.getBigUint64(16 * number, true);
  if (from === undefined || from === 2n ** 64n - 1n) return { url, bytes: null };
  const size = Number(view.getBigUint64(16 * number + 8, true));
  if (size > 2 * level.bytes + 4096) throw new Failure(`${nameOf(url)} is damaged: a chunk is too long.`);
  return { url, bytes: await readBytes(url, { from: Number(from), size }) };
}

/** The voxels of a chunk, or one voxel if all have the same value. */
async function readChunk(volume, decoders, level, time, channel, [x, y, z]) {
  const place = [...(volume.hasTime ? [time] : []), ...(volume.hasChannel ? [channel] : []), z, y, x];
  const { url, bytes } = await readStored(level, place);
  if (!bytes) return level.fill;
  const made = await decoders.decode(bytes, level.bytes, level.codecs).catch((error) => {
    throw new Failure(`${nameOf(url)} is damaged: ${error.message}.`);
  });
  return new kTypes[level.type].array(
    made.buffer,
    made.byteOffset,
    made.length / kTypes[level.type].array.BYTES_PER_ELEMENT,
  );
}
