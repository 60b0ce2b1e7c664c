// fourier_line.js: one line of a transform in one workgroup, as WGSL: Stockham passes in registers, workgroup memory only
// for the exchange between passes, one plane (real or imaginary parts) at a time, so that 4096 values need 16 KB; two planes
// in turn where they fit. A value
// is one complex number or two, of two lines that are transformed side by side.
//
// Before and after a pass of radix r over n values, invocation t of T holds the values at positions j + q n / r, with
// j = t + b T < n / r: slot b r + q of its array v. Source: C. Van Loan, "Computational Frameworks for the Fast Fourier
// Transform", 1992, 1.7 (Stockham), 4.2 (Bluestein).

/**
 * @typedef {object} LinePlan
 * @property {number} n          Length of the line.
 * @property {number} length     Length of the transforms: n, or that of Bluestein's algorithm.
 * @property {boolean} bluestein
 * @property {number[]} radices
 * @property {number} threads    Invocations a line.
 * @property {number} slots      Values an invocation holds.
 */

/**
 * The smallest length >= n without prime factors above 7.
 * @param {number} n
 * @returns {number}
 */
export function nextSmoothSize(n) {
  for (let size = Math.max(1, n); ; ++size) if (radicesOf(size)) return size;
}

/** Radices of 8, 7, 5, 4, 3 and 2 whose product is n; null if there are none. @param {number} n */
export function radicesOf(n) {
  const radices = [];
  let rest = n;
  for (const radix of [7, 5, 3]) {
    for (; rest % radix === 0; rest /= radix) radices.push(radix);
  }
  for (; rest % 8 === 0 && rest !== 16; rest /= 8) radices.push(8);
  for (; rest % 4 === 0; rest /= 4) radices.push(4);
  for (; rest % 2 === 0; rest /= 2) radices.push(2);
  return rest === 1 ? radices : null;
}

/**
 * @param {number} n
 * @returns {LinePlan}
 */
export function planLine(n) {
  const direct = radicesOf(n);
  const length = direct ? n : nextSmoothSize(2 * n - 1);
  const radices = direct ?? /** @type {number[]} */ (radicesOf(length));
  const threads = Math.min(256, Math.max(1, Math.ceil(length / 8)));
  const slots = Math.max(1, ...radices.map((radix) => radix * Math.ceil(length / radix / threads)));
  return { n, length, bluestein: !direct, radices, threads, slots };
}

/**
 * The tables of a line: twiddle factors exp(-2 pi i k / length); for Bluestein's algorithm also the chirp
 * exp(-pi i k^2 / n) and the spectrum of its conjugate.
 * @param {LinePlan} plan
 * @returns {Float32Array}
 */
export function lineTables({ n, length, bluestein }) {
  const twiddles = new Float32Array(2 * (length + (bluestein ? n + length : 0)));
  for (let k = 0; k < length; ++k) {
    const [re, im] = root(k, length);
    twiddles.set([re, -im], 2 * k);
  }
  if (!bluestein) return twiddles;
  const re = new Float64Array(length);
  const im = new Float64Array(length);
  for (let k = 0; k < n; ++k) {
    const [c, s] = root((k * k) % (2 * n), 2 * n);
    twiddles.set([c, -s], 2 * (length + k));
    re[k] = re[(length - k) % length] = c;
    im[k] = im[(length - k) % length] = s;
  }
  const spectrum = transformDouble(re, im);
  for (let k = 0; k < length; ++k) {
    twiddles.set([spectrum.re[k] / length, spectrum.im[k] / length], 2 * (length + n + k));
  }
  return twiddles;
}

/** cos and sin of 2 pi k / n, exact at multiples of an eighth. @param {number} k @param {number} n @returns {[number, number]} */
function root(k, n) {
  const octant = Math.floor((8 * k) / n);
  const turn = (/** @type {number} */ part) => (2 * Math.PI * part) / n;
  switch (octant) {
    case 0:
      return [Math.cos(turn(k)), Math.sin(turn(k))];
    case 1:
      return [Math.sin(turn(n / 4 - k)), Math.cos(turn(n / 4 - k))];
    case 2:
      return [-Math.sin(turn(k - n / 4)), Math.cos(turn(k - n / 4))];
    case 3:
      return [-Math.cos(turn(n / 2 - k)), Math.sin(turn(n / 2 - k))];
    case 4:
      return [-Math.cos(turn(k - n / 2)), -Math.sin(turn(k - n / 2))];
    case 5:
      return [-Math.sin(turn((3 * n) / 4 - k)), -Math.cos(turn((3 * n) / 4 - k))];
    case 6:
      return [Math.sin(turn(k - (3 * n) / 4)), -Math.cos(turn(k - (3 * n) / 4))];
    default:
      return [Math.cos(turn(n - k)), -Math.sin(turn(n - k))];
  }
}

/** The forward transform in double, by recursion over the prime factors. @param {Float64Array} re @param {Float64Array} im @returns {{re: Float64Array, im: Float64Array}} */
function transformDouble(re, im) {
  const n = re.length;
  if (n === 1) return { re: re.slice(), im: im.slice() };
  const p = [2, 3, 5, 7].find((factor) => n % factor === 0) ?? n;
  const m = n / p;
  const parts = Array.from({ length: p }, (_, q) =>
    transformDouble(
      re.filter((_v, i) => i % p === q),
      im.filter((_v, i) => i % p === q),
    ),
  );
  const out = { re: new Float64Array(n), im: new Float64Array(n) };
  for (let k = 0; k < n; ++k) {
    for (let q = 0; q < p; ++q) {
      const [c, s] = root((q * k) % n, n);
      const a = parts[q].re[k % m];
      const b = parts[q].im[k % m];
      out.re[k] += a * c + b * s;
      out.im[k] += b * c - a * s;
    }
  }
  return out;
}

/** The butterfly of a radix on a0..a(r-1), results in the same names. @param {number} r */
function butterflyWgsl(r) {
  /** @type {string[]} */
  const lines = [];
  const pair = (
    /** @type {string} */ a,
    /** @type {string} */ b,
    /** @type {string} */ sum,
    /** @type {string} */ difference,
  ) => lines.push(`let ${sum} = ${a} + ${b}; let ${difference} = ${a} - ${b};`);
  const turned = (/** @type {string} */ x) => `turn(${x})`;
  if (r === 1) return '';
  if (r === 2) {
    pair('a0', 'a1', 's0', 's1');
    return `${lines.join(' ')} a0 = s0; a1 = s1;`;
  }
  if (r === 4) {
    pair('a0', 'a2', 'e0', 'e1');
    pair('a1', 'a3', 'o0', 'd1');
    return `${lines.join(' ')} let o1 = ${turned('d1')}; a0 = e0 + o0; a1 = e1 + o1; a2 = e0 - o0; a3 = e1 - o1;`;
  }
  if (r === 8) {
    for (const q of [0, 1, 2, 3]) pair(`a${q}`, `a${q + 4}`, `s${q}`, `d${q}`);
    pair('s0', 's2', 'e0', 'e1');
    pair('s1', 's3', 'o0', 'q1');
    lines.push(`let o1 = ${turned('q1')};`);
    lines.push('let t1 = 0.7071067811865476 * (d1 + turn(d1));');
    lines.push(`let t2 = ${turned('d2')};`);
    lines.push('let t3 = 0.7071067811865476 * (turn(d3) - d3);');
    pair('d0', 't2', 'u0', 'u1');
    pair('t1', 't3', 'w0', 'x1');
    lines.push(`let w1 = ${turned('x1')};`);
    return `${lines.join(' ')} a0 = e0 + o0; a4 = e0 - o0; a2 = e1 + o1; a6 = e1 - o1;
      a1 = u0 + w0; a5 = u0 - w0; a3 = u1 + w1; a7 = u1 - w1;`;
  }
  const half = (r - 1) / 2;
  for (let m = 1; m <= half; ++m) pair(`a${m}`, `a${r - m}`, `s${m}`, `d${m}`);
  const all = Array.from({ length: half }, (_, m) => m + 1);
  const out = [];
  for (let k = 1; k <= half; ++k) {
    const angle = (/** @type {number} */ m) => (2 * Math.PI * ((k * m) % r)) / r;
    lines.push(`let r${k} = a0 + ${all.map((m) => `${Math.cos(angle(m))} * s${m}`).join(' + ')};`);
    lines.push(`let j${k} = ${all.map((m) => `${Math.sin(angle(m))} * d${m}`).join(' + ')};`);
    out.push(`a${k} = r${k} + ${turned(`j${k}`)}; a${r - k} = r${k} - ${turned(`j${k}`)};`);
  }
  return `${lines.join(' ')} a0 = a0 + ${all.map((m) => `s${m}`).join(' + ')}; ${out.join(' ')}`;
}

/** @param {LinePlan} plan @param {number} radix @param {(slot: number, j: string, q: number, position: string) => string} each */
function forSlots({ length, threads }, radix, each) {
  const count = length / radix;
  const blocks = Math.ceil(count / threads);
  const text = [];
  for (let b = 0; b < blocks; ++b) {
    const j = `(t + ${b * threads}u)`;
    const inner = [];
    for (let q = 0; q < radix; ++q) inner.push(each(b * radix + q, j, q, `${j} + ${q * count}u`));
    const body = inner.join('\n    ');
    text.push((b + 1) * threads > count ? `if (${j} < ${count}u) {\n    ${body}\n  }` : body);
  }
  return text.join('\n  ');
}

/** Floats of a line in workgroup memory: whole groups of 32, which the order of positions stays in. @param {LinePlan} plan */
export const planeLength = ({ length }) => Math.ceil(length / 32) * 32;

/**
 * WGSL of a line. Declares `alias Value`, v (an invocation's values), s_plane, and
 *     fn transform_line(t: u32, line: u32)   forward transform of v in the layout of loads to that of stores
 * The module has `fn table(i: u32) -> vec2f`. Text of loads and stores comes from `atLoad` and `atStore`.
 * @param {LinePlan} plan
 * @param {object} way
 * @param {number} way.lines    Lines, or pairs of them, a workgroup.
 * @param {1 | 2} way.pairs     Complex numbers of a value.
 * @param {number} way.memory   Bytes of workgroup memory.
 * @param {boolean} [way.interleaved]  Neighbouring invocations have neighbouring lines, not positions.
 */
export function lineWgsl(plan, { lines, pairs, memory, interleaved = false }) {
  const { n, length, bluestein, radices, slots } = plan;
  const passes = radices.length ? radices : [1];
  const first = passes[0];
  const last = passes[passes.length - 1];
  const planes = pairs === 2 ? ['x', 'y', 'z', 'w'] : ['x', 'y'];
  const floats = planeLength(plan) * lines;
  // With two buffers a plane is written while others still read the plane before it.
  const buffers = 8 * floats <= memory ? 2 : 1;
  const at = (/** @type {string} */ position) => `s_plane[slot_of(line, ${position}) + BUFFER]`;
  /**
   * Moves planes of values between invocations.
   * @param {string} write  Statements on PLANE
   * @param {string} read
   */
  const exchange = (write, read) =>
    planes
      .map((plane, i) => {
        const text = (/** @type {string} */ of) =>
          of.replaceAll('PLANE', plane).replaceAll('BUFFER', `${buffers === 2 ? (i % 2) * floats : 0}u`);
        return `
  ${text(write)}
  workgroupBarrier();  // the plane is written
  ${text(read)}
  ${buffers === 1 ? 'workgroupBarrier();  // and read' : ''}`;
      })
      .join('');
  const readTo = (/** @type {number} */ radix) =>
    forSlots(plan, radix, (slot, j, q, position) => `v[${slot}].PLANE = ${at(position)};`);
  const passText = (/** @type {number} */ index) => {
    const r = passes[index];
    let done = 1;
    for (let i = 0; i < index; ++i) done *= passes[i];
    const count = length / r;
    const blocks = Math.ceil(count / plan.threads);
    const out = [];
    for (let b = 0; b < blocks; ++b) {
      const names = Array.from({ length: r }, (_, q) => `a${q}`);
      const load = names.map((name, q) =>
        q === 0 || done === 1
          ? `var ${name} = v[${b * r + q}];`
          : `var ${name} = multiply(v[${b * r + q}], table(k * ${q * (length / (done * r))}u));`,
      );
      out.push(`{  // butterfly ${b}
    ${done > 1 ? `let k = (t + ${b * plan.threads}u) % ${done}u;` : ''}
    ${load.join(' ')}
    ${butterflyWgsl(r)}
    ${names.map((name, q) => `v[${b * r + q}] = ${name};`).join(' ')}
  }`);
    }
    const move =
      index + 1 < passes.length
        ? exchange(
            forSlots(
              plan,
              r,
              (slot, j, q) =>
                `${at(`(${j} - ${j} % ${done}u) * ${r}u + ${j} % ${done}u + ${q * done}u`)} = v[${slot}].PLANE;`,
            ),
            readTo(passes[index + 1]),
          )
        : '';
    return out.join('\n  ') + move;
  };
  const restore =
    first === last
      ? ''
      : exchange(
          forSlots(plan, last, (slot, j, q, position) => `${at(position)} = v[${slot}].PLANE;`),
          readTo(first),
        );
  // Neighbouring positions, and positions 8 or 64 apart, lie in different banks: the upper bits change the lower ones.
  const bits = interleaved ? 5 - Math.min(4, Math.ceil(Math.log2(lines))) : 5;
  const place = `(position ^ ((position >> ${bits}u) & ${2 ** bits - 1}u))`;
  const text = `
alias Value = ${pairs === 2 ? 'vec4f' : 'vec2f'};
var<workgroup> s_plane: array<f32, ${buffers * floats}>;
var<private> v: array<Value, ${slots}>;
fn slot_of(line: u32, position: u32) -> u32 { return ${interleaved ? `${place} * ${lines}u + line` : `line * ${planeLength(plan)}u + ${place}`}; }
fn multiply(a: Value, b: vec2f) -> Value { return ${pairs === 2 ? 'a * b.x + vec4f(-a.y, a.x, -a.w, a.z) * b.y' : 'vec2f(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x)'}; }
fn conjugate(a: Value) -> Value { return ${pairs === 2 ? 'vec4f(a.x, -a.y, a.z, -a.w)' : 'vec2f(a.x, -a.y)'}; }
fn turn(a: Value) -> Value { return ${pairs === 2 ? 'vec4f(a.y, -a.x, a.w, -a.z)' : 'vec2f(a.y, -a.x)'}; }  // -i a
// The inverse transform is the forward one of exchanged real and imaginary parts.
fn swapped(a: Value) -> Value { return ${pairs === 2 ? 'a.yxwz' : 'a.yx'}; }
fn passes(t: u32, line: u32) {
  ${passes.map((_, index) => passText(index)).join('\n  ')}
}
// From the layout of stores to that of loads.
fn to_loads(t: u32, line: u32) {
  ${restore}
}
fn transform_line(t: u32, line: u32) {
  ${
    bluestein
      ? `
  ${forSlots(plan, first, (slot, j, q, position) => `v[${slot}] = multiply(v[${slot}], chirp(${position}));`)}
  passes(t, line);
  ${forSlots(plan, last, (slot, j, q, position) => `v[${slot}] = swapped(multiply(v[${slot}], table(${length + n}u + ${position})));`)}
  to_loads(t, line);
  passes(t, line);
  ${forSlots(plan, last, (slot, j, q, position) => `v[${slot}] = multiply(swapped(v[${slot}]), chirp(${position}));`)}`
      : 'passes(t, line);'
  }
}
${bluestein ? `fn chirp(i: u32) -> vec2f { return select(vec2f(0.0), table(${length}u + min(i, ${n - 1}u)), i < ${n}u); }` : ''}
`;
  /** Positions below n only. @param {(slot: number, position: string) => string} each @param {number} radix */
  const positions = (each, radix) =>
    forSlots(plan, radix, (slot, j, q, position) => {
      if (!bluestein) return each(slot, position);
      return `if (${position} < ${n}u) { ${each(slot, position)} }`;
    });
  const zeros = Array.from({ length: slots }, (_, i) => `v[${i}] = Value();`).join(' ');
  return {
    text,
    /** Statements for every value before transform_line(). Values at positions from n on must be set to 0 first. @param {(slot: number, position: string) => string} each */
    atLoad: (each) => (bluestein ? `${zeros}\n  ` : '') + positions(each, first),
    /** Statements for every value after transform_line(). @param {(slot: number, position: string) => string} each */
    atStore: (each) => positions(each, last),
    toLoads: 'to_loads(t, line);',
    /** Moves planes of v, written at their positions, to `to` at positions chosen by `from`. @param {string} to @param {(position: string) => string} from */
    moved: (to, from) =>
      exchange(
        positions((slot, position) => `${at(position)} = v[${slot}].PLANE;`, last),
        positions((slot, position) => `${to}[${slot}].PLANE = ${at(from(position))};`, last),
      ),
  };
}
