// tone_program.js: the formulas of tone operators, transfers and looks, in double, and the program that the kernel runs:
//
//     exposed rgb --mix--> [matrix] --clip--> [curve] --hue--> [matrix] --> ... four stages --> stored value
//
// The C++ counterparts are src/tone_map/operators.cpp and program.cpp; docs/tone_map.md names the source of every formula.
import { fitCurve } from './tone_curve.js';

/** @typedef {number[][]} Matrix  Rows. */
/** @typedef {{f: import('./tone_curve.js').RealFunction, top: number, kinks: number[], foot: number}} Formula */
/** @typedef {import('./tone_map.js').ResolvedTone} Options */

const mostLight = 65504;
const noLimit = 3.4028234663852886e38;

/** @type {(f: (x: number) => number, top?: number, kinks?: number[], foot?: number) => Formula} */
const formula = (f, top = mostLight, kinks = [], foot = 0) => ({ f, top, kinks, foot });

/** (x (a x + b) + g) / (x (c x + d) + e) @param {number} a @param {number} b @param {number} c @param {number} d @param {number} e @param {number} [g] */
const rational =
  (a, b, c, d, e, g = 0) =>
  (/** @type {number} */ x) =>
    (x * (a * x + b) + g) / (x * (c * x + d) + e);

/** Hable's curve with one denominator, applied to twice the light, white 11.2 at 1. */
function hable() {
  const [A, B, C, D, E, F, white, bias] = [0.15, 0.5, 0.1, 0.2, 0.02, 0.3, 11.2, 2];
  const h = [A * (F - E), B * (C * F - E), A * F, B * F, D * F * F];
  const scale = 1 / rational(h[0], h[1], h[2], h[3], h[4])(white);
  return formula(rational(scale * h[0] * bias * bias, scale * h[1] * bias, h[2] * bias * bias, h[3] * bias, h[4]));
}

// ---- AgX

const grey = 0.18;
const stopsBelow = 10; // below grey, where the encoding begins
const stops = 16.5; // from there to where the curve reaches 1
const blenderAbove = 15; // stops above grey, where Blender's tables end

/** s u / (1 + u^p)^(1/p), u = slope t / s; s is chosen so that t = x gives y. @param {number} slope @param {number} x @param {number} y @param {number} p */
function bend(slope, x, y, p) {
  const scale = (slope * x) / (((slope * x) / y) ** p - 1) ** (1 / p);
  return (/** @type {number} */ t) => {
    const u = (slope * t) / scale;
    return (scale * u) / (1 + u ** p) ** (1 / p);
  };
}

const stretchTo = (/** @type {number} */ top, /** @type {number} */ greyOut) =>
  Math.log(top / greyOut) / Math.log(1 / greyOut);

/** @param {number} greyOut @param {number} slope @param {number} toePower @param {number} shoulderPower @param {number} top */
function agxSigmoid(greyOut, slope, toePower, shoulderPower, top) {
  const pivot = stopsBelow / stops;
  const toe = bend(slope, pivot, greyOut, toePower);
  const shoulder = bend(slope, 1 - pivot, 1 - greyOut, shoulderPower);
  const stretch = stretchTo(top, greyOut);
  return (/** @type {number} */ x) => {
    if (!(x > 0)) return 0;
    const t = (Math.log2(x / grey) + stopsBelow) / stops - pivot;
    if (t <= -pivot) return 0;
    if (t < 0) return Math.max(0, greyOut - toe(-t));
    return top * (greyOut + shoulder(t / stretch)) ** stretch;
  };
}

/** @param {Options} o */
function agxBlenderFormula(o) {
  const top = headroomOf(o) ** (1 / lookOf(o.look).power);
  const encodedTop = top ** (1 / 2.4);
  const greyOut = grey ** (1 / 2.4);
  const foot = grey * 2 ** -stopsBelow;
  const end = grey * 2 ** (blenderAbove * stretchTo(encodedTop, greyOut));
  return formula(agxSigmoid(greyOut, 2.4, 1.5, 1.5, encodedTop), Math.min(end, mostLight), [grey, foot], foot);
}

function agxSobotkaFormula() {
  const foot = grey * 2 ** -stopsBelow;
  return formula(agxSigmoid(0.5, 2, 3, 3.25, 1), grey * 2 ** (stops - stopsBelow), [grey, foot], foot);
}

// ---- Others with logarithms and powers

function lottes() {
  const [a, d, max, midIn, midOut] = [1.6, 0.977, 8, 0.18, 0.267];
  const maxA = max ** a;
  const maxAd = max ** (a * d);
  const midA = midIn ** a;
  const midAd = midIn ** (a * d);
  const b = (-midA + maxA * midOut) / ((maxAd - midAd) * midOut);
  const c = (maxAd * midA - maxA * midAd * midOut) / ((maxAd - midAd) * midOut);
  return formula((x) => (x > 0 ? x ** a / (x ** (a * d) * b + c) : 0));
}

function uchimura() {
  const [P, a, m, l, c] = [1, 1, 0.22, 0.4, 1.33];
  const linear = ((P - m) * l) / a;
  const s0 = m + linear;
  const s1 = m + a * linear;
  const c2 = (a * P) / (P - s1);
  return formula(
    (x) => {
      const unit = Math.min(Math.max(x / m, 0), 1);
      const toeWeight = 1 - unit * unit * (3 - 2 * unit);
      const shoulderWeight = x < s0 ? 0 : 1;
      const toe = m * (Math.max(x, 0) / m) ** c;
      const line = m + a * (x - m);
      const shoulder = P - (P - s1) * Math.exp((-c2 * (x - s0)) / P);
      return toe * toeWeight + line * (1 - toeWeight - shoulderWeight) + shoulder * shoulderWeight;
    },
    16,
    [s0, m],
  );
}

/** Drago's curve as a factor for channels, a function of luminance. @param {Options['drago']} drago */
function dragoFormula({ bias, average, white }) {
  const most = white / average;
  const exponent = Math.log(bias) / Math.log(0.5);
  return formula((luminance) => {
    const y = luminance / average;
    const base = Math.log(2 + 8 * (y / most) ** exponent) * Math.log10(most + 1);
    return (y < 1e-12 ? 1 : Math.log1p(y) / y) / (base * average);
  });
}

/** @param {Options} o @returns {Formula | null} */
function operatorFormula(o) {
  const { white } = o;
  const headroom = headroomOf(o);
  switch (o.operator) {
    case 'reinhard':
      return formula((x) => x / (1 + x / headroom));
    case 'reinhard_extended':
      return formula((x) => (x / (1 + x / headroom)) * (1 + (x * headroom) / (white * white)));
    case 'reinhard_luminance':
      return formula((y) => (1 + (y * headroom) / (white * white)) / (1 + y / headroom));
    case 'hable':
      return hable();
    case 'hejl_burgess_dawson': {
      const curve = rational(6.2, 0.5, 6.2, 1.7, 0.06);
      return formula((x) => curve(Math.max(0, x - 0.004)), mostLight, [0.004]);
    }
    case 'aces_narkowicz':
      // The curve reaches 1, with a kink, where 0.08 x^2 - 0.56 x = 0.14.
      return formula(rational(2.51, 0.03, 2.43, 0.59, 0.14), (0.56 + Math.sqrt(0.56 * 0.56 + 4 * 0.08 * 0.14)) / 0.16);
    case 'aces_hill':
      return formula(rational(1, 0.0245786, 0.983729, 0.432951, 0.238081, -0.000090537));
    case 'agx_sobotka':
      return agxSobotkaFormula();
    case 'agx_blender':
      return agxBlenderFormula(o);
    case 'lottes':
      return lottes();
    case 'uchimura':
      return uchimura();
    case 'drago':
      return dragoFormula(o.drago);
    default:
      return null; // exposure, pbr_neutral
  }
}

/** The exponent that decodes an operator's values to light. @param {Options} o */
const decodingExponent = ({ operator }) =>
  operator === 'agx_blender' ? 2.4 : operator === 'hejl_burgess_dawson' || operator === 'agx_sobotka' ? 2.2 : 1;

/** Operators that have a variant with highlights above 1. */
export const headroomOperators = ['exposure', 'reinhard', 'reinhard_extended', 'reinhard_luminance', 'agx_blender'];

/** The brightest display light, in units of reference white. @param {Options} o */
export function headroomOf(o) {
  if (!headroomOperators.includes(o.operator)) return 1;
  if (o.transfer === 'pq') return Math.fround(o.peakNits) / Math.fround(o.paperWhiteNits);
  if (o.transfer === 'hlg') return 1000 / Math.fround(o.paperWhiteNits);
  return o.transfer === 'linear' || o.transfer === 'srgb' ? o.headroom : 1;
}

// ---- Transfers

const hlgGamma = 1.2;
const srgb = (/** @type {number} */ x) => (x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055);

function pq(/** @type {number} */ x) {
  const y = x ** 0.1593017578125;
  return ((0.8359375 + 18.8515625 * y) / (1 + 18.6875 * y)) ** 78.84375;
}

function hlg(/** @type {number} */ x) {
  const a = 0.17883277;
  const b = 1 - 4 * a;
  return x <= 1 / 12 ? Math.sqrt(3 * x) : a * Math.log(12 * x - b) + 0.5 - a * Math.log(4 * a);
}

/** @param {number} exponent @param {number} [top] */
const powerFormula = (exponent, top = 1) => formula((x) => (x > 0 ? x ** exponent : 0), top);
const hlgFormula = () => formula(hlg, 1, [1 / 12]);

/** @param {Options} o */
function inverseOotfFormula(o) {
  // The factor would be infinite at 0; it is constant below about 1e-6 cd/m^2.
  const unit = o.paperWhiteNits / 1000;
  const top = headroomOf(o);
  const foot = 2 ** (Math.floor(Math.log2(top)) - 30);
  return formula((y) => unit * (Math.max(y, foot) * unit) ** (1 / hlgGamma - 1), top, [foot], foot);
}

/** The transfer of display light, whose argument to the power `decode` is the light. @param {Options} o @param {number} decode @returns {Formula | null} */
function transferFormula(o, decode) {
  const top = headroomOf(o);
  const decoded = (/** @type {(x: number) => number} */ f, /** @type {number} */ kink) =>
    formula((x) => f(x > 0 ? x ** decode : 0), top ** (1 / decode), kink > 0 ? [kink ** (1 / decode)] : []);
  switch (o.transfer) {
    case 'linear':
      return decode === 1 ? null : powerFormula(decode, top ** (1 / decode));
    case 'srgb':
      return decoded(srgb, 0.0031308);
    case 'gamma':
      // Values encoded with this gamma are within 0..1 and stored as they are.
      return decode === o.gamma && decode !== 1 ? null : powerFormula(decode / o.gamma);
    case 'pq': {
      const white = o.paperWhiteNits / 10000;
      return decoded((x) => pq(x * white), 0);
    }
    default: {
      const unit = o.paperWhiteNits / 1000;
      return decoded((x) => hlg((x * unit) ** (1 / hlgGamma)), (1 / 12) ** hlgGamma / unit);
    }
  }
}

/** b(a(x)), with the kinks of both. a must be increasing. @param {Formula} a @param {Formula} b @returns {Formula} */
function compose(a, b) {
  const argumentFor = (/** @type {number} */ value) => {
    let low = 0;
    let high = a.top;
    if (a.f(high) < value || a.f(low) > value) return 0;
    for (let i = 0; i < 200; ++i) {
      const middle = (low + high) / 2;
      if (a.f(middle) < value) low = middle;
      else high = middle;
    }
    return high;
  };
  const kinks = [...b.kinks.map(argumentFor).filter((x) => x > 0), ...a.kinks];
  const end = argumentFor(b.top);
  return { f: (x) => b.f(Math.max(0, a.f(x))), top: end > 0 ? Math.min(a.top, end) : a.top, kinks, foot: a.foot };
}

/** @param {Options['look']} look */
function lookOf(look) {
  if (look === 'golden') return { slope: [1, 0.9, 0.5], power: 0.8, saturation: 1.3 };
  if (look === 'punchy') return { slope: [1, 1, 1], power: 1.35, saturation: 1.4 };
  return { slope: [1, 1, 1], power: 1, saturation: 1 };
}

// ---- Matrices

/** @param {Matrix} a @param {Matrix} b @returns {Matrix} */
const multiply = (a, b) => a.map((row) => [0, 1, 2].map((j) => row[0] * b[0][j] + row[1] * b[1][j] + row[2] * b[2][j]));

/** @param {Matrix} m @returns {Matrix} */
function inverse(m) {
  const minor = (/** @type {number} */ i, /** @type {number} */ j) => {
    const [r0, r1] = [0, 1, 2].filter((r) => r !== i);
    const [c0, c1] = [0, 1, 2].filter((c) => c !== j);
    return m[r0][c0] * m[r1][c1] - m[r0][c1] * m[r1][c0];
  };
  const determinant = m[0][0] * minor(0, 0) - m[0][1] * minor(0, 1) + m[0][2] * minor(0, 2);
  return [0, 1, 2].map((i) => [0, 1, 2].map((j) => (((i + j) % 2 ? -1 : 1) * minor(j, i)) / determinant));
}

/** Chromaticities of red, green, blue and white. @type {Record<string, [number, number][]>} */
const chromaticities = {
  rec709: [
    [0.64, 0.33],
    [0.3, 0.6],
    [0.15, 0.06],
    [0.3127, 0.329],
  ],
  rec2020: [
    [0.708, 0.292],
    [0.17, 0.797],
    [0.131, 0.046],
    [0.3127, 0.329],
  ],
  display_p3: [
    [0.68, 0.32],
    [0.265, 0.69],
    [0.15, 0.06],
    [0.3127, 0.329],
  ],
};

/** @param {[number, number][]} points @returns {Matrix} */
function xyzMatrix(points) {
  const xyz = points.map(([x, y]) => [x / y, 1, (1 - x - y) / y]);
  const columns = [0, 1, 2].map((i) => [0, 1, 2].map((j) => xyz[j][i]));
  const inverted = inverse(columns);
  const scale = inverted.map((row) => row[0] * xyz[3][0] + row[1] * xyz[3][1] + row[2] * xyz[3][2]);
  return columns.map((row) => row.map((value, j) => value * scale[j]));
}

/**
 * The matrix from linear light of Rec. 709 to that of other primaries with white D65.
 * @param {'rec709' | 'rec2020' | 'display_p3'} to
 * @returns {Matrix}
 */
export function primariesMatrix(to) {
  return multiply(inverse(xyzMatrix(chromaticities[to])), xyzMatrix(chromaticities.rec709));
}

const hillIn = [
  [0.59719, 0.35458, 0.04823],
  [0.076, 0.90834, 0.01566],
  [0.0284, 0.13383, 0.83777],
];
const hillOut = [
  [1.60475, -0.53108, -0.07367],
  [-0.10208, 1.10813, -0.00605],
  [-0.00327, -0.07276, 1.07602],
];
const sobotkaInset = [
  [0.842479062253094, 0.0784335999999992, 0.0792237451477643],
  [0.0423282422610123, 0.878468636469772, 0.0791661274605434],
  [0.0423756549057051, 0.0784336, 0.879142973793104],
];
const blenderInset = [
  [0.856627153315983, 0.0951212405381588, 0.0482516061458583],
  [0.137318972929847, 0.761241990602591, 0.101439036467562],
  [0.11189821299995, 0.0767994186031903, 0.811302368396859],
];
const blenderOutsetInverse = [
  [0.899796955911611, 0.0871996192028351, 0.013003424885555],
  [0.11142098895748, 0.875575586156966, 0.0130034248855548],
  [0.11142098895748, 0.0871996192028349, 0.801379391839686],
];
const railWeights = [0.2589235355689848, 0.6104985346066525, 0.13057792982436284];
const railPower = 0.08;
const luminance709 = [0.2126, 0.7152, 0.0722];
const luminance2020 = [0.2627, 0.678, 0.0593];
const luminanceP3 = [0.2289746, 0.6917385, 0.0792869];

// One curve replaces two if its error is at most this; a matrix between two curves magnifies errors of the first.
const enoughForOne = 2e-6;
const enoughBetween = 2e-7;
const mixedHeadroom = 0.25;

/** @typedef {import('./tone_curve.js').Curve} Curve */
/** @typedef {{matrix: Matrix | null, top: number, curve: Curve | null}} Stage */

/**
 * @typedef {object} Program
 * @property {'none' | 'luminance' | 'neutral'} mix
 * @property {Curve | null} luminance
 * @property {Stage[]} stages     Four.
 * @property {boolean} keepsHue
 * @property {boolean} guardRail
 * @property {Curve | null} rail
 * @property {number[]} railWeights
 * @property {number} ootfStage   4: none.
 * @property {Curve | null} ootf
 * @property {number[]} ootfWeights
 */

/** @param {Formula} from @param {Formula | null} [next] @param {number} [mixed] */
const fit = (from, next = null, mixed = 0) =>
  fitCurve({ ...from, ...(next ? { through: next.f, mixed, enough: enoughBetween } : {}) });

/** @param {Formula} from @param {number} factorOf @param {Formula | null} [next] */
const fitFactor = (from, factorOf, next = null) =>
  fitCurve({ ...from, factorOf, ...(next ? { through: next.f } : {}) });

/** Slope and saturation as a matrix after the power. @param {ReturnType<typeof lookOf>} look @returns {Matrix} */
const lookMatrix = (look) =>
  [0, 1, 2].map((i) =>
    [0, 1, 2].map(
      (j) => ((1 - look.saturation) * luminance709[j] + (i === j ? look.saturation : 0)) * look.slope[j] ** look.power,
    ),
  );

/**
 * Makes the program of valid options. Takes some milliseconds.
 * @param {Options} o
 * @returns {Program}
 */
export function makeProgram(o) {
  /** @type {Program} */
  const program = {
    mix: 'none',
    luminance: null,
    stages: [0, 1, 2, 3].map(() => ({ matrix: null, top: mostLight, curve: null })),
    keepsHue: false,
    guardRail: false,
    rail: null,
    railWeights: [0, 0, 0],
    ootfStage: 4,
    ootf: null,
    ootfWeights: [0, 0, 0],
  };
  const { stages } = program;
  const wide = o.primaries !== 'rec709';
  const isHlg = o.transfer === 'hlg';
  const headroom = headroomOf(o);
  const toTarget = primariesMatrix(o.primaries);
  const to2020 = primariesMatrix('rec2020');

  /** The transfer of display light, encoded with the exponent `decode`. @param {number} stage @param {number} decode */
  const store = (stage, decode) => {
    if (!isHlg) {
      const transfer = transferFormula(o, decode);
      stages[stage].curve = transfer && fit(transfer);
      return;
    }
    let last = stage;
    if (decode !== 1) {
      stages[last].curve = fit(powerFormula(decode, headroom ** (1 / decode)), transferFormula(o, 1));
      ++last;
    }
    const weights = { rec709: luminance709, rec2020: luminance2020, display_p3: luminanceP3 }[o.primaries];
    program.ootfStage = last;
    program.ootf = fitFactor(inverseOotfFormula(o), 1 / weights[2], hlgFormula());
    program.ootfWeights = weights;
    stages[last].top = headroom;
    stages[last].curve = fit(hlgFormula());
  };

  /** Primaries and transfer, from Rec. 709 light to stored values. @param {number} stage */
  const finishLight = (stage) => {
    if (wide) stages[stage].matrix = toTarget;
    store(stage, 1);
    if (!stages[stage].curve) stages[stage].top = noLimit;
  };

  /** An operator of channels and the transfer: as one curve if it is accurate enough, else as two. @param {Formula | null} from @param {number} stage */
  const mapChannels = (from, stage) => {
    const decode = decodingExponent(o);
    if (!from) {
      finishLight(stage);
      return;
    }
    if (!wide && !isHlg) {
      const transfer = transferFormula(o, decode);
      const one = fit(transfer ? compose(from, transfer) : from);
      stages[stage].curve = one;
      if (!transfer || one.error <= enoughForOne) return;
      stages[stage].curve = fit(from, transfer);
      stages[stage + 1].curve = fit(transfer);
      return;
    }
    stages[stage].curve = fit(
      decode === 1 ? from : compose(from, powerFormula(decode)),
      transferFormula(o, 1),
      headroom > 1 ? mixedHeadroom : 0,
    );
    finishLight(stage + 1);
  };

  const from = operatorFormula(o);
  switch (o.operator) {
    case 'aces_hill':
      stages[0].matrix = hillIn;
      stages[0].curve = fit(/** @type {Formula} */ (from), transferFormula(o, 1));
      stages[1].matrix = hillOut;
      stages[1].top = 1;
      if (wide) finishLight(2);
      else store(1, 1);
      break;
    case 'agx_sobotka': {
      stages[0].matrix = sobotkaInset;
      if (o.look === 'none') {
        mapChannels(from, 0);
        break;
      }
      const look = lookOf(o.look);
      // A power below 1 magnifies errors near 0: they are measured after the power, not after the transfer.
      stages[0].curve = fit(/** @type {Formula} */ (from), powerFormula(look.power));
      stages[1].curve = fit(powerFormula(look.power), transferFormula(o, 2.2));
      stages[2].matrix = lookMatrix(look);
      stages[2].top = 1;
      if (wide) {
        stages[2].curve = fit(powerFormula(2.2), transferFormula(o, 1));
        finishLight(3);
      } else {
        store(2, 2.2);
      }
      break;
    }
    case 'agx_blender': {
      stages[0].matrix = multiply(blenderInset, to2020);
      const encoded = /** @type {Formula} */ (from);
      // Not compose(), which would clip where the curve reaches 1: it continues above.
      stages[0].curve = fitCurve({
        ...encoded,
        f: (x) => encoded.f(x) ** 2.4,
        enough: o.look === 'none' ? 3e-7 : 1.6e-7,
        fine: true,
        through: transferFormula(o, 1)?.f,
      });
      program.keepsHue = true;
      const outset = inverse(blenderOutsetInverse);
      // The guard rail moves colours into Rec. 709; wider targets keep them.
      const fromWide = { rec709: inverse(to2020), rec2020: null, display_p3: multiply(toTarget, inverse(to2020)) }[
        o.primaries
      ];
      stages[1].matrix = fromWide ? multiply(fromWide, outset) : outset;
      const look = lookOf(o.look);
      const lightTop = headroom ** (1 / look.power);
      stages[1].top = lightTop;
      program.guardRail = !wide;
      if (!wide) {
        program.rail = fitFactor(powerFormula(railPower), 1);
        program.railWeights = [0, 1, 2].map((j) =>
          railWeights.reduce((sum, weight, i) => sum + weight * to2020[i][j], 0),
        );
      }
      if (o.look === 'none') {
        store(1, 1);
        break;
      }
      stages[1].curve = fit(powerFormula(look.power / 2.4, lightTop), transferFormula(o, 2.4));
      stages[2].matrix = lookMatrix(look);
      stages[2].top = headroom ** (1 / 2.4);
      store(2, 2.4);
      break;
    }
    case 'pbr_neutral':
      program.mix = 'neutral';
      finishLight(0);
      break;
    case 'reinhard_luminance':
    case 'drago':
      program.mix = 'luminance';
      program.luminance = fitFactor(/** @type {Formula} */ (from), 1 / luminance709[2], transferFormula(o, 1));
      finishLight(0);
      break;
    default:
      mapChannels(from, 0);
  }
  return program;
}
