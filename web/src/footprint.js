// footprint.js: sizes of levels, and the base texels that a texel of a level stands for. Pure arithmetic.
import { checkInteger, checkOneOf, checkPair } from './errors.js';
import {
  affectedBegin,
  affectedEnd,
  footprintBegin,
  footprintEnd,
  levelSize as axisLevelSize,
} from './pyramid_layout.js';
import { footprintWords } from './words.js';

/**
 * Which base texels texel i of level n stands for, per axis; S is the base size.
 * - `aligned`: [i·2ⁿ, (i+1)·2ⁿ). The remainder of odd sizes is dropped.
 * - `covering` (default): [i·2ⁿ, (i+1)·2ⁿ + S mod 2ⁿ). Conservative for the finer texels at the same texture
 *   coordinate, on every finer level. Means use polyphase weights: every base texel has the same total weight.
 * - `edge`: as aligned, and the last texel also takes the remainder. Look it up by texel, not by coordinate.
 * @typedef {import('./words.js').Footprint} Footprint
 */

/** @type {readonly Footprint[]} */
export const footprints = footprintWords;

export { axisLevelSize };

/**
 * Size of level `level`: max(1, floor(size / 2^level)) per axis, in texels.
 * @param {readonly [number, number]} size
 * @param {number} level
 * @returns {[number, number]}
 */
export function levelSize(size, level) {
  checkPair('size', size);
  checkInteger('level', level, 0, 31);
  return [axisLevelSize(size[0], level), axisLevelSize(size[1], level)];
}

/**
 * Number of levels of a full chain, level 0 included: floor(log2(max(width, height))) + 1.
 * @param {readonly [number, number]} size
 * @returns {number}
 */
export function fullLevelCount(size) {
  checkPair('size', size);
  return 32 - Math.clz32(Math.max(size[0], size[1]));
}

/**
 * The base texels [begin, end) that texel `i` of level `level` stands for along an axis of `size` texels.
 * @param {Footprint} footprint
 * @param {number} size
 * @param {number} level
 * @param {number} i
 * @returns {[begin: number, end: number]}
 */
export function footprintRange(footprint, size, level, i) {
  checkOneOf('footprint', footprint, footprints);
  checkInteger('size', size, 1, 65535);
  checkInteger('level', level, 0, 31);
  checkInteger('i', i, 0, axisLevelSize(size, level) - 1);
  return [footprintBegin(footprint, size, level, i), footprintEnd(footprint, size, level, i)];
}

/**
 * The texels [begin, end) of level `level` whose footprint overlaps base texels [begin, end) along an axis.
 * @param {Footprint} footprint
 * @param {number} size
 * @param {number} level
 * @param {readonly [begin: number, end: number]} changed
 * @returns {[begin: number, end: number]}
 */
export function affectedRange(footprint, size, level, changed) {
  const begin = affectedBegin(footprint, size, level, changed[0]);
  return [begin, Math.max(begin, affectedEnd(footprint, size, level, changed[0], changed[1]))];
}
