// pyramid_wgsl.js: the kernels of pyramids. One text for all: the variants are constants at the top of the module.
//
// Tile kernel: a workgroup owns TILE x TILE texels of the coarsest level K of its tiles, and the texels below them.
// Footprints of odd sizes overlap: the workgroup also computes the texels of its right and lower neighbours that its
// own texels need (the halo), and does not store them.
//
//     level 1 of the dispatch   texels of the source, or of the exchange buffer          --> workgroup memory A
//     level 2                   A --> B        level 3   B --> A        ...              (FUSED: starts at level 2)
//     level K                   is also stored in the exchange buffer, unrounded, for the next dispatch
//
// Top levels: the workgroup that finishes last also makes the levels above K. WGSL's atomics order no other memory, so
// the texels of level K reach it as atomics that validate themselves: a word that is not 0 is a texel. It reads a
// bounded number of times; if words are missing even then, it makes all tiles itself, in this and in all later dispatches.
// It leaves words and counter at 0.
//
// Tail kernel: one workgroup per slice computes all remaining levels, whatever their sizes, through the exchange buffer.
import { encodeWgsl, sourceTextureWgsl } from './formats.js';

export const workgroupSize = 256;

/** Levels of a dispatch at most: an axis has at most 65535 texels. */
export const mostLevels = 16;

/**
 * @typedef {object} KernelShape
 * @property {'tile' | 'tail'} kind
 * @property {number} levels         Levels that the tiles store, or the tail.
 * @property {number} top            Levels above the tiles, by the workgroup that finishes last.
 * @property {[number, number][]} taps  Texels per axis that a texel of each level takes: 1, 2, 3, or 0 for `edge`, whose
 *   last texel takes more.
 * @property {[number, number]} lastSize  Size of level K; [0, 0] without top levels.
 * @property {number} tile           Side of a tile on the coarsest level, in texels.
 * @property {boolean} fused         The first level stays in registers: it and the next one halve exactly.
 * @property {boolean} halo          Tiles overlap (covering), or the last one is larger (edge).
 * @property {1 | 2 | 4} components
 * @property {'texture' | 'depth' | 'buffer'} source
 * @property {number} sourceChannels
 * @property {1 | 4} samples         Of a texel of the source.
 * @property {import('./words.js').Reduction} reduction
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
function memoryOf(shape) {
  const first = shape.fused ? 2 : 1;
  const side = (/** @type {number} */ level) => (level < shape.levels ? regionSide(shape, level) ** 2 : 0);
  // Level K and the level above it, for the top levels.
  const [width, height] = shape.lastSize;
  const above = width > 0 ? Math.max(1, width >> 1) * Math.max(1, height >> 1) : 0;
  const quarter = shape.fused && !shape.halo ? 256 : 1;
  return [Math.max(quarter, side(first), width * height), Math.max(quarter, side(first + 1), above)];
}

/** Bytes of the buffer through which tiles reach the last workgroup. @param {KernelShape} shape @param {number} slices */
export const arrivedBytes = ({ top, lastSize, components }, slices) =>
  top ? 4 * slices * (2 + lastSize[0] * lastSize[1] * components) : 0;

/** @param {KernelShape} shape  Bytes of workgroup memory. */
export function workgroupBytes(shape) {
  if (shape.kind === 'tail') return 0;
  const [a, b] = memoryOf(shape);
  // Each variable takes whole multiples of 16 bytes; three more serve the top levels.
  const bytes = (/** @type {number} */ texels) => Math.ceil((texels * shape.components) / 4) * 16;
  return bytes(a) + bytes(b) + (shape.top ? 48 : 0);
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

/** The footprint `edge` at odd sizes: texels, and their weights. @param {KernelShape} shape */
function edgeTapsWgsl({ taps, reduction }) {
  if (!taps.flat().includes(0)) return '';
  return `
struct Taps { count: u32, weights: vec3f }
// finer: size of the finer level; level: its number; base: size of level 0.
fn edge_taps(i: u32, finer: u32, level: u32, base: u32) -> Taps {
  // The last texel of the finer level stands for more base texels than the others, and has more weight.
  let last = i + 1u == (finer >> 1u);
  var t: Taps;
  t.count = 2u + select(0u, finer & 1u, last);
  t.weights = vec3f(0.5, 0.5, 0.0);
  ${
    reduction === 'mean'
      ? `if (last) {
    let block = 1u << level;
    let rest = f32(base - (finer - 1u) * block);
    let sum = f32(t.count - 1u) * f32(block) + rest;
    t.weights = select(vec3f(f32(block), rest, 0.0), vec3f(f32(block), f32(block), rest), t.count == 3u) / sum;
  }`
      : ''
  }
  return t;
}
`;
}

/**
 * A function that reduces the texels of the finer level that a texel takes, loaded by `load(position, slice)`.
 * @param {string} name
 * @param {string} load
 * @param {KernelShape} shape
 * @param {number} n  The level within the dispatch.
 */
function gatherWgsl(name, load, shape, n) {
  const [nx, ny] = shape.taps[n - 1];
  const [finer, level] = [`level_size(${n - 1}u)`, `p.first_level + ${n - 1}u`];
  // The taps of a row, which an odd size has three of; `edge` decides by texel.
  const row = (/** @type {string} */ y) => {
    const at = (/** @type {number} */ x) => `${load}(vec2u(near.x + ${x}u, ${y}), slice)`;
    if (nx === 1) return at(0);
    if (nx === 2) return `reduce2(${at(0)}, ${at(1)}, halves)`;
    return `reduce3(${at(0)}, ${at(1)}, ${at(2)}, wx)`;
  };
  const weights = (/** @type {string} */ axis) =>
    shape.reduction === 'mean'
      ? `let w${axis} = covering_weights(texel.${axis}, finer.${axis}, p.inverses[${n - 1}].${axis});`
      : `let w${axis} = halves;`;
  if (nx > 0 && ny > 0) {
    const rows = Array.from({ length: ny }, (_, y) => row(`near.y + ${y}u`));
    return `
fn ${name}(texel: vec2u, slice: u32) -> Element {
  let near = vec2u(${nx === 1 ? '0u' : '2u * texel.x'}, ${ny === 1 ? '0u' : '2u * texel.y'});
  ${nx === 3 || ny === 3 ? `let finer = ${finer};` : ''}
  ${nx === 3 ? weights('x') : ''}
  ${ny === 3 ? weights('y') : ''}
  ${rows.map((text, y) => `let r${y} = ${text};`).join('\n  ')}
  return ${ny === 1 ? 'r0' : ny === 2 ? 'reduce2(r0, r1, halves)' : 'reduce3(r0, r1, r2, wy)'};
}
`;
  }
  return `
fn ${name}(texel: vec2u, slice: u32) -> Element {
  let finer = ${finer};
  ${['x', 'y']
    .map((axis, k) =>
      shape.taps[n - 1][k] === 1
        ? `let t${axis} = Taps(1u, halves);`
        : `let t${axis} = edge_taps(texel.${axis}, finer.${axis}, ${level}, p.base.${axis});`,
    )
    .join('\n  ')}
  let near = vec2u(${nx === 1 ? '0u' : '2u * texel.x'}, ${ny === 1 ? '0u' : '2u * texel.y'});
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
}

/** Decoding of a source texel and encoding of a target texel. @param {KernelShape} shape */
function codecWgsl(shape) {
  const { components, weighted, target, sourceChannels } = shape;
  const decode =
    components === 1 ? 'texel.r' : components === 2 ? (sourceChannels === 1 ? 'texel.rr' : 'texel.rg') : 'texel';
  const texel =
    components === 1 ? 'vec4f(element, 0.0, 0.0, 1.0)' : components === 2 ? 'vec4f(element, 0.0, 1.0)' : 'element';
  // Weighted alpha: transparent texels have a weight of 2^-40, so that colour survives where all are transparent.
  return `
fn decode(texel: vec4f) -> Element {
  ${
    weighted
      ? `let weight = max(texel.a, 0.0) + ${2 ** -40};
  return vec4f(texel.rgb * weight, weight);`
      : `return ${decode};`
  }
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
const sourceTexture = ({ source, samples }) => sourceTextureWgsl('source', { depth: source === 'depth', samples });

/** @param {KernelShape} shape */
function bindingsWgsl(shape) {
  const lines = ['@group(0) @binding(0) var<uniform> p: Params;'];
  if (shape.source !== 'buffer') {
    lines.push(`@group(0) @binding(1) var source: ${sourceTexture(shape).type};`);
  }
  if (usesKept(shape)) {
    lines.push('@group(0) @binding(2) var<storage, read_write> kept: array<Element>;');
  }
  if (shape.top) {
    lines.push('// A counter per slice, whether words have once been missing per slice, then words of texels.');
    lines.push(
      `@group(0) @binding(${3 + shape.levels + shape.top}) var<storage, read_write> arrived: array<atomic<u32>>;`,
    );
  }
  for (let level = 1; level <= shape.levels + shape.top; ++level) {
    lines.push(
      `@group(0) @binding(${2 + level}) var level${level}: ` +
        `texture_storage_2d_array<${shape.target.storage}, write>;`,
    );
  }
  return lines.join('\n');
}

/** Whether the kernel has the exchange buffer. @param {KernelShape} shape */
export function usesKept(shape) {
  return shape.keeps || shape.source === 'buffer' || (shape.kind === 'tail' && shape.levels > 1);
}

/** @param {KernelShape} shape */
function loadSourceWgsl(shape) {
  if (shape.source === 'buffer') {
    return `
fn load_source(at: vec2u, slice: u32) -> Element {
  return kept[p.kept_in + slice * p.kept_slice + at.y * p.size.x + at.x];
}`;
  }
  const [a, b, c, d] = [0, 1, 2, 3].map((sample) => `decode(${sourceTexture(shape).load('at', 'slice', sample)})`);
  return `
fn load_source(at: vec2u, slice: u32) -> Element {
  return ${shape.samples === 1 ? a : `reduce2(reduce2(${a}, ${b}, halves), reduce2(${c}, ${d}, halves), halves)`};
}`;
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
  slices: u32,
  unused: u32,
  inverses: array<vec4f, ${mostLevels}>,  // xy: 1 / size of each finer level of the dispatch
}
${bindingsWgsl(shape)}
const halves = vec3f(0.5, 0.5, 0.0);
${reduceWgsl(shape)}
// Weights of the three texels of an odd size 2k + 1 that texel i takes.
fn covering_weights(i: u32, finer: u32, inverse: f32) -> vec3f {
  let first = (f32(finer >> 1u) - f32(i)) * inverse;
  let last = (f32(i) + 1.0) * inverse;
  return vec3f(first, 1.0 - (first + last), last);  // the sum is 1; the middle one, about a half, takes the rounding
}
${edgeTapsWgsl(shape)}
${codecWgsl(shape)}
${loadSourceWgsl(shape)}
fn level_size(n: u32) -> vec2u { return max(p.size >> vec2u(n), vec2u(1u)); }
`;

/** The tile kernel. @param {KernelShape} shape */
function tileWgsl(shape) {
  const { levels, tile, fused, footprint, top } = shape;
  const [a, b] = memoryOf(shape);
  const first = fused ? 2 : 1;
  const quarters = fused && !shape.halo;
  const names = (/** @type {number} */ level) => ((level - first) % 2 === 0 ? 's_a' : 's_b');
  const covering = footprint === 'covering' && shape.halo;
  const steps = [];
  const gathers = [];
  for (let level = first; level <= levels; ++level) {
    const side = regionSide(shape, level);
    if (level > first) {
      // Level n - 1 begins at twice the position of level n.
      const buffer = names(level - 1);
      gathers.push(`
fn load_${level}(at: vec2u, slice: u32) -> Element {
  let i = at - (s_tile << vec2u(${levels - level + 1}u));
  return ${buffer}[i.y * ${regionSide(shape, level - 1)}u + i.x];
}
${gatherWgsl(`gather_${level}`, `load_${level}`, shape, level)}`);
    }
    const keep =
      level === levels && shape.keeps
        ? `kept[p.kept_out + slice * p.kept_slice + texel.y * level_size(${levels}u).x + texel.x] = element;`
        : '';
    const publish =
      level === levels && top ? `publish(slice, texel.y * level_size(${levels}u).x + texel.x, element);` : '';
    if (level === 2 && quarters) {
      gathers.push(`
fn store_2(texel: vec2u, slice: u32, element: Element) {
  if (any(texel >= level_size(2u))) { return; }
  textureStore(level2, texel, slice, encode(element));
  ${keep}
  ${publish}
}`);
      steps.push(`
  make_two_levels(tile, slice, lane);${level < levels ? '\n  workgroupBarrier();  // the level is complete' : ''}`);
      continue;
    }
    steps.push(`
  {
    let here = region_of(${level}u, tile);
    for (var i = lane; i < ${side * side}u; i += ${workgroupSize}u) {
      let offset = vec2u(i % ${side}u, i / ${side}u);
      let texel = here.begin + offset;
      if (any(texel >= here.end)) { continue; }
      let own = all(texel < here.own);
      let element = ${level > first ? `gather_${level}(texel, slice)` : fused ? 'from_blocks(texel, slice, own)' : 'gather_1(texel, slice)'};
      ${level < levels ? `${names(level)}[i] = element;` : ''}
      if (own) {
        textureStore(level${level}, texel, slice, encode(element));
        ${keep}
        ${publish}
      }
    }
  }${level < levels ? '\n  workgroupBarrier();  // the level is complete' : ''}`);
  }
  return `${headWgsl(shape)}
var<workgroup> s_a: array<Element, ${a}>;
var<workgroup> s_b: array<Element, ${b}>;
var<private> s_tile: vec2u;  // first texel of the tile on the coarsest level
${fused ? fusedWgsl(shape) : gatherWgsl('gather_1', 'load_source', shape, 1)}
${gathers.join('')}
struct Region { begin: vec2u, end: vec2u, own: vec2u, size: vec2u }
// The texels of level \`n\` of the dispatch that the tile computes, [begin, end), and those that it stores, [begin, own).
fn region_of(n: u32, tile: vec2u) -> Region {
  var r: Region;
  let shift = vec2u(${levels}u - n);
  r.size = level_size(n);
  r.begin = (tile * ${tile}u) << shift;
  let own = ((tile + 1u) * ${tile}u) << shift;
  let last = (tile + 1u) * ${footprint === 'aligned' ? tile * 2 ** (levels - 1) : tile}u >= level_size(${footprint === 'aligned' ? 1 : levels}u);
  r.own = select(own, r.size, last);
  ${covering ? 'r.end = select(own + (r.size & ((vec2u(1u) << shift) - 1u)), r.size, last);' : 'r.end = r.own;'}
  return r;
}
fn make_tile(tile: vec2u, slice: u32, lane: u32) {
  s_tile = tile * ${tile}u;
  ${steps.join('')}
}
${top ? topWgsl(shape) : ''}
@compute @workgroup_size(${workgroupSize})
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  make_tile(group.xy + p.first_tile, group.z, lane);
  ${top ? 'make_top(groups.xy, group.z, lane);' : ''}
}
`;
}

/** Levels 1 and 2 of a tile, where both halve exactly. @param {KernelShape} shape */
function fusedWgsl(shape) {
  const four =
    shape.reduction === 'mean'
      ? '((a + b) + (c + d)) * 0.25'
      : 'reduce2(reduce2(a, b, halves), reduce2(c, d, halves), halves)';
  const reduce4 = `fn reduce4(a: Element, b: Element, c: Element, d: Element) -> Element { return ${four}; }`;
  const quads = [0, 1, 2, 3];
  const offset = (/** @type {number} */ q, /** @type {number} */ by) => `vec2u(${(q & 1) * by}u, ${(q >> 1) * by}u)`;
  if (shape.halo) {
    return `
${reduce4}
// One texel of level 2 and its four texels of level 1, which no other texel of level 2 takes. All loads come first.
fn from_blocks(texel: vec2u, slice: u32, own: bool) -> Element {
  let near = 4u * texel;
  ${quads.map((q) => quads.map((i) => `let t${q}${i} = load_source(near + ${offset(q, 2)} + ${offset(i, 1)}, slice);`).join('\n  ')).join('\n  ')}
  ${quads.map((q) => `let q${q} = reduce4(t${q}0, t${q}1, t${q}2, t${q}3);`).join('\n  ')}
  if (own) {
    ${quads.map((q) => `textureStore(level1, 2u * texel + ${offset(q, 1)}, slice, encode(q${q}));`).join('\n    ')}
  }
  return reduce4(q0, q1, q2, q3);
}`;
  }
  // A tile is 64x64 texels of the source. Each quarter of level 1 is one texel an invocation, so that neighbours load and
  // store neighbours, and becomes 64 texels of level 2.
  return `
${reduce4}
fn make_two_levels(tile: vec2u, slice: u32, lane: u32) {
  let first = 32u * tile + vec2u(lane % 16u, lane / 16u);
  ${quads.map((q) => quads.map((i) => `let t${q}${i} = load_source(2u * (first + ${offset(q, 16)}) + ${offset(i, 1)}, slice);`).join('\n  ')).join('\n  ')}
  let size = level_size(1u);
  ${quads
    .map(
      (q) => `let q${q} = reduce4(t${q}0, t${q}1, t${q}2, t${q}3);
  if (all(first + ${offset(q, 16)} < size)) { textureStore(level1, first + ${offset(q, 16)}, slice, encode(q${q})); }`,
    )
    .join('\n  ')}
  let quarter = lane / 64u;
  let within = vec2u(lane % 8u, (lane / 8u) % 8u);
  let i = 32u * within.y + 2u * within.x;
  var element: Element;
  ${quads
    .map((q) => {
      const s = q % 2 ? 's_b' : 's_a';
      return `${s}[lane] = q${q};
  workgroupBarrier();  // the quarter is complete
  if (quarter == ${q}u) { element = reduce4(${s}[i], ${s}[i + 1u], ${s}[i + 16u], ${s}[i + 17u]); }`;
    })
    .join('\n  ')}
  let corner = 8u * vec2u(quarter % 2u, quarter / 2u) + within;
  store_2(16u * tile + corner, slice, element);
  s_a[16u * corner.y + corner.x] = element;  // its last readers have passed a barrier
}`;
}

// Reads of words before the workgroup makes what it has not seen.
const mostReads = 64;

/** Level K from all workgroups, and the levels above it. @param {KernelShape} shape */
function topWgsl(shape) {
  const { levels, top, components } = shape;
  const parts = components === 1 ? [''] : ['.x', '.y', '.z', '.w'].slice(0, components);
  const steps = [];
  const gathers = [];
  for (let n = levels + 1; n <= levels + top; ++n) {
    const [from, to] = (n - levels) % 2 ? ['s_a', 's_b'] : ['s_b', 's_a'];
    gathers.push(`
fn load_${n}(at: vec2u, slice: u32) -> Element { return ${from}[at.y * level_size(${n - 1}u).x + at.x]; }
${gatherWgsl(`gather_${n}`, `load_${n}`, shape, n)}`);
    steps.push(`
  {
    let size = level_size(${n}u);
    for (var i = lane; i < size.x * size.y; i += ${workgroupSize}u) {
      let texel = vec2u(i % size.x, i / size.x);
      let element = gather_${n}(texel, slice);
      textureStore(level${n}, texel, slice, encode(element));
      ${n < levels + top ? `${to}[i] = element;` : ''}
    }
  }${n < levels + top ? '\n  workgroupBarrier();  // the level is complete' : ''}`);
  }
  return `
var<workgroup> s_last: u32;     // whether this workgroup is the last one of the slice
var<workgroup> s_missing: atomic<u32>;
var<workgroup> s_complete: u32;
${gathers.join('')}
fn word_of(slice: u32, i: u32) -> u32 {
  let size = level_size(${levels}u);
  return 2u * p.slices + (slice * size.x * size.y + i) * ${components}u;
}
// 0 means that nothing has arrived. Bits are inverted, so that the float 0 is not the word 0; the only float whose inverted
// bits are 0 is the NaN 0xFFFFFFFF, which is sent as the NaN 0xFFC00000.
fn publish(slice: u32, i: u32, element: Element) {
  ${parts
    .map(
      (part, k) => `{
    let word = ~bitcast<u32>(element${part});
    atomicStore(&arrived[word_of(slice, i) + ${k}u], select(word, 0x3FFFFFu, word == 0u));
  }`,
    )
    .join('\n  ')}
}
fn make_top(groups: vec2u, slice: u32, lane: u32) {
  storageBarrier();  // for speed only: most words have arrived when the last workgroup looks
  if (lane == 0u) { s_last = u32(atomicAdd(&arrived[slice], 1u) + 1u == groups.x * groups.y); }
  if (workgroupUniformLoad(&s_last) == 0u) { return; }
  let size = level_size(${levels}u);
  let count = size.x * size.y;
  let kept_level = p.kept_out + slice * p.kept_slice;
  var complete = 0u;
  // Words that have once been missing may still arrive, in a later dispatch: they are never used again.
  if (lane == 0u) { s_complete = atomicLoad(&arrived[p.slices + slice]); }
  if (workgroupUniformLoad(&s_complete) == 0u) {
    for (var reads = 0u; reads < ${mostReads}u; reads++) {
      if (lane == 0u) { atomicStore(&s_missing, 0u); }
      workgroupBarrier();  // s_missing is 0, and no invocation works on the tile any more
      for (var i = lane; i < count; i += ${workgroupSize}u) {
        let texel = vec2u(i % size.x, i / size.x);
        // Texels of other tiles than those of an update are as a former dispatch left them.
        let tile = texel / ${shape.tile}u - p.first_tile;
        if (any(tile >= groups)) {
          s_a[i] = kept[kept_level + i];
          continue;
        }
        let word = word_of(slice, i);
        ${parts.map((_, k) => `let w${k} = atomicLoad(&arrived[word + ${k}u]);`).join('\n        ')}
        if (${parts.map((_, k) => `w${k} == 0u`).join(' || ')}) { atomicStore(&s_missing, 1u); }
        s_a[i] = Element(${parts.map((_, k) => `bitcast<f32>(~w${k})`).join(', ')});
      }
      workgroupBarrier();  // all words are read
      if (lane == 0u) { s_complete = u32(atomicLoad(&s_missing) == 0u); }
      complete = workgroupUniformLoad(&s_complete);
      if (complete == 1u) { break; }
    }
  }
  if (complete == 0u) {
    if (lane == 0u) { atomicStore(&arrived[p.slices + slice], 1u); }
    for (var k = 0u; k < groups.x * groups.y; k++) {
      workgroupBarrier();  // the tile's memory is free
      make_tile(p.first_tile + vec2u(k % groups.x, k / groups.x), slice, lane);
    }
    storageBarrier();  // the texels of this workgroup are visible to it
    workgroupBarrier();
    for (var i = lane; i < count; i += ${workgroupSize}u) { s_a[i] = kept[kept_level + i]; }
    workgroupBarrier();  // level K is complete
  }
  for (var i = lane; i < count; i += ${workgroupSize}u) {
    ${parts.map((_, k) => `atomicStore(&arrived[word_of(slice, i) + ${k}u], 0u);`).join('\n    ')}
  }
  if (lane == 0u) { atomicStore(&arrived[slice], 0u); }
  ${steps.join('')}
}
`;
}

/** The tail kernel. @param {KernelShape} shape */
function tailWgsl(shape) {
  const steps = [];
  const gathers = [];
  for (let level = 1; level <= shape.levels; ++level) {
    if (level > 1) gathers.push(gatherWgsl(`gather_${level}`, 'load_kept', shape, level));
    const keeps = level < shape.levels || shape.keeps;
    steps.push(`
  {
    let size = level_size(${level}u);
    for (var i = lane; i < size.x * size.y; i += ${workgroupSize}u) {
      let texel = vec2u(i % size.x, i / size.x);
      let element = gather_${level}(texel, slice);
      textureStore(level${level}, texel, slice, encode(element));
      ${keeps ? 'kept[out + i] = element;' : ''}
    }
    ${keeps ? 'finer_at = out; finer_width = size.x; out += size.x * size.y;' : ''}
  }${level < shape.levels ? '\n  storageBarrier();  // the level is complete, for the other invocations of this workgroup' : ''}`);
  }
  return `${headWgsl(shape)}
var<private> finer_at: u32;
var<private> finer_width: u32;
${gatherWgsl('gather_1', 'load_source', shape, 1)}
${shape.levels > 1 ? `fn load_kept(at: vec2u, slice: u32) -> Element { return kept[finer_at + at.y * finer_width + at.x]; }` : ''}
${gathers.join('')}
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
