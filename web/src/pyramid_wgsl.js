// pyramid_wgsl.js: the kernels of pyramids. One text for all: the variants are constants at the top of the module.
//
// Tile kernel: a workgroup owns TILE x TILE texels of the coarsest level K of the dispatch, and the texels below them.
// Footprints of odd sizes overlap: the workgroup also computes the texels of its right and lower neighbours that its
// own texels need (the halo), and does not store them.
//
//     level 1 of the dispatch   texels of the source, or of the exchange buffer          --> workgroup memory A
//     level 2                   A --> B        level 3   B --> A        ...              (FUSED: starts at level 2)
//     level K                   is also stored in the exchange buffer, unrounded, for the next dispatch
//
// Tail kernel: one workgroup per slice computes all remaining levels, whatever their sizes, through the exchange buffer.
//
// No workgroup reads what another one of the same dispatch has written.
import { encodeWgsl } from './formats.js';

export const workgroupSize = 256;

/**
 * @typedef {object} KernelShape
 * @property {'tile' | 'tail'} kind
 * @property {number} levels         Levels that the dispatch stores.
 * @property {number} tile           Side of a tile on the coarsest level, in texels.
 * @property {boolean} fused         The first level stays in registers: it and the next one halve exactly.
 * @property {boolean} halo          Tiles overlap.
 * @property {1 | 2 | 4} components
 * @property {'texture' | 'depth' | 'buffer'} source
 * @property {number} sourceChannels
 * @property {'mean' | 'min' | 'max' | 'min_max'} reduction
 * @property {import('./footprint.js').Footprint} footprint
 * @property {boolean} weighted      Colours are weighted by alpha.
 * @property {boolean} keeps         The coarsest level is needed by another dispatch.
 * @property {import('./formats.js').TargetFormat} target
 */

/** @param {KernelShape} shape @param {number} level  The side of a tile's region on a level of the dispatch. */
export function regionSide(shape, level) {
  const block = 2 ** (shape.levels - level);
  return shape.tile * block + (shape.halo ? block - 1 : 0);
}

/** @param {KernelShape} shape  Texels of the two buffers in workgroup memory. */
export function tileCapacity(shape) {
  const first = shape.fused ? 2 : 1;
  const side = (/** @type {number} */ level) => (level < shape.levels ? regionSide(shape, level) ** 2 : 0);
  return [Math.max(1, side(first)), Math.max(1, side(first + 1))];
}

/** @param {KernelShape} shape  Bytes of workgroup memory. */
export function workgroupBytes(shape) {
  if (shape.kind === 'tail') return 0;
  const [a, b] = tileCapacity(shape);
  return (a + b) * shape.components * 4;
}

const types = { 1: 'f32', 2: 'vec2f', 4: 'vec4f' };

/** The reduction of two or three elements. @param {KernelShape} shape */
function reduceWgsl({ reduction }) {
  const pair = {
    mean: 'a * w.x + b * w.y',
    min: 'min(a, b)',
    max: 'max(a, b)',
    min_max: 'vec2f(min(a.x, b.x), max(a.y, b.y))',
  }[reduction];
  const third = {
    mean: 'a * w.x + b * w.y + c * w.z',
    min: 'min(min(a, b), c)',
    max: 'max(max(a, b), c)',
    min_max: 'vec2f(min(min(a.x, b.x), c.x), max(max(a.y, b.y), c.y))',
  }[reduction];
  return `
fn reduce2(a: Element, b: Element, w: vec3f) -> Element { return ${pair}; }
fn reduce3(a: Element, b: Element, c: Element, w: vec3f) -> Element { return ${third}; }
`;
}

/** The taps of a texel along an axis: how many finer texels, and their weights. @param {KernelShape} shape */
function tapsWgsl({ footprint, reduction }) {
  const mean = reduction === 'mean';
  const covering = `
  t.count = 2u + (finer & 1u);
  let k = f32(finer >> 1u);
  ${mean ? `if (t.count == 3u) {
    t.weights = vec3f(k - f32(i), k, f32(i) + 1.0) / f32(finer);
  }` : ''}`;
  // The last texel of the finer level stands for more base texels than the others, and has more weight.
  const edge = `
  let last = i + 1u == (finer >> 1u);
  t.count = 2u + select(0u, finer & 1u, last);
  ${mean ? `if (last) {
    let block = 1u << level;
    let rest = f32(base - (finer - 1u) * block);
    let sum = f32(t.count - 1u) * f32(block) + rest;
    t.weights = select(vec3f(f32(block), rest, 0.0), vec3f(f32(block), f32(block), rest), t.count == 3u) / sum;
  }` : ''}`;
  return `
struct Taps { count: u32, weights: vec3f }
// \`finer\`: size of the finer level; \`level\`: its number; \`base\`: size of level 0.
fn taps_of(i: u32, finer: u32, level: u32, base: u32) -> Taps {
  var t: Taps;
  t.count = 2u;
  t.weights = vec3f(0.5, 0.5, 0.0);
  if (finer == 1u) {
    t.count = 1u;
    t.weights = vec3f(1.0, 0.0, 0.0);
    return t;
  }
  ${{ aligned: '', covering, edge }[footprint]}
  return t;
}
`;
}

/**
 * A function that reduces the taps of a texel, loaded by `load(position, slice)`.
 * @param {string} name
 * @param {string} load
 */
const gatherWgsl = (name, load) => `
fn ${name}(texel: vec2u, finer: vec2u, level: u32, slice: u32) -> Element {
  let tx = taps_of(texel.x, finer.x, level, p.base.x);
  let ty = taps_of(texel.y, finer.y, level, p.base.y);
  // An axis of one texel has its only tap at 0.
  let near = select(2u * texel, vec2u(0u), finer == vec2u(1u));
  var rows: array<Element, 3>;
  for (var y = 0u; y < ty.count; y++) {
    let at = vec2u(near.x, near.y + y);
    var row = ${load}(at, slice);
    if (tx.count == 2u) {
      row = reduce2(row, ${load}(at + vec2u(1u, 0u), slice), tx.weights);
    } else if (tx.count == 3u) {
      row = reduce3(row, ${load}(at + vec2u(1u, 0u), slice), ${load}(at + vec2u(2u, 0u), slice), tx.weights);
    }
    rows[y] = row;
  }
  if (ty.count == 2u) { return reduce2(rows[0], rows[1], ty.weights); }
  if (ty.count == 3u) { return reduce3(rows[0], rows[1], rows[2], ty.weights); }
  return rows[0];
}
`;

/** Decoding of a source texel and encoding of a target texel. @param {KernelShape} shape */
function codecWgsl(shape) {
  const { components, weighted, target, sourceChannels } = shape;
  const decode = components === 1 ? 'texel.r'
    : components === 2 ? (sourceChannels === 1 ? 'texel.rr' : 'texel.rg')
      : 'texel';
  const texel = components === 1 ? 'vec4f(element, 0.0, 0.0, 1.0)'
    : components === 2 ? 'vec4f(element, 0.0, 1.0)'
      : 'element';
  // Weighted alpha: transparent texels have a weight of 2^-40, so that colour survives where all are transparent.
  return `
fn decode(texel: vec4f) -> Element {
  ${weighted ? `let weight = max(texel.a, 0.0) + ${2 ** -40};
  return vec4f(texel.rgb * weight, weight);` : `return ${decode};`}
}
fn encode(element: Element) -> vec4f {
  var texel = ${texel};
  ${weighted ? `texel = vec4f(texel.rgb / texel.a, max(texel.a - ${2 ** -40}, 0.0));` : ''}
  return to_target(texel);
}
${encodeWgsl(target)}
`;
}

/** @param {KernelShape} shape */
function bindingsWgsl(shape) {
  const lines = ['@group(0) @binding(0) var<uniform> p: Params;'];
  if (shape.source !== 'buffer') {
    const type = shape.source === 'depth' ? 'texture_depth_2d_array' : 'texture_2d_array<f32>';
    lines.push(`@group(0) @binding(1) var source: ${type};`);
  }
  if (usesKept(shape)) {
    lines.push('@group(0) @binding(2) var<storage, read_write> kept: array<Element>;');
  }
  for (let level = 1; level <= shape.levels; ++level) {
    lines.push(`@group(0) @binding(${2 + level}) var level${level}: ` +
      `texture_storage_2d_array<${shape.target.storage}, write>;`);
  }
  return lines.join('\n');
}

/** Whether the kernel has the exchange buffer. @param {KernelShape} shape */
export function usesKept(shape) {
  return shape.keeps || shape.source === 'buffer' || (shape.kind === 'tail' && shape.levels > 1);
}

/** @param {KernelShape} shape */
function loadSourceWgsl({ source }) {
  if (source === 'buffer') {
    return `
fn load_source(at: vec2u, slice: u32) -> Element {
  return kept[p.kept_in + slice * p.kept_slice + at.y * p.size.x + at.x];
}`;
  }
  const texel = source === 'depth'
    ? 'vec4f(textureLoad(source, at, slice, 0), 0.0, 0.0, 1.0)'
    : 'textureLoad(source, at, slice, 0)';
  return `
fn load_source(at: vec2u, slice: u32) -> Element { return decode(${texel}); }`;
}

const headWgsl = (/** @type {KernelShape} */ shape) => `
alias Element = ${types[shape.components]};
struct Params {
  base: vec2u,        // size of level 0
  size: vec2u,        // size of the level that the dispatch reads
  first_tile: vec2u,  // of an update
  first_level: u32,   // number of the level that the dispatch reads
  kept_in: u32,       // exchange buffer: where that level begins
  kept_out: u32,      // where the levels of this dispatch begin
  kept_slice: u32,    // elements of a slice
  unused: vec2u,
}
${bindingsWgsl(shape)}
${reduceWgsl(shape)}
${tapsWgsl(shape)}
${codecWgsl(shape)}
${loadSourceWgsl(shape)}
${gatherWgsl('from_source', 'load_source')}
fn half_of(size: vec2u) -> vec2u { return max(size >> vec2u(1u), vec2u(1u)); }
fn level_size(n: u32) -> vec2u { return max(p.size >> vec2u(n), vec2u(1u)); }
`;

/** The tile kernel. @param {KernelShape} shape */
function tileWgsl(shape) {
  const { levels, tile, fused, footprint } = shape;
  const [a, b] = tileCapacity(shape);
  const first = fused ? 2 : 1;
  const names = (/** @type {number} */ level) => ((level - first) % 2 === 0 ? 's_a' : 's_b');
  const covering = footprint === 'covering' && shape.halo;
  const steps = [];
  for (let level = first; level <= levels; ++level) {
    const to = level < levels ? `${names(level)}[i] = element;` : '';
    const keep = level === levels && shape.keeps
      ? `kept[p.kept_out + slice * p.kept_slice + texel.y * here.size.x + texel.x] = element;` : '';
    const load = level === first
      ? (fused ? 'from_quads(texel, before.size, slice, all(texel < here.own))' : 'from_source(texel, p.size, p.first_level, slice)')
      : `from_${names(level - 1)}(texel, before.size, p.first_level + ${level - 1}u, slice)`;
    steps.push(`
  {
    let before = region_of(${level - 1}u, tile);
    let here = region_of(${level}u, tile);
    s_from = before.begin;
    s_width = before.end.x - before.begin.x;
    let extent = here.end - here.begin;
    for (var i = lane; i < extent.x * extent.y; i += ${workgroupSize}u) {
      let texel = here.begin + vec2u(i % extent.x, i / extent.x);
      let element = ${load};
      ${to}
      if (all(texel < here.own)) {
        textureStore(level${level}, texel, slice, encode(element));
        ${keep}
      }
    }
  }${level < levels ? '\n  workgroupBarrier();  // the level is complete' : ''}`);
  }
  return `${headWgsl(shape)}
var<workgroup> s_a: array<Element, ${a}>;
var<workgroup> s_b: array<Element, ${b}>;
var<private> s_from: vec2u;  // the texel of the finer level at index 0 of its buffer
var<private> s_width: u32;
fn load_s_a(at: vec2u, slice: u32) -> Element { return s_a[(at.y - s_from.y) * s_width + at.x - s_from.x]; }
fn load_s_b(at: vec2u, slice: u32) -> Element { return s_b[(at.y - s_from.y) * s_width + at.x - s_from.x]; }
${gatherWgsl('from_s_a', 'load_s_a')}
${gatherWgsl('from_s_b', 'load_s_b')}
${fused ? `
const halves = vec3f(0.5, 0.5, 0.0);
// One texel of level 2 and its four texels of level 1, which no other texel of level 2 takes.
fn from_quads(texel: vec2u, size: vec2u, slice: u32, own: bool) -> Element {
  var quad: array<Element, 4>;
  for (var q = 0u; q < 4u; q++) {
    let at = 2u * texel + vec2u(q & 1u, q >> 1u);
    let near = 2u * at;
    let top = reduce2(load_source(near, slice), load_source(near + vec2u(1u, 0u), slice), halves);
    let low = reduce2(load_source(near + vec2u(0u, 1u), slice), load_source(near + vec2u(1u, 1u), slice), halves);
    quad[q] = reduce2(top, low, halves);
    if (own) { textureStore(level1, at, slice, encode(quad[q])); }
  }
  return reduce2(reduce2(quad[0], quad[1], halves), reduce2(quad[2], quad[3], halves), halves);
}` : ''}
struct Region { begin: vec2u, end: vec2u, own: vec2u, size: vec2u }
// The texels of level \`n\` of the dispatch that the tile computes, [begin, end), and those that it stores, [begin, own).
fn region_of(n: u32, tile: vec2u) -> Region {
  var r: Region;
  let shift = vec2u(${levels}u - n);
  r.size = level_size(n);
  r.begin = (tile * ${tile}u) << shift;
  let own = ((tile + 1u) * ${tile}u) << shift;
  let last = (tile + 1u) * ${tile}u >= level_size(${levels}u);
  r.own = select(own, r.size, last);
  ${covering ? 'r.end = select(own + (r.size & ((vec2u(1u) << shift) - 1u)), r.size, last);' : 'r.end = r.own;'}
  return r;
}
@compute @workgroup_size(${workgroupSize})
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let slice = group.z;
  let tile = group.xy + p.first_tile;
  ${steps.join('')}
}
`;
}

/** The tail kernel. @param {KernelShape} shape */
function tailWgsl(shape) {
  const steps = [];
  for (let level = 1; level <= shape.levels; ++level) {
    const load = level === 1
      ? 'from_source(texel, p.size, p.first_level, slice)'
      : `from_kept(texel, finer, p.first_level + ${level - 1}u, slice)`;
    const keeps = level < shape.levels || shape.keeps;
    steps.push(`
  {
    let finer = level_size(${level - 1}u);
    let size = level_size(${level}u);
    for (var i = lane; i < size.x * size.y; i += ${workgroupSize}u) {
      let texel = vec2u(i % size.x, i / size.x);
      let element = ${load};
      textureStore(level${level}, texel, slice, encode(element));
      ${keeps ? 'kept[out + i] = element;' : ''}
    }
    ${keeps ? 'finer_at = out; finer_width = size.x; out += size.x * size.y;' : ''}
  }${level < shape.levels ? '\n  storageBarrier();  // the level is complete, for the other invocations of this workgroup' : ''}`);
  }
  return `${headWgsl(shape)}
var<private> finer_at: u32;
var<private> finer_width: u32;
${shape.levels > 1 ? `fn load_kept(at: vec2u, slice: u32) -> Element { return kept[finer_at + at.y * finer_width + at.x]; }
${gatherWgsl('from_kept', 'load_kept')}` : ''}
@compute @workgroup_size(${workgroupSize})
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let slice = group.z;
  var out = p.kept_out + slice * p.kept_slice;
  ${steps.join('')}
}
`;
}

/**
 * @param {KernelShape} shape
 * @returns {string}
 */
export function pyramidWgsl(shape) {
  return shape.kind === 'tail' ? tailWgsl(shape) : tileWgsl(shape);
}
