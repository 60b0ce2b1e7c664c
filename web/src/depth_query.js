// depth_query.js: queries of a depth pyramid as WGSL text to include in shaders.
import { depthQueryText } from './depth_query_wgsl.js';
import { checkFields, invalid } from './errors.js';

/**
 * The functions that the queries load depths with, each as the WGSL text of its body.
 * @typedef {object} DepthQueryCallbacks
 * @property {string} [farthest]  Body of `onepass_load_farthest(level: u32, cell: vec2u) -> f32`: the farthest depth of a
 *   texel of a level of the pyramid, for example
 *   `return textureLoad(hiz, cell, i32(level) - 1).r;` where mip 0 of `hiz` is level 1.
 * @property {string} [nearest]  Body of `onepass_load_nearest(level: u32, cell: vec2u) -> f32`. Ray marches need it.
 * @property {string} [sampleFarthest]  Body of `onepass_sample_farthest(level: u32, at: vec2f) -> f32`.
 * @property {string} [sampleNearest]  Body of `onepass_sample_nearest(level: u32, at: vec2f) -> f32`.
 * @property {string} [tile]  Body of `onepass_load_tile(tile: vec2u) -> f32`: nearest depth of a tile of TileReduction.
 */

/**
 * WGSL functions that ask a depth pyramid: `onepass_rect_occluded`, `onepass_box_occluded`, `onepass_sphere_occluded`
 * (with `farthest`), `onepass_certainly_visible`, `onepass_march` (with `nearest`),
 * `onepass_tile_certainly_visible` (with `tile`), and those of cells and projections. They are made from the GLSL headers
 * of onepass; docs/depth_query.md of the project describes each function and its promise.
 *
 *     const code = depthQueryWgsl({farthest: 'return textureLoad(hiz, cell, i32(level) - 1).r;'}) + mine;
 *
 * @param {DepthQueryCallbacks} callbacks
 * @returns {string}
 * @throws {OnepassError} `invalid_argument`
 */
export function depthQueryWgsl(callbacks) {
  /** @type {Record<string, string>} */
  const signatures = {
    farthest: 'onepass_load_farthest(level: u32, cell: vec2u)',
    nearest: 'onepass_load_nearest(level: u32, cell: vec2u)',
    sampleFarthest: 'onepass_sample_farthest(level: u32, at: vec2f)',
    sampleNearest: 'onepass_sample_nearest(level: u32, at: vec2f)',
    tile: 'onepass_load_tile(tile: vec2u)',
  };
  checkFields(callbacks, Object.keys(signatures), 'callbacks');
  for (const [name, body] of Object.entries(callbacks)) {
    if (typeof body !== 'string' || body === '') throw invalid(`callbacks.${name}: is not WGSL text`);
  }
  const functions = Object.entries(callbacks).map(([name, body]) => `fn ${signatures[name]} -> f32 { ${body} }\n`);
  const has = (/** @type {string} */ name) => name in callbacks;
  return (
    functions.join('') +
    depthQueryText({
      farthest: has('farthest'),
      nearest: has('nearest'),
      sampleFarthest: has('sampleFarthest'),
      sampleNearest: has('sampleNearest'),
      tile: has('tile'),
    })
  );
}
