// tone_program.js: makes the program that the kernel runs from the formulas of tone_formulas.js:
//
//     exposed rgb --mix--> [matrix] --clip--> [curve] --hue--> [matrix] --> ... four stages --> stored value
//
// This order is written by hand, after its C++ counterpart, src/tone_map/program.cpp, as is the fit in tone_curve.js, which
// measures one error where C++ measures those of the CPU and of a GPU. The formulas, their constants and matrices are those
// of C++: scripts/generate-api writes tone_formulas.js.
import { fitCurve } from './tone_curve.js';
import {
  compose,
  decodingExponent,
  headroomOperators,
  hlgFormula,
  inverseOotfFormula,
  kBlenderInset,
  kBlenderOutsetInverse,
  kEnough,
  kEnoughBetween,
  kHillIn,
  kHillOut,
  kLuminance2020,
  kLuminance709,
  kMixedHeadroom,
  kMostLight,
  kRailPower,
  kRailWeights,
  kSobotkaInset,
  lookOf,
  operatorFormula,
  powerFormula,
  transferFormula,
} from './tone_formulas.js';

/** @typedef {import('./tone_formulas.js').Matrix} Matrix */
/** @typedef {import('./tone_formulas.js').Formula} Formula */
/** @typedef {import('./tone_map.js').ResolvedTone} Options */

const noLimit = 3.4028234663852886e38;

/** The brightest display light, in units of reference white. @param {Options} o */
export function headroomOf(o) {
  if (!headroomOperators.includes(o.operator)) return 1;
  if (o.transfer === 'pq') return Math.fround(o.peakNits) / Math.fround(o.paperWhiteNits);
  if (o.transfer === 'hlg') return 1000 / Math.fround(o.paperWhiteNits);
  return o.transfer === 'linear' || o.transfer === 'srgb' ? o.headroom : 1;
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

const luminanceP3 = [0.2289746, 0.6917385, 0.0792869];

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
  fitCurve({ ...from, ...(next ? { through: next.f, mixed, enough: kEnoughBetween } : {}) });

/** @param {Formula} from @param {number} factorOf @param {Formula | null} [next] */
const fitFactor = (from, factorOf, next = null) =>
  fitCurve({ ...from, factorOf, ...(next ? { through: next.f } : {}) });

/** Slope and saturation as a matrix after the power. @param {ReturnType<typeof lookOf>} look @returns {Matrix} */
const lookMatrix = (look) =>
  [0, 1, 2].map((i) =>
    [0, 1, 2].map(
      (j) => ((1 - look.saturation) * kLuminance709[j] + (i === j ? look.saturation : 0)) * look.slope[j] ** look.power,
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
    stages: [0, 1, 2, 3].map(() => ({ matrix: null, top: kMostLight, curve: null })),
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
  const options = { ...o, operatorHeadroom: headroom };
  const toTarget = primariesMatrix(o.primaries);
  const to2020 = primariesMatrix('rec2020');

  /** The transfer of display light, encoded with the exponent `exponent`. @param {number} stage @param {number} exponent */
  const store = (stage, exponent) => {
    if (!isHlg) {
      const transfer = transferFormula(options, exponent);
      stages[stage].curve = transfer && fit(transfer);
      return;
    }
    let last = stage;
    if (exponent !== 1) {
      stages[last].curve = fit(powerFormula(exponent, headroom ** (1 / exponent)), transferFormula(options, 1));
      ++last;
    }
    const weights = { rec709: kLuminance709, rec2020: kLuminance2020, display_p3: luminanceP3 }[o.primaries];
    program.ootfStage = last;
    program.ootf = fitFactor(inverseOotfFormula(options), 1 / weights[2], hlgFormula());
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
    if (!from) {
      finishLight(stage);
      return;
    }
    if (!wide && !isHlg) {
      const transfer = transferFormula(options, decode);
      const one = fit(transfer ? compose(from, transfer) : from);
      stages[stage].curve = one;
      if (!transfer || one.error <= kEnough) return;
      stages[stage].curve = fit(from, transfer);
      stages[stage + 1].curve = fit(transfer);
      return;
    }
    stages[stage].curve = fit(
      decode === 1 ? from : compose(from, powerFormula(decode)),
      transferFormula(options, 1),
      headroom > 1 ? kMixedHeadroom : 0,
    );
    finishLight(stage + 1);
  };

  const from = operatorFormula(options);
  const decode = decodingExponent(o.operator);
  switch (o.operator) {
    case 'aces_hill':
      stages[0].matrix = kHillIn;
      stages[0].curve = fit(/** @type {Formula} */ (from), transferFormula(options, 1));
      stages[1].matrix = kHillOut;
      stages[1].top = 1;
      if (wide) finishLight(2);
      else store(1, 1);
      break;
    case 'agx_sobotka': {
      stages[0].matrix = kSobotkaInset;
      if (o.look === 'none') {
        mapChannels(from, 0);
        break;
      }
      const look = lookOf(o.look);
      // A power below 1 magnifies errors near 0: they are measured after the power, not after the transfer.
      stages[0].curve = fit(/** @type {Formula} */ (from), powerFormula(look.power));
      stages[1].curve = fit(powerFormula(look.power), transferFormula(options, decode));
      stages[2].matrix = lookMatrix(look);
      stages[2].top = 1;
      if (wide) {
        stages[2].curve = fit(powerFormula(decode), transferFormula(options, 1));
        finishLight(3);
      } else {
        store(2, decode);
      }
      break;
    }
    case 'agx_blender': {
      stages[0].matrix = multiply(kBlenderInset, to2020);
      const encoded = /** @type {Formula} */ (from);
      // Not compose(), which would clip where the curve reaches 1: it continues above.
      stages[0].curve = fitCurve({
        ...encoded,
        f: (x) => encoded.f(x) ** decode,
        enough: o.look === 'none' ? 3e-7 : 1.6e-7,
        fine: true,
        through: transferFormula(options, 1)?.f,
      });
      program.keepsHue = true;
      const outset = inverse(kBlenderOutsetInverse);
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
        program.rail = fitFactor(powerFormula(kRailPower), 1);
        program.railWeights = [0, 1, 2].map((j) =>
          kRailWeights.reduce((sum, weight, i) => sum + weight * to2020[i][j], 0),
        );
      }
      if (o.look === 'none') {
        store(1, 1);
        break;
      }
      stages[1].curve = fit(powerFormula(look.power / decode, lightTop), transferFormula(options, decode));
      stages[2].matrix = lookMatrix(look);
      stages[2].top = headroom ** (1 / decode);
      store(2, decode);
      break;
    }
    case 'pbr_neutral':
      program.mix = 'neutral';
      finishLight(0);
      break;
    case 'reinhard_luminance':
    case 'drago':
      program.mix = 'luminance';
      program.luminance = fitFactor(/** @type {Formula} */ (from), 1 / kLuminance709[2], transferFormula(options, 1));
      finishLight(0);
      break;
    default:
      mapChannels(from, 0);
  }
  return program;
}
