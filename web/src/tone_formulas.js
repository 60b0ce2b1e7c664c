// tone_formulas.js: the formulas of tone operators, transfers and looks, in double.
//
// Written by scripts/generate-api from src/tone_map/operators.cpp and program.cpp: do not edit. docs/tone_map.md names the
// source of every formula.

/** @typedef {number[][]} Matrix  Rows. */
/** @typedef {import('./tone_curve.js').RealFunction} RealFunction */
/** @typedef {{f: RealFunction, top: number, kinks: number[], foot: number}} Formula */
/** @typedef {{slope: number[], power: number, saturation: number}} Look */
/** @typedef {import('./tone_map.js').ResolvedTone & {operatorHeadroom: number}} Options */

/** The largest half. */
export const kMostLight = 65504;
export const kHueBefore = 0.6;
export const kHueAfter = 0.4;
const kHlgPeakNits = 1000.0;
/** Operators that have a variant with highlights above 1. */
export const headroomOperators = ['exposure', 'reinhard', 'reinhard_extended', 'reinhard_luminance', 'agx_blender'];

const exp2 = (/** @type {number} */ x) => 2 ** x;
/** @type {(x: number, low: number, high: number) => number} */
const clamp = (x, low, high) => Math.min(Math.max(x, low), high);
/** @type {(f: RealFunction, top?: number, kinks?: number[], foot?: number) => Formula} */
const formula = (f, top = kMostLight, kinks = [], foot = 0) => ({ f, top, kinks, foot });

// (x (a x + b) + g) / (x (c x + d) + e).
/** @param {number} a @param {number} b @param {number} c @param {number} d @param {number} e @param {number} [g] @returns {RealFunction} */
function rational(a, b, c, d, e, g = 0) {
  return (/** @type {number} */ x) => { return (x * (a * x + b) + g) / (x * (c * x + d) + e); };
}

// Hable's curve (x(Ax + CB) + DE) / (x(Ax + B) + DF) - E/F, with one denominator, applied to twice the light and
// scaled so that white, 11.2, becomes 1.
/** @returns {Formula} */
function hable() {
  const kA = 0.15, kB = 0.50, kC = 0.10, kD = 0.20, kE = 0.02, kF = 0.30, kWhite = 11.2, kBias = 2;
  const a = kA * (kF - kE), b = kB * (kC * kF - kE), c = kA * kF, d = kB * kF, e = kD * kF * kF;
  const scale = 1 / rational(a, b, c, d, e)(kWhite);
  return formula(rational(scale * a * kBias * kBias, scale * b * kBias, c * kBias * kBias, d * kBias, e));
}

// ---- AgX

const kGrey = 0.18;
const kStopsBelow = 10;    // below grey, where the encoding begins
const kStops = 16.5;       // from there to where the curve reaches 1
const kBlenderAbove = 15;  // stops above grey, where Blender's tables end

// s u / (1 + u^p)^(1/p), u = slope t / s: a line that bends to an asymptote; s is chosen so that t = x gives y.
/** @param {number} slope @param {number} x @param {number} y @param {number} p @returns {RealFunction} */
function bend(slope, x, y, p) {
  const scale = slope * x / Math.pow(Math.pow(slope * x / y, p) - 1, 1 / p);
  return (/** @type {number} */ t) => {
    const u = slope * t / scale;
    return scale * u / Math.pow(1 + Math.pow(u, p), 1 / p);
  };
}

// The distance of `top` from grey divided by the distance of 1, both in stops.
/** @param {number} top @param {number} grey @returns {number} */
function stretchTo(top, grey) { return Math.log(top / grey) / Math.log(1 / grey); }

// AgX's sigmoid, whose shoulder ends at `top` instead of 1. The shoulder is stretched from grey on, by the same factor
// in stops of input and of output, and so keeps its slope at grey. A top of 1 changes no bit.
/** @param {number} greyOut @param {number} slope @param {number} toePower @param {number} shoulderPower @param {number} top @returns {RealFunction} */
function agxSigmoid(greyOut, slope, toePower, shoulderPower, top) {
  const pivot = kStopsBelow / kStops;
  const toe = bend(slope, pivot, greyOut, toePower);
  const shoulder = bend(slope, 1 - pivot, 1 - greyOut, shoulderPower);
  const stretch = stretchTo(top, greyOut);
  return (/** @type {number} */ x) => {
    if (!(x > 0)) return 0.0;
    const t = (Math.log2(x / kGrey) + kStopsBelow) / kStops - pivot;
    if (t <= -pivot) return 0.0;
    if (t < 0) return Math.max(0.0, greyOut - toe(-t));
    return top * Math.pow(greyOut + shoulder(t / stretch), stretch);
  };
}

// A look's power moves the end of the curve: the curve ends at the value that the power maps to the headroom.
/** @param {Options} options @returns {Formula} */
function agxBlender(options) {
  const top = Math.pow(options.operatorHeadroom, 1 / lookOf(options.look).power);
  const encode = 1 / decodingExponent('agx_blender');
  const encodedTop = Math.pow(top, encode);
  const greyOut = Math.pow(kGrey, encode);
  const foot = kGrey * exp2(-kStopsBelow);
  const end = kGrey * exp2(kBlenderAbove * stretchTo(encodedTop, greyOut));
  return formula(agxSigmoid(greyOut, 2.4, 1.5, 1.5, encodedTop), Math.min(end, kMostLight), [kGrey, foot], foot);
}

/** @returns {Formula} */
function agxSobotka() {
  const foot = kGrey * exp2(-kStopsBelow);
  return formula(agxSigmoid(0.5, 2.0, 3.0, 3.25, 1), kGrey * exp2(kStops - kStopsBelow), [kGrey, foot], foot);
}

// ---- Others with logarithms and powers

/** @returns {Formula} */
function lottes() {
  const kA = 1.6, kD = 0.977, kMax = 8, kMidIn = 0.18, kMidOut = 0.267;
  const maxA = Math.pow(kMax, kA), maxAd = Math.pow(kMax, kA * kD);
  const midA = Math.pow(kMidIn, kA), midAd = Math.pow(kMidIn, kA * kD);
  const b = (-midA + maxA * kMidOut) / ((maxAd - midAd) * kMidOut);
  const c = (maxAd * midA - maxA * midAd * kMidOut) / ((maxAd - midAd) * kMidOut);
  return formula((/** @type {number} */ x) => { return x > 0 ? Math.pow(x, kA) / (Math.pow(x, kA * kD) * b + c) : 0.0; });
}

/** @returns {Formula} */
function uchimura() {
  const kP = 1, kA = 1, kM = 0.22, kL = 0.4, kC = 1.33, kB = 0;
  const kLinear = (kP - kM) * kL / kA;
  const kS0 = kM + kLinear, kS1 = kM + kA * kLinear, kC2 = kA * kP / (kP - kS1);
  const f = (/** @type {number} */ x) => {
    const unit = clamp(x / kM, 0.0, 1.0);
    const toeWeight = 1 - unit * unit * (3 - 2 * unit);
    const shoulderWeight = x < kS0 ? 0 : 1;
    const toe = kM * Math.pow(Math.max(x, 0.0) / kM, kC) + kB;
    const line = kM + kA * (x - kM);
    const shoulder = kP - (kP - kS1) * Math.exp(-kC2 * (x - kS0) / kP);
    return toe * toeWeight + line * (1 - toeWeight - shoulderWeight) + shoulder * shoulderWeight;
  };
  return formula(f, 16, [kS0, kM]);  // at 16 it is 1 - 1e-15
}

// Drago's curve as a factor for channels, a function of luminance.
/** @param {Options['drago']} options @returns {Formula} */
function drago(options) {
  const average = options.average;
  const most = options.white / average;
  const exponent = Math.log(options.bias) / Math.log(0.5);
  const f = (/** @type {number} */ luminance) => {
    const y = luminance / average;
    const base = Math.log(2 + 8 * Math.pow(y / most, exponent)) * Math.log10(most + 1);
    return (y < 1e-12 ? 1 : Math.log1p(y) / y) / (base * average);
  };
  return formula(f);
}

// Reinhard's curve divided by its argument. In units of the headroom it is the curve without headroom.
/** @param {number} white @param {number} headroom @returns {Formula} */
function reinhardLuminance(white, headroom) {
  return formula((/** @type {number} */ y) => { return (1 + y * headroom / (white * white)) / (1 + y / headroom); });
}

// ---- Transfers

const kHlgGamma = 1.2;  // system gamma of a display of 1000 cd/m^2

/** @param {number} x @returns {number} */
function srgb(x) { return x <= 0.0031308 ? 12.92 * x : 1.055 * Math.pow(x, 1 / 2.4) - 0.055; }

/** @param {number} x @returns {number} */
function pq(x) {
  const kM1 = 0.1593017578125, kM2 = 78.84375, kC1 = 0.8359375, kC2 = 18.8515625, kC3 = 18.6875;
  const y = Math.pow(x, kM1);
  return Math.pow((kC1 + kC2 * y) / (1 + kC3 * y), kM2);
}

/** @param {number} x @returns {number} */
function hlg(x) {
  const kA = 0.17883277, kB = 1 - 4 * kA;
  const c = 0.5 - kA * Math.log(4 * kA);
  return x <= 1.0 / 12 ? Math.sqrt(3 * x) : kA * Math.log(12 * x - kB) + c;
}

/** @param {Options} options @returns {Formula | null} */
export function operatorFormula(options) {
  const white = options.white;
  const headroom = options.operatorHeadroom;
  switch (options.operator) {
    case 'exposure':
    case 'pbr_neutral':
      return null;
    case 'reinhard':
      return formula((/** @type {number} */ x) => { return x / (1 + x / headroom); });
    case 'reinhard_extended':
      return formula((/** @type {number} */ x) => { return x / (1 + x / headroom) * (1 + x * headroom / (white * white)); });
    case 'reinhard_luminance':
      return reinhardLuminance(white, headroom);
    case 'hable':
      return hable();
    case 'hejl_burgess_dawson': {
      const curve = rational(6.2, 0.5, 6.2, 1.7, 0.06);
      return formula((/** @type {number} */ x) => { return curve(Math.max(0.0, x - 0.004)); }, kMostLight, [0.004]);
    }
    case 'aces_narkowicz': {
      // The curve reaches 1, with a kink, where 0.08 x^2 - 0.56 x = 0.14.
      const top = (0.56 + Math.sqrt(0.56 * 0.56 + 4 * 0.08 * 0.14)) / 0.16;
      return formula(rational(2.51, 0.03, 2.43, 0.59, 0.14), top);
    }
    case 'aces_hill':
      return formula(rational(1, 0.0245786, 0.983729, 0.4329510, 0.238081, -0.000090537));
    case 'agx_sobotka':
      return agxSobotka();
    case 'agx_blender':
      return agxBlender(options);
    case 'lottes':
      return lottes();
    case 'uchimura':
      return uchimura();
    case 'drago':
      return drago(options.drago);
  }
  return null;
}

/** @param {Options['operator']} toneOperator @returns {number} */
export function decodingExponent(toneOperator) {
  switch (toneOperator) {
    case 'hejl_burgess_dawson':
    case 'agx_sobotka':
      return 2.2;
    case 'agx_blender':
      return 2.4;
    default:
      return 1;
  }
}

/** @param {number} exponent @param {number} [top] @returns {Formula} */
export function powerFormula(exponent, top = 1) {
  return formula((/** @type {number} */ x) => { return x > 0 ? Math.pow(x, exponent) : 0.0; }, top);
}

/** @returns {Formula} */
export function hlgFormula() { return formula(hlg, 1, [1.0 / 12]); }

/** @param {Options} options @returns {Formula} */
export function inverseOotfFormula(options) {
  // A display shows E Y^(gamma - 1), in units of its peak. The factor would be infinite at 0; it is constant below
  // about 1e-6 cd/m^2.
  const unit = options.paperWhiteNits / kHlgPeakNits;
  const top = options.operatorHeadroom;
  const foot = exp2(Math.floor(Math.log2(top)) - 30);
  const f = (/** @type {number} */ luminance) => { return unit * Math.pow(Math.max(luminance, foot) * unit, 1 / kHlgGamma - 1); };
  return formula(f, top, [foot], foot);
}

/** @param {Options} options @param {number} decode @returns {Formula | null} */
export function transferFormula(options, decode) {
  const top = options.operatorHeadroom;
  const decoded = (/** @type {RealFunction} */ f, /** @type {number} */ kink) => {
    const out = formula((/** @type {number} */ x) => { return f(x > 0 ? Math.pow(x, decode) : 0.0); }, Math.pow(top, 1 / decode));
    if (kink > 0) out.kinks.push(Math.pow(kink, 1 / decode));
    return out;
  };
  switch (options.transfer) {
    case 'linear':
      if (decode === 1) return null;
      return powerFormula(decode, Math.pow(top, 1 / decode));
    case 'srgb':
      return decoded(srgb, 0.0031308);
    case 'gamma': {
      const gamma = options.gamma === Math.fround(2.2) ? 2.2 : options.gamma === Math.fround(2.4) ? 2.4 : options.gamma;
      // Values encoded with this gamma are within 0..1 and stored as they are. Light may be above 1: a curve clips it.
      if (decode === gamma && decode !== 1) return null;
      return powerFormula(decode / gamma);
    }
    case 'pq': {
      const white = options.paperWhiteNits / 10000.0;
      return decoded((/** @type {number} */ x) => { return pq(x * white); }, 0);
    }
    case 'hlg': {
      const unit = options.paperWhiteNits / kHlgPeakNits;
      return decoded((/** @type {number} */ x) => { return hlg(Math.pow(x * unit, 1 / kHlgGamma)); },
                     Math.pow(1.0 / 12, kHlgGamma) / unit);
    }
  }
  return null;
}

/** @param {Formula} a @param {Formula} b @returns {Formula} */
export function compose(a, b) {
  // x with a(x) === value, by bisection; 0 if there is none
  const argumentFor = (/** @type {number} */ value) => {
    let low = 0;
    let high = a.top;
    if (a.f(high) < value || a.f(low) > value) return 0.0;
    for (let i = 0; i < 200; ++i) {
      const middle = (low + high) / 2;
      if (a.f(middle) < value) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return high;
  };
  const out = formula((/** @type {number} */ x) => { return b.f(Math.max(0.0, a.f(x))); }, a.top, [], a.foot);
  for (const kink of b.kinks) {
    const x = argumentFor(kink);
    if (x > 0) out.kinks.push(x);
  }
  for (const kink of a.kinks) out.kinks.push(kink);
  const x = argumentFor(b.top);
  if (x > 0) out.top = Math.min(out.top, x);
  return out;
}

/** @param {Options['look']} look @returns {Look} */
export function lookOf(look) {
  switch (look) {
    case 'golden':
      return { slope: [1, 0.9, 0.5], power: 0.8, saturation: 1.3 };
    case 'punchy':
      return { slope: [1, 1, 1], power: 1.35, saturation: 1.4 };
    case 'none':
      break;
  }
  return { slope: [1, 1, 1], power: 1, saturation: 1 };
}

// Hill's matrices: sRGB to the RRT's input space, and the ODT's output back to sRGB.
export const kHillIn = [
  [0.59719, 0.35458, 0.04823],
  [0.07600, 0.90834, 0.01566],
  [0.02840, 0.13383, 0.83777],
];
export const kHillOut = [
  [1.60475, -0.53108, -0.07367],
  [-0.10208, 1.10813, -0.00605],
  [-0.00327, -0.07276, 1.07602],
];

// Sobotka's inset of Rec.709.
export const kSobotkaInset = [
  [0.842479062253094, 0.0784335999999992, 0.0792237451477643],
  [0.0423282422610123, 0.878468636469772, 0.0791661274605434],
  [0.0423756549057051, 0.0784336, 0.879142973793104],
];

// Blender's inset of Rec.2020, and the inset whose inverse is the outset.
export const kBlenderInset = [
  [0.856627153315983, 0.0951212405381588, 0.0482516061458583],
  [0.137318972929847, 0.761241990602591, 0.101439036467562],
  [0.11189821299995, 0.0767994186031903, 0.811302368396859],
];
export const kBlenderOutsetInverse = [
  [0.899796955911611, 0.0871996192028351, 0.013003424885555],
  [0.11142098895748, 0.875575586156966, 0.0130034248855548],
  [0.11142098895748, 0.0871996192028349, 0.801379391839686],
];

// Weights of luminance of Rec.2020 for the CIE 2015 observer, used by Blender's guard rail.
export const kRailWeights = [0.2589235355689848, 0.6104985346066525, 0.13057792982436284];
export const kRailPower = 0.08;

export const kLuminance709 = [0.2126, 0.7152, 0.0722];
export const kLuminance2020 = [0.2627, 0.6780, 0.0593];  // as in BT.2100

// One curve replaces two if its error is at most this.
export const kEnough = 2e-6;
// The error of a curve in front of another one: a matrix between them magnifies it.
export const kEnoughBetween = 2e-7;

// A relative error of light changes PQ by a tenth of it, HLG by at most a quarter of it.
export const kMixedHeadroom = 0.25;
