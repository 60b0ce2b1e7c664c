// controls.js: small helpers for the page.

/** An element with properties, attributes (data-, aria-) and children. */
export function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key.includes('-') || key === 'role' || key === 'for') made.setAttribute(key, value);
    else made[key] = value;
  }
  made.append(...children);
  return made;
}

/** A labelled slider; `change(value)` on input. `exponential`: the value is 2 to the slider's. */
export function slider(label, { min, max, step, value, exponential = false, unit = '' }, change) {
  const shown = element('output');
  const input = element('input', {
    type: 'range',
    min: String(min),
    max: String(max),
    step: String(step),
    value: String(value),
  });
  const read = () => (exponential ? 2 ** Number(input.value) : Number(input.value));
  const show = () => {
    shown.textContent = ` ${read()
      .toPrecision(3)
      .replace(/\.?0+$/, '')}${unit}`;
  };
  input.addEventListener('input', () => {
    show();
    change(read());
  });
  show();
  const text = element('span', {}, label, shown);
  return element('label', {}, text, input);
}

/** A labelled choice. */
export function choice(label, values, value, change) {
  const select = element(
    'select',
    {},
    ...values.map((one) =>
      element('option', { value: one, textContent: one.replaceAll('_', ' '), selected: one === value }),
    ),
  );
  select.addEventListener('change', () => change(select.value));
  return element('label', {}, element('span', { textContent: label }), select);
}

/** A figure of a canvas. */
export function figure(caption, sharp = false) {
  const canvas = element('canvas', { className: sharp ? 'sharp' : '', role: 'img', 'aria-label': caption });
  const text = element('figcaption', { textContent: caption });
  return { figure: element('figure', {}, canvas, text), canvas, text };
}

export const timeText = (milliseconds) =>
  milliseconds === null ? 'time: not available without timestamp-query' : `GPU time ${milliseconds.toFixed(2)} ms`;
