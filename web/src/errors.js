// errors.js: the one error type, checks of options, and the state of devices.

/**
 * The error of every function of this package. `message` names the field and its value.
 *
 * - `invalid_argument`: an option, a texture or a buffer does not fit; nothing was created.
 * - `unsupported`: the device lacks a limit or feature, named in `message`.
 * - `out_of_memory`: the device could not allocate a buffer or texture; nothing is left allocated.
 * - `device_lost`: the device is lost; request a new one and create the objects again.
 * - `device`: the device reported another error, for example from its shader compiler.
 *
 * @typedef {'invalid_argument' | 'unsupported' | 'out_of_memory' | 'device_lost' | 'device'} ErrorCode
 */
export class OnepassError extends Error {
  /**
   * @param {ErrorCode} code
   * @param {string} message
   */
  constructor(code, message) {
    super(message);
    this.name = 'OnepassError';
    /** @type {ErrorCode} */
    this.code = code;
  }
}

/**
 * @param {string} message
 * @returns {OnepassError}
 */
export const invalid = (message) => new OnepassError('invalid_argument', message);

/** @param {unknown} value */
const shown = (value) => {
  if (typeof value === 'number' || value === undefined || value === null) return String(value);
  if (typeof value === 'function') return 'a function';
  try {
    return JSON.stringify(value);
  } catch {
    return 'an object';
  }
};

/**
 * Refuses options that are no object and fields that do not exist: a misspelt field would have no effect.
 * @param {unknown} options
 * @param {string[]} fields
 * @param {string} [path]
 */
export function checkFields(options, fields, path = '') {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw invalid(`${path || 'options'}: ${shown(options)} is not an object`);
  }
  for (const field of Object.keys(options)) {
    if (!fields.includes(field)) {
      throw invalid(`${path ? `${path}.` : ''}${field}: no such field; there are ${fields.join(', ')}`);
    }
  }
}

/**
 * @param {string} field
 * @param {unknown} value
 * @param {number} low
 * @param {number} high
 * @returns {number}
 */
export function checkInteger(field, value, low, high) {
  if (!Number.isInteger(value) || /** @type {number} */ (value) < low || /** @type {number} */ (value) > high) {
    throw invalid(`${field}: ${shown(value)} is not an integer within ${low} and ${high}`);
  }
  return /** @type {number} */ (value);
}

/**
 * @param {string} field
 * @param {unknown} value
 * @param {number} low
 * @param {number} high
 * @returns {number}
 */
export function checkNumber(field, value, low, high) {
  if (typeof value !== 'number' || !(value >= low && value <= high)) {
    throw invalid(`${field}: ${shown(value)} is not a number within ${low} and ${high}`);
  }
  return value;
}

/**
 * @template {string} T
 * @param {string} field
 * @param {unknown} value
 * @param {readonly T[]} values
 * @returns {T}
 */
export function checkOneOf(field, value, values) {
  if (!values.includes(/** @type {T} */ (value))) {
    throw invalid(`${field}: ${shown(value)} is not one of ${values.join(', ')}`);
  }
  return /** @type {T} */ (value);
}

/**
 * @param {string} field
 * @param {unknown} value
 * @param {number} [low]
 * @param {number} [high]
 * @returns {[number, number]}
 */
export function checkPair(field, value, low = 1, high = 65535) {
  if (!Array.isArray(value) || value.length !== 2) throw invalid(`${field}: ${shown(value)} is not [width, height]`);
  for (const part of value) checkInteger(field, part, low, high);
  return [value[0], value[1]];
}

/**
 * Checks a rectangle [x, y, width, height] inside a size.
 * @param {string} field
 * @param {unknown} value
 * @param {readonly [number, number]} size
 * @returns {[number, number, number, number]}
 */
export function checkRect(field, value, size) {
  if (!Array.isArray(value) || value.length !== 4) {
    throw invalid(`${field}: ${shown(value)} is not [x, y, width, height]`);
  }
  for (const part of value) checkInteger(field, part, 0, 65535);
  const [x, y, width, height] = value;
  if (width < 1 || height < 1 || x + width > size[0] || y + height > size[1]) {
    throw invalid(`${field}: ${width}x${height} at ${x}, ${y} is not within ${size[0]}x${size[1]}`);
  }
  return [x, y, width, height];
}

/**
 * The samples per texel of a source.
 * @param {unknown} value
 * @param {number} slices
 * @returns {1 | 4}
 */
export function checkSamples(value, slices) {
  const samples = value ?? 1;
  if (samples !== 1 && samples !== 4) throw invalid(`samples: ${shown(samples)} is not 1 or 4`);
  if (samples === 4 && slices !== 1)
    throw invalid(`samples: 4, but a multisampled texture has one slice, not ${slices}`);
  return samples;
}
