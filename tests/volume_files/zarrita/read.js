// read.js: reads Zarr arrays with zarrita and writes their elements, in C order and little-endian.
//
// usage: node read.js FOLDER OUTPUT ...
import { writeFileSync } from 'node:fs';
import { FileSystemStore } from '@zarrita/storage';
import * as zarr from 'zarrita';

const names = process.argv.slice(2);
for (let i = 0; i < names.length; i += 2) {
  const array = await zarr.open(new FileSystemStore(names[i]), { kind: 'array' });
  const { data, shape, stride } = await zarr.get(array);
  const bytes = data.BYTES_PER_ELEMENT;
  const from = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  const out = new Uint8Array(data.byteLength);
  for (let n = 0; n < data.length; ++n) {
    let rest = n;
    let at = 0;
    for (let d = shape.length - 1; d >= 0; --d) {
      at += (rest % shape[d]) * stride[d];
      rest = Math.floor(rest / shape[d]);
    }
    out.set(from.subarray(at * bytes, (at + 1) * bytes), n * bytes);
  }
  writeFileSync(names[i + 1], out);
}
