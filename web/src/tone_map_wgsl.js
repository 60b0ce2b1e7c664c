// tone_map_wgsl.js: the functions that map one texel, with the program of an operator as constants. The GLSL counterpart is
// shaders/onepass/tone_map.glsl of the project.
import { kHueAfter, kHueBefore } from './tone_formulas.js';

/** @param {number} value  A float as WGSL text, exact. */
const literal = (value) => {
  const text = String(Math.fround(value));
  return /[.e]/.test(text) ? text : `${text}.0`;
};
/** @param {number[]} v */
const vec3 = (v) => `vec3f(${v.map(literal).join(', ')})`;

/**
 * The curves of a program in the order of their slots: stages, then luminance or guard rail, then HLG's OOTF.
 * @param {import('./tone_program.js').Program} program
 */
export function curvesOf(program) {
  /** @type {import('./tone_curve.js').Curve[]} */
  const curves = [];
  /** @type {(number | null)[]} */
  const slots = program.stages.map(({ curve }) => (curve ? curves.push(curve) - 1 : null));
  const extra = program.luminance ?? program.rail;
  const extraSlot = extra ? curves.push(extra) - 1 : null;
  const ootfSlot = program.ootf ? curves.push(program.ootf) - 1 : null;
  return { curves, slots, extraSlot, ootfSlot };
}

/** The cubics of all curves, four floats each. @param {import('./tone_program.js').Program} program */
export function cubicsOf(program) {
  const { curves } = curvesOf(program);
  const all = new Float32Array(
    Math.max(
      4,
      curves.reduce((sum, { cubics }) => sum + cubics.length, 0),
    ),
  );
  let at = 0;
  for (const { cubics } of curves) {
    all.set(cubics, at);
    at += cubics.length;
  }
  return all;
}

/**
 * WGSL: `fn onepass_tone_map(light: vec3f) -> vec3f`, exposed light to the stored value before rounding, and
 * `fn onepass_exposed(light: vec3f, exposure: f32) -> vec3f`. The module declares `fn onepass_cubic(i: u32) -> vec4f`.
 * @param {import('./tone_program.js').Program} program
 * @returns {string}
 */
export function toneFunctionsWgsl(program) {
  const { curves, slots, extraSlot, ootfSlot } = curvesOf(program);
  let begin = 0;
  const functions = curves.map((curve, slot) => {
    const foot = curve.bottom > 0;
    const count = curve.cubics.length / 4;
    const text = `
fn onepass_curve${slot}(x: f32) -> f32 {
  var s = min(x, ${literal(curve.top)});
  ${foot ? `s = max(s, ${literal(curve.bottom)});` : ''}
  ${curve.root ? 's = sqrt(s);' : ''}
  let w = s * ${literal(curve.scale)}${foot ? '' : ' + 1.0'};
  let bits = bitcast<u32>(w);
  // Products and square roots that are not rounded exactly must not give an index outside of the table.
  let piece = min(max(bits, 0x3F800000u) - 0x3F800000u >> ${23 - curve.split}u, ${count - 1}u);
  let m = bitcast<f32>((bits & 0x7FFFFFu) | 0x3F800000u);
  let c = onepass_cubic(${begin}u + piece);
  return ((c.w * m + c.z) * m + c.y) * m + c.x;
}
fn onepass_curve3_${slot}(c: vec3f) -> vec3f {
  return vec3f(onepass_curve${slot}(c.r), onepass_curve${slot}(c.g), onepass_curve${slot}(c.b));
}`.replace('max(bits, 0x3F800000u) - 0x3F800000u >>', '(max(bits, 0x3F800000u) - 0x3F800000u) >>');
    begin += count;
    return text;
  });

  const lines = [];
  if (program.mix === 'luminance') {
    lines.push(`c *= onepass_curve${extraSlot}(dot(c, vec3f(0.2126, 0.7152, 0.0722)));`);
  }
  if (program.mix === 'neutral') lines.push('c = onepass_neutral(c);');
  program.stages.forEach((stage, i) => {
    const slot = slots[i];
    if (stage.matrix) {
      const [r, g, b] = stage.matrix.map(vec3);
      lines.push(`c = vec3f(dot(${r}, c), dot(${g}, c), dot(${b}, c));`);
      if (i === 1 && program.guardRail) lines.push('c = onepass_guard(c);');
      lines.push('c = max(c, vec3f(0.0));');
      if (slot === null || (i === 0 && program.keepsHue)) lines.push(`c = min(c, vec3f(${literal(stage.top)}));`);
    }
    if (i === program.ootfStage) {
      lines.push(`c = clamp(c, vec3f(0.0), vec3f(${literal(stage.top)}));`);
      lines.push(`c *= onepass_curve${ootfSlot}(dot(c, ${vec3(program.ootfWeights)}));`);
    }
    if (slot === null) return;
    // A curve's values may be negative, by rounding.
    if (i > 0 && !stage.matrix) lines.push('c = max(c, vec3f(0.0));');
    if (i === 0 && program.keepsHue) {
      lines.push(`{ let before = c; c = onepass_keep_hue(before, onepass_curve3_${slot}(c)); }`);
    } else {
      lines.push(`c = onepass_curve3_${slot}(c);`);
    }
  });
  const rail = program.railWeights;
  return `${functions.join('')}
fn onepass_largest(c: vec3f) -> f32 { return max(max(c.r, c.g), c.b); }
fn onepass_smallest(c: vec3f) -> f32 { return min(min(c.r, c.g), c.b); }
${
  program.mix === 'neutral'
    ? `
// Khronos PBR Neutral. The peak is taken after the offset is subtracted.
fn onepass_neutral(light: vec3f) -> vec3f {
  let least = onepass_smallest(light);
  let c = light - select(0.04, least - 6.25 * least * least, least < 0.08);
  let peak = onepass_largest(c);
  if (peak < 0.76) { return c; }
  let pressed = 1.0 - 0.0576 / (peak - 0.52);
  let left = 1.0 / (0.15 * (peak - pressed) + 1.0);
  return vec3f(pressed) + (c * (pressed / peak) - pressed) * left;
}`
    : ''
}
${
  program.keepsHue
    ? `
// Moves the hue of \`after\` by a share of the way back to that of \`before\`.
fn onepass_keep_hue(before: vec3f, after: vec3f) -> vec3f {
  let low = onepass_smallest(before);
  let to = onepass_smallest(after);
  let range = max(onepass_largest(before) - low, 1e-30);
  let stretch = ${literal(kHueBefore)} * (onepass_largest(after) - to) / range;
  return ${literal(kHueAfter)} * after + (before * stretch + (${literal(kHueBefore)} * to - low * stretch));
}`
    : ''
}
${
  program.guardRail
    ? `
// Luminance plus a share of the saturation, which is larger for dark colours.
fn onepass_compensated(luminance: f32, saturation: f32) -> f32 {
  let share = onepass_curve${extraSlot}(max(luminance, 0.0));
  let both = saturation + luminance;
  return both + share * (luminance - both);
}
// Moves colours with a negative channel into the gamut.
fn onepass_guard(c: vec3f) -> vec3f {
  const weights = ${vec3(rail)};
  const sum = ${literal(rail[0] + rail[1] + rail[2])};
  let least = onepass_smallest(c);
  if (least >= 0.0) { return c; }
  let y = dot(c, weights);
  let saturation = (onepass_largest(c) - least) - (onepass_largest(c) * sum - y);
  let wanted = onepass_compensated(y, saturation);
  let got = onepass_compensated(y - least * sum, saturation);
  return (c - least) * select(1.0, wanted / max(got, 1e-30), got > wanted);
}`
    : ''
}
fn onepass_tone_map(light: vec3f) -> vec3f {
  var c = light;
  ${lines.join('\n  ')}
  return max(c, vec3f(0.0));
}
// NaN and negative light become 0; light is limited to 65504, the largest half. Comparisons of bits, because WGSL
// allows that an implementation ignores NaN.
fn onepass_positive(light: f32) -> f32 {
  return select(0.0, min(light, 65504.0), bitcast<u32>(light) <= 0x7F800000u);
}
fn onepass_exposed(light: vec3f, exposure: f32) -> vec3f {
  let c = vec3f(onepass_positive(light.r), onepass_positive(light.g), onepass_positive(light.b));
  return min(c * exposure, vec3f(65504.0));
}
// An exposure that is not finite and above 0, as before a meter's first image, counts as 1.
fn onepass_usable_exposure(exposure: f32) -> f32 {
  let bits = bitcast<u32>(exposure);
  return select(1.0, exposure, bits != 0u && bits < 0x7F800000u);
}
`;
}
