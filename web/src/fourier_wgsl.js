// fourier_wgsl.js: kernels of 2-D transforms. Rows of the image are real signals: two of them, of neighbouring channels or
// rows, are the real and imaginary part of one complex line. Spectra are half spectra, as FFTW lays them out: the pair of
// channel c at (kx, ky) of slice s is pair ((s H + ky) (W/2 + 1) + kx) C + c.
//
//     rows      image --> half spectra of the image's rows        (domain rows outside of the image are never stored)
//     columns   those --> spectrum, or back, or times a kernel and back
//     rows back half spectra of result rows --> image
import { encodeWgsl } from './formats.js';
import { lineWgsl, planLine } from './fourier_line.js';

/** @typedef {'zero' | 'wrap' | 'clamp' | 'mirror'} Boundary */

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
export const unitOf = (channels) => (channels % 2 ? { rows: 2, lines: channels } : { rows: 1, lines: channels / 2 });

/** Lines a workgroup. @param {import('./fourier_line.js').LinePlan} plan @param {number} memory @param {number} most */
export const linesOf = (plan, memory, most) =>
  Math.max(1, Math.min(most, Math.floor(256 / plan.threads), Math.floor(memory / (4 * plan.length))));

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

/** @param {number} threads @param {number} lines */
const mainHead = (threads, lines) => `
@compute @workgroup_size(${threads * lines})
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let t = lane % ${threads}u;
  let line = lane / ${threads}u;
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
  const { text, atLoad, atStore } = lineWgsl(plan, lines);
  const n = plan.n;
  const width = Math.floor(n / 2) + 1;
  const texel = source.depth ? 'vec4f(textureLoad(source, at, slice, 0), 0.0, 0.0, 1.0)' : 'textureLoad(source, at, slice, 0)';
  const bodies = Array.from({ length: unit.lines }, (_, m) => {
    const [a, b] = [2 * m, 2 * m + 1].map((signal) => ({ row: Math.floor(signal / C), c: signal % C }));
    return `
  ${atLoad((slot, position) => `v[${slot}] = vec2f(signal_at(${position}, row + ${a.row}u, ${a.c}u, slice), signal_at(${position}, row + ${b.row}u, ${b.c}u, slice));`)}
  transform_line(t, line);
  // The value at the opposite frequency separates the two signals.
  ${['x', 'y'].map((plane) => `
  ${atStore((slot, position) => `s_plane[line * ${plan.length}u + ${position}] = v[${slot}].${plane};`)}
  workgroupBarrier();  // the plane is written
  ${atStore((slot, position) => `w[${slot}].${plane} = s_plane[line * ${plan.length}u + (${n}u - (${position})) % ${n}u];`)}
  workgroupBarrier();  // and read`).join('')}
  ${atStore((slot, position) => `if (${position} < ${width}u) {
      let sum = v[${slot}] + conjugate(w[${slot}]);
      let difference = v[${slot}] - conjugate(w[${slot}]);
      if (row + ${a.row}u < ${rows}u) { put(${position}, row + ${a.row}u, ${a.c}u, slice, sum * ${literal(0.5 * shape.forward)}); }
      if (row + ${b.row}u < ${rows}u) { put(${position}, row + ${b.row}u, ${b.c}u, slice, vec2f(difference.y, -difference.x) * ${literal(0.5 * shape.forward)}); }
    }`)}`;
  });
  return {
    plan,
    groups: Math.ceil(units / lines),
    code: `${head}
@group(0) @binding(1) var source: ${source.depth ? 'texture_depth_2d_array' : 'texture_2d_array<f32>'};
@group(0) @binding(2) var<storage, read_write> spectra: array<vec2f>;
${text}
${placeWgsl('column_of', shape, 0)}
fn signal_at(position: u32, row: u32, channel: u32, slice: u32) -> f32 {
  let x = column_of(position);
  if (x < 0 || row >= ${rows}u) { return 0.0; }
  let at = vec2u(u32(x), row);
  let texel = ${texel};
  let value = ${source.value ?? 'texel'};
  return value[channel];
}
fn put(kx: u32, row: u32, channel: u32, slice: u32, pair: vec2f) {
  spectra[((slice * ${shape.stride}u + row) * ${width}u + kx) * ${C}u + channel] = pair;
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
  const width = (Math.floor(domain[0] / 2) + 1) * C;
  const lines = linesOf(plan, memory, width);
  const { text, atLoad, atStore, toLoads } = lineWgsl(plan, lines);
  const [, top, , resultRows] = shape.result;
  const both = forward && inverse;
  const load = forward
    ? (/** @type {number} */ slot, /** @type {string} */ position) => `{
    let row = row_of(${position});
    v[${slot}] = vec2f(0.0);
    if (row >= 0 && column < ${width}u) { v[${slot}] = rows[(slice * ${shape.stride}u + u32(row)) * ${width}u + column]; }
  }`
    : (/** @type {number} */ slot, /** @type {string} */ position) => `v[${slot}] = vec2f(0.0);
  if (column < ${width}u) { v[${slot}] = spectrum[(slice * ${plan.n}u + ${position}) * ${width}u + column].yx; }`;
  const storeRows = atStore((slot, position) => `if (column < ${width}u && ${position} - ${top}u < ${resultRows}u) {
    rows[(slice * ${shape.stride}u + ${position} - ${top}u) * ${width}u + column] = v[${slot}].yx;
  }`);
  const storeSpectrum = atStore((slot, position) => `if (column < ${width}u) {
    spectrum[(slice * ${plan.n}u + ${position}) * ${width}u + column] = v[${slot}];
  }`);
  return {
    plan,
    groups: Math.ceil(width / lines),
    code: `${head}
@group(0) @binding(1) var<storage, ${inverse ? 'read_write' : 'read'}> rows: array<vec2f>;
${both ? '' : `@group(0) @binding(2) var<storage, ${forward ? 'read_write' : 'read'}> spectrum: array<vec2f>;`}
${multiply ?? ''}
${text}
${forward ? placeWgsl('row_of', shape, 1) : ''}
${mainHead(plan.threads, lines)}
  let column = group.x * ${lines}u + line;
  ${atLoad(load)}
  transform_line(t, line);
  ${both ? `
  ${atStore((slot, position) => `v[${slot}] = multiply(v[${slot}], gain(column / ${C}u, ${position}, column % ${C}u)).yx;`)}
  ${toLoads}
  transform_line(t, line);` : ''}
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
  const { text, atLoad, atStore } = lineWgsl(plan, lines);
  const n = plan.n;
  const width = Math.floor(n / 2) + 1;
  const bodies = Array.from({ length: unit.lines }, (_, m) => {
    const [a, b] = [2 * m, 2 * m + 1].map((signal) => ({ row: Math.floor(signal / C), c: signal % C }));
    return `
  ${atLoad((slot, position) => `v[${slot}] = join(take(${position}, row + ${a.row}u, ${a.c}u, slice), take(${position}, row + ${b.row}u, ${b.c}u, slice));`)}
  transform_line(t, line);
  for (var i = 0u; i < ${plan.slots}u; i++) { results[${m}u * ${plan.slots}u + i] = v[i].yx * ${literal(shape.inverse)}; }`;
  });
  const channel = (/** @type {number} */ row, /** @type {number} */ c, /** @type {number} */ slot) => {
    const signal = row * C + c;
    return `results[${Math.floor(signal / 2) * plan.slots + slot}].${signal % 2 ? 'y' : 'x'}`;
  };
  const texel = (/** @type {number} */ row, /** @type {number} */ slot) => {
    const parts = [0, 1, 2, 3].map((c) => (c < C ? channel(row, c, slot) : c === 3 ? '1.0' : '0.0'));
    return `vec4f(${parts.join(', ')})`;
  };
  const stores = Array.from({ length: unit.rows }, (_, r) => atStore((slot, position) => `if (row + ${r}u < ${rows}u && ${position} - ${left}u < ${resultWidth}u) {
      put(vec2u(${position} - ${left}u, row + ${r}u), slice, ${texel(r, slot)});
    }`)).join('\n  ');
  return {
    plan,
    groups: Math.ceil(units / lines),
    code: `${head}
@group(0) @binding(1) var<storage, read> spectra: array<vec2f>;
@group(0) @binding(2) var image: texture_storage_2d_array<${target.storage}, write>;
${finish?.bindings ?? ''}
${text}
${encodeWgsl(target)}
var<private> results: array<vec2f, ${unit.lines * plan.slots}>;
fn take(position: u32, row: u32, channel: u32, slice: u32) -> vec2f {
  if (row >= ${rows}u) { return vec2f(0.0); }
  let mirrored = position >= ${width}u;
  let kx = select(position, ${n}u - position, mirrored);
  var pair = spectra[((slice * ${shape.stride}u + row) * ${width}u + kx) * ${C}u + channel];
  // A real signal has no imaginary part there.
  if (kx == 0u || 2u * kx == ${n}u) { pair.y = 0.0; }
  return select(pair, conjugate(pair), mirrored);
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
