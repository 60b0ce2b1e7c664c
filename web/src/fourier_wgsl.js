// fourier_wgsl.js: kernels of 2-D transforms. Rows of the image are real signals: two of them, of neighbouring channels or
// rows, are the real and imaginary part of one complex line. Spectra are half spectra, as FFTW lays them out: the pair of
// channel c at (kx, ky) of slice s is pair ((s H + ky) (W/2 + 1) + kx) C + c.
//
//     rows      image --> half spectra of the image's rows        (domain rows outside of the image are never stored)
//     columns   those --> spectrum, or back, or times a kernel and back
//     rows back half spectra of result rows --> image
//
// Even numbers of channels are read and written as two pairs at once, vec4f; four channels are two lines side by side.
import { encodeWgsl } from './formats.js';
import { lineWgsl, planLine, planeLength } from './fourier_line.js';

/** @typedef {import('./words.js').Boundary} Boundary */

/**
 * @typedef {object} FourierShape
 * @property {[number, number]} domain
 * @property {[number, number]} image       Size of the image placed in the domain.
 * @property {[number, number]} placement   Of its first texel.
 * @property {[number, number, number, number]} result  Texels of the domain that the inverse writes.
 * @property {Boundary} boundary
 * @property {number} channels
 * @property {number} stride    Rows of a slice in the buffer of half spectra of rows.
 * @property {number} forward   Factors.
 * @property {number} inverse
 */

/** Lines of a row unit, and its rows: a unit has whole texels and whole pairs of signals. @param {number} channels */
export const unitOf = (channels) => (channels % 2 ? { rows: 2, lines: channels } : { rows: 1, lines: 1 });

/** Lines a workgroup. @param {import('./fourier_line.js').LinePlan} plan @param {number} memory @param {number} most */
export const linesOf = (plan, memory, most) =>
  Math.max(1, Math.min(most, Math.floor(256 / plan.threads), Math.floor(memory / (4 * planeLength(plan)))));

/** The texel of the image at a position of the domain along an axis, below 0: none. @param {string} name @param {FourierShape} shape @param {number} axis */
function placeWgsl(name, { domain, image, placement, boundary }, axis) {
  const n = image[axis];
  const size = domain[axis];
  const from = {
    zero: `let i = (at % ${size} + ${size}) % ${size}; return select(-1, i, i < ${n});`,
    wrap: `return (at % ${n} + ${n}) % ${n};`,
    clamp: `return clamp(at, 0, ${n - 1});`,
    mirror: `let i = (at % ${2 * n} + ${2 * n}) % ${2 * n}; return min(i, ${2 * n - 1} - i);`,
  }[boundary];
  return `
fn ${name}(position: u32) -> i32 {
  let at = i32(position) - (${placement[axis]});
  ${from}
}`;
}

const head = `
@group(0) @binding(0) var<storage, read> tables: array<vec2f>;
fn table(i: u32) -> vec2f { return tables[i]; }
`;

/** @param {number} threads @param {number} lines @param {boolean} [interleaved] */
const mainHead = (threads, lines, interleaved) => `
@compute @workgroup_size(${threads * lines})
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let t = lane ${interleaved ? `/ ${lines}u` : `% ${threads}u`};
  let line = lane ${interleaved ? `% ${lines}u` : `/ ${threads}u`};
  let slice = group.z;
  _ = arrayLength(&tables);  // lines of one pass read no table`;

/** @param {number} value */
const literal = (value) => {
  const text = String(Math.fround(value));
  return /[.e]/.test(text) ? text : `${text}.0`;
};

/**
 * Rows of the image to half spectra.
 * @param {FourierShape} shape
 * @param {number} memory
 * @param {{depth: boolean, value?: string}} source  `value`: WGSL of the texel `texel` to transform.
 */
export function rowsForward(shape, memory, source) {
  const plan = planLine(shape.domain[0]);
  const { channels: C } = shape;
  const unit = unitOf(C);
  const rows = shape.image[1];
  const units = Math.ceil(rows / unit.rows);
  const lines = linesOf(plan, memory, units);
  const pairs = C === 4 ? 2 : 1;
  const { text, atLoad, atStore, moved } = lineWgsl(plan, { lines, pairs, memory });
  const n = plan.n;
  const width = Math.floor(n / 2) + 1;
  const half = literal(0.5 * shape.forward);
  const texel = source.depth
    ? 'vec4f(textureLoad(source, at, slice, 0), 0.0, 0.0, 1.0)'
    : 'textureLoad(source, at, slice, 0)';
  // The value at the opposite frequency separates the two signals of a line.
  const separate = `
  ${moved('w', (position) => `(${n}u - (${position})) % ${n}u`)}`;
  const bodies =
    pairs === 2
      ? [
          `
  ${atLoad((slot, position) => `v[${slot}] = texel_at(${position}, row, slice);`)}
  transform_line(t, line);
  ${separate}
  ${atStore(
    (slot, position) => `if (${position} < ${width}u && row < ${rows}u) {
      let sum = (v[${slot}] + conjugate(w[${slot}])) * ${half};
      let difference = turn(v[${slot}] - conjugate(w[${slot}])) * ${half};
      let to = ((slice * ${shape.stride}u + row) * ${width}u + ${position}) * 2u;
      spectra[to] = vec4f(sum.xy, difference.xy);
      spectra[to + 1u] = vec4f(sum.zw, difference.zw);
    }`,
  )}`,
        ]
      : Array.from({ length: unit.lines }, (_, m) => {
          const [a, b] = [2 * m, 2 * m + 1].map((signal) => ({ row: Math.floor(signal / C), c: signal % C }));
          const store =
            C === 2
              ? () =>
                  `if (row < ${rows}u) { spectra[(slice * ${shape.stride}u + row) * ${width}u + POSITION] = vec4f(sum, difference); }`
              : () => `if (row + ${a.row}u < ${rows}u) { put(POSITION, row + ${a.row}u, ${a.c}u, slice, sum); }
      if (row + ${b.row}u < ${rows}u) { put(POSITION, row + ${b.row}u, ${b.c}u, slice, difference); }`;
          return `
  ${atLoad((slot, position) =>
    C === 2
      ? `v[${slot}] = texel_at(${position}, row, slice).xy;`
      : `v[${slot}] = vec2f(texel_at(${position}, row + ${a.row}u, slice)[${a.c}], texel_at(${position}, row + ${b.row}u, slice)[${b.c}]);`,
  )}
  transform_line(t, line);
  ${separate}
  ${atStore(
    (slot, position) => `if (${position} < ${width}u) {
      let sum = (v[${slot}] + conjugate(w[${slot}])) * ${half};
      let difference = turn(v[${slot}] - conjugate(w[${slot}])) * ${half};
      ${store().replaceAll('POSITION', position)}
    }`,
  )}`;
        });
  return {
    plan,
    groups: Math.ceil(units / lines),
    code: `${head}
@group(0) @binding(1) var source: ${source.depth ? 'texture_depth_2d_array' : 'texture_2d_array<f32>'};
@group(0) @binding(2) var<storage, read_write> spectra: array<${C % 2 ? 'vec2f' : 'vec4f'}>;
${text}
var<private> w: array<Value, ${plan.slots}>;  // values at the opposite frequencies
${placeWgsl('column_of', shape, 0)}
fn texel_at(position: u32, row: u32, slice: u32) -> vec4f {
  let x = column_of(position);
  if (x < 0 || row >= ${rows}u) { return vec4f(0.0); }
  let at = vec2u(u32(x), row);
  let texel = ${texel};
  return ${source.value ?? 'texel'};
}
${
  C % 2
    ? `fn put(kx: u32, row: u32, channel: u32, slice: u32, pair: vec2f) {
  spectra[((slice * ${shape.stride}u + row) * ${width}u + kx) * ${C}u + channel] = pair;
}`
    : ''
}
${mainHead(plan.threads, lines)}
  let row = (group.x * ${lines}u + line) * ${unit.rows}u;
  ${bodies.join('\n')}
}
`,
  };
}

/**
 * Columns: half spectra of rows to the spectrum (`forward`), back (`inverse`), or both with a multiplication between
 * (`multiply`: WGSL text of `fn gain(kx: u32, ky: u32, channel: u32) -> vec2f` and its bindings from 3 on).
 * @param {FourierShape} shape
 * @param {number} memory
 * @param {{forward: boolean, inverse: boolean, multiply?: string}} direction
 */
export function columns(shape, memory, { forward, inverse, multiply }) {
  const plan = planLine(shape.domain[1]);
  const { channels: C, domain } = shape;
  const pairs = C % 2 ? 1 : 2;
  const type = pairs === 2 ? 'vec4f' : 'vec2f';
  const width = ((Math.floor(domain[0] / 2) + 1) * C) / pairs;
  const lines = linesOf(plan, memory, width);
  const { text, atLoad, atStore, toLoads } = lineWgsl(plan, { lines, pairs, memory, interleaved: true });
  const [, top, , resultRows] = shape.result;
  const both = forward && inverse;
  const load = forward
    ? (/** @type {number} */ slot, /** @type {string} */ position) => `{
    let row = row_of(${position});
    v[${slot}] = Value();
    if (row >= 0 && column < ${width}u) { v[${slot}] = rows[(slice * ${shape.stride}u + u32(row)) * ${width}u + column]; }
  }`
    : (/** @type {number} */ slot, /** @type {string} */ position) => `v[${slot}] = Value();
  if (column < ${width}u) { v[${slot}] = swapped(spectrum[(slice * ${plan.n}u + ${position}) * ${width}u + column]); }`;
  const storeRows = atStore(
    (slot, position) => `if (column < ${width}u && ${position} - ${top}u < ${resultRows}u) {
    rows[(slice * ${shape.stride}u + ${position} - ${top}u) * ${width}u + column] = swapped(v[${slot}]);
  }`,
  );
  const storeSpectrum = atStore(
    (slot, position) => `if (column < ${width}u) {
    spectrum[(slice * ${plan.n}u + ${position}) * ${width}u + column] = v[${slot}];
  }`,
  );
  return {
    plan,
    groups: Math.ceil(width / lines),
    code: `${head}
@group(0) @binding(1) var<storage, ${inverse ? 'read_write' : 'read'}> rows: array<${type}>;
${both ? '' : `@group(0) @binding(2) var<storage, ${forward ? 'read_write' : 'read'}> spectrum: array<${type}>;`}
${multiply ?? ''}
${text}
${forward ? placeWgsl('row_of', shape, 1) : ''}
${
  both
    ? `fn gained(value: Value, column: u32, ky: u32) -> Value {
  ${
    pairs === 2
      ? `let c = 2u * column;
  let g = vec4f(gain(c / ${C}u, ky, c % ${C}u), gain((c + 1u) / ${C}u, ky, (c + 1u) % ${C}u));
  return value * g.xxzz + vec4f(-value.y, value.x, -value.w, value.z) * g.yyww;`
      : `return multiply(value, gain(column / ${C}u, ky, column % ${C}u));`
  }
}`
    : ''
}
${mainHead(plan.threads, lines, true)}
  let column = group.x * ${lines}u + line;
  ${atLoad(load)}
  transform_line(t, line);
  ${
    both
      ? `
  ${atStore((slot, position) => `v[${slot}] = swapped(gained(v[${slot}], column, ${position}));`)}
  ${toLoads}
  transform_line(t, line);`
      : ''
  }
  ${inverse ? storeRows : storeSpectrum}
}
`,
  };
}

/**
 * Half spectra of result rows to texels.
 * @param {FourierShape} shape
 * @param {number} memory
 * @param {import('./formats.js').TargetFormat} target
 * @param {{bindings: string, texel: string}} [finish]  Changes the texel `result` at `at` before it is stored.
 */
export function rowsInverse(shape, memory, target, finish) {
  const plan = planLine(shape.domain[0]);
  const { channels: C } = shape;
  const unit = unitOf(C);
  const [left, , resultWidth, rows] = shape.result;
  const units = Math.ceil(rows / unit.rows);
  const lines = linesOf(plan, memory, units);
  const pairs = C === 4 ? 2 : 1;
  const { text, atLoad, atStore } = lineWgsl(plan, { lines, pairs, memory });
  const n = plan.n;
  const width = Math.floor(n / 2) + 1;
  const bodies = Array.from({ length: unit.lines }, (_, m) => {
    const [a, b] = [2 * m, 2 * m + 1].map((signal) => ({ row: Math.floor(signal / C), c: signal % C }));
    const value = (/** @type {string} */ position) =>
      C % 2 === 0
        ? `take(${position}, row, slice)`
        : `join(take(${position}, row + ${a.row}u, ${a.c}u, slice), take(${position}, row + ${b.row}u, ${b.c}u, slice))`;
    return `
  ${atLoad((slot, position) => `v[${slot}] = ${value(position)};`)}
  transform_line(t, line);
  ${atStore((slot) => `results[${m * plan.slots + slot}] = swapped(v[${slot}]) * ${literal(shape.inverse)};`)}`;
  });
  const channel = (/** @type {number} */ row, /** @type {number} */ c, /** @type {number} */ slot) => {
    const signal = row * C + c;
    return pairs === 2
      ? `results[${slot}].${'xyzw'[c]}`
      : `results[${Math.floor(signal / 2) * plan.slots + slot}].${signal % 2 ? 'y' : 'x'}`;
  };
  const texel = (/** @type {number} */ row, /** @type {number} */ slot) => {
    const parts = [0, 1, 2, 3].map((c) => (c < C ? channel(row, c, slot) : c === 3 ? '1.0' : '0.0'));
    return `vec4f(${parts.join(', ')})`;
  };
  const stores = Array.from({ length: unit.rows }, (_, r) =>
    atStore(
      (slot, position) => `if (row + ${r}u < ${rows}u && ${position} - ${left}u < ${resultWidth}u) {
      put(vec2u(${position} - ${left}u, row + ${r}u), slice, ${texel(r, slot)});
    }`,
    ),
  ).join('\n  ');
  return {
    plan,
    groups: Math.ceil(units / lines),
    code: `${head}
@group(0) @binding(1) var<storage, read> spectra: array<${C % 2 ? 'vec2f' : 'vec4f'}>;
@group(0) @binding(2) var image: texture_storage_2d_array<${target.storage}, write>;
${finish?.bindings ?? ''}
${text}
${encodeWgsl(target)}
var<private> results: array<Value, ${unit.lines * plan.slots}>;
${
  C % 2
    ? `fn take(position: u32, row: u32, channel: u32, slice: u32) -> vec2f {
  if (row >= ${rows}u) { return vec2f(0.0); }
  let mirrored = position >= ${width}u;
  let kx = select(position, ${n}u - position, mirrored);
  var pair = spectra[((slice * ${shape.stride}u + row) * ${width}u + kx) * ${C}u + channel];
  // A real signal has no imaginary part there.
  if (kx == 0u || 2u * kx == ${n}u) { pair.y = 0.0; }
  return select(pair, conjugate(pair), mirrored);
}`
    : `fn take(position: u32, row: u32, slice: u32) -> Value {
  if (row >= ${rows}u) { return Value(); }
  let mirrored = position >= ${width}u;
  let kx = select(position, ${n}u - position, mirrored);
  // A real signal has no imaginary part there.
  let sign = select(select(1.0, -1.0, mirrored), 0.0, kx == 0u || 2u * kx == ${n}u);
  let signs = vec4f(1.0, sign, 1.0, sign);
  let first = ((slice * ${shape.stride}u + row) * ${width}u + kx) * ${C / 2}u;
  let a = spectra[first] * signs;
  ${
    pairs === 2
      ? `let b = spectra[first + 1u] * signs;
  return vec4f(join(a.xy, a.zw), join(b.xy, b.zw));`
      : 'return join(a.xy, a.zw);'
  }
}`
}
// a + i b, with exchanged parts for the inverse transform.
fn join(a: vec2f, b: vec2f) -> vec2f { return vec2f(a.y + b.x, a.x - b.y); }
fn put(at: vec2u, slice: u32, value: vec4f) {
  var result = value;
  ${finish?.texel ?? ''}
  textureStore(image, at, slice, to_target(result));
}
${mainHead(plan.threads, lines)}
  let row = (group.x * ${lines}u + line) * ${unit.rows}u;
  ${bodies.join('\n')}
  ${stores}
}
`,
  };
}
