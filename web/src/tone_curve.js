// tone_curve.js: fits a function of one variable by a table of cubics, indexed by exponent and first mantissa bits. The
// same tables as those of the Vulkan engine (src/tone_map/curve.cpp of the project); the tests compare the two.
//
// The variable x >= 0 becomes w = s * scale + bias, with s = x or sqrt(x) and w >= 1. The exponent of w and the first
// `split` bits of its mantissa are the index of the piece; its cubic takes the mantissa, 1 to 2.

/** @typedef {(x: number) => number} RealFunction */

/**
 * @typedef {object} CurveRequest
 * @property {RealFunction} f    Must stay smooth for a while above `top`.
 * @property {number} top        Arguments are clipped to 0..top.
 * @property {number[]} [kinks]  Arguments at which derivatives jump, the worst one first.
 * @property {number} [foot]     f is constant up to this argument. 0: nowhere.
 * @property {number} [factorOf] If not 0: the curve's value multiplies a channel of at most factorOf * x.
 * @property {number} [enough]   With this error no other shape is tried.
 * @property {boolean} [fine]    Twice as many pieces.
 * @property {RealFunction} [through]  Applied next; errors are measured after it.
 * @property {number} [mixed]    If a matrix stands before `through`: factor of relative errors of values above 1.
 */

/**
 * @typedef {object} Curve
 * @property {boolean} root
 * @property {number} split
 * @property {number} scale
 * @property {number} top
 * @property {number} bottom
 * @property {number} bias
 * @property {number} error
 * @property {Float32Array} cubics  Four numbers a piece, the lowest power first.
 */

const pieces = 128;
const cpuPieces = 32;
const f32 = Math.fround;
const words = new Uint32Array(1);
const floats = new Float32Array(words.buffer);

/** @param {number} x */
const bitsOf = (x) => {
  floats[0] = x;
  return words[0];
};
/** @param {number} bits */
const floatOf = (bits) => {
  words[0] = bits;
  return floats[0];
};

/** @typedef {{root: boolean, split: number, scale: number, bottom: number}} Shape */

/** @param {Shape} shape */
const biasOf = (shape) => (shape.bottom > 0 ? 0 : 1);

/** @param {number} w @param {Shape} shape */
function argumentOf(w, shape) {
  const s = (w - biasOf(shape)) / shape.scale;
  return shape.root ? s * s : s;
}

/** The interval of a piece, of w and of z = mantissa - 1.5. @param {number} index @param {number} split */
function pieceOf(index, split) {
  const parts = 2 ** split;
  const octave = 2 ** Math.floor(index / parts);
  const part = index % parts;
  return {
    begin: octave * (1 + part / parts),
    end: octave * (1 + (part + 1) / parts),
    least: part / parts - 0.5,
    width: 1 / parts,
  };
}

const crowding = 1.15; // nodes move towards a boundary at which f is not smooth
/** @type {((unit: number) => number)[]} */
const nodes = [(unit) => unit, (unit) => unit ** crowding, (unit) => 1 - (1 - unit) ** crowding];

/**
 * Powers of the cubic in z through f at four nodes of a piece.
 * @param {RealFunction} f
 * @param {Shape} shape
 * @param {ReturnType<typeof pieceOf>} piece
 * @param {(unit: number) => number} crowd
 */
function fitPiece(f, shape, piece, crowd) {
  const x = [0, 0, 0, 0];
  const slopes = [0, 0, 0, 0];
  for (let i = 0; i < 4; ++i) {
    const unit = crowd(0.5 + 0.5 * Math.cos(((2 * i + 1) * Math.PI) / 8));
    x[i] = piece.least + unit * piece.width;
    slopes[i] = f(argumentOf(piece.begin + unit * (piece.end - piece.begin), shape));
  }
  for (let order = 1; order < 4; ++order) {
    for (let i = 3; i >= order; --i) slopes[i] = (slopes[i] - slopes[i - 1]) / (x[i] - x[i - order]);
  }
  const powers = [slopes[3], 0, 0, 0];
  for (let i = 2; i >= 0; --i) {
    for (let power = 3; power >= 1; --power) powers[power] = powers[power - 1] - x[i] * powers[power];
    powers[0] = slopes[i] - x[i] * powers[0];
  }
  return powers;
}

/** @param {CurveRequest} request @param {Shape} shape @param {ReturnType<typeof pieceOf>} piece */
function fitBest(request, shape, piece) {
  const { f, kinks = [] } = request;
  let best = fitPiece(f, shape, piece, nodes[0]);
  const error = (/** @type {number[]} */ powers) => {
    let most = 0;
    for (let i = 0; i <= 64; ++i) {
      const unit = 0.5 - 0.5 * Math.cos((i * Math.PI) / 64);
      const z = piece.least + unit * piece.width;
      const value = ((powers[3] * z + powers[2]) * z + powers[1]) * z + powers[0];
      most = Math.max(most, Math.abs(value - f(argumentOf(piece.begin + unit * (piece.end - piece.begin), shape))));
    }
    return most;
  };
  for (const [border, crowd] of /** @type {[number, (unit: number) => number][]} */ ([
    [piece.begin, nodes[1]],
    [piece.end, nodes[2]],
  ])) {
    const x = argumentOf(border, shape);
    if (!kinks.some((kink) => Math.abs(x - kink) <= 1e-5 * kink)) continue;
    const other = fitPiece(f, shape, piece, crowd);
    if (error(other) < error(best)) best = other;
  }
  return best;
}

/** @param {CurveRequest} request @param {Shape} coarse  The shape with a quarter (an eighth) of the pieces. @returns {Curve} */
function fill(request, coarse) {
  const shape = { ...coarse, split: coarse.split + (request.fine ? 3 : 2) };
  const count = request.fine ? 2 * pieces : pieces;
  const cubics = new Float32Array(4 * count);
  for (let i = 0; i < count; ++i) {
    const p = fitBest(request, shape, pieceOf(i, shape.split));
    cubics.set(
      [p[0] - 1.5 * p[1] + 2.25 * p[2] - 3.375 * p[3], p[1] - 3 * p[2] + 6.75 * p[3], p[2] - 4.5 * p[3], p[3]],
      4 * i,
    );
  }
  // If f(0) is 0, the first cubic is exactly 0 at 0, because the next function may be steep there.
  if (request.f(0) === 0) cubics[0] = -f32(f32(cubics[3] + cubics[2]) + cubics[1]);
  return {
    root: shape.root,
    split: shape.split,
    scale: f32(shape.scale),
    top: f32(request.top),
    bottom: f32(shape.bottom),
    bias: biasOf(shape),
    error: Infinity,
    cubics,
  };
}

/**
 * The value of a curve as the kernel computes it.
 * @param {Curve} curve
 * @param {number} x
 */
export function evaluateCurve(curve, x) {
  const clamped = Math.min(Math.max(x, curve.bottom), curve.top);
  const w = f32(f32((curve.root ? f32(Math.sqrt(clamped)) : clamped) * curve.scale) + curve.bias);
  const bits = bitsOf(w);
  const at = 4 * ((bits >>> (23 - curve.split)) - (0x3f800000 >>> (23 - curve.split)));
  const m = floatOf((bits & 0x7fffff) | 0x3f800000);
  const c = curve.cubics;
  return f32(f32(f32(f32(f32(c[at + 3] * m) + c[at + 2]) * m) + c[at + 1]) * m) + c[at];
}

/** @param {CurveRequest} request @param {number} value @param {number} exact */
function errorOf({ through }, value, exact) {
  if (!through) return Math.abs(value - exact);
  // A transfer may be infinitely steep at 0: errors of 1e-7 before it, the precision of floats, do not count.
  const near = 1e-7;
  const after = (/** @type {number} */ v) => through(Math.max(0, v));
  return Math.max(0, after(exact - near) - after(value), after(value) - after(exact + near));
}

const unitOf = (/** @type {number} */ exact) => Math.max(1, Math.abs(exact));

/** @param {CurveRequest} request @param {number} value @param {number} exact @param {number} x */
function sampleError(request, value, exact, x) {
  const { factorOf = 0, mixed = 0, through } = request;
  if (factorOf > 0) {
    const largest = factorOf * x;
    let worst = (Math.abs(value - exact) * largest) / unitOf(exact * largest);
    if (through) {
      for (const part of [1, 1 / 4, 1 / 16, 1 / 64, 1 / 1024]) {
        const by = largest * part;
        worst = Math.max(worst, errorOf(request, value * by, exact * by) / unitOf(exact * by));
      }
    }
    return worst;
  }
  const error = errorOf(request, value, exact) / unitOf(exact);
  return mixed > 0 && exact > 1 ? Math.max(error, (mixed * Math.abs(value - exact)) / exact) : error;
}

/** @param {CurveRequest} request @param {Shape} shape @param {Curve} curve @param {number} limit */
function measure(request, shape, curve, limit) {
  let worst = 0;
  const sample = (/** @type {number} */ argument) => {
    const x = f32(Math.min(request.top, argument));
    worst = Math.max(worst, sampleError(request, evaluateCurve(curve, x), request.f(x), x));
  };
  for (const kink of request.kinks ?? []) {
    for (const beside of [1 - 1e-2, 1 - 1e-3, 1 - 1e-4, 1 + 1e-4, 1 + 1e-3, 1 + 1e-2]) sample(kink * beside);
  }
  for (let i = 0; i < cpuPieces && worst <= limit; ++i) {
    const piece = pieceOf(i, shape.split);
    for (let k = 0; k <= 40; ++k) sample(argumentOf(piece.begin + ((piece.end - piece.begin) * k) / 40, shape));
  }
  return worst;
}

/** The largest scale, at most `most`, that puts `kink` on a boundary between pieces. @param {number} kink @param {number} most @param {number} split */
function scaleFor(kink, most, split) {
  const w = kink * most + 1;
  const octave = 2 ** Math.floor(Math.log2(w));
  const parts = 2 ** split;
  const border = octave * (1 + Math.floor((w / octave - 1) * parts) / parts);
  return border > 1 ? (border - 1) / kink : most;
}

/** @param {CurveRequest} request @returns {Shape[]} */
function shapesFor(request) {
  /** @type {Shape[]} */
  const shapes = [];
  const { top, foot = 0, kinks = [] } = request;
  if (foot > 0) {
    // w is 1 at the foot: in floats, the scale times the foot (or its root) must be exactly 1.
    for (const root of [false, true]) {
      const bottom = f32(foot);
      const s = root ? f32(Math.sqrt(bottom)) : bottom;
      let scale = f32(1 / s);
      if (f32(s * scale) < 1) scale = floatOf(bitsOf(scale) + 1);
      if (f32(s * scale) !== 1) continue;
      const most = root ? Math.sqrt(top) : top;
      let split = 2;
      while (split > 0 && most * scale >= 2 ** (cpuPieces >> split)) --split;
      if (most * scale < 2 ** (cpuPieces >> split)) shapes.push({ root, split, scale, bottom });
    }
  }
  for (const root of [false, true]) {
    const reach = root ? Math.sqrt(top) : top;
    for (const split of [0, 1, 2]) {
      // Slightly before the end of the last octave, because w is rounded.
      const most = ((2 ** (cpuPieces >> split) - 1) / reach) * (1 - 2 ** -20);
      const add = (/** @type {number} */ scale) => shapes.push({ root, split, scale: f32(scale), bottom: 0 });
      for (const kink of kinks) add(scaleFor(root ? Math.sqrt(kink) : kink, most, split));
      if (kinks.length === 0) add(most);
    }
  }
  return shapes;
}

/**
 * Tries shapes until one is accurate enough; otherwise takes the most accurate.
 * @param {CurveRequest} request
 * @returns {Curve}
 */
export function fitCurve(request) {
  const enough = request.enough ?? 1.5e-6;
  /** @type {Curve | null} */
  let best = null;
  for (const shape of shapesFor(request)) {
    const curve = fill(request, shape);
    curve.error = measure(request, shape, curve, best?.error ?? Infinity);
    if (!best || curve.error < best.error) best = curve;
    if (best.error <= enough) break;
  }
  return /** @type {Curve} */ (best);
}
